/*
 * Results out to Kafka topics: records, band keys, edges of near-duplicates, dead
 * letters, and a spool's progress.
 *
 * Results are staged in memory; a flush sends them. At least once: an idempotent
 * producer, and the input is acknowledged when every message is confirmed. Exactly once:
 * one transaction holds the messages and the offsets of their input (or, for a spool, its
 * progress). It is opened only to flush, so it lasts milliseconds.
 */
#ifndef TH_KAFKA_SINK_H
#define TH_KAFKA_SINK_H

#include "kafka/kafka_conf.h"
#include "kafka/kafka_staging.h"
#include "traffic/stream_sink.h"

/* Defaults. */
enum { TH_KAFKA_TRANSACTION_MS = 60000, TH_KAFKA_MESSAGE_MAX = 1000000 };

typedef struct th_kafka_sink_options {
    th_kafka_client client;
    /* NULL or "" for topics that are not wanted. progress: only for a spool with exactly
     * once; made if missing */
    const char *topics[TH_TOPIC_COUNT];
    th_kafka_key key;
    th_withdrawals withdrawals;
    uint32_t schema_id; /* of records, in a schema registry, 0 for no frame */
    bool is_exactly_once;
    /* transactional.id: the same over restarts, of one process only */
    const char *instance;
    uint32_t transaction_ms; /* brokers abort a transaction that is open for longer */
    uint32_t message_max; /* bytes; at most what the topics' max.message.bytes allows */
    uint32_t pause_ms; /* after a failure; doubles with each in a row, up to 50 times */
} th_kafka_sink_options;

/** Defaults: keys are URLs, at least once, transactions 60 s, messages 1,000,000
 * bytes, pauses 100 ms to 5 s. */
void th_kafka_sink_options_init(th_kafka_sink_options *options);

/**
 * A sink; connects in recover, which fails if a topic is missing.
 * Set wants_pieces, wants_rejects = false, and no compression in th_work.
 * @param options  copied; the objects it points to are borrowed while the sink lives
 * @return TH_OK; TH_USAGE (a bad property); TH_NOMEM
 */
th_status th_kafka_sink_open(const th_kafka_sink_options *options, th_stream_sink **out,
                             th_error *err);

#endif
