/*
 * The account of a consumer. For each partition: where reading began, which messages were
 * dispatched, which are done, and which of the done ones are acknowledged.
 *
 * Offsets of a partition only rise, until its topic is deleted and created again under
 * the same name. Then the offsets and the account restart. Dispatched messages of the old
 * topic are still written, but no offset of it is ever committed again.
 */
#ifndef TH_KAFKA_PARTITIONS_H
#define TH_KAFKA_PARTITIONS_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

#include "thresher/view.h"

/* A partition that was ours at some time. An offset is -1 if there is none. */
typedef struct th_kafka_partition {
    char *topic;
    int32_t number;
    bool is_owned;
    bool is_parked; /* its next message waits for its archive */
    bool is_paused; /* librdkafka was told to fetch nothing of it */
    int64_t done;  /* offset after the last message that is done, since the epoch began */
    int64_t acked; /* the acknowledged value of `done` */
    int64_t first; /* first message consumed since it became ours */
    int64_t highest; /* last message ever dispatched */
    int64_t next;    /* offset of the next dispatch, or a later one */
    int64_t anew;   /* where the account restarted; no offset of it is acknowledged yet */
    int64_t proven; /* largest offset acknowledged since we know the partition */
    int64_t parked_since; /* ms */
    int64_t retry_at;     /* ms, when parked: time of the next check for the archive */
    uint64_t handed;      /* records dispatched in this epoch that are not done */
    uint64_t stale; /* number of these, from the first, that belong to the old topic */
} th_kafka_partition;

/* Findings of th_kafka_partition_dispatch. */
typedef struct th_kafka_step {
    bool is_anew;     /* offsets went back: the topic was recreated */
    bool is_again;    /* the message was dispatched before: a rewind delivered it again */
    int64_t expected; /* the offset that was to come next */
    int64_t expired;  /* messages that retention deleted before they were read */
} th_kafka_step;

/* { 0 } is empty. Rows are never removed; they move when one is added. */
typedef struct th_kafka_partitions {
    th_kafka_partition *rows;
    uint32_t count;
    size_t capacity;
    uint32_t last; /* index of the row found last */
} th_kafka_partitions;

/** Returns the partition's row, or NULL if it never was ours. O(1) for runs of one
 * partition. */
th_kafka_partition *th_kafka_partitions_find(th_kafka_partitions *partitions,
                                             th_view topic, int32_t number);

/** As above, for a message. */
th_kafka_partition *th_kafka_partitions_of(th_kafka_partitions *partitions,
                                           const rd_kafka_message_t *message);

/**
 * Adds a partition that becomes ours, with nothing done.
 * @param committed  offset that its group has committed; negative if there is none, or
 * if it is unknown
 * @return false if out of memory, or if there are too many
 */
bool th_kafka_partitions_own(th_kafka_partitions *partitions, const char *topic,
                             int32_t number, int64_t committed);

/** Marks the partitions of a list as no longer ours; NULL for all partitions. */
void th_kafka_partitions_disown(th_kafka_partitions *partitions,
                                const rd_kafka_topic_partition_list_t *list);

/** Lists the owned partitions. Returns NULL if out of memory; the caller destroys the
 * list. */
rd_kafka_topic_partition_list_t *
th_kafka_partitions_owned(const th_kafka_partitions *partitions);

/**
 * Lists the owned partitions with something done that is not acknowledged, each with its
 * offset.
 * @param mark  goes with every offset, as its metadata; 0 for none
 * @return NULL if out of memory; the caller destroys the list
 */
rd_kafka_topic_partition_list_t *
th_kafka_partitions_to_commit(const th_kafka_partitions *partitions, uint64_t mark);

/**
 * Dispatches the message at `offset`, as `records` records.
 * @param low  first offset that the partition still has, negative if unknown
 */
th_kafka_step th_kafka_partition_dispatch(th_kafka_partition *partition, int64_t offset,
                                          int64_t low, uint64_t records);

/** Counts a record of the message at `offset` as done; call in the order of dispatch. */
void th_kafka_partition_done(th_kafka_partition *partition, int64_t offset);

/** Continues reading at `offset`. */
void th_kafka_partition_go_to(th_kafka_partition *partition, int64_t offset);

/** Marks all that is done as acknowledged. */
void th_kafka_partitions_acknowledge(th_kafka_partitions *partitions);

/** Voids all that is not acknowledged, and starts a new epoch. */
void th_kafka_partitions_make_void(th_kafka_partitions *partitions);

/** Returns the number of parked partitions. */
uint32_t th_kafka_partitions_parked(const th_kafka_partitions *partitions);

/** Returns since when the partition that is parked longest is parked, in ms; -1 if none
 * is. */
int64_t th_kafka_partitions_parked_since(const th_kafka_partitions *partitions);

/**
 * Stops fetching for parked partitions, or for all, and lets the others fetch. Resumes
 * only partitions that we paused: 2.0.2 delivers old messages again of a partition that
 * never was paused.
 */
void th_kafka_partitions_flow(th_kafka_partitions *partitions, rd_kafka_t *rk,
                              bool stops_all);

/** Returns the consumer lag in messages, by the ends that the last fetches reported; -1
 * while the end of an owned partition is unknown, or if no partition is owned. */
int64_t th_kafka_partitions_lag(const th_kafka_partitions *partitions, rd_kafka_t *rk);

void th_kafka_partitions_free(th_kafka_partitions *partitions);

/** Returns the first error in a list, in words; NULL if there is no error. */
const char *th_kafka_first_error(const rd_kafka_topic_partition_list_t *list);

#endif
