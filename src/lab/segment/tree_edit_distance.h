/*
 * Edit distance of ordered trees with unit costs, by Zhang and Shasha. [ZS89]
 *
 * The trees are subtrees of one forest in postorder, so that a subtree is a range.
 */
#ifndef TH_TREE_EDIT_DISTANCE_H
#define TH_TREE_EDIT_DISTANCE_H

#include <stddef.h>

#include "thresher/tag.h"

/** Nodes in postorder. */
typedef struct th_postorder {
    const th_tag *tags;
    const uint32_t *leftmost; /* first node of the subtree */
    const uint8_t *is_key;    /* has a sibling to its left */
    /* Sum over the nodes before i of the sizes of those subtrees that are keys:
     * node count + 1 entries. */
    const uint64_t *key_cells;
} th_postorder;

/** Nodes of the subtree of a node. */
static inline uint32_t th_postorder_size(const th_postorder *forest, uint32_t root)
{
    return root + 1 - forest->leftmost[root];
}

/**
 * Returns a subtree's factor in the cost of a distance: the sum of the subtree sizes of
 * its key roots. The cells of a pair are the product of both.
 */
uint64_t th_tree_cells(const th_postorder *forest, uint32_t root);

/**
 * Least number of nodes to insert, delete and rename.
 * @param scratch  th_tree_distance_room() numbers
 * Cost: the product of both trees' cells.
 */
uint32_t th_tree_distance(const th_postorder *forest, uint32_t a, uint32_t b,
                          uint32_t *scratch);

/** Returns the count of scratch numbers for a distance of trees of these sizes. */
static inline size_t th_tree_distance_capacity(uint32_t size_a, uint32_t size_b)
{
    return 2 * ((size_t)size_a + 1) * ((size_t)size_b + 1);
}

/**
 * A lower bound of the distance: size of the larger tree less the tags that both have.
 * @param counts  scratch: TH_TAG_COUNT zeros, which are left zero
 * O(sizes).
 */
uint32_t th_tree_distance_bound(const th_postorder *forest, uint32_t a, uint32_t b,
                                uint32_t *counts);

#endif
