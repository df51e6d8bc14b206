/*
 * Alpha-expansion over the states of a text tree. The paper's listing does not define
 * which copy of a parent carries its cost, nor the case of a child that is itself a
 * parent. Every move is optimal (tests: by brute force).
 *
 * In the graph of a move the source's side keeps and the sink's side takes the label. A
 * leaf is one node. An inner node is two: `keep` on the source's side means that it keeps
 * its label, `take` on the sink's side that it takes the new one, and neither of them
 * that it is hidden. Infinite arcs bind it to its children.
 */
#include <string.h>

#include "lab/segment/cut_energy.h"
#include "lab/segment/max_flow.h"

enum { MOST_ROUNDS = 5 };

struct move {
    const th_cut_energy *energy;
    uint32_t label;
    const uint32_t *state;
    uint32_t *keep, *take; /* [node]: in the graph; TH_NONE: it has none */
    int64_t *inner_gain;   /* [node]: sum of hidden() over its children */
    th_flow flow;
};

static int32_t cost(const struct move *move, uint32_t node, uint32_t label)
{
    return move->energy->cost[(size_t)node * move->energy->label_count + label];
}

static bool is_leaf(const th_cut_energy *energy, uint32_t node)
{
    return energy->end[node] == node + 1;
}

/* Numbers the nodes of the graph; source and sink are 0 and 1. */
static uint32_t number_nodes(struct move *move)
{
    uint32_t count = 2;
    for (uint32_t i = 0; i < move->energy->node_count; i++) {
        const bool is_kept = move->state[i] != TH_NONE && move->state[i] != move->label;
        if (is_leaf(move->energy, i)) {
            move->keep[i] = move->take[i] = is_kept ? count++ : TH_NONE;
        } else {
            move->keep[i] = is_kept ? count++ : TH_NONE;
            move->take[i] = count++;
        }
    }
    return count;
}

/* A cost of being on the source's side; a negative one is a gain of being there. */
static void charge_keeping(struct move *move, uint32_t node, int64_t price)
{
    if (price >= 0)
        th_flow_arc_add(&move->flow, node, TH_FLOW_SINK, price, 0);
    else
        th_flow_arc_add(&move->flow, TH_FLOW_SOURCE, node, -price, 0);
}

static void charge_taking(struct move *move, uint32_t node, int64_t price)
{
    if (price >= 0)
        th_flow_arc_add(&move->flow, TH_FLOW_SOURCE, node, price, 0);
    else
        th_flow_arc_add(&move->flow, node, TH_FLOW_SINK, -price, 0);
}

/*
 * Adds a node. A visible node has its own cost and the cost of a hidden parent, which its
 * children then do not have.
 */
static void add_node(struct move *move, uint32_t node)
{
    const th_cut_energy *energy = move->energy;
    const int64_t edges =
        is_leaf(energy, node) ? 0 : energy->hidden[node] - move->inner_gain[node];
    if (move->keep[node] != TH_NONE)
        charge_keeping(move, move->keep[node],
                       cost(move, node, move->state[node]) + edges);
    if (move->take[node] != TH_NONE)
        charge_taking(move, move->take[node], cost(move, node, move->label) + edges);
    if (!node)
        return;
    const uint32_t parent = energy->parent[node];
    if (move->keep[parent] != TH_NONE)
        th_flow_arc_add(&move->flow, move->keep[parent], move->keep[node],
                        TH_FLOW_INFINITE, 0);
    if (move->take[node] != TH_NONE)
        th_flow_arc_add(&move->flow, move->take[node], move->take[parent],
                        TH_FLOW_INFINITE, 0);
}

static void add_neighbours(struct move *move, uint32_t p, uint32_t q, int64_t apart)
{
    const uint32_t left = move->keep[p], right = move->keep[q];
    if (left == TH_NONE && right == TH_NONE)
        return; /* both have the label already */
    if (left == TH_NONE || right == TH_NONE) {
        charge_keeping(move, left == TH_NONE ? right : left, apart);
    } else if (move->state[p] == move->state[q]) {
        th_flow_arc_add(&move->flow, left, right, apart, apart);
    } else {
        charge_keeping(move, left, apart);
        th_flow_arc_add(&move->flow, right, left, apart, 0);
    }
}

static void take_up(const struct move *move, const bool *is_sink_side, uint32_t *state)
{
    for (uint32_t i = 0; i < move->energy->node_count; i++) {
        const uint32_t keep = move->keep[i], take = move->take[i];
        if (is_leaf(move->energy, i))
            state[i] = take == TH_NONE || is_sink_side[take] ? move->label : state[i];
        else if (is_sink_side[take])
            state[i] = move->label;
        else if (keep == TH_NONE || is_sink_side[keep])
            state[i] = TH_NONE;
    }
}

th_status th_cut_expand(const th_cut_energy *energy, uint32_t label, th_arena *scratch,
                        uint32_t *state, int64_t *min)
{
    const uint32_t nodes = energy->node_count;
    struct move move = { .energy = energy, .label = label, .state = state };
    move.keep = th_arena_alloc(scratch, nodes * sizeof *move.keep);
    move.take = th_arena_alloc(scratch, nodes * sizeof *move.take);
    move.inner_gain = th_arena_calloc(scratch, nodes, sizeof *move.inner_gain);
    bool *is_sink_side = th_arena_alloc(scratch, (2 * (size_t)nodes + 2));
    if (!move.keep || !move.take || !move.inner_gain || !is_sink_side ||
        !th_flow_init(&move.flow, number_nodes(&move), 4 * nodes + 2 * energy->leaf_count,
                      scratch))
        return TH_NOMEM;
    for (uint32_t i = 1; i < nodes; i++)
        move.inner_gain[energy->parent[i]] += energy->hidden[i];
    for (uint32_t i = 0; i < nodes; i++)
        add_node(&move, i);
    for (uint32_t i = 1; i < energy->leaf_count; i++)
        add_neighbours(&move, energy->leaves[i - 1], energy->leaves[i], energy->apart[i]);
    (void)th_flow_run(&move.flow);
    th_flow_sink_side(&move.flow, is_sink_side);
    take_up(&move, is_sink_side, state);
    *min = th_cut_energy_of(energy, state);
    return TH_OK;
}

th_status th_cut_expansion(const th_cut_energy *energy, th_arena *scratch,
                           uint32_t *state, int64_t *min)
{
    uint32_t *next = th_arena_alloc(scratch, energy->node_count * sizeof *next);
    th_arena *of_move = th_arena_new(0);
    th_status status = next && of_move ? TH_OK : TH_NOMEM;
    if (status == TH_OK) {
        memset(state, 0, energy->node_count * sizeof *state);
        *min = th_cut_energy_of(energy, state);
    }
    bool has_changed = true;
    for (unsigned round = 0; status == TH_OK && round < MOST_ROUNDS && has_changed;
         round++) {
        has_changed = false;
        for (uint32_t label = 0; status == TH_OK && label < energy->label_count;
             label++) {
            int64_t reached = 0;
            memcpy(next, state, energy->node_count * sizeof *next);
            th_arena_reset(of_move);
            status = th_cut_expand(energy, label, of_move, next, &reached);
            if (status == TH_OK && reached < *min) {
                memcpy(state, next, energy->node_count * sizeof *next);
                *min = reached;
                has_changed = true;
            }
        }
    }
    th_arena_free(of_move);
    return status;
}
