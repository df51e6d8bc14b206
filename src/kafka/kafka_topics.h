/*
 * What brokers say of topics, asked again and again without waiting: whether they are
 * there, how large a batch they take, and whether any broker answers. Where the answer is
 * refused (no right to describe a topic's configuration, or brokers that do not know the
 * request) nothing is known of the topic, and it is not reported as missing.
 */
#ifndef TH_KAFKA_TOPICS_H
#define TH_KAFKA_TOPICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/patience.h"

struct rd_kafka_s;
struct rd_kafka_queue_s;

typedef struct th_kafka_topic_facts {
    const char *name;
    bool is_missing;
    uint64_t batch_max; /* max.message.bytes: of a batch, as it is sent; 0: not known */
} th_kafka_topic_facts;

typedef struct th_kafka_topics {
    th_kafka_topic_facts *rows;
    uint32_t count;
    struct rd_kafka_queue_s *queue; /* NULL: nothing was ever asked of this client */
    int64_t asked_at;               /* ms; -1: nothing is asked now */
    int64_t ask_at;                 /* ms, of the next time */
    bool has_answered;              /* ever: else silence may mean that nobody can */
} th_kafka_topics;

/** @param names  borrowed; NULL and "" are left out, and so are patterns, "^..."
 *  @return false: no memory */
bool th_kafka_topics_init(th_kafka_topics *topics, const char *const *names,
                          size_t count);
void th_kafka_topics_done(th_kafka_topics *topics);

/** Takes an answer that has come, and asks when it is time, every 3 s. Never waits. */
void th_kafka_topics_tick(th_kafka_topics *topics, struct rd_kafka_s *rk);

/** Asks now, and waits for the answer, at most `most_ms`. */
void th_kafka_topics_ask(th_kafka_topics *topics, struct rd_kafka_s *rk,
                         const th_patience *patience, int most_ms);

/** Before the client is destroyed: what was asked of it is forgotten, not what it
 * said. */
void th_kafka_topics_leave(th_kafka_topics *topics);

/** NULL where the name is none of them. */
const th_kafka_topic_facts *th_kafka_topics_find(const th_kafka_topics *topics,
                                                 const char *name);

/** Writes why nothing can be done now: a topic is not there, nobody answers. false: there
 * is nothing to say, *reason is left. */
bool th_kafka_topics_reason(const th_kafka_topics *topics, char *reason, size_t max);

#endif
