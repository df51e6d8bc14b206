/*
 * The state of topics, requested repeatedly without waiting: whether they exist, how
 * large a batch they accept, and whether any broker answers. If the answer is refused (no
 * right to describe a topic's configuration, or brokers that do not know the request),
 * the topic's state is unknown, and it is not reported as missing.
 */
#ifndef TH_KAFKA_TOPICS_H
#define TH_KAFKA_TOPICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"

struct rd_kafka_s;
struct rd_kafka_queue_s;

typedef struct th_kafka_topic_facts {
    const char *name;
    bool is_missing;
    uint64_t batch_max; /* max.message.bytes: of a batch, as it is sent; 0 if unknown */
} th_kafka_topic_facts;

typedef struct th_kafka_topics {
    th_kafka_topic_facts *rows;
    uint32_t count;
    struct rd_kafka_queue_s *queue; /* NULL before the first request to this client */
    int64_t asked_at;               /* ms; -1 if no request is pending */
    int64_t query_at;               /* ms, of the next time */
    bool has_answered; /* ever; otherwise silence may mean that no broker can */
} th_kafka_topics;

/** @param names  borrowed; NULL, "" and patterns, "^...", are skipped
 * @return false if out of memory */
bool th_kafka_topics_init(th_kafka_topics *topics, const char *const *names,
                          size_t count);
void th_kafka_topics_done(th_kafka_topics *topics);

/** Handles an answer that has arrived, and sends a request when it is time, every 3 s.
 * Never waits. */
void th_kafka_topics_tick(th_kafka_topics *topics, struct rd_kafka_s *rk);

/** Sends a request, and waits for the answer, at most `max_ms`. */
void th_kafka_topics_query(th_kafka_topics *topics, struct rd_kafka_s *rk,
                           const th_deadline *deadline, int max_ms);

/** Forgets pending requests before the client is destroyed. Keeps its answers. */
void th_kafka_topics_leave(th_kafka_topics *topics);

/** Returns NULL if there is no such topic. */
const th_kafka_topic_facts *th_kafka_topics_find(const th_kafka_topics *topics,
                                                 const char *name);

/** Writes why no work is possible now: a missing topic, or no answer. Returns false,
 * without changing *reason, if there is no reason. */
bool th_kafka_topics_reason(const th_kafka_topics *topics, char *reason, size_t max);

#endif
