/* Maximum flows and both extreme cuts: the reference's graphs. */
#include "lab/segment/max_flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "segment/vectors.h"

enum { MOST_NODES = 64 };

static void check_side(json_val want, const bool *have, bool is_inside, uint32_t nodes)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        const bool is_wanted = next < length_of(want) && integer_at(want, next) == i;
        assert_int_equal(have[i] == is_inside, is_wanted);
        next += is_wanted;
    }
    assert_int_equal(next, length_of(want));
}

static void graphs_are_the_references(void **state)
{
    (void)state;
    json *file = load_vectors("max_flow.json");
    json_val graphs = member(file, "graphs");
    th_arena *arena = th_arena_new(0);
    for (uint32_t i = 0; i < length_of(graphs); i++) {
        json_val graph = element(graphs, i), arcs = member(graph, "arcs");
        const uint32_t nodes = (uint32_t)integer(member(graph, "nodes"));
        bool side[MOST_NODES];
        th_flow flow;
        assert_true(nodes <= MOST_NODES);
        assert_true(th_flow_init(&flow, nodes, length_of(arcs), arena));
        for (uint32_t k = 0; k < length_of(arcs); k++) {
            json_val arc = element(arcs, k);
            th_flow_arc_add(&flow, (uint32_t)integer_at(arc, 0),
                            (uint32_t)integer_at(arc, 1), integer_at(arc, 2), 0);
        }
        assert_int_equal(th_flow_run(&flow), integer(member(graph, "value")));
        th_flow_source_side(&flow, side);
        check_side(member(graph, "smallest_source_side"), side, true, nodes);
        th_flow_sink_side(&flow, side);
        check_side(member(graph, "largest_source_side"), side, false, nodes);
        th_arena_reset(arena);
    }
    th_arena_free(arena);
    json_free(file);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(graphs_are_the_references) };
    return run_vector_tests(argc, argv, tests, sizeof tests / sizeof *tests);
}
