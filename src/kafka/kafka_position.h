/*
 * A consumer's position in the form that a producer commits in its transaction. Receipts
 * of Kafka point to it. For files that call librdkafka.
 */
#ifndef TH_KAFKA_POSITION_H
#define TH_KAFKA_POSITION_H

#include <librdkafka/rdkafka.h>

/** Offsets, each with its mark, and the group that they belong to. The source owns
 * members that are not NULL. The committer may take one over by setting it to NULL. */
struct th_source_position {
    rd_kafka_topic_partition_list_t *offsets;
    rd_kafka_consumer_group_metadata_t *group;
};

/** Destroys both. */
static inline void th_kafka_position_done(struct th_source_position *position)
{
    if (position->offsets)
        rd_kafka_topic_partition_list_destroy(position->offsets);
    if (position->group)
        rd_kafka_consumer_group_metadata_destroy(position->group);
    *position = (struct th_source_position){ NULL, NULL };
}

#endif
