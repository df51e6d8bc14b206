/*
 * The energy that graph cuts of a text tree minimise, and its two solvers. [CKP08 §4.2]
 *
 * A state gives each node a label or hides it (TH_NONE). A visible inner node has the
 * label of all its descendants. All nodes above an invisible node are invisible. Leaves
 * are visible. So a state is a row of subtrees of one label each, the tops. Its energy:
 *
 *     sum of cost(p, label of p) over visible nodes
 *   + sum of apart(k) over neighbouring leaves k - 1, k with different labels
 *   + sum of hidden(q) over visible nodes q whose parent is invisible
 */
#ifndef TH_CUT_ENERGY_H
#define TH_CUT_ENERGY_H

#include "thresher/arena.h"
#include "thresher/page.h"

/** Nodes in preorder, the root is 0; everything is borrowed. */
typedef struct th_cut_energy {
    uint32_t node_count, leaf_count, label_count;
    const uint32_t *parent; /* TH_NONE for the root */
    const uint32_t *end;    /* subtree is [node, end) */
    const uint32_t *leaves; /* nodes without children, in preorder */
    int32_t *cost;          /* [node * label_count + label], at least 0 */
    const int32_t *hidden;  /* [node], at least 0, 0 for the root */
    const int32_t *apart;   /* [leaf], at least 0; that of leaf 0 is not read */
} th_cut_energy;

/** The energy of a state that keeps the rules above. */
int64_t th_cut_energy_of(const th_cut_energy *energy, const uint32_t *state);

/**
 * Finds the least energy exactly. Leaves are neighbours in one row, so the best states of
 * a prefix determine the best states of the next. Ties go to the lower label, then to the
 * state found first.
 * @param energy  at most 65,536 nodes; its costs are summed up in place, and restored on
 *                return
 * @param state   out: node_count labels or TH_NONE
 * @param min   out: its energy
 * @return TH_OK or TH_NOMEM. O(nodes x labels) time; 6 bytes for each leaf and label.
 * The sum of all costs and weights must be below 2^31.
 */
th_status th_cut_exact(const th_cut_energy *energy, th_arena *scratch, uint32_t *state,
                       int64_t *min);

/**
 * Makes one move of alpha-expansion: finds the best state in which each node keeps its
 * label, takes `label` or is hidden. Uses a minimum cut. [CKP08 §4.2.2]
 * @param state  in: the current state; out: the best one, even if it is not better
 * @param min  out: its energy
 * @return TH_OK or TH_NOMEM
 */
th_status th_cut_expand(const th_cut_energy *energy, uint32_t label, th_arena *scratch,
                        uint32_t *state, int64_t *min);

/**
 * Alpha-expansion, the paper's own solver. It tries labels in their order and accepts
 * each move that lowers the energy. It stops when a round of all labels changes nothing,
 * or after 5 rounds. Its energy is never below the exact solver's. It would also work for
 * neighbours that do not form a row.
 */
th_status th_cut_expansion(const th_cut_energy *energy, th_arena *scratch,
                           uint32_t *state, int64_t *min);

#endif
