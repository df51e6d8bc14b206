/* A consumer goes back to what its group has committed. */
#ifndef TH_KAFKA_REWIND_H
#define TH_KAFKA_REWIND_H

#include "base/patience.h"
#include "kafka/kafka_partitions.h"
#include "thresher/status.h"

/**
 * All owned partitions give again what is not committed. None of them may be paused: a
 * seek of what is paused is lost with the resume.
 * @return TH_OK; TH_IO: not within 60 s, or patience ended; TH_NOMEM
 */
th_status th_kafka_rewind(rd_kafka_t *rk, th_kafka_partitions *partitions,
                          const th_patience *patience, th_error *err);

#endif
