/* The input, options and counts of a graph. */
#ifndef TH_GRAPH_OPTIONS_H
#define TH_GRAPH_OPTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** The kind of a vertex. */
typedef enum th_graph_level { TH_GRAPH_HOST, TH_GRAPH_PAGE } th_graph_level;
extern const char *const th_graph_level_names[];

/** Which links count. */
typedef enum th_graph_links {
    TH_GRAPH_ALL,
    TH_GRAPH_CONTENT,
    TH_GRAPH_BOILERPLATE
} th_graph_links;
extern const char *const th_graph_links_names[];

enum { TH_GRAPH_PARTS = 8, TH_GRAPH_MOST_ROUNDS = 1000 };

typedef struct th_graph_options {
    th_graph_level level;
    th_graph_links links;
    const char *folder;                        /* of the output; must exist */
    const char *temp;                          /* as in base/scratch_file.h */
    uint64_t memory;                           /* bytes, for all sorts together */
    double alpha, boilerplate_weight, epsilon; /* as in page_rank.h */
    uint32_t parts;                            /* 1 .. 256 */
    const atomic_int *stop;                    /* may be NULL */
    /* Called now and then; total is 0 if unknown. May be NULL. */
    void (*progress)(void *context, const char *step, uint64_t done, uint64_t total);
    void *context;
} th_graph_options;

/** Counts. A link is a pair of a page and an address, however often the page has it. */
typedef struct th_graph_stats {
    uint64_t records;            /* that became pages */
    uint64_t bare_records;       /* of them, those without the member `links` */
    uint64_t read_links;         /* all links in the records */
    uint64_t bad_links;          /* of them, without an address of the web */
    uint64_t unwanted_links;     /* of them, of the other label */
    uint64_t outside_links;      /* of them, to a page without record (page level) */
    uint32_t pages, hosts;       /* different ones; hosts of links too (host level) */
    uint32_t vertices;           /* hosts or pages */
    uint64_t links, inter_host;  /* pairs of page and address; between two hosts */
    uint64_t edges;              /* without loops and duplicates */
    uint64_t inter_part, votes;  /* of the edges; see th_part_traffic */
    uint32_t biased;             /* vertices of the biasing set */
    uint64_t bias_rows, no_bias; /* lines of its file; lines without a valid address */
    uint32_t rounds;
    double rank_seconds;
} th_graph_stats;

/** Whether the caller requested a stop; checked between rows. */
static inline bool th_graph_is_stopped(const th_graph_options *opt)
{
    return opt->stop && *opt->stop;
}

static inline void th_graph_report(const th_graph_options *opt, const char *step,
                                   uint64_t done, uint64_t total)
{
    if (opt->progress && done % 16384 == 0)
        opt->progress(opt->context, step, done, total);
}

#endif
