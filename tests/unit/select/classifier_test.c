/* The select stage: properties of every classifier, segment labels, the main segment. */
#include "thresher/classifier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "make_page.h"
#include "thresher/parse.h"
#include "thresher/segmenter.h"

static th_options options(const char *classifier)
{
    return (th_options){ .size = sizeof(th_options),
                         .segmenter = "just-rules",
                         .profile = "2008",
                         .theta_max = -1,
                         .w_max = 80,
                         .classifier = classifier };
}

static void sums_hold(const th_page *page)
{
    uint32_t content = 0;
    for (uint32_t i = 0; i < page->block_count; i++) {
        assert_true(page->label_of[i] == TH_CONTENT ||
                    page->label_of[i] == TH_BOILERPLATE);
        content += page->label_of[i] == TH_CONTENT ? page->blocks[i].tokens : 0;
    }
    assert_int_equal(page->content_tokens, content);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < page->segment_count; i++) {
        const th_segment *segment = &page->segments[i];
        sum += segment->content_tokens;
        assert_true(segment->content_tokens <= segment->tokens);
        assert_int_equal(segment->label == TH_CONTENT,
                         2 * segment->content_tokens > segment->tokens);
    }
    assert_int_equal(sum, content);
    if (page->main_segment != TH_NONE)
        assert_true(page->segments[page->main_segment].link_density < 0.5);
}

/* Each block has a reason of the classifier's, and the label to which it leads. */
static void reasons_hold(const th_page *page, const th_classifier *classifier)
{
    unsigned count = 0;
    while (classifier->reasons[count].words)
        count++;
    for (uint32_t i = 0; i < page->block_count; i++) {
        assert_true(page->reason_of[i] < count);
        assert_int_equal(classifier->reasons[page->reason_of[i]].label,
                         page->label_of[i]);
    }
}

static void classifier_holds(void **state)
{
    const th_classifier *classifier = *state;
    assert_ptr_equal(th_classifier_find(classifier->name), classifier);
    assert_true(classifier->cites[0] == '[' && classifier->help[0]);
    uint64_t seed = 23;
    th_arena *arena = th_arena_new(0);
    const th_options opt = options(classifier->name);
    for (unsigned round = 0; round < 200; round++) {
        th_arena_reset(arena);
        th_page *page = make_random_page(arena, &seed, round % 50);
        assert_int_equal(th_segment_page(page, &opt), TH_OK);
        assert_int_equal(th_select_page(page, &opt), TH_OK);
        sums_hold(page);
        const uint8_t *labels = page->label_of; /* a second run changes nothing */
        assert_int_equal(th_select_page(page, &opt), TH_OK);
        assert_memory_equal(page->label_of, labels, page->block_count);
        sums_hold(page);
        reasons_hold(page, classifier);
    }
    th_arena_free(arena);
}

/* Hidden text is boilerplate with rules, and its neighbors keep their labels. */
static void hidden_text_is_no_content(void **state)
{
    (void)state;
    static const char html[] = "<p>one two<p hidden>three four<p>five six"
                               "<p hidden>seven eight<p>nine ten";
    const th_document document = { .bytes = { html, sizeof html - 1 },
                                   .url = TH_VIEW("http://a.example/x"),
                                   .charset = TH_VIEW("utf-8") };
    th_options opt;
    th_options_init(&opt);
    opt.classifier = "keep-all";
    opt.reads = TH_READS_CLASSES | TH_READS_HIDDEN;
    th_arena *arena = th_arena_new(0);
    th_parser *parser = th_parser_new(&opt);
    th_page *page = NULL;
    assert_non_null(parser);
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    assert_int_equal(th_select_page(page, &opt), TH_OK);
    assert_int_equal(page->block_count, 5);
    for (uint32_t i = 0; i < page->block_count; i++)
        assert_int_equal(page->label_of[i], i % 2 ? TH_BOILERPLATE : TH_CONTENT);
    th_parser_free(parser);
    th_arena_free(arena);
}

static void memory_runs_out(void **state)
{
    (void)state;
    const th_options opt = options("main-content");
    uint64_t seed = 3;
    th_arena *arena = th_arena_new(0);
    th_page *page = make_random_page(arena, &seed, 12);
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    page->arena = th_arena_new(11);
    assert_int_equal(th_select_page(page, &opt), TH_NOMEM);
    assert_null(page->label_of);
    th_arena_free(page->arena);
    th_arena_free(arena);
}

/* Segments are cut at h1; labels are min-words'. */
/* clang-format off */
static const struct row {
    const char *name;
    struct block_row blocks[4];
    const char *labels; /* a letter for each segment */
    uint32_t main_segment;
} rows[] = {
    { "most words of the second", { { "a b", 0, "h1" }, { "a b c", 0, "h1" } }, "bb", 1 },
    { "ties go to the earlier", { { "a b", 0, "h1" }, { "c d", 0, "h1" } }, "bb", 0 },
    { "half linked is out", { { "a b c d", 2, "h1" }, { "c d", 0, "h1" } }, "bb", 1 },
    { "nearly half is in", { { "a b c d e", 2, "h1" }, { "c d", 0, "h1" } }, "bb", 0 },
    { "all linked: none", { { "a b", 2, "h1" } }, "b", TH_NONE },
    { "no token: none", { { "|", 0, "h1" }, { "-", 0, "p" } }, "b", TH_NONE },
    { "no block: none", { { NULL, 0, NULL } }, "", TH_NONE },
    { "ten of nineteen tokens are content", { { "a b c d e f g h i j", 0, "h1" },
      { "1 2 3 4 5 6 7 8 9", 0, "p" } }, "c", 0 },
    { "ten of twenty are a tie: boilerplate", { { "a b c d e f g h i j", 0, "h1" },
      { "1 2 3 4 5 6 7 8 9", 0, "p" }, { "0", 0, "p" } }, "b", 0 },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    size_t count = 0;
    while (count < 4 && row->blocks[count].text)
        count++;
    th_arena *arena = th_arena_new(0);
    th_page *page = make_page(arena, row->blocks, count);
    th_options opt = options("min-words");
    opt.main_segment = "largest";
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    assert_int_equal(th_select_page(page, &opt), TH_OK);
    assert_int_equal(page->segment_count, strlen(row->labels));
    for (uint32_t i = 0; i < page->segment_count; i++)
        assert_int_equal(page->segments[i].label == TH_CONTENT ? 'c' : 'b',
                         row->labels[i]);
    assert_int_equal(page->main_segment, row->main_segment);
    th_arena_free(arena);
}

static void unknown_names_find_nothing(void **state)
{
    (void)state;
    assert_null(th_classifier_find("words"));
    assert_null(th_classifier_find(""));
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows, MOST = 32 };
    struct CMUnitTest tests[ROWS + MOST + 3];
    char names[MOST][64];
    size_t count = 0;
    for (const th_classifier *const *at = th_classifiers; *at && count < MOST; at++) {
        (void)snprintf(names[count], sizeof names[0], "%s keeps its promises",
                       (*at)->name);
        tests[count] = (struct CMUnitTest){ names[count], classifier_holds, NULL, NULL,
                                            (void *)(uintptr_t)*at };
        count++;
    }
    for (size_t i = 0; i < ROWS; i++)
        tests[count++] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                              (void *)(uintptr_t)&rows[i] };
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(hidden_text_is_no_content);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(memory_runs_out);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(unknown_names_find_nothing);
    return _cmocka_run_group_tests("classifier", tests, count, NULL, NULL);
}
