/* Progress of a run on stderr: one line while it works, a summary when it ends. */
#ifndef TH_PROGRESS_H
#define TH_PROGRESS_H

#include "app/progress_bar.h"
#include "ingest/source.h"
#include "traffic/runner.h"

typedef struct th_progress {
    th_progress_bar bar;
    uint64_t total_bytes; /* of all inputs; 0 if unknown */
    double started;       /* seconds, monotonic */
} th_progress;

/** Starts the clock. @param start_bytes  read before this run, if it was resumed */
void th_progress_start(th_progress *progress, FILE *out, bool is_quiet,
                       uint64_t total_bytes, uint64_t start_bytes);

/** Updates the line, at most five times a second. */
void th_progress_update(th_progress *progress, const th_source_counts *source,
                        const th_counts *counts);

/** Removes the line, so other text can be printed. */
void th_progress_clear(th_progress *progress);

/**
 * Prints the part of the summary that depends only on counts: records, refusals by
 * reason, flags, near-duplicates, damage.
 * @param index  NULL if not used
 */
void th_progress_counts(FILE *out, const th_source_counts *source,
                        const th_counts *counts, const th_index *index);

/**
 * Prints the summary: records, pages, refusals by reason, flags, near-duplicates, damage,
 * bytes, seconds.
 * @param index  NULL if not used
 */
void th_progress_summary(const th_progress *progress, const th_source_counts *source,
                         const th_counts *counts, const th_index *index);

#endif
