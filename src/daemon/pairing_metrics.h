/*
 * Counts of `serve` in the role of pairs, for Prometheus. [docs/reliability.md#metrics]
 */
#ifndef TH_PAIRING_METRICS_H
#define TH_PAIRING_METRICS_H

#include "daemon/process_facts.h"
#include "kafka/kafka_pairing.h"

/**
 * Appends the metrics as text.
 * @param process  NULL = without process_*
 * @param started  seconds since 1970
 * Check out->has_failed.
 */
void th_pairing_metrics_render(const th_kafka_pairing_stats *facts,
                               const th_process_stats *process, double started,
                               th_buffer *out);

#endif
