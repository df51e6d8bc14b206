/* Reads the records of `dedup` and of `dedup partition`, and reports their errors. */
#ifndef TH_DEDUP_READING_H
#define TH_DEDUP_READING_H

#include "app/dedup_report.h"
#include "app/record_files.h"
#include "dedup/exact_unit.h"

enum { TH_TOLD_FAULTS = 20 }; /* lines about faulty records; further ones are counted */

typedef struct th_dedup_reading {
    th_record_files files;
    th_dedup_report
        *report; /* read, refused, inputs, bytes are counted there; borrowed */
    th_record_line record;
    th_dedup_by by;
    bool has_paragraphs; /* each is compared, not the record */
    th_buffer id;        /* of a paragraph */
    th_arena *arena;     /* scratch of th_exact_record */
    void *context;
    /**
     * Takes a record.
     * @param full   "FILE: line N"; `place` is the latter half
     * @param fault  in: TH_RECORD_NONE; out: why it was not taken
     */
    th_status (*take)(void *context, const th_record_line *record, const char *full,
                      const char *place, th_record_fault *fault, th_error *err);
} th_dedup_reading;

/** Reads all inputs, by dedup.by, dedup.unit and dedup.max_line. As th_record_files_read;
 * TH_USAGE if these options do not fit together, or no record has text for paragraphs. */
th_status th_dedup_reading_run(th_dedup_reading *reading, const th_settings *settings,
                               th_error *err);

/** Counts a faulty record, and tells it if it is one of the first. */
void th_dedup_reading_report(th_dedup_reading *reading, const char *place,
                             th_record_fault fault);

/** The line of progress; a th_dedup_progress.
 * @param context  th_dedup_reading */
void th_dedup_reading_show(void *context, const char *step, uint64_t done,
                           uint64_t total);

void th_dedup_reading_done(th_dedup_reading *reading);

#endif
