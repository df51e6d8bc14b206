/* Reports the results of a deduplication: as text on stderr, and as JSON for programs. */
#ifndef TH_DEDUP_REPORT_H
#define TH_DEDUP_REPORT_H

#include <stdio.h>

#include "base/buffer.h"
#include "dedup/cluster_writer.h"

typedef struct th_dedup_report {
    uint64_t read;      /* records met, or their paragraphs */
    uint64_t documents; /* records met */
    const char *exact; /* what must be equal: "paragraph", "text", "URL"; NULL: similar */
    uint64_t refused[TH_RECORD_FAULT_COUNT]; /* by error */
    uint64_t error_pages;                    /* of the used ones, by HTTP status */
    uint64_t inputs, damaged_inputs;
    uint64_t bytes; /* of the inputs, packed */
    uint64_t lines; /* written */
    double seconds;
    char params[TH_SIGNING_MAX]; /* how the records were signed; "" if they were not
                                   * signed */
    th_dedup_counts counts;
    th_cluster_sizes sizes;
} th_dedup_report;

uint64_t th_dedup_report_refused(const th_dedup_report *report);

/**
 * Prints the summary.
 * @param finder  for the names of the largest clusters; NULL: without them
 */
void th_dedup_report_print(const th_dedup_report *report, th_duplicate_finder *finder,
                           FILE *out);

/**
 * Appends the same as one JSON object on a line, without times, so equal records give an
 * equal object. TH_OK; TH_IO; TH_NOMEM
 */
th_status th_dedup_report_json(const th_dedup_report *report, th_duplicate_finder *finder,
                               th_buffer *out, th_error *err);

#endif
