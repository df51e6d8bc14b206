/*
 * PageRank with a bias and weights, in parts: Gauss-Seidel within a part, values of the
 * last round between parts. [K11 §3.3, Eq. 3.1, 3.3, 3.10, 3.11]
 *
 *     r(t) = (1 - alpha) tau(t) + alpha sum over s -> t of r(s) w(s,t) / W(s)
 *
 * w is 1 for a link in content and the boilerplate's weight else, W(s) the sum over the
 * links of s. The rank of a page without links leaks.
 */
#ifndef TH_PAGE_RANK_H
#define TH_PAGE_RANK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"

/* Vertices are 0.. below this. In `sources` the bit above marks a boilerplate link. */
#define TH_RANK_BOILERPLATE UINT32_C(0x80000000)

/** A graph by its targets. */
typedef struct th_rank_graph {
    uint32_t vertex_count;
    uint64_t *first;    /* links to vertex t: first[t] .. first[t + 1] of `sources` */
    uint32_t *sources;  /* ascending for each target */
    double *weight_out; /* W of each vertex, 0 without links */
    uint8_t *part;      /* of each vertex */
    bool
        *is_biased; /* NULL: tau is 1 for all, else vertices / biased for these, 0 else */
} th_rank_graph;

typedef struct th_rank_options {
    double alpha;              /* 0 .. below 1 */
    double boilerplate_weight; /* of a link in boilerplate, 0 .. 1 */
    double epsilon;            /* ends when the mean change is below; above 0 */
    uint32_t max_rounds;
    const atomic_int *stop;                                         /* may be NULL */
    void (*progress)(void *context, uint32_t round, double change); /* may be NULL */
    void *context;
} th_rank_options;

/** The data that the parts exchange. */
typedef struct th_part_traffic {
    uint64_t links; /* between parts */
    uint64_t votes; /* sums that go from a part to a vertex of another one */
} th_part_traffic;

/**
 * Ranks the vertices. Each begins with rank 1. The mean of `ranks` is about 1 if no rank
 * leaks. Sums are made in the order of the vertices, so that every machine gives the same
 * bytes.
 * @param ranks   out: vertex_count
 * @param rounds  out
 * @return TH_OK, TH_NOMEM (it needs twice the ranks' bytes in addition) or
 *         TH_INTERRUPTED. O(rounds x links)
 */
th_status th_page_rank(const th_rank_graph *graph, const th_rank_options *opt,
                       double *ranks, uint32_t *rounds);

/** O(links). */
th_part_traffic th_rank_traffic(const th_rank_graph *graph);

#endif
