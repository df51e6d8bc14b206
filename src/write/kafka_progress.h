/*
 * The progress topic: where a spool stands, written in the same transaction as its
 * records, read back at start. [spec/reliability.md §2, file to Kafka]
 */
#ifndef TH_KAFKA_PROGRESS_H
#define TH_KAFKA_PROGRESS_H

#include "base/kafka_conf.h"
#include "intake.h"

struct rd_kafka_s;

/**
 * Whether a topic is there, and makes the progress topic (compacted, one partition) where
 * it is missing.
 * @param producer  any client
 * @param makes     make it when it is missing
 * @return TH_OK; TH_EMPTY: no broker answers; TH_IO: it is not there, or cannot be made,
 * with the topic's name in err
 */
th_status th_kafka_need_topic(struct rd_kafka_s *producer, const char *topic, bool makes,
                              th_error *err);

/**
 * Reads the progress topic from its beginning to its end of now, only what is committed,
 * and gives each row to intake->restore, in order; a row without value is given with an
 * absent one. Waits for other writers' open transactions.
 * @return TH_OK; TH_IO
 */
th_status th_kafka_read_progress(const th_kafka_client *client, const char *topic,
                                 th_intake *intake, th_error *err);

#endif
