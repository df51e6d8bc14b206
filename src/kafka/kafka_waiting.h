/*
 * Messages that were consumed and are not handed out yet: those that wait for the archive
 * they point into, and what came nevertheless of their partitions or while nobody read.
 *
 * A partition whose next message waits is parked: it is looked at again from time to
 * time, and fetches nothing until then. The others go on.
 */
#ifndef TH_KAFKA_WAITING_H
#define TH_KAFKA_WAITING_H

#include "kafka/kafka_partitions.h"
#include "thresher/status.h"

/** { 0 } is empty. Messages in their order, those of a partition in theirs. */
typedef struct th_kafka_waiting {
    rd_kafka_message_t **held;
    uint32_t count, capacity;
} th_kafka_waiting;

/** Takes a message behind the others; on failure it is destroyed. TH_OK; TH_NOMEM; TH_IO:
 * partitions that are paused give far too many. */
th_status th_kafka_waiting_hold(th_kafka_waiting *waiting, rd_kafka_message_t *message,
                                const th_kafka_partitions *partitions, th_error *err);

/** Takes a message whose archive is not there before the others and parks its partition.
 * TH_OK; TH_NOMEM: it is destroyed. */
th_status th_kafka_waiting_park(th_kafka_waiting *waiting, rd_kafka_message_t *message,
                                th_kafka_partition *partition, th_error *err);

/** The first one that may be handed out now, the caller's; NULL: there is none. */
rd_kafka_message_t *th_kafka_waiting_next(th_kafka_waiting *waiting,
                                          th_kafka_partitions *partitions);

/** What is held is void, and no partition is parked. */
void th_kafka_waiting_drop(th_kafka_waiting *waiting, th_kafka_partitions *partitions);

void th_kafka_waiting_free(th_kafka_waiting *waiting);

#endif
