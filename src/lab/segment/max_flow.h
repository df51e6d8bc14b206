/*
 * Computes maximum flow by Dinic's algorithm, and the resulting minimum cuts. For the
 * expansion moves of graph cuts. Libraries with this algorithm are GPL or C++.
 */
#ifndef TH_MAX_FLOW_H
#define TH_MAX_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/arena.h"

enum { TH_FLOW_SOURCE = 0, TH_FLOW_SINK = 1 }; /* nodes of every graph */

/** More than any sum of capacities that are not infinite. */
#define TH_FLOW_INFINITE (INT64_MAX / 4)

struct th_flow_arc;

typedef struct th_flow {
    uint32_t node_count;
    struct th_flow_arc *arcs; /* an arc and its reverse side by side */
    uint32_t arc_count, arc_capacity;
    uint32_t *first;    /* [node]: its first arc, or TH_NONE */
    uint32_t *distance; /* [node]: levels of the search */
    uint32_t *queue;
    uint32_t *path; /* [node]: the arc to continue with */
} th_flow;

/**
 * A graph without arcs.
 * @param max_arcs  that will be added
 * @return false without memory
 */
bool th_flow_init(th_flow *flow, uint32_t node_count, uint32_t max_arcs,
                  th_arena *scratch);

/** Adds an arc and its reverse, with their capacities, at least 0. */
void th_flow_arc_add(th_flow *flow, uint32_t from, uint32_t to, int64_t capacity,
                     int64_t back);

/** The value of a maximum flow from node 0 to node 1. O(nodes^2 x arcs), mostly far
 * less. */
int64_t th_flow_run(th_flow *flow);

/**
 * Marks the nodes on the sink's side of the minimum cut with the largest source side.
 * These nodes can still reach the sink. The same for every algorithm.
 * @param is_sink_side  out: [node]
 */
void th_flow_sink_side(th_flow *flow, bool *is_sink_side);

/** Marks the nodes on the source's side of the cut with the smallest source side. */
void th_flow_source_side(th_flow *flow, bool *is_source_side);

#endif
