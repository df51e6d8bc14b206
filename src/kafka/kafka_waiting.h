/*
 * Messages that were consumed and are not dispatched yet. They wait for the archive they
 * point into, or came from a parked partition or while no caller read.
 *
 * A partition whose next message waits is parked: its message is retried from time to
 * time, and it fetches nothing until then. Other partitions continue.
 */
#ifndef TH_KAFKA_WAITING_H
#define TH_KAFKA_WAITING_H

#include "kafka/kafka_partitions.h"
#include "thresher/status.h"

/** { 0 } is empty. Messages in their order, also within each partition. */
typedef struct th_kafka_waiting {
    rd_kafka_message_t **held;
    uint32_t count;
    size_t capacity;
} th_kafka_waiting;

/** Appends a message; on failure it is destroyed. Returns TH_OK, TH_NOMEM, or TH_IO if
 * paused partitions deliver far too many. */
th_status th_kafka_waiting_hold(th_kafka_waiting *waiting, rd_kafka_message_t *message,
                                const th_kafka_partitions *partitions, th_error *err);

/** Puts a message whose archive is missing before the others, and parks its partition.
 * Returns TH_OK, or TH_NOMEM (the message is destroyed). */
th_status th_kafka_waiting_park(th_kafka_waiting *waiting, rd_kafka_message_t *message,
                                th_kafka_partition *partition, th_error *err);

/** Returns the first message that may be dispatched now, owned by the caller; NULL if
 * there is none. */
rd_kafka_message_t *th_kafka_waiting_next(th_kafka_waiting *waiting,
                                          th_kafka_partitions *partitions);

/** Drops the held messages, and unparks all partitions. */
void th_kafka_waiting_drop(th_kafka_waiting *waiting, th_kafka_partitions *partitions);

void th_kafka_waiting_free(th_kafka_waiting *waiting);

#endif
