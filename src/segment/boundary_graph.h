/*
 * The boundary graph of a page: for the method, its training and its tests. [B14 §3]
 *
 * A level belongs to an inner node of the text tree. Its parts are the node's children. A
 * child whose gap is soft joins the part before it. Between two parts is a boundary,
 * which is Y (it separates segments) or N. A part that is one inner node has a level
 * inside. The boundaries of that level can be Y only if the boundaries next to the part
 * are Y.
 */
#ifndef TH_BOUNDARY_GRAPH_H
#define TH_BOUNDARY_GRAPH_H

#include "segment/segment_model.h"
#include "segment/text_tree.h"

enum {
    TH_BOUNDARY_FEATURES = 54,
    TH_BOUNDARY_LEAVES = 8192, /* leaf limit; see docs/methods.md */
};

typedef struct th_boundary_part {
    uint32_t first, end; /* nodes of the text tree, [first, end) */
    uint32_t level;      /* the level inside it, or TH_NONE */
    uint32_t shape;      /* equal for equal sequences of skeletons */
} th_boundary_part;

typedef struct th_boundary_level {
    uint32_t node;
    uint32_t first_part, part_count; /* 2 or more */
    uint32_t first_boundary;         /* of part_count - 1 */
    bool is_vertical;                /* its parts are cells of one row */
} th_boundary_level;

typedef struct th_boundary_graph {
    th_text_tree tree;
    th_boundary_level *levels; /* in preorder; [0] is the page's, if it has one */
    uint32_t level_count;
    th_boundary_part *parts;
    uint32_t boundary_count;
} th_boundary_graph;

/** Builds the levels of a page with blocks. TH_OK or TH_NOMEM. O(nodes). */
th_status th_boundary_graph_build(const th_page *page, th_arena *arena,
                                  th_boundary_graph *graph);

/** Called with the features of a boundary, in 1/1024, in the order of
 * th_boundary_features. */
typedef void th_boundary_visit(void *context, uint32_t boundary,
                               const int32_t features[TH_BOUNDARY_FEATURES]);

/** Visits every boundary with its features. TH_OK or TH_NOMEM. O(nodes + features). */
th_status th_boundary_features_each(const th_page *page, const th_boundary_graph *graph,
                                    th_arena *scratch, th_boundary_visit *visit,
                                    void *context);

/**
 * Finds the labels with the greatest sum of scores that obey the rule of levels. Solves
 * the levels from the inside out, each as a chain. The result is exact, because a
 * boundary depends only on the boundaries around it. Ties are N.
 * @param scores  one for each boundary
 * @param is_y    out: one for each boundary
 * @param value   out: the sum, at least 0
 * @return TH_OK or TH_NOMEM. O(boundaries).
 */
th_status th_boundary_labels(const th_boundary_graph *graph, const int64_t *scores,
                             th_arena *scratch, uint8_t *is_y, int64_t *value);

/**
 * Computes the segments: parts between Y's. A separate part whose level has a Y is
 * divided further.
 * @param segment_of  out: page->block_count numbers, dense by first block
 */
th_status th_boundary_segments(const th_page *page, const th_boundary_graph *graph,
                               const uint8_t *is_y, th_arena *scratch,
                               uint32_t *segment_of);

/** Finds the positions of a level's parts, TH_POSITION_... [B14 Alg. 3]. @param positions
 * out: part_count */
void th_boundary_positions(const th_boundary_level *level, const int64_t *scores,
                           const uint8_t *is_y, uint8_t *positions);

#endif
