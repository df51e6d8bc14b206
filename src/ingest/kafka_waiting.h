/*
 * Messages that were consumed and are not handed out yet: one that waits for the archive
 * it points into, and what came nevertheless while nobody read.
 */
#ifndef TH_KAFKA_WAITING_H
#define TH_KAFKA_WAITING_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "thresher/status.h"
#include "thresher/view.h"

enum {
    TH_KAFKA_HELD_MAX = 64,
    TH_KAFKA_GIVEN_UP_MAX = 256, /* bytes of a pointer message that we remember */
};

typedef struct th_kafka_waiting {
    uint32_t wait_ms; /* longest wait for an archive */
    rd_kafka_message_t *held[TH_KAFKA_HELD_MAX];
    uint32_t held_count;
    int64_t since; /* ms, since when the first one held waits; -1: it does not */
    int64_t retry_at;
    char given_up[TH_KAFKA_GIVEN_UP_MAX]; /* start of the last pointer whose archive never
                                             came */
    size_t given_up_len;
} th_kafka_waiting;

void th_kafka_waiting_init(th_kafka_waiting *waiting, uint32_t wait_ms);

/** What is held is void. */
void th_kafka_waiting_drop(th_kafka_waiting *waiting);

/** Keeps a message behind the others, or destroys it: TH_IO, there are too many. */
th_status th_kafka_waiting_hold(th_kafka_waiting *waiting, rd_kafka_message_t *message,
                                th_error *err);

/** The first one held; NULL: none. The caller's. */
rd_kafka_message_t *th_kafka_waiting_next(th_kafka_waiting *waiting);

/** A message's archive is not there: it is the next one again, in a while. */
void th_kafka_waiting_put_back(th_kafka_waiting *waiting, rd_kafka_message_t *message);

/** May a message of this value wait for its archive? Not longer than wait_ms, and not
 * again for one that is the same as the last that waited in vain. */
bool th_kafka_waiting_may_wait(const th_kafka_waiting *waiting, th_view value);

/** A message was handed out. `waited`: it may have waited longer. */
void th_kafka_waiting_end(th_kafka_waiting *waiting, th_view value, bool may_wait);

/** Does a message wait, and is it too early to look again? */
bool th_kafka_waiting_is_early(const th_kafka_waiting *waiting);

#endif
