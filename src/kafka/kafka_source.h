/*
 * Records in from Kafka topics: a consumer of a group.
 *
 * Order: a partition's messages are dispatched in their order. A message whose archive
 * is missing delays only its own partition. For each partition, the offset after the
 * last message that is done is acknowledged; no other offset is ever committed.
 * Partitions that will be revoked are settled first (source->settle: for
 * TH_KAFKA_SETTLE_MS or half the session, whichever is less). Partitions that are
 * already lost are not. In both cases a new epoch begins, and messages that are not
 * acknowledged become void.
 */
#ifndef TH_KAFKA_SOURCE_H
#define TH_KAFKA_SOURCE_H

#include "kafka/kafka_conf.h"
#include "kafka/kafka_message.h"
#include "traffic/stream_source.h"

/* Defaults. */
#define TH_KAFKA_GROUP "thresher"
enum { TH_KAFKA_SESSION_MS = 45000, TH_KAFKA_ARCHIVE_WAIT_MS = 60000 };

/* Longest settling before partitions are revoked. */
enum { TH_KAFKA_SETTLE_MS = 5000 };

typedef struct th_kafka_source_options {
    th_kafka_client client;
    const char *const *topics;
    uint32_t topic_count; /* 1 or more */
    const char *group;
    /* group.instance.id: after a restart it gets its partitions at once, NULL or "" for
     * none */
    const char *instance;
    uint32_t session_ms; /* of the group; 6000 or more on most brokers */
    /* The sink commits the offsets in its transactions, by the commit token's position.
     * Then acknowledge commits nothing. */
    bool is_transactional;
    th_message_options message; /* its notices go to the client's callback */
} th_kafka_source_options;

/**
 * Joins the group.
 * @param options  copied; the objects it points to are borrowed while the source lives
 * @param out      closed by its close(), which leaves the group (except for a static
 * member)
 * @return TH_OK; TH_USAGE (a bad property); TH_IO; TH_NOMEM. An unreachable broker is not
 * an error: notices report it, and the source keeps trying.
 */
th_status th_kafka_source_open(const th_kafka_source_options *options,
                               th_stream_source **out, th_error *err);

/** Counts of a consumer of topics. */
typedef struct th_kafka_source_stats {
    uint64_t rebalances;
    uint64_t lag;              /* messages not yet read; TH_METRIC_UNKNOWN if unknown */
    uint64_t remade;           /* times that a partition's offsets went back */
    uint64_t expired;          /* messages that retention deleted before they were read */
    uint64_t headers_left_out; /* headers of messages that are over the limits */
    uint64_t archives_given_up; /* archives that did not arrive in time */
    uint64_t parked;            /* partitions whose next message waits for its archive */
    double parked_seconds;      /* for how long the first of them has waited */
} th_kafka_source_stats;

/** Returns the counts of a source that th_kafka_source_open made. */
th_kafka_source_stats th_kafka_source_counts(th_stream_source *base);

#endif
