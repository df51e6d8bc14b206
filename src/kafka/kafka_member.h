/* A member of a consumer group: how it joins and leaves. */
#ifndef TH_KAFKA_MEMBER_H
#define TH_KAFKA_MEMBER_H

#include <librdkafka/rdkafka.h>

#include "base/deadline.h"
#include "kafka/kafka_conf.h"
#include "kafka/kafka_source.h"

/** As librdkafka's; the opaque pointer is the watch. */
typedef struct th_kafka_member_callbacks {
    void (*rebalance)(rd_kafka_t *rk, rd_kafka_resp_err_t what,
                      rd_kafka_topic_partition_list_t *list, void *opaque);
    void (*committed)(rd_kafka_t *rk, rd_kafka_resp_err_t error,
                      rd_kafka_topic_partition_list_t *offsets, void *opaque);
    bool tells_ends; /* reports the end of each partition among the messages */
} th_kafka_member_callbacks;

/**
 * Makes the consumer; it is in no group yet.
 * @param watch  borrowed while the consumer lives
 * @return TH_OK; TH_USAGE (a bad property); TH_NOMEM
 */
th_status th_kafka_member_open(const th_kafka_source_options *options,
                               const th_kafka_member_callbacks *callbacks,
                               th_kafka_watch *watch, rd_kafka_t **out, th_error *err);

/** Joins the group and subscribes to the topics. Returns TH_OK, TH_IO, or TH_NOMEM. */
th_status th_kafka_member_join(rd_kafka_t *rk, const th_kafka_source_options *options,
                               th_error *err);

/** Returns whether the group's protocol assigns and revokes partitions one by one
 * (`group.protocol=consumer`) rather than all at once. */
bool th_kafka_member_is_incremental(rd_kafka_t *rk);

/** Starts to fetch the partitions that a rebalance assigns to us. Only within the
 * rebalance callback. @return false on failure */
bool th_kafka_member_take(rd_kafka_t *rk, rd_kafka_topic_partition_list_t *list);

/** Stops fetching the partitions that a rebalance revokes. As above. */
bool th_kafka_member_give_up(rd_kafka_t *rk, rd_kafka_topic_partition_list_t *list);

/** Leaves the group, if a broker is reachable: 2.0.2 crashes and hangs otherwise. Takes
 * at most 6 s, and until the deadline. */
void th_kafka_member_leave(rd_kafka_t *rk, const th_kafka_watch *watch,
                           const th_deadline *deadline);

#endif
