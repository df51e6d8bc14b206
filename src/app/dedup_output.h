/* The output of `dedup` and `dedup components`. */
#ifndef TH_DEDUP_OUTPUT_H
#define TH_DEDUP_OUTPUT_H

#include "app/dedup_report.h"
#include "base/file_sink.h"
#include "parquet/parquet_file.h"
#include "settings/settings.h"
#include "write/format.h"

typedef struct th_dedup_target {
    const th_settings *settings; /* borrowed */
    th_compression compression;
    th_file_sink *sink;
    th_parquet_file *table; /* on the sink; NULL if lines are written directly */
    th_clusters clusters;
    th_buffer packed;
} th_dedup_target;

/** Returns which data of the pairs the output needs. */
th_dedup_kept th_dedup_kept_for(const th_settings *settings);

/** Returns whether records or paragraphs must be equal. Then signatures are not read. */
bool th_dedup_is_exact(const th_settings *settings);

/** dedup.sign as a number. */
th_compared th_dedup_compared_of(const th_settings *settings);

/** Opens dedup.file. TH_OK; TH_USAGE; TH_IO; TH_NO_ROOM; TH_NOMEM */
th_status th_dedup_target_open(th_dedup_target *target, const th_settings *settings,
                               th_error *err);

/**
 * Writes the finder's results, and dedup.report. Sets sizes, counts and lines in
 * `report`. TH_OK; TH_INTERRUPTED; TH_IO; TH_NO_ROOM; TH_NOMEM
 */
th_status th_dedup_target_write(th_dedup_target *target, th_duplicate_finder *finder,
                                th_dedup_report *report, th_error *err);

/** Frees the target. Removes an incomplete output, because it cannot be continued. */
void th_dedup_target_close(th_dedup_target *target);

/** With a text that no record has signed no duplicates would be found, without an error.
 * TH_OK or TH_USAGE */
th_status th_dedup_check_signed(const th_dedup_counts *counts, th_compared compared,
                                th_error *err);

/** Prints the summary, unless `is_quiet`. @param finder  as of th_dedup_report_print
 * @return the exit code */
int th_dedup_conclude(const th_dedup_report *report, th_duplicate_finder *finder,
                      bool is_quiet);

#endif
