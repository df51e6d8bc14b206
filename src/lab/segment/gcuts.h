/* The graph that gcuts cuts: for the method, its training and its tests. [CKP08 §4.2] */
#ifndef TH_GCUTS_H
#define TH_GCUTS_H

#include "lab/segment/cut_energy.h"
#include "segment/segment_model.h"
#include "segment/text_tree.h"

enum {
    TH_GCUTS_NODE = 10,      /* features of a node */
    TH_GCUTS_NEIGHBOUR = 13, /* of two neighbouring leaves */
    TH_GCUTS_CHILD = 14,     /* of a node and its parent */
    TH_GCUTS_LABELS = 128,
    TH_GCUTS_LEAVES = 2000,
};

/** Features in 1/1024, in the order of th_gcuts_features. O(depth) for two leaves. */
void th_gcuts_node_features(const th_page *page, const th_text_tree *tree,
                            uint32_t number, int32_t features[TH_GCUTS_NODE]);
void th_gcuts_neighbour_features(const th_page *page, const th_text_tree *tree,
                                 uint32_t left, uint32_t right,
                                 int32_t features[TH_GCUTS_NEIGHBOUR]);
void th_gcuts_child_features(const th_page *page, const th_text_tree *tree,
                             uint32_t child, uint32_t max_tokens,
                             int32_t features[TH_GCUTS_CHILD]);

/**
 * Tokens of the largest child of each node: tree->node_count numbers.
 * @return NULL without memory
 */
uint32_t *th_gcuts_most_tokens(const th_text_tree *tree, th_arena *arena);

/** The energy of a page's states, and the nodes that are labels. */
typedef struct th_gcuts_graph {
    th_text_tree tree;
    uint32_t labels[TH_GCUTS_LABELS]; /* inner nodes */
    th_cut_energy energy;
} th_gcuts_graph;

/** @param weights, lambda  of a model of th_gcuts_features. TH_OK or TH_NOMEM. */
th_status th_gcuts_graph_build(const th_page *page, const th_weights *weights,
                               int32_t lambda, th_arena *arena, th_gcuts_graph *graph);

#endif
