/*
 * Common parts of all reports: the head and the end of the JSON, a section for each
 * corpus, a title over each table.
 */
#ifndef TH_EVAL_REPORT_H
#define TH_EVAL_REPORT_H

#include "base/json.h"
#include "eval/eval.h"
#include "eval/report_table.h"
#include "thresher/arena.h"

/** A report that is being written. */
typedef struct th_eval_report {
    const th_eval_request *request; /* borrowed */
    th_buffer *out;                 /* borrowed; the report is written here */
    th_arena *arena;                /* owned: tables, names, figures */
    th_json json;                   /* used if the form is JSON */
} th_eval_report;

bool th_eval_report_is_json(const th_eval_report *report);

/**
 * Begins a report. In JSON: the object with schema, kind and segmenter, and the array
 * with the rest.
 * @param segmenter  NULL if the report has none
 * @param list       name of the array
 * @return TH_OK, or TH_NOMEM. In both cases, call th_eval_report_end
 */
th_status th_eval_report_begin(th_eval_report *report, const th_eval_request *request,
                               const char *kind, const char *segmenter, const char *list,
                               th_buffer *out);

/**
 * Ends the JSON, frees the arena.
 * @param status  of the measuring
 * @return `status`, with a message added for TH_NOMEM. TH_NOMEM if it was TH_OK and the
 *         JSON is incomplete
 */
th_status th_eval_report_end(th_eval_report *report, th_status status, th_error *err);

/** In JSON: an object whose first member is `key`: `name`, and its array `list`. Nothing
 * in the other forms. */
void th_eval_report_open(th_eval_report *report, const char *key, const char *name,
                         const char *list);
/** Ends the innermost open part. */
void th_eval_report_close(th_eval_report *report);

/** Appends a table under its title; for the forms that are not JSON. TH_OK or TH_NOMEM */
th_status th_eval_report_table(th_eval_report *report, const char *title,
                               const th_report_table *table);

#endif
