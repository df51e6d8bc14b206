/* Messages that are not handed out yet. See the header. */
#include "ingest/kafka_waiting.h"

#include <string.h>

#include "base/clock.h"

enum { RETRY_MS = 250 }; /* between two looks for the archive of a pointer */

void th_kafka_waiting_init(th_kafka_waiting *waiting, uint32_t wait_ms)
{
    *waiting = (th_kafka_waiting){ .wait_ms = wait_ms, .since = -1 };
}

void th_kafka_waiting_drop(th_kafka_waiting *waiting)
{
    for (uint32_t i = 0; i < waiting->held_count; i++)
        rd_kafka_message_destroy(waiting->held[i]);
    waiting->held_count = 0;
    waiting->since = -1;
}

th_status th_kafka_waiting_hold(th_kafka_waiting *waiting, rd_kafka_message_t *message,
                                th_error *err)
{
    if (waiting->held_count == TH_KAFKA_HELD_MAX) {
        rd_kafka_message_destroy(message);
        return th_fail(err, TH_IO, "paused partitions still give messages");
    }
    waiting->held[waiting->held_count++] = message;
    return TH_OK;
}

rd_kafka_message_t *th_kafka_waiting_next(th_kafka_waiting *waiting)
{
    if (waiting->held_count == 0)
        return NULL;
    rd_kafka_message_t *message = waiting->held[0];
    waiting->held_count--;
    for (uint32_t i = 0; i < waiting->held_count; i++)
        waiting->held[i] = waiting->held[i + 1];
    return message;
}

void th_kafka_waiting_put_back(th_kafka_waiting *waiting, rd_kafka_message_t *message)
{
    if (waiting->since < 0)
        waiting->since = th_now_ms();
    for (uint32_t i = waiting->held_count++; i > 0; i--)
        waiting->held[i] = waiting->held[i - 1];
    waiting->held[0] = message;
    waiting->retry_at = th_now_ms() + RETRY_MS;
}

static bool is_given_up(const th_kafka_waiting *waiting, th_view value)
{
    return waiting->given_up_len > 0 && value.len >= waiting->given_up_len &&
           memcmp(value.data, waiting->given_up, waiting->given_up_len) == 0;
}

bool th_kafka_waiting_may_wait(const th_kafka_waiting *waiting, th_view value)
{
    if (waiting->since < 0)
        return waiting->wait_ms > 0 && !is_given_up(waiting, value);
    return th_now_ms() - waiting->since < waiting->wait_ms;
}

void th_kafka_waiting_end(th_kafka_waiting *waiting, th_view value, bool may_wait)
{
    if (waiting->since >= 0 && !may_wait && value.len) {
        waiting->given_up_len =
            value.len < TH_KAFKA_GIVEN_UP_MAX ? value.len : TH_KAFKA_GIVEN_UP_MAX;
        memcpy(waiting->given_up, value.data, waiting->given_up_len);
    }
    waiting->since = -1;
}

bool th_kafka_waiting_is_early(const th_kafka_waiting *waiting)
{
    return waiting->since >= 0 && th_now_ms() < waiting->retry_at;
}
