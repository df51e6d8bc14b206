/*
 * The account of a consumer: for each partition, where reading began, what was handed
 * out, what is done, and what of that is acknowledged.
 */
#ifndef TH_KAFKA_PARTITIONS_H
#define TH_KAFKA_PARTITIONS_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

#include "thresher/view.h"

/* A partition that was ours at some time. Offsets: -1 is none. */
typedef struct th_kafka_partition {
    char *topic;
    int32_t number;
    bool is_owned;
    int64_t done; /* offset behind the last message that is done, since the epoch began */
    int64_t acked;   /* what of `done` has been acknowledged */
    int64_t first;   /* first message consumed since it became ours */
    int64_t highest; /* message ever handed out */
} th_kafka_partition;

/* { 0 } is empty. Rows are never removed; they move when one is added. */
typedef struct th_kafka_partitions {
    th_kafka_partition *rows;
    uint32_t count, capacity;
    uint32_t last; /* index of the row found last */
} th_kafka_partitions;

/** The partition's row, NULL where it never was ours. O(1) for runs of one partition. */
th_kafka_partition *th_kafka_partitions_find(th_kafka_partitions *partitions,
                                             th_view topic, int32_t number);

/** The same for a message. */
th_kafka_partition *th_kafka_partitions_of(th_kafka_partitions *partitions,
                                           const rd_kafka_message_t *message);

/** The partition becomes ours, with nothing done. false: no memory, or too many. */
bool th_kafka_partitions_own(th_kafka_partitions *partitions, const char *topic,
                             int32_t number);

/** No partition is ours any more. */
void th_kafka_partitions_disown(th_kafka_partitions *partitions);

/** Owned partitions. NULL without memory; the caller's to destroy. */
rd_kafka_topic_partition_list_t *
th_kafka_partitions_owned(const th_kafka_partitions *partitions);

/**
 * Owned partitions with something done that is not acknowledged, each with its offset.
 * @param mark  goes with every offset, as its metadata; 0: none
 * @return NULL without memory; the caller's to destroy
 */
rd_kafka_topic_partition_list_t *
th_kafka_partitions_to_commit(const th_kafka_partitions *partitions, uint64_t mark);

/** The message at `offset` is done. */
void th_kafka_partition_done(th_kafka_partition *partition, int64_t offset);

/** All that is done is acknowledged. */
void th_kafka_partitions_acknowledge(th_kafka_partitions *partitions);

/** What is done and not acknowledged is void. */
void th_kafka_partitions_make_void(th_kafka_partitions *partitions);

/** Messages behind, by what the last fetches told; -1 when a partition is not known. */
int64_t th_kafka_partitions_lag(const th_kafka_partitions *partitions, rd_kafka_t *rk);

void th_kafka_partitions_free(th_kafka_partitions *partitions);

/** The first error in a list, in words; NULL: there is none. */
const char *th_kafka_first_error(const rd_kafka_topic_partition_list_t *list);

#endif
