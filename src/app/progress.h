/* Progress of a run on stderr: one line while it works, a summary when it ends. */
#ifndef TH_PROGRESS_H
#define TH_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "ingest/source.h"
#include "traffic/runner.h"

typedef struct th_progress {
    FILE *out;
    bool is_shown;        /* a terminal, and not quiet */
    bool has_line;        /* a line is shown that must be cleared */
    uint64_t total_bytes; /* of all inputs; 0 if unknown */
    uint64_t start_bytes; /* read before this run, if it was resumed */
    double started;       /* seconds, monotonic */
    double last_shown;
} th_progress;

/** Starts the clock. */
void th_progress_start(th_progress *progress, FILE *out, bool is_quiet,
                       uint64_t total_bytes, uint64_t start_bytes);

/** Updates the line, at most five times a second: percent, MB/s, pages/s, time left. */
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
