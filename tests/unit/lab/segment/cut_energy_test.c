/*
 * The two solvers of graph cuts: the reference's small cases with optima by brute force,
 * and our own brute force over small random trees.
 */
#include "lab/segment/cut_energy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "make_page.h"
#include "segment/vectors.h"

enum { MOST_NODES = 64, MOST_LABELS = 16 };

/* An energy and its borrowed memory. */
struct toy {
    th_cut_energy energy;
    uint32_t parent[MOST_NODES], end[MOST_NODES], leaves[MOST_NODES];
    int32_t cost[MOST_NODES * MOST_LABELS], hidden[MOST_NODES], apart[MOST_NODES];
};

/* Computes the members that follow from the parents. */
static void close_toy(struct toy *toy, uint32_t nodes, uint32_t labels)
{
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < nodes; i++)
        toy->end[i] = i + 1;
    for (uint32_t i = nodes; i-- > 1;) {
        if (toy->end[toy->parent[i]] < toy->end[i])
            toy->end[toy->parent[i]] = toy->end[i];
    }
    for (uint32_t i = 0; i < nodes; i++) {
        if (toy->end[i] == i + 1)
            toy->leaves[leaves++] = i;
    }
    toy->energy =
        (th_cut_energy){ nodes,       leaves,    labels,      toy->parent, toy->end,
                         toy->leaves, toy->cost, toy->hidden, toy->apart };
}

static void read_toy(json_val problem, struct toy *toy)
{
    json_val parent = member(problem, "parent"), cost = member(problem, "cost");
    json_val hidden = member(problem, "child_weight");
    json_val neighbours = member(problem, "neighbours");
    const uint32_t nodes = length_of(parent), labels = length_of(element(cost, 0));
    assert_true(nodes <= MOST_NODES && labels <= MOST_LABELS);
    for (uint32_t i = 0; i < nodes; i++) {
        toy->parent[i] = (uint32_t)integer_at(parent, i);
        toy->hidden[i] = (int32_t)integer_at(hidden, i);
        for (uint32_t k = 0; k < labels; k++)
            toy->cost[i * labels + k] = (int32_t)integer_at(element(cost, i), k);
    }
    close_toy(toy, nodes, labels);
    check_numbers(member(problem, "leaves"), toy->leaves, toy->energy.leaf_count);
    for (uint32_t i = 0; i < length_of(neighbours); i++) {
        json_val row = element(neighbours, i);
        assert_int_equal(integer_at(row, 0), toy->leaves[i]);
        assert_int_equal(integer_at(row, 1), toy->leaves[i + 1]);
        toy->apart[i + 1] = (int32_t)integer_at(row, 2);
    }
}

static void check_state(json_val want, const uint32_t *state, uint32_t count)
{
    assert_int_equal(length_of(want), count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal((int32_t)state[i], integer_at(want, i));
}

static void toys_are_the_references(void **unused)
{
    (void)unused;
    json *file = load_vectors("gcuts_toy.json");
    json_val problems = member(file, "problems");
    th_arena *arena = th_arena_new(0);
    for (uint32_t i = 0; i < length_of(problems); i++) {
        json_val problem = element(problems, i), round = member(problem, "first_round");
        struct toy toy = { 0 };
        uint32_t state[MOST_NODES] = { 0 }, next[MOST_NODES];
        int64_t min = 0, now = 0;
        read_toy(problem, &toy);
        const uint32_t nodes = toy.energy.node_count;
        assert_int_equal(th_cut_exact(&toy.energy, arena, state, &min), TH_OK);
        assert_int_equal(min, integer(member(problem, "optimum")));
        assert_int_equal(th_cut_energy_of(&toy.energy, state), min);
        check_state(member(problem, "exact_state"), state, nodes);

        memset(state, 0, sizeof state);
        now = th_cut_energy_of(&toy.energy, state);
        for (uint32_t k = 0; k < length_of(round); k++) {
            json_val move = element(round, k);
            memcpy(next, state, sizeof next);
            assert_int_equal(th_cut_expand(&toy.energy, (uint32_t)integer_at(move, 0),
                                           arena, next, &min),
                             TH_OK);
            assert_int_equal(min, integer_at(move, 1));
            check_state(element(move, 2), next, nodes);
            if (min < now) {
                memcpy(state, next, sizeof state);
                now = min;
            }
        }
        assert_int_equal(th_cut_expansion(&toy.energy, arena, state, &min), TH_OK);
        assert_int_equal(min, integer(member(problem, "expansion")));
        th_arena_reset(arena);
    }
    th_arena_free(arena);
    json_free(file);
}

/* ---- brute force ---- */

static int64_t try_tops(const struct toy *toy, uint32_t at, uint32_t *state)
{
    const th_cut_energy *energy = &toy->energy;
    if (at == energy->node_count)
        return th_cut_energy_of(energy, state);
    int64_t min = INT64_MAX;
    for (uint32_t label = 0; label < energy->label_count; label++) {
        for (uint32_t i = at; i < toy->end[at]; i++)
            state[i] = label;
        const int64_t reached = try_tops(toy, toy->end[at], state);
        min = reached < min ? reached : min;
    }
    if (toy->end[at] > at + 1) {
        state[at] = TH_NONE;
        const int64_t reached = try_tops(toy, at + 1, state);
        min = reached < min ? reached : min;
    }
    return min;
}

static void random_toy(struct toy *toy, uint64_t *seed)
{
    const uint32_t nodes = 1 + (uint32_t)(next_random(seed) % 9);
    const uint32_t labels = 1 + (uint32_t)(next_random(seed) % 3);
    toy->parent[0] = TH_NONE;
    for (uint32_t i = 1; i < nodes; i++) {
        /* In preorder a parent is the node before or an ancestor of it. */
        uint32_t parent = i - 1;
        while (parent && next_random(seed) % 2)
            parent = toy->parent[parent];
        toy->parent[i] = parent;
        toy->hidden[i] = (int32_t)(next_random(seed) % 20);
        toy->apart[i] = (int32_t)(next_random(seed) % 20);
    }
    for (uint32_t i = 0; i < nodes * labels; i++)
        toy->cost[i] = (int32_t)(next_random(seed) % 30);
    close_toy(toy, nodes, labels);
}

static void exact_is_the_least_of_all(void **unused)
{
    (void)unused;
    uint64_t seed = 23;
    th_arena *arena = th_arena_new(0);
    for (uint32_t round = 0; round < 2000; round++) {
        struct toy toy = { 0 };
        uint32_t state[MOST_NODES];
        int64_t min = 0, expanded = 0;
        random_toy(&toy, &seed);
        const int64_t want = try_tops(&toy, 0, state);
        assert_int_equal(th_cut_exact(&toy.energy, arena, state, &min), TH_OK);
        assert_int_equal(min, want);
        assert_int_equal(th_cut_energy_of(&toy.energy, state), want);
        assert_int_equal(th_cut_expansion(&toy.energy, arena, state, &expanded), TH_OK);
        assert_true(expanded >= want);
        assert_int_equal(th_cut_energy_of(&toy.energy, state), expanded);
        th_arena_reset(arena);
    }
    th_arena_free(arena);
}

/* With one byte more each time, each solver fails until it holds. */
static void memory_runs_out(void **unused)
{
    (void)unused;
    th_status (*const solvers[])(const th_cut_energy *, th_arena *, uint32_t *,
                                 int64_t *) = { th_cut_exact, th_cut_expansion };
    struct toy toy = { .parent = { TH_NONE, 0, 0, 1, 1 },
                       .cost = { 3, 4, 1, 2, 2, 1, 5, 0, 0, 5 },
                       .hidden = { 0, 1, 1, 1, 1 },
                       .apart = { 0, 1, 1 } };
    close_toy(&toy, 5, 2);
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        th_status status = TH_NOMEM;
        int64_t min = -1;
        size_t limit = 0;
        while (status != TH_OK) {
            uint32_t state[MOST_NODES];
            th_arena *arena = th_arena_new(++limit);
            assert_non_null(arena);
            status = solvers[i](&toy.energy, arena, state, &min);
            assert_true(status == TH_OK || status == TH_NOMEM);
            if (status == TH_OK)
                assert_int_equal(min, th_cut_energy_of(&toy.energy, state));
            th_arena_free(arena);
        }
        assert_true(limit > 4);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(toys_are_the_references),
        cmocka_unit_test(exact_is_the_least_of_all),
    };
    return run_vector_tests(argc, argv, tests, sizeof tests / sizeof *tests);
}
