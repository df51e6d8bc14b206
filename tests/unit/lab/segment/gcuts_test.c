/* gcuts: the reference's features, edges, optimum and segments. */
#include "lab/segment/gcuts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lab/segment/lab_segmenters.h"
#include "segment/vectors.h"

enum { MOST_NODES = 128 };

static void check_graph(const th_page *page, const th_gcuts_graph *graph, json_val want)
{
    const th_cut_energy *energy = &graph->energy;
    json_val features = member(want, "node_features"), edges = member(want, "neighbours");
    json_val hidden = member(want, "child_weight");
    assert_int_equal(length_of(features), energy->node_count);
    for (uint32_t i = 0; i < energy->node_count; i++) {
        int32_t have[TH_GCUTS_NODE];
        th_gcuts_node_features(page, &graph->tree, i, have);
        for (uint32_t k = 0; k < TH_GCUTS_NODE; k++)
            assert_int_equal(have[k], integer_at(element(features, i), k));
        assert_int_equal(energy->hidden[i], integer_at(hidden, i));
    }
    check_numbers(member(want, "labels"), graph->labels, energy->label_count);
    assert_int_equal(length_of(edges) + 1, energy->leaf_count);
    for (uint32_t i = 1; i < energy->leaf_count; i++) {
        assert_int_equal(energy->leaves[i - 1], integer_at(element(edges, i - 1), 0));
        assert_int_equal(energy->leaves[i], integer_at(element(edges, i - 1), 1));
        assert_int_equal(energy->apart[i], integer_at(element(edges, i - 1), 2));
    }
}

static void pages_are_the_references(void **unused)
{
    (void)unused;
    th_segment_model model;
    const th_options opt = vector_options(&th_gcuts_model, &model);
    json *file = load_vectors("gcuts.json");
    json_val pages = member(file, "pages");
    th_arena *arena = th_arena_new(0);
    for (uint32_t i = 0; i < length_of(pages); i++) {
        json_val want = element(pages, i), state = member(want, "state");
        th_page *page = vector_page(string(member(want, "name")), arena);
        uint32_t have[MOST_NODES], segment_of[MOST_NODES];
        int64_t min = 0;
        th_gcuts_graph graph;
        assert_int_equal(
            th_gcuts_graph_build(page, &model.final, model.parameters[0], arena, &graph),
            TH_OK);
        assert_true(graph.energy.node_count <= MOST_NODES);
        check_graph(page, &graph, want);
        assert_int_equal(th_cut_exact(&graph.energy, arena, have, &min), TH_OK);
        assert_int_equal(min, integer(member(want, "energy")));
        for (uint32_t k = 0; k < graph.energy.node_count; k++)
            assert_int_equal((int32_t)have[k], integer_at(state, k));
        assert_int_equal(th_cut_expansion(&graph.energy, arena, have, &min), TH_OK);
        assert_int_equal(min, integer(member(want, "expansion_energy")));
        assert_int_equal(th_gcuts.segment(page, &opt, arena, segment_of), TH_OK);
        check_numbers(member(want, "segment_of"), segment_of, page->block_count);
        th_arena_reset(arena);
    }
    th_arena_free(arena);
    json_free(file);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pages_are_the_references) };
    return run_vector_tests(argc, argv, tests, sizeof tests / sizeof *tests);
}
