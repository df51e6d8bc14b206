/* src/segment, src/select and src/lab: results of each method for random pages, lists, trees,
 * graphs and charts, as a digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/report/svg_chart.h"
#include "lab/segment/lab_segmenters.h"
#include "lab/segment/max_flow.h"
#include "lab/segment/tree_edit_distance.h"
#include "lab/segmentation/alignment.h"
#include "make_page.h"
#include "outcomes.h"
#include "segment/gap_profile.h"
#include "thresher/classifier.h"
#include "thresher/segmenter.h"

/* ---- pages ---- */

static void note_segments(struct outcomes *all, const th_page *page)
{
    note_number(all, page->segment_count);
    for (uint32_t i = 0; i < page->block_count; i++)
        note_number(all, page->segment_of[i]);
    for (uint32_t i = 0; i < page->segment_count; i++) {
        note_number(all, page->segments[i].first_block);
        note_number(all, page->segments[i].block_count);
    }
}

static void note_labels(struct outcomes *all, const th_page *page)
{
    note_number(all, page->main_segment);
    note_number(all, page->content_tokens);
    for (uint32_t i = 0; i < page->block_count; i++)
        note_number(all, page->label_of[i]);
}

static th_page *random_page(struct outcomes *all, uint64_t *seed, th_arena *arena)
{
    th_page *page = make_random_page(arena, seed, below(all, 60));
    if (below(all, 3))
        nest_at_random(page, arena, seed);
    if (page->block_count && below(all, 2))
        page->metadata.title = th_block_text(page, below(all, page->block_count));
    return page;
}

static void segments_and_labels_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 1 };
    th_arena *arena = th_arena_new(0);
    uint64_t seed = 21;
    for (unsigned round = 0; round < 120; round++) {
        th_arena_reset(arena);
        th_page *page = random_page(&all, &seed, arena);
        th_options opt = { .size = sizeof(th_options), .segmenters = th_lab_segmenters };
        opt.theta_max = below(&all, 4) ? below(&all, 10) / 8.0 : -1;
        opt.w_max = 20 + below(&all, 80);
        uint32_t profiles = 0;
        while (th_gap_profiles[profiles])
            profiles++;
        opt.profile = th_gap_profiles[below(&all, profiles)]->name;
        for (const th_segmenter *const *method = th_lab_segmenters; *method; method++) {
            opt.segmenter = (*method)->name;
            assert_int_equal(th_segment_page(page, &opt), TH_OK);
            note_segments(&all, page);
        }
        for (const th_classifier *const *method = th_classifiers; *method; method++) {
            opt.classifier = (*method)->name;
            assert_int_equal(th_select_page(page, &opt), TH_OK);
            note_labels(&all, page);
        }
    }
    th_arena_free(arena);
    expect_digest(&all, 0x9F499841B98F2202);
}

/* ---- lists of words ---- */

/* A copy of a list with words that are changed, missing and added. */
static uint32_t edited(struct outcomes *all, const uint64_t *a, uint32_t count,
                       uint32_t edits, uint64_t *out)
{
    uint32_t len = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t kind = below(all, 1000) < edits ? below(all, 3) : 3;
        if (kind > 0)
            out[len++] = kind == 1 ? below(all, 1 << 20) : a[i];
        if (kind == 2)
            out[len++] = below(all, 50);
    }
    return len;
}

static void alignments_are_known(void **state)
{
    enum { MOST = 30000 };
    (void)state;
    struct outcomes all = { .chance = 2 };
    uint64_t *a = calloc(MOST, sizeof *a), *b = calloc(2 * (size_t)MOST, sizeof *b);
    uint32_t *partner = calloc(MOST, sizeof *partner);
    assert_true(a && b && partner);
    for (unsigned round = 0; round < 150; round++) {
        /* The table of long lists is larger than the limit. */
        const uint32_t count = round < 4 ? MOST - below(&all, 4000) : below(&all, 300);
        const uint32_t words = round == 0 ? 2 : round < 4 ? 20000 : 1 + below(&all, 300);
        for (uint32_t i = 0; i < count; i++)
            a[i] = below(&all, words);
        const uint32_t edits = below(&all, 400);
        const uint32_t count_b = edited(&all, a, count, edits, b);
        assert_int_equal(th_align(a, count, b, count_b, partner), TH_OK);
        note_number(&all, XXH64(partner, count * sizeof *partner, 0));
    }
    free(a);
    free(b);
    free(partner);
    expect_digest(&all, 0x1A188804BF915CED);
}

/* ---- trees ---- */

enum { NODES = 60 };

struct forest {
    th_tag tags[NODES];
    uint32_t leftmost[NODES];
    uint8_t is_key[NODES];
    uint64_t key_cells[NODES + 1];
    uint32_t count;
};

static void add_tree(struct outcomes *all, struct forest *forest, uint32_t depth,
                     bool is_key)
{
    const uint32_t leftmost = forest->count;
    for (uint32_t i = 0, children = depth ? below(all, 4) : 0; i < children; i++)
        if (forest->count + depth + 2 < NODES)
            add_tree(all, forest, depth - 1, forest->count > leftmost);
    const uint32_t at = forest->count++;
    forest->tags[at] = (th_tag)(1 + below(all, 4));
    forest->leftmost[at] = leftmost;
    forest->is_key[at] = is_key;
    forest->key_cells[at + 1] = forest->key_cells[at] + (is_key ? at + 1 - leftmost : 0);
}

static void distances_of_trees_are_known(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 3 };
    uint32_t counts[TH_TAG_COUNT] = { 0 };
    uint32_t *scratch = calloc(th_tree_distance_capacity(NODES, NODES), sizeof *scratch);
    assert_non_null(scratch);
    for (unsigned round = 0; round < 200; round++) {
        struct forest forest = { .count = 0 };
        add_tree(&all, &forest, 5, false);
        const th_postorder view = { forest.tags, forest.leftmost, forest.is_key,
                                    forest.key_cells };
        for (unsigned k = 0; k < 12; k++) {
            const uint32_t a = below(&all, forest.count), b = below(&all, forest.count);
            note_number(&all, th_tree_cells(&view, a));
            note_number(&all, th_tree_distance(&view, a, b, scratch));
            note_number(&all, th_tree_distance_bound(&view, a, b, counts));
        }
    }
    free(scratch);
    expect_digest(&all, 0xBCFBFD7AD792BBFE);
}

/* ---- graphs ---- */

static void flows_are_known(void **state)
{
    enum { FLOW_NODES = 24 };
    (void)state;
    struct outcomes all = { .chance = 4 };
    th_arena *arena = th_arena_new(0);
    for (unsigned round = 0; round < 300; round++) {
        th_flow flow;
        bool sides[2][FLOW_NODES] = { { false } };
        const uint32_t nodes = 2 + below(&all, FLOW_NODES - 1), arcs = below(&all, 70);
        th_arena_reset(arena);
        assert_true(th_flow_init(&flow, nodes, arcs, arena));
        for (uint32_t i = 0; i < arcs; i++) {
            const uint32_t from = below(&all, nodes), to = below(&all, nodes);
            const int64_t capacity =
                below(&all, 20) ? below(&all, 30) : TH_FLOW_INFINITE / 100;
            if (from != to)
                th_flow_arc_add(&flow, from, to, capacity,
                                below(&all, 3) ? 0 : below(&all, 9));
        }
        note_number(&all, (uint64_t)th_flow_run(&flow));
        th_flow_sink_side(&flow, sides[0]);
        th_flow_source_side(&flow, sides[1]);
        for (uint32_t i = 0; i < nodes; i++)
            note_number(&all, (unsigned)sides[0][i] | (unsigned)sides[1][i] << 1);
    }
    th_arena_free(arena);
    expect_digest(&all, 0xA444EA0C753D508A);
}

/* ---- charts ---- */

static void charts_are_known(void **state)
{
    enum { POINTS = 12 };
    static const char *const names[] = { NULL, "a<b", "bf & \"x\"", "\xC3\xA9\x80", "" };
    static const double ends[] = { 1, 10, 1000, 5, 7, 2.5, 0.4, 99, 20000, 0.01 };
    (void)state;
    struct outcomes all = { .chance = 5 };
    for (unsigned round = 0; round < 150; round++) {
        double x[4][POINTS], y[4][POINTS];
        th_chart chart = { .title = names[1 + below(&all, 4)],
                           .x_name = "x",
                           .y_name = "y <" };
        chart.is_log = below(&all, 3) == 0;
        chart.x_min = chart.y_min = chart.is_log ? 1 : 0;
        chart.x_max = chart.is_log ? 1000 : ends[below(&all, 10)];
        chart.y_max = chart.is_log ? 100 : ends[below(&all, 10)];
        chart.series_count = below(&all, 5);
        for (uint32_t i = 0; i < chart.series_count; i++) {
            th_chart_series *series = &chart.series[i];
            *series =
                (th_chart_series){ .name = names[below(&all, 5)], .x = x[i], .y = y[i] };
            series->count = below(&all, POINTS + 1);
            series->color = (uint8_t)below(&all, TH_CHART_BLACK + 1);
            series->form = (th_chart_form)below(&all, 3);
            for (uint32_t k = 0; k < series->count; k++) {
                x[i][k] = chart.x_max * (k + 1) / 8;
                y[i][k] = chart.y_max * below(&all, 40) / 32;
            }
        }
        th_buffer out = { 0 };
        th_svg_begin(&out, 2, 3);
        const uint32_t column = below(&all, 2);
        th_svg_chart(&out, &chart, column, below(&all, 3));
        th_svg_end(&out);
        note_view(&all, th_buffer_view(&out));
        th_buffer_done(&out);
    }
    expect_digest(&all, 0xAB2DD1C9B6E5A2C9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_and_labels_are_known),
        cmocka_unit_test(alignments_are_known),
        cmocka_unit_test(distances_of_trees_are_known),
        cmocka_unit_test(flows_are_known),
        cmocka_unit_test(charts_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
