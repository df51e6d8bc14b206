/*
 * The result of a batch: formatted pages, rejects, the place of each record's bytes, and
 * the counts. Made by a worker (work.h), completed by the index (near_duplicate.h),
 * consumed by sinks and jobs.
 */
#ifndef TH_WORK_RESULT_H
#define TH_WORK_RESULT_H

#include "index/near_index.h"
#include "ingest/source.h"
#include "page/record.h"
#include "site/site_memory.h"
#include "site/site_recall.h"
#include "traffic/budget.h"
#include "write/format.h"
#include "write/set_aside.h"

/** Counts of records by outcome. They add up: read = emitted + the sum of refused. */
typedef struct th_counts {
    uint64_t read;
    uint64_t emitted;
    uint64_t refused[TH_STATUS_COUNT];
    uint64_t flagged[TH_FLAG_COUNT]; /* emitted pages that carry the flag */
    uint64_t html_bytes;             /* of emitted pages, decoded to UTF-8 */
    uint64_t tokens;                 /* of emitted pages */
    uint64_t duplicates;             /* emitted pages that are like an earlier one */
    /* emitted pages whose crawler names their language: by th_agreement */
    uint64_t crawl_languages[TH_OTHER_LANGUAGE + 1];
} th_counts;

/** Adds `more` to `sum`. */
void th_counts_add(th_counts *sum, const th_counts *more);

/** Sum of all refusals. */
uint64_t th_counts_refused(const th_counts *counts);

typedef struct th_work_options {
    const struct th_worker_process
        *worker_process; /* of work.h; NULL: work is done in the
                                                * same thread */
    const th_options *page;
    const th_format *format;
    th_format_options format_options;
    th_site_memory *memory;      /* memory of sites that grows with the pages; NULL if
                                  * not used */
    const th_site_lookup *sites; /* lookup of recurring text; NULL: no lookup */
    bool parses_only;            /* the format wants nothing that a later stage adds */
    th_index *index;             /* index of near-duplicates; NULL: no lookup */
    bool wants_edges;            /* with an index: a JSON line for each near-duplicate */
    bool wants_rejects;          /* else reject lines are counted, not made */
    th_set_aside aside;          /* records that are no pages */
    bool wants_bands;            /* band keys next to the record; needs wants_pieces */
    uint64_t max_in_flight; /* bytes of pages and results in flight; 0: by the workers */
    uint32_t low_bits;      /* of each slot, stored next to the keys: 0, 4 or 8 */
    bool wants_signed;      /* instead of those: all that pairs are found by */
    /* Notes the place of each record's bytes, for sinks that send records one by one. */
    bool wants_pieces;
} th_work_options;

/** Bytes that one record gave. */
typedef struct th_piece {
    uint32_t record;  /* index into the batch */
    th_status status; /* TH_OK: in pages; else in rejects */
    size_t start, len;
    size_t bands_start, bands_count; /* into th_work_result.bands, in keys */
    size_t low_start, low_len;       /* into th_work_result.low_bits, or a line there */
    uint32_t shingle_count;          /* of the text that the keys are of */
    size_t detail_start, detail_len; /* of a refusal: into th_work_result.details */
    uint32_t http_status;            /* of the capture; 0 if it has none */
} th_piece;

/** An edge between two similar pages. */
typedef struct th_edge {
    size_t start, len; /* into th_work_result.edges: its line, with the newline */
    size_t of, of_len; /* into th_work_result.names: the representative's id */
} th_edge;

struct th_work_buffers;

/**
 * A batch after its worker. With an index it is complete only after
 * th_near_duplicate_settle.
 */
typedef struct th_work_result {
    const th_work_options *options;  /* of the worker */
    struct th_work_buffers *buffers; /* holds the bytes */
    const th_batch *batch;
    bool is_part;    /* more of the batch follows, so the batch is not done yet */
    bool is_within;  /* a part that ends within a record, which may still be refused */
    uint32_t done;   /* records of the batch that are complete in this part and the
                      * parts before it */
    th_view pages;   /* formatted, and compressed unless the format does that */
    th_view rejects; /* reject lines, plain */
    th_view aside;   /* records for the file of set_aside, packed */
    th_counts counts;
    const th_piece *pieces; /* one for each record; NULL unless wanted */
    /* TH_BAND_KEY_LEN bytes a key; made with wants_pieces and wants_bands. */
    const uint8_t *bands;
    /* As th_minhash_low_bits has them, or lines of th_annotation_signed. */
    const uint8_t *low_bits;
    th_view details;          /* of refusals, as text; made with wants_pieces */
    th_view edges;            /* JSON lines; made with wants_edges */
    const th_edge *edge_rows; /* one for each line */
    size_t edge_count;
    th_view names; /* that edge_rows point to */
    th_view sites; /* entries of its pages, for a site memory */
} th_work_result;

/** Room for a result; its buffers grow and are kept. (th_work_buffers){ 0 } is empty. */
typedef struct th_work_buffers {
    th_buffer pages, packed, rejects, aside, pieces, bands, low_bits, details;
    th_buffer sites; /* entries of a site memory */
    th_buffer entries, holes, names, filled, edges, edge_rows, id; /* of an index */
    size_t charged; /* bytes that a budget was charged with */
} th_work_buffers;
void th_work_buffers_done(th_work_buffers *buffers);

/** Forgets a result, keeps the memory. */
void th_work_buffers_reset(th_work_buffers *buffers);

/**
 * Charges the large buffers to the budget if they exceed 4 MiB. May wait.
 * @param number  of the batch, in the order of input
 */
void th_work_buffers_charge(th_work_buffers *buffers, th_budget *budget, uint64_t number);

/** Points the result to the data in its room. The pages are not compressed. */
void th_work_result_point(th_work_result *result);

/**
 * Ends the use of a result: frees large buffers and returns their memory to the budget.
 */
void th_work_buffers_release_memory(th_work_buffers *buffers, th_budget *budget);

/* Default bytes of a budget: for each worker, and the minimum in total. */
enum { TH_BUDGET_SHARE = 16 << 20, TH_BUDGET_LEAST = 64 << 20 };

/**
 * Returns the bytes for large pages and results of a pool of workers: the option's, or
 * TH_BUDGET_SHARE for each worker, with a minimum of TH_BUDGET_LEAST.
 */
uint64_t th_work_budget_bytes(const th_work_options *options, unsigned workers);

/** Creates a budget of th_work_budget_bytes. @return NULL without memory */
th_budget *th_work_budget_new(const th_work_options *options, unsigned workers);

/**
 * Compresses a result's pages if the format leaves that to its caller. Without an index
 * th_work has done so already. TH_OK or TH_NOMEM.
 */
th_status th_work_compress(th_work_result *result);

#endif
