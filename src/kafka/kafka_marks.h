/*
 * Marks of the output: numbers that are committed in the metadata of an offset. After a
 * crash both the offset and its mark are found, or neither.
 */
#ifndef TH_KAFKA_MARKS_H
#define TH_KAFKA_MARKS_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/deadline.h"
#include "thresher/status.h"

/** Adds a mark to a row of offsets, whose list frees it. Returns false if out of
 * memory. */
bool th_kafka_mark_add(rd_kafka_topic_partition_t *row, uint64_t mark);

/**
 * Requests the marks in the metadata of the offsets of the whole group. Our partitions
 * are not known yet, and the owner of a mark does not matter.
 * @param out  the marks are appended, uint64_t each
 * @return TH_OK. TH_NO_BROKER if there is no answer within 30 s and before the
 * deadline, or if the answer is an error. TH_NOMEM.
 */
th_status th_kafka_marks_query(rd_kafka_t *rk, const char *group,
                               const th_deadline *deadline, th_buffer *out,
                               th_error *err);

#endif
