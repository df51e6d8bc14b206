/* The exact solver: a shortest path along the leaves, because neighbors form a chain. */
#include <assert.h>
#include <string.h>

#include "lab/segment/cut_energy.h"

struct exact {
    const th_cut_energy *energy;
    int32_t *best;  /* [leaf * labels + label]: leaves before this one, the last so */
    uint16_t *top;  /* the same: the top that ends there */
    uint32_t *last; /* [node]: index of the leaf after its last one */
};

static size_t at(const struct exact *exact, uint32_t row, uint32_t label)
{
    return (size_t)row * exact->energy->label_count + label;
}

int64_t th_cut_energy_of(const th_cut_energy *energy, const uint32_t *state)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < energy->node_count; i++) {
        if (state[i] == TH_NONE)
            continue;
        sum += energy->cost[(size_t)i * energy->label_count + state[i]];
        if (i && state[energy->parent[i]] == TH_NONE)
            sum += energy->hidden[i];
    }
    for (uint32_t i = 1; i < energy->leaf_count; i++) {
        if (state[energy->leaves[i]] != state[energy->leaves[i - 1]])
            sum += energy->apart[i];
    }
    return sum;
}

/*
 * Adds each node's cost to its parent, bottom up, except `hidden`. Then each cost is the
 * cost of a top.
 */
static void sum_subtrees(const th_cut_energy *energy)
{
    const uint32_t labels = energy->label_count;
    for (uint32_t i = energy->node_count; i-- > 1;) {
        const int32_t *from = energy->cost + (size_t)i * labels;
        int32_t *to = energy->cost + (size_t)energy->parent[i] * labels;
        for (uint32_t label = 0; label < labels; label++)
            to[label] += from[label];
    }
}

/* Undoes it: from the root down, because a node's sum is wanted until its parent is done.
 */
static void part_subtrees(const th_cut_energy *energy)
{
    const uint32_t labels = energy->label_count;
    for (uint32_t i = 1; i < energy->node_count; i++) {
        const int32_t *from = energy->cost + (size_t)i * labels;
        int32_t *to = energy->cost + (size_t)energy->parent[i] * labels;
        for (uint32_t label = 0; label < labels; label++)
            to[label] -= from[label];
    }
}

static bool prepare(struct exact *exact, th_arena *scratch)
{
    const th_cut_energy *energy = exact->energy;
    const size_t labels = energy->label_count;
    const size_t rows = ((size_t)energy->leaf_count + 1) * labels;
    assert(energy->node_count <= UINT16_MAX + 1);
    exact->best = th_arena_alloc(scratch, rows * sizeof *exact->best);
    exact->top = th_arena_alloc(scratch, rows * sizeof *exact->top);
    exact->last = th_arena_calloc(scratch, energy->node_count, sizeof *exact->last);
    if (!exact->best || !exact->top || !exact->last)
        return false;
    for (size_t i = 0; i < rows; i++)
        exact->best[i] = i < labels ? 0 : INT32_MAX;
    for (uint32_t i = 0; i < energy->leaf_count; i++)
        exact->last[energy->leaves[i]] = i + 1;
    for (uint32_t i = energy->node_count; i-- > 1;) {
        const uint32_t parent = energy->parent[i];
        if (exact->last[parent] < exact->last[i])
            exact->last[parent] = exact->last[i];
    }
    return true;
}

/* The cheapest label of the leaves before leaf k, the lowest among equals. */
static uint32_t cheapest(const struct exact *exact, uint32_t k)
{
    uint32_t label = 0;
    for (uint32_t i = 1; i < exact->energy->label_count; i++) {
        if (exact->best[at(exact, k, i)] < exact->best[at(exact, k, label)])
            label = i;
    }
    return label;
}

/*
 * Returns the label before a top of this label that begins at leaf k: the same label, or
 * the cheapest label plus the cost of separation.
 */
static uint32_t label_before(const struct exact *exact, uint32_t k, uint32_t label,
                             uint32_t cheapest_label, int32_t *cost)
{
    *cost = exact->best[at(exact, k, label)];
    if (k == 0)
        return label;
    const int32_t other =
        exact->best[at(exact, k, cheapest_label)] + exact->energy->apart[k];
    if (other >= *cost)
        return label;
    *cost = other;
    return cheapest_label;
}

/* Every top that begins at leaf k: in preorder these are the nodes between two leaves. */
static void extend(struct exact *exact, uint32_t k)
{
    const th_cut_energy *energy = exact->energy;
    const uint32_t before = cheapest(exact, k);
    const uint32_t first = k ? energy->leaves[k - 1] + 1 : 0;
    for (uint32_t label = 0; label < energy->label_count; label++) {
        int32_t start = 0;
        (void)label_before(exact, k, label, before, &start);
        for (uint32_t top = first; top <= energy->leaves[k]; top++) {
            const size_t row = at(exact, exact->last[top], label);
            const int32_t cost =
                start + energy->cost[at(exact, top, label)] + energy->hidden[top];
            if (cost < exact->best[row]) {
                exact->best[row] = cost;
                exact->top[row] = (uint16_t)top;
            }
        }
    }
}

static void trace(const struct exact *exact, uint32_t *state)
{
    const th_cut_energy *energy = exact->energy;
    uint32_t k = energy->leaf_count, label = cheapest(exact, k);
    memset(state, 0xFF, energy->node_count * sizeof *state); /* TH_NONE */
    while (k) {
        const uint32_t top = exact->top[at(exact, k, label)];
        for (uint32_t i = top; i < energy->end[top]; i++)
            state[i] = label;
        while (k && energy->leaves[k - 1] >= top)
            k--;
        int32_t cost = 0;
        label = label_before(exact, k, label, cheapest(exact, k), &cost);
    }
}

th_status th_cut_exact(const th_cut_energy *energy, th_arena *scratch, uint32_t *state,
                       int64_t *min)
{
    struct exact exact = { .energy = energy };
    if (!prepare(&exact, scratch))
        return TH_NOMEM;
    sum_subtrees(energy);
    for (uint32_t k = 0; k < energy->leaf_count; k++)
        extend(&exact, k);
    part_subtrees(energy);
    trace(&exact, state);
    *min =
        exact.best[at(&exact, energy->leaf_count, cheapest(&exact, energy->leaf_count))];
    return TH_OK;
}
