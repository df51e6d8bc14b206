/*
 * The progress topic: where a spool stands, written in the same transaction as its
 * records, read back at start. [docs/reliability.md#spool-to-kafka]
 */
#ifndef TH_KAFKA_PROGRESS_H
#define TH_KAFKA_PROGRESS_H

#include "base/buffer.h"
#include "base/patience.h"
#include "kafka/kafka_conf.h"

struct rd_kafka_s;

/**
 * Whether a topic is there, and makes the progress topic (compacted, one partition) where
 * it is missing.
 * @param producer  any client
 * @param makes     make it when it is missing
 * @return TH_OK; TH_NO_BROKER: no broker answers; TH_IO: it is not there, or cannot be
 * made, with the topic's name in err; TH_NOMEM
 */
th_status th_kafka_need_topic(struct rd_kafka_s *producer, const char *topic, bool makes,
                              const th_patience *patience, th_error *err);

/**
 * Reads the progress topic from its beginning to its end of now, only what is committed,
 * and gives each row to `take`, in order; a row without value is given with an absent
 * one. Waits for other writers' open transactions.
 * @return TH_OK; TH_NO_BROKER: patience ended; TH_IO; TH_NOMEM
 */
th_status th_kafka_read_progress(const th_kafka_client *client, const char *topic,
                                 void (*take)(void *context, th_view key, th_view value),
                                 void *context, const th_patience *patience,
                                 th_error *err);

#endif
