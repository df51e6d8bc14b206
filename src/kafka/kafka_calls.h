/*
 * The calls of a transaction. Each call is repeated until it succeeds, its time is over,
 * or the deadline passes. Then its error is judged. librdkafka's calls block; here each blocks
 * for a short time only, and the deadline is checked between two of them.
 *
 * A call that timed out may be repeated and continues where it was. The exception is the
 * call that sends offsets, because (in 2.0.2) it keeps to no timeout. It runs in a
 * separate thread, which is abandoned when the deadline passes.
 *
 * An error is judged in this order:
 *  1. A fatal error ends the process. After a restart only the committed offsets count.
 *  2. An abortable error aborts and rewinds.
 *  3. A retriable error repeats the same call with the same arguments.
 *  4. Any other error is taken as fatal.
 */
#ifndef TH_KAFKA_CALLS_H
#define TH_KAFKA_CALLS_H

#include <librdkafka/rdkafka.h>

#include "base/deadline.h"
#include "thresher/status.h"

typedef enum th_kafka_verdict {
    TH_KAFKA_GO,
    TH_KAFKA_AGAIN, /* the call timed out */
    TH_KAFKA_ABORT, /* the transaction must be aborted */
    TH_KAFKA_STOP,  /* the producer must not be used again */
    /* Patience ended within the call: the producer is of no use. With TH_KAFKA_OFFSETS
     * the call may still run. Then neither the producer nor the arguments of the call
     * may be touched or destroyed. */
    TH_KAFKA_LATE
} th_kafka_verdict;

typedef enum th_kafka_call {
    TH_KAFKA_INIT,
    TH_KAFKA_BEGIN,
    TH_KAFKA_OFFSETS,
    TH_KAFKA_COMMIT,
    TH_KAFKA_ABORT_CALL,
} th_kafka_call;

/** Arguments of TH_KAFKA_OFFSETS, the same for every try. */
typedef struct th_kafka_offsets {
    rd_kafka_topic_partition_list_t *list;
    rd_kafka_consumer_group_metadata_t *group;
} th_kafka_offsets;

typedef struct th_kafka_waiting_for {
    const th_deadline *deadline;
    int limit_ms;      /* for one call */
    char *reason;      /* receives the reason while it waits; "" after success */
    size_t reason_max; /* bytes */
} th_kafka_waiting_for;

/** @param offsets  NULL except for TH_KAFKA_OFFSETS. @param err  unless TH_KAFKA_GO,
 * LATE */
th_kafka_verdict th_kafka_persist(rd_kafka_t *rk, th_kafka_call call,
                                  const th_kafka_offsets *offsets,
                                  const th_kafka_waiting_for *waiting, th_error *err);

#endif
