/*
 * Numbers hosts, pages and link targets from the sorted rows, in one pass. Pages of a
 * host have consecutive numbers. Hosts are numbered by the bytes of their reversed names.
 * [K11 §3.2.1]
 */
#ifndef TH_NUMBERING_H
#define TH_NUMBERING_H

#include "base/scratch_file.h"
#include "graph/graph_options.h"
#include "graph/text_sort.h"

/* A row's number: its kind, then for a page or a link the number of the record, then for
 * a link whether it is content. Rows of one key are in the order of the kinds. */
enum { TH_ROW_BIAS, TH_ROW_PAGE, TH_ROW_LINK };
#define TH_ROW(kind, record, is_content)                                                 \
    ((uint64_t)(kind) << 62 | (uint64_t)(record) << 1 | (uint64_t)(is_content))
#define TH_GRAPH_RECORDS_MAX UINT32_C(0x7FFFFFFF)

/** A link after the pass, by number of its record. */
typedef struct th_numbered_link {
    uint32_t target;     /* number of a target, or of a page at page level */
    uint32_t record_bit; /* record << 1 | is_content */
} th_numbered_link;

typedef struct th_numbering {
    uint32_t *page_of;      /* of each record */
    uint32_t *first_page;   /* of each host, followed by the count */
    uint32_t *first_target; /* the same of targets. Equal to first_page at page level */
    uint32_t host_count, page_count, target_count;
    uint32_t vertex_count;
    bool *is_biased;        /* of each vertex; NULL if none is */
    th_scratch_file *links; /* th_numbered_link each */
    th_scratch_file *names; /* of each vertex: uint32_t length, reversed host or URL */
    uint64_t link_count;
} th_numbering;

/**
 * Reads all rows and writes the files of names: vertices.txt.gz, and at page level
 * hosts.txt.gz and pages.txt.gz.
 * @param rows          finished
 * @param record_count  records 0.. that rows name
 * @return TH_OK; TH_TOO_LARGE: 2^31 hosts or pages, 2^32 targets; TH_IO; TH_NOMEM;
 *         TH_INTERRUPTED
 */
th_status th_numbering_make(th_numbering *numbering, th_text_sort *rows,
                            uint32_t record_count, const th_graph_options *opt,
                            th_graph_stats *facts, th_error *err);

/** { 0 } is legal. */
void th_numbering_done(th_numbering *numbering);

/**
 * Returns the host of a page or target: the last host whose first number is not above it.
 * @param firsts  first_page or first_target; O(log hosts)
 */
uint32_t th_numbering_host(const th_numbering *numbering, const uint32_t *firsts,
                           uint32_t number);

#endif
