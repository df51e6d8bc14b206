/* Scores of a page: the built-in model equals its file, and reasons add up to the
 * score. */
#include "content/content_scores.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "thresher/options.h"
#include "thresher/parse.h"

/* TH_CONTENT_MODEL is the file of the model that ships; the build names it. */

static void what_ships_is_its_file(void **state)
{
    (void)state;
    th_error err = { .text = "" };
    const th_content_model *read = NULL, *built = th_content_model_shipped();
    th_arena *arena = th_arena_new(0);
    if (th_content_model_load(TH_CONTENT_MODEL, &th_feature_schema, arena, &read, &err) !=
        TH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(built->checksum, read->checksum);
    assert_int_equal(built->cut, read->cut);
    assert_int_equal(built->without_fold, read->without_fold);
    assert_memory_equal(built->calibration, read->calibration, sizeof read->calibration);
    assert_memory_equal(&built->tokens, &read->tokens, sizeof read->tokens);
    assert_int_equal(built->about.len, read->about.len);
    assert_memory_equal(built->about.data, read->about.data, read->about.len);
    const th_ensemble *const pairs[2][2] = { { &built->type, &read->type },
                                             { &built->paragraph, &read->paragraph } };
    for (int i = 0; i < 2; i++) {
        const th_ensemble *a = pairs[i][0], *b = pairs[i][1];
        const size_t leaves = ((size_t)b->tree_count * b->output_count) << b->depth;
        assert_int_equal(a->tree_count, b->tree_count);
        assert_int_equal(a->depth, b->depth);
        assert_int_equal(a->output_count, b->output_count);
        assert_int_equal(a->shift, b->shift);
        assert_memory_equal(a->bias, b->bias, sizeof a->bias);
        assert_memory_equal(a->levels, b->levels, (size_t)2 * b->tree_count * b->depth);
        assert_memory_equal(a->leaf_low, b->leaf_low, leaves);
        assert_memory_equal(a->leaf_high, b->leaf_high, leaves);
    }
    th_arena_free(arena);
}

static const char html[] =
    "<html><head><title>How the mill was built</title></head><body>"
    "<nav class=menu><ul><li><a href=/>Home</a><li><a href=/a>Mills</a><li><a href=/b>"
    "Rivers</a></ul></nav><main><article class=post><h1>How the mill was built</h1>"
    "<p>The mill on the river was built in 1843 by two brothers, who had learned the "
    "trade from their father and had saved for eleven years to buy the land.</p>"
    "<p>Its wheel turned until 1921, when the flood took the weir and half of the race "
    "with it. Nobody rebuilt them, for flour came by rail by then, and was cheaper.</p>"
    "<p>What is left of the walls was restored by the village in 1988, and a museum "
    "shows the stones, the gears and the books that the brothers kept.</p>"
    "</article></main><footer class=footer><p>Copyright 2020. All rights reserved.</p>"
    "<p><a href=/c>Contact</a> | <a href=/d>Privacy</a></p></footer></body></html>";

static th_page *parse(const char *text, th_arena *arena)
{
    const th_document document = { .bytes = { text, strlen(text) },
                                   .url = TH_VIEW("http://mill.example/history") };
    th_options opt;
    th_page *page = NULL;
    th_options_init(&opt);
    opt.reads = TH_FEATURES_READ;
    th_parser *parser = th_parser_new(&opt);
    assert_non_null(parser);
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    th_parser_free(parser);
    return page;
}

static void a_plain_page(void **state)
{
    (void)state;
    th_content_scores scores, again;
    th_arena *arena = th_arena_new(0), *scratch = th_arena_new(0);
    const th_page *page = parse(html, arena);
    const th_content_model *model = th_content_model_shipped();
    assert_int_equal(th_content_score(model, page, scratch, &scores), TH_OK);
    assert_int_equal(th_content_score(model, page, scratch, &again), TH_OK);
    assert_int_equal(scores.columns.rows, page->paragraph_count);
    assert_memory_equal(scores.score, again.score,
                        page->paragraph_count * sizeof *scores.score);
    th_ensemble_means means;
    assert_int_equal(th_ensemble_means_make(&model->paragraph, scratch, &means), TH_OK);
    uint32_t sum = 0;
    for (int i = 0; i < TH_PAGE_TYPE_COUNT; i++)
        sum += scores.type_probability[i];
    assert_in_range(sum, 65535 - TH_PAGE_TYPE_COUNT, 65535);
    for (uint32_t row = 0; row < page->paragraph_count; row++) {
        const th_view text = th_paragraph_text(page, row);
        int32_t by_group[TH_FEATURE_GROUP_COUNT];
        int32_t score = means.base;
        th_content_explain(&means, &scores, row, by_group);
        for (int group = 0; group < TH_FEATURE_GROUP_COUNT; group++)
            score += by_group[group];
        assert_int_equal(score, scores.score[row]);
        /* the three paragraphs of the article, and no link or footer */
        if (text.len > 100)
            assert_true(scores.probability[row] > 40000);
        else if (text.len < 10 || memmem(text.data, text.len, "Copyright", 9))
            assert_true(scores.probability[row] < 20000);
    }
    th_arena_free(arena);
    th_arena_free(scratch);
}

static void a_page_without_text(void **state)
{
    (void)state;
    th_content_scores scores;
    th_arena *arena = th_arena_new(0);
    const th_page *page = parse("<html>", arena);
    assert_int_equal(th_content_score(th_content_model_shipped(), page, arena, &scores),
                     TH_OK);
    assert_int_equal(scores.columns.rows, 0);
    th_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_ships_is_its_file),
        cmocka_unit_test(a_plain_page),
        cmocka_unit_test(a_page_without_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
