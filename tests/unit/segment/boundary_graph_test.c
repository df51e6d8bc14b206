/*
 * The boundary graph: the reference's small cases and pages. The dynamic program is
 * compared with a minimum cut and with brute force on random levels.
 */
#include "segment/boundary_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lab/segment/max_flow.h"
#include "make_page.h"
#include "segment/fixed_point.h"
#include "segment/segmenters.h"
#include "segment/vectors.h"

enum { MOST = 256 };

/* A graph of levels alone. */
struct toy {
    th_boundary_graph graph;
    th_boundary_level levels[MOST];
    th_boundary_part parts[MOST];
    int64_t scores[MOST];
};

/* Pairs [i, j] of a graph: boundary j needs boundary i. */
struct needs {
    uint32_t outer[MOST], inner[MOST], count;
};

static void list_needs(const th_boundary_graph *graph, struct needs *needs)
{
    needs->count = 0;
    for (uint32_t i = 0; i < graph->level_count; i++) {
        const th_boundary_level *level = &graph->levels[i];
        for (uint32_t k = 0; k < level->part_count; k++) {
            const uint32_t number = graph->parts[level->first_part + k].level;
            if (number == TH_NONE)
                continue;
            const th_boundary_level *inside = &graph->levels[number];
            for (uint32_t j = 0; j + 1 < inside->part_count; j++) {
                for (uint32_t beside = k ? k - 1 : k;
                     beside <= k && beside + 1 < level->part_count; beside++) {
                    assert_true(needs->count < MOST);
                    needs->outer[needs->count] = level->first_boundary + beside;
                    needs->inner[needs->count++] = inside->first_boundary + j;
                }
            }
        }
    }
}

/* The same by a minimum cut: a closure of greatest weight. */
static int64_t by_minimum_cut(const struct toy *toy, th_arena *arena)
{
    const uint32_t count = toy->graph.boundary_count;
    struct needs needs;
    th_flow flow;
    int64_t gains = 0;
    list_needs(&toy->graph, &needs);
    assert_true(th_flow_init(&flow, count + 2, count + needs.count, arena));
    for (uint32_t i = 0; i < count; i++) {
        const int64_t score = toy->scores[i];
        gains += score > 0 ? score : 0;
        if (score > 0)
            th_flow_arc_add(&flow, TH_FLOW_SOURCE, i + 2, score, 0);
        else
            th_flow_arc_add(&flow, i + 2, TH_FLOW_SINK, -score, 0);
    }
    for (uint32_t i = 0; i < needs.count; i++)
        th_flow_arc_add(&flow, needs.inner[i] + 2, needs.outer[i] + 2, TH_FLOW_INFINITE,
                        0);
    return gains - th_flow_run(&flow);
}

static int64_t by_brute_force(const struct toy *toy)
{
    struct needs needs;
    int64_t best = 0;
    list_needs(&toy->graph, &needs);
    for (uint32_t set = 0; set < 1u << toy->graph.boundary_count; set++) {
        int64_t sum = 0;
        bool is_allowed = true;
        for (uint32_t i = 0; i < needs.count; i++)
            is_allowed &= !(set >> needs.inner[i] & 1) || (set >> needs.outer[i] & 1);
        for (uint32_t i = 0; i < toy->graph.boundary_count; i++)
            sum += set >> i & 1 ? toy->scores[i] : 0;
        best = is_allowed && sum > best ? sum : best;
    }
    return best;
}

static int64_t check_labels(const struct toy *toy, th_arena *arena, uint8_t *is_y)
{
    struct needs needs;
    int64_t value = 0, sum = 0;
    list_needs(&toy->graph, &needs);
    assert_int_equal(th_boundary_labels(&toy->graph, toy->scores, arena, is_y, &value),
                     TH_OK);
    for (uint32_t i = 0; i < needs.count; i++)
        assert_true(!is_y[needs.inner[i]] || is_y[needs.outer[i]]);
    for (uint32_t i = 0; i < toy->graph.boundary_count; i++)
        sum += is_y[i] ? toy->scores[i] : 0;
    assert_int_equal(sum, value);
    return value;
}

static void open_toy(struct toy *toy)
{
    memset(toy, 0, sizeof *toy);
    toy->graph.levels = toy->levels;
    toy->graph.parts = toy->parts;
}

static void toys_are_the_references(void **unused)
{
    (void)unused;
    json *file = load_vectors("boundary_graph_toy.json");
    json_val toys = member(file, "toys");
    th_arena *arena = th_arena_new(0);
    for (uint32_t i = 0; i < length_of(toys); i++) {
        json_val want = element(toys, i), levels = member(want, "levels");
        json_val scores = member(want, "score"), x = member(want, "x");
        struct toy toy;
        uint32_t parts = 0;
        uint8_t is_y[MOST];
        open_toy(&toy);
        for (uint32_t k = 0; k < length_of(levels); k++) {
            json_val level = element(levels, k), inside = element(level, 3);
            toy.levels[k] = (th_boundary_level){
                .first_part = parts,
                .part_count = (uint32_t)integer_at(level, 2),
                .first_boundary = (uint32_t)integer_at(level, 1),
            };
            for (uint32_t p = 0; p < toy.levels[k].part_count; p++) {
                uint32_t inner = TH_NONE;
                for (uint32_t m = 0; m < length_of(levels); m++) {
                    if (integer_at(inside, p) == integer_at(element(levels, m), 1))
                        inner = m;
                }
                toy.parts[parts++] = (th_boundary_part){ .level = inner };
            }
        }
        toy.graph.level_count = length_of(levels);
        toy.graph.boundary_count = length_of(scores);
        for (uint32_t k = 0; k < length_of(scores); k++)
            toy.scores[k] = integer_at(scores, k);
        assert_int_equal(check_labels(&toy, arena, is_y), integer(member(want, "value")));
        for (uint32_t k = 0; k < length_of(x); k++)
            assert_int_equal(is_y[k], integer_at(x, k));
        assert_int_equal(by_minimum_cut(&toy, arena), integer(member(want, "value")));
        th_arena_reset(arena);
    }
    th_arena_free(arena);
    json_free(file);
}

/* ---- pages ---- */

struct checking {
    json_val features, scores;
    const int32_t *weights;
    int64_t have[MOST];
};

static void check_features(void *context, uint32_t boundary,
                           const int32_t features[TH_BOUNDARY_FEATURES])
{
    struct checking *checking = context;
    json_val row = element(checking->features, boundary);
    for (uint32_t i = 0; i < TH_BOUNDARY_FEATURES; i++) {
        if (features[i] != integer_at(row, i))
            fail_msg("boundary %u, %s is %d, not %lld", boundary,
                     th_boundary_features.weights[i], features[i],
                     (long long)integer_at(row, i));
    }
    checking->have[boundary] =
        th_fixed_dot(features, checking->weights, TH_BOUNDARY_FEATURES);
    assert_int_equal(checking->have[boundary], integer_at(checking->scores, boundary));
}

static void check_graph(const th_boundary_graph *graph, json_val want)
{
    json_val levels = member(want, "levels"), needs = member(want, "needs");
    struct needs have;
    assert_int_equal(length_of(levels), graph->level_count);
    for (uint32_t i = 0; i < graph->level_count; i++) {
        const th_boundary_level *level = &graph->levels[i];
        json_val row = element(levels, i), firsts = element(row, 2);
        assert_int_equal(graph->tree.nodes[level->node].depth, integer_at(row, 0));
        assert_int_equal(level->first_boundary, integer_at(row, 1));
        assert_int_equal(level->part_count, length_of(firsts));
        for (uint32_t k = 0; k < level->part_count; k++) {
            const uint32_t first = graph->parts[level->first_part + k].first;
            assert_int_equal(graph->tree.nodes[first].first_block, integer_at(firsts, k));
        }
    }
    list_needs(graph, &have);
    assert_int_equal(have.count, length_of(needs));
    for (uint32_t i = 0; i < have.count; i++) { /* the orders differ */
        bool is_known = false;
        for (uint32_t k = 0; k < have.count; k++)
            is_known |= have.outer[k] == integer_at(element(needs, i), 0) &&
                        have.inner[k] == integer_at(element(needs, i), 1);
        assert_true(is_known);
    }
}

/* The part of the page's level that holds a block. */
static uint32_t part_of_block(const th_boundary_graph *graph, uint32_t block)
{
    const th_boundary_level *level = &graph->levels[0];
    const uint32_t leaf = graph->tree.leaves[graph->tree.leaf_of[block]];
    uint32_t part = 0;
    while (graph->parts[level->first_part + part].end <= leaf)
        part++;
    return part;
}

/* Each segment has the position of its part. Segments have an inner position if they are in
 * the first run of parts between two Y's with the most words, and it is one part with a
 * level. */
static void check_places(th_page *page, th_options opt, const th_boundary_graph *graph,
                         const uint8_t *is_y, json_val positions)
{
    const th_boundary_level *level = graph->level_count ? &graph->levels[0] : NULL;
    uint64_t tokens[MOST] = { 0 };
    uint32_t group_of[MOST] = { 0 }, parts[MOST] = { 1 }, most = 0;
    opt.segmenter = "boundary-graph";
    opt.emit = TH_EMIT_SEGMENTS;
    assert_int_equal(th_segment_page(page, &opt), TH_OK);
    for (uint32_t i = 1; level && i < level->part_count; i++) {
        group_of[i] = group_of[i - 1] + is_y[level->first_boundary + i - 1];
        parts[group_of[i]]++;
    }
    for (uint32_t i = 0; level && i < page->block_count; i++)
        tokens[group_of[part_of_block(graph, i)]] += page->blocks[i].tokens;
    for (uint32_t i = 1; level && i <= group_of[level->part_count - 1]; i++)
        most = tokens[i] > tokens[most] ? i : most;
    for (uint32_t i = 0; i < page->segment_count; i++) {
        const th_segment *segment = &page->segments[i];
        if (!level) {
            assert_int_equal(segment->position, TH_POSITION_NONE);
            continue;
        }
        const uint32_t part = part_of_block(graph, segment->first_block);
        assert_string_equal(th_position_name(segment->position),
                            string(element(positions, part)));
        assert_int_equal(segment->inner != TH_POSITION_NONE,
                         group_of[part] == most && parts[most] == 1 &&
                             graph->parts[level->first_part + part].level != TH_NONE);
    }
}

static void pages_are_the_references(void **unused)
{
    (void)unused;
    th_segment_model model;
    const th_options opt = vector_options(&th_boundary_graph_model, &model);
    json *file = load_vectors("boundary_graph.json");
    json_val pages = member(file, "pages");
    th_arena *arena = th_arena_new(0);
    for (uint32_t i = 0; i < length_of(pages); i++) {
        json_val want = element(pages, i), x = member(want, "x");
        json_val positions = member(want, "positions");
        th_page *page = vector_page(string(member(want, "name")), arena);
        struct checking checking = {
            member(want, "features"), member(want, "score"), model.final.of, { 0 }
        };
        th_boundary_graph graph;
        uint8_t is_y[MOST], have[MOST];
        uint32_t segment_of[MOST];
        int64_t value = 0;
        assert_int_equal(th_boundary_graph_build(page, arena, &graph), TH_OK);
        assert_true(graph.boundary_count < MOST);
        check_graph(&graph, want);
        assert_int_equal(length_of(checking.features), graph.boundary_count);
        assert_int_equal(
            th_boundary_features_each(page, &graph, arena, check_features, &checking),
            TH_OK);
        assert_int_equal(th_boundary_labels(&graph, checking.have, arena, is_y, &value),
                         TH_OK);
        assert_int_equal(value, integer(member(want, "value")));
        for (uint32_t k = 0; k < length_of(x); k++)
            assert_int_equal(is_y[k], integer_at(x, k));
        if (graph.level_count) {
            th_boundary_positions(&graph.levels[0], checking.have, is_y, have);
            for (uint32_t k = 0; k < length_of(positions); k++)
                assert_string_equal(th_position_name(have[k]),
                                    string(element(positions, k)));
        }
        assert_int_equal(th_boundary_graph_method.segment(page, &opt, arena, segment_of),
                         TH_OK);
        check_numbers(member(want, "segment_of"), segment_of, page->block_count);
        check_places(page, opt, &graph, is_y, positions);
        th_arena_reset(arena);
    }
    th_arena_free(arena);
    json_free(file);
}

/* ---- random levels ---- */

static void add_random_level(struct toy *toy, uint32_t *parts, uint32_t max,
                             uint64_t *random)
{
    th_boundary_graph *graph = &toy->graph;
    const uint32_t number = graph->level_count++;
    th_boundary_level *level = &toy->levels[number];
    level->first_part = *parts;
    level->part_count = 2 + (uint32_t)(next_random(random) % 3);
    level->first_boundary = graph->boundary_count;
    graph->boundary_count += level->part_count - 1;
    *parts += level->part_count;
    for (uint32_t i = 0; i < level->part_count; i++) {
        th_boundary_part *part = &toy->parts[level->first_part + i];
        part->level = TH_NONE;
        if (graph->boundary_count + 4 <= max && next_random(random) % 2) {
            part->level = graph->level_count;
            add_random_level(toy, parts, max, random);
        }
    }
}

static void chain_is_minimum_cut_is_brute_force(void **unused)
{
    (void)unused;
    uint64_t random = 41;
    th_arena *arena = th_arena_new(0);
    for (uint32_t round = 0; round < 3000; round++) {
        const uint32_t max = round % 10 ? 12 : 40;
        struct toy toy;
        uint32_t parts = 0;
        uint8_t is_y[MOST];
        open_toy(&toy);
        add_random_level(&toy, &parts, max, &random);
        for (uint32_t i = 0; i < toy.graph.boundary_count; i++)
            toy.scores[i] = (int64_t)(next_random(&random) % 41) - 20;
        const int64_t value = check_labels(&toy, arena, is_y);
        assert_int_equal(value, by_minimum_cut(&toy, arena));
        if (toy.graph.boundary_count <= 12)
            assert_int_equal(value, by_brute_force(&toy));
        th_arena_reset(arena);
    }
    th_arena_free(arena);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toys_are_the_references),
        cmocka_unit_test(pages_are_the_references),
        cmocka_unit_test(chain_is_minimum_cut_is_brute_force),
    };
    return run_vector_tests(argc, argv, tests, sizeof tests / sizeof *tests);
}
