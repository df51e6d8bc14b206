/* src/inspect/reading.c, reason_text.c: every pair of methods has the results of the
 * single methods. */
#include "inspect/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/reason_text.h"
#include "lab/segment/lab_segmenters.h"
#include "make_page.h"
#include "thresher/minhash.h"

static void names_are_checked(void **state)
{
    (void)state;
    th_error err = { .text = "" };
    assert_int_equal(th_readings_check("none", NULL, &err), TH_OK);
    assert_int_equal(th_readings_check("", NULL, &err), TH_OK);
    assert_int_equal(th_readings_check("all", NULL, &err), TH_OK);
    assert_int_equal(th_readings_check("bf-plain,keep-all", NULL, &err), TH_OK);
    assert_int_equal(th_readings_check("bf-plain,bf-plane", NULL, &err), TH_USAGE);
    assert_non_null(strstr(err.text, "'bf-plane'"));
    char longer[4096];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(th_readings_check(longer, NULL, &err), TH_USAGE);
}

static void own_methods_are_chosen(void **state)
{
    (void)state;
    uint64_t seed = 5;
    th_options opt;
    th_options_init(&opt);
    opt.segmenters = th_lab_segmenters;
    th_readings readings;
    th_arena *arena = th_arena_new(0);
    const th_page *page = make_random_page(arena, &seed, 9);
    assert_int_equal(th_readings_make(page, &opt, "tag-gap,keep-all", &readings, NULL),
                     TH_OK);
    assert_int_equal(readings.segmenter_count, 2);
    assert_int_equal(readings.classifier_count, 2);
    const th_reading *chosen = &readings.rows[readings.chosen];
    assert_string_equal(readings.segmenters[chosen->segmenter]->name, opt.segmenter);
    assert_string_equal(readings.classifiers[chosen->classifier]->name, opt.classifier);
    assert_null(page->segment_of); /* the page itself stays as it was */
    th_readings_done(&readings);
    th_arena_free(arena);
}

/* Each reading is what the stages make of the page when these methods are set. */
static void readings_are_the_stages(void **state)
{
    (void)state;
    uint64_t seed = 17;
    th_arena *arena = th_arena_new(0);
    for (unsigned round = 0; round < 12; round++) {
        th_arena_reset(arena);
        th_page *page = make_random_page(arena, &seed, round * 5);
        th_options opt;
        th_options_init(&opt);
        opt.segmenters = th_lab_segmenters;
        th_readings readings;
        assert_int_equal(th_readings_make(page, &opt, "all", &readings, NULL), TH_OK);
        assert_non_null(readings.signer);
        for (uint32_t i = 0; i < readings.count; i++) {
            const th_reading *reading = &readings.rows[i];
            opt.segmenter = readings.segmenters[reading->segmenter]->name;
            opt.classifier = readings.classifiers[reading->classifier]->name;
            assert_int_equal(th_segment_page(page, &opt), TH_OK);
            assert_int_equal(th_select_page(page, &opt), TH_OK);
            assert_int_equal(th_sketch_page(page, &opt, readings.signer), TH_OK);
            const size_t blocks = page->block_count;
            assert_memory_equal(reading->page.label_of, page->label_of, blocks);
            assert_memory_equal(reading->page.segment_of, page->segment_of,
                                blocks * sizeof *page->segment_of);
            assert_int_equal(reading->page.segment_count, page->segment_count);
            assert_int_equal(reading->page.main_segment, page->main_segment);
            assert_int_equal(reading->page.content_tokens, page->content_tokens);
            for (uint32_t j = 0; j < page->segment_count; j++)
                assert_int_equal(reading->page.segments[j].label,
                                 page->segments[j].label);
            assert_memory_equal(reading->page.text_digest, page->text_digest,
                                sizeof page->text_digest);
            for (unsigned j = 0; j < TH_SIGN_COUNT; j++) {
                const th_signature *signature = &page->signatures[j];
                assert_int_equal(reading->page.signatures[j].slot_count,
                                 signature->slot_count);
                if (signature->slots)
                    assert_memory_equal(reading->page.signatures[j].slots,
                                        signature->slots,
                                        signature->slot_count * sizeof(uint64_t));
            }
            assert_memory_equal(reading->page.reason_of, page->reason_of, blocks);
        }
        th_readings_done(&readings);
    }
    th_arena_free(arena);
}

static void reasons_hold_figures(void **state)
{
    (void)state;
    static const struct block_row blocks[] = { { "a b c", 1, "h1" },
                                               { "a b c d e", 0, "h1" } };
    static const struct {
        uint32_t block;
        const char *words, *want;
    } rows[] = {
        { 0, "{tokens} > 2 words", "3 > 2 words" },
        { 0, "{prev.tokens}, {next.tokens}", "0, 5" },
        { 1, "{prev.link_density} {next.density}", "0.333333 0" },
        { 1, "{segment.density} {density}", "5 5" },
        { 1, "no feature: {tokens, {words} {", "no feature: {tokens, {words} {" },
        { 1, "", "" },
    };
    th_arena *arena = th_arena_new(0);
    th_page *page = make_page(arena, blocks, 2);
    th_options opt;
    th_options_init(&opt);
    opt.segmenters = th_lab_segmenters;
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_buffer out = { 0 };
        th_reason_text(page, rows[i].block, rows[i].words, &out);
        th_buffer_append_char(&out, '\0');
        assert_string_equal(out.data, rows[i].want);
        th_buffer_done(&out);
    }
    th_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(own_methods_are_chosen),
        cmocka_unit_test(readings_are_the_stages),
        cmocka_unit_test(reasons_hold_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
