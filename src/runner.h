/* The traffic: batches of records to workers, results back in input order. */
#ifndef TH_RUNNER_H
#define TH_RUNNER_H

#include <stdatomic.h>

#include "ingest/source.h"
#include "write/format.h"

/** What became of records; adds up: read = emitted + the sum of refused. */
typedef struct th_counts {
    uint64_t read;
    uint64_t emitted;
    uint64_t refused[TH_STATUS_COUNT];
    uint64_t flagged[TH_FLAG_COUNT]; /* emitted pages that carry the flag */
    uint64_t html_bytes;             /* of emitted pages, decoded to UTF-8 */
    uint64_t tokens;                 /* of emitted pages */
} th_counts;

/** Adds `more` to `sum`. */
void th_counts_add(th_counts *sum, const th_counts *more);

/** Sum of all refusals. */
uint64_t th_counts_refused(const th_counts *counts);

/** A batch after its workers; borrowed for the call of commit. */
typedef struct th_result {
    const th_batch *batch;
    th_view pages;   /* formatted, and compressed where the format does not do it */
    th_view rejects; /* reject lines, plain */
    th_counts counts;
} th_result;

/**
 * Takes results in input order, one call at a time, from whichever worker is at hand.
 * Not TH_OK ends the run with that status.
 */
typedef th_status (*th_commit)(void *context, const th_result *result, th_error *err);

typedef struct th_run_options {
    const th_options *page;
    const th_format *format;
    th_format_options format_options;
    bool wants_rejects; /* else reject lines are counted, not made */
    unsigned workers;   /* 1..256 */
} th_run_options;

/**
 * Runs a source dry. Each worker reads a batch, works on it and hands it in; there is no
 * reader thread, so one worker is one thread's work and two share reading too. At most
 * three batches a worker are under way: that is the memory bound and the back-pressure.
 * @param stop  when it becomes non-zero no further batch is read; those under way are
 *              committed. May be NULL.
 * @return TH_OK; TH_INTERRUPTED after `stop`; or the first failure, with its words in err
 */
th_status th_run(th_source *source, const th_run_options *options, th_commit commit,
                 void *context, const atomic_int *stop, th_error *err);

#endif
