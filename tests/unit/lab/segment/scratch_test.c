/*
 * Scratch memory: 6 MB a page for every segmenter and any page. Work on large pages
 * is bounded by counts, so no page is refused for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "hostile_pages.h"
#include "lab/segment/lab_segmenters.h"
#include "thresher/parse.h"
#include "thresher/segmenter.h"

enum {
    SCRATCH = 6000000,
    PAGES = 3, /* the first pages, with the highest use; bench_segmenters has all */
};

static void segments_are_dense(const uint32_t *segment_of, uint32_t blocks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < blocks; i++) {
        assert_true(segment_of[i] <= count);
        count += segment_of[i] == count;
    }
}

static void scratch_is_bounded(void **state)
{
    const hostile_page *hostile = *state;
    th_options opt;
    th_buffer html = { 0 };
    th_page *page = NULL;
    th_options_init(&opt);
    opt.page_ms = 0;
    opt.classifier = "num-words";
    hostile->write(&html);
    assert_false(html.has_failed);
    th_arena *arena = th_arena_new(0);
    th_parser *parser = th_parser_new(&opt);
    const th_document document = { .bytes = th_buffer_view(&html),
                                   .charset = TH_VIEW("utf-8") };
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    assert_true(page->block_count > 50000);
    uint32_t *segment_of = malloc(page->block_count * sizeof *segment_of);
    assert_non_null(segment_of);
    for (const th_segmenter *const *at = th_lab_segmenters; *at; at++) {
        th_arena *scratch = th_arena_new(SCRATCH);
        opt.segmenters = th_lab_segmenters;
        opt.segmenter = (*at)->name;
        if ((*at)->segment(page, &opt, scratch, segment_of) != TH_OK)
            fail_msg("%s takes over %d bytes: %s", (*at)->name, SCRATCH, hostile->name);
        segments_are_dense(segment_of, page->block_count);
        th_arena_free(scratch);
    }
    free(segment_of);
    th_parser_free(parser);
    th_arena_free(arena);
    th_buffer_done(&html);
}

int main(void)
{
    const struct CMUnitTest tests[PAGES] = {
        cmocka_unit_test_prestate(scratch_is_bounded, (void *)&hostile_pages[0]),
        cmocka_unit_test_prestate(scratch_is_bounded, (void *)&hostile_pages[1]),
        cmocka_unit_test_prestate(scratch_is_bounded, (void *)&hostile_pages[2]),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
