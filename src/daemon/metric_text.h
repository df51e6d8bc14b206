/*
 * Prometheus text, format 0.0.4, row by row. Independent of the locale.
 */
#ifndef TH_METRIC_TEXT_H
#define TH_METRIC_TEXT_H

#include <stdint.h>

#include "base/buffer.h"
#include "daemon/process_facts.h"

/** HELP and TYPE; before the rows of a name. @param type  "counter", "gauge", "histogram" */
void th_metric_head(th_buffer *out, const char *name, const char *type, const char *help);

/** Appends a row. @param label  with its value; NULL if it has no label */
void th_metric_count(th_buffer *out, const char *name, const char *label,
                     const char *value, uint64_t count);

/** A row of seconds without label. */
void th_metric_seconds(th_buffer *out, const char *name, double seconds);

/** What Prometheus expects of every process. @param started  seconds since 1970 */
void th_metric_process(const th_process_stats *process, double started, th_buffer *out);

#endif
