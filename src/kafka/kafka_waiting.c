/* Messages that are not dispatched yet. See the header. */
#include "kafka/kafka_waiting.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"

enum {
    RETRY_MS = 250, /* between two looks for the archive of a pointer */
    /* Messages that came although their partition is paused. There should be few, because
     * librdkafka drops what it has fetched. One more of each partition waits. */
    STRAYS_MAX = 64
};

static th_status reserve(th_kafka_waiting *waiting, th_error *err)
{
    if (!TH_HAS_CAPACITY(waiting->held, waiting->count, waiting->capacity))
        return th_fail(err, TH_NOMEM, "cannot hold a message: out of memory");
    return TH_OK;
}

th_status th_kafka_waiting_hold(th_kafka_waiting *waiting, rd_kafka_message_t *message,
                                const th_kafka_partitions *partitions, th_error *err)
{
    const uint32_t max = STRAYS_MAX + th_kafka_partitions_parked(partitions);
    const th_status status =
        waiting->count >= max
            ? th_fail(err, TH_IO, "paused partitions still deliver messages")
            : reserve(waiting, err);
    if (status == TH_OK)
        waiting->held[waiting->count++] = message;
    else
        rd_kafka_message_destroy(message);
    return status;
}

th_status th_kafka_waiting_park(th_kafka_waiting *waiting, rd_kafka_message_t *message,
                                th_kafka_partition *partition, th_error *err)
{
    const th_status status = reserve(waiting, err);
    if (status != TH_OK) {
        rd_kafka_message_destroy(message);
        return status;
    }
    memmove(waiting->held + 1, waiting->held, waiting->count * sizeof *waiting->held);
    waiting->held[0] = message;
    waiting->count++;
    const int64_t now = th_now_ms();
    if (!partition->is_parked)
        partition->parked_since = now;
    partition->is_parked = true;
    partition->retry_at = now + RETRY_MS;
    return TH_OK;
}

rd_kafka_message_t *th_kafka_waiting_next(th_kafka_waiting *waiting,
                                          th_kafka_partitions *partitions)
{
    const int64_t now = waiting->count ? th_now_ms() : 0;
    for (uint32_t i = 0; i < waiting->count; i++) {
        rd_kafka_message_t *message = waiting->held[i];
        const th_kafka_partition *partition = th_kafka_partitions_of(partitions, message);
        if (partition && partition->is_parked && now < partition->retry_at)
            continue;
        waiting->count--;
        memmove(waiting->held + i, waiting->held + i + 1,
                (waiting->count - i) * sizeof *waiting->held);
        return message;
    }
    return NULL;
}

void th_kafka_waiting_drop(th_kafka_waiting *waiting, th_kafka_partitions *partitions)
{
    for (uint32_t i = 0; i < waiting->count; i++)
        rd_kafka_message_destroy(waiting->held[i]);
    waiting->count = 0;
    for (uint32_t i = 0; i < partitions->count; i++)
        partitions->rows[i].is_parked = false;
}

void th_kafka_waiting_free(th_kafka_waiting *waiting)
{
    free(waiting->held);
    *waiting = (th_kafka_waiting){ .held = NULL };
}
