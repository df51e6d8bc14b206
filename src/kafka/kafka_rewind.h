/* Returns a consumer to the committed offsets of its group. */
#ifndef TH_KAFKA_REWIND_H
#define TH_KAFKA_REWIND_H

#include "base/deadline.h"
#include "kafka/kafka_partitions.h"
#include "thresher/status.h"

/**
 * Makes all owned partitions deliver uncommitted messages again. None of them may be
 * paused: a seek of a paused partition is lost with the resume.
 * @return TH_OK. TH_IO if not within 60 s, or if the deadline passed. TH_NOMEM.
 */
th_status th_kafka_rewind(rd_kafka_t *rk, th_kafka_partitions *partitions,
                          const th_deadline *deadline, th_error *err);

#endif
