/*
 * The progress topic: the progress of a spool, written in the same transaction as its
 * records, read back at start. [docs/reliability.md#spool-to-kafka]
 */
#ifndef TH_KAFKA_PROGRESS_H
#define TH_KAFKA_PROGRESS_H

#include "base/buffer.h"
#include "base/deadline.h"
#include "kafka/kafka_conf.h"

struct rd_kafka_s;

/**
 * Checks that a topic exists, and makes the progress topic (compacted, one partition) if
 * it is missing.
 * @param producer  any client
 * @param makes     make it when it is missing
 * @return TH_OK. TH_NO_BROKER if no broker answers. TH_IO if it is missing, or cannot be
 * made, with the topic's name in err. TH_NOMEM.
 */
th_status th_kafka_need_topic(struct rd_kafka_s *producer, const char *topic, bool makes,
                              const th_deadline *deadline, th_error *err);

/**
 * Reads the committed rows of the progress topic, from its beginning to its present end,
 * and passes each row to `take`, in order. A row without a value has an absent value.
 * Waits for other writers' open transactions.
 * @return TH_OK; TH_NO_BROKER: the deadline passed; TH_IO; TH_NOMEM
 */
th_status th_kafka_read_progress(const th_kafka_client *client, const char *topic,
                                 void (*take)(void *context, th_view key, th_view value),
                                 void *context, const th_deadline *deadline,
                                 th_error *err);

#endif
