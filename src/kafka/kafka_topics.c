/* Questions about topics: DescribeConfigs, whose answer comes to a queue. See the
 * header. */
#include "kafka/kafka_topics.h"

#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum {
    EACH_MS = 3000,
    ANSWER_MS = 10000, /* longest wait of librdkafka's for an answer */
    SILENT_MS = 4000,  /* no answer for so long: said */
    POLL_MS = 100,
};

bool th_kafka_topics_init(th_kafka_topics *topics, const char *const *names, size_t count)
{
    *topics = (th_kafka_topics){ .asked_at = -1 };
    topics->rows = calloc(count + 1, sizeof *topics->rows);
    if (!topics->rows)
        return false;
    for (size_t i = 0; i < count; i++)
        if (names[i] && *names[i] && *names[i] != '^')
            topics->rows[topics->count++].name = names[i];
    return true;
}

void th_kafka_topics_leave(th_kafka_topics *topics)
{
    if (topics->queue)
        rd_kafka_queue_destroy(topics->queue);
    topics->queue = NULL;
    topics->asked_at = -1;
    topics->query_at = 0;
}

void th_kafka_topics_done(th_kafka_topics *topics)
{
    th_kafka_topics_leave(topics);
    free(topics->rows);
    topics->rows = NULL;
    topics->count = 0;
}

/* ---- asking ---- */

static bool fill_request(const th_kafka_topics *topics, rd_kafka_ConfigResource_t **rows)
{
    for (uint32_t i = 0; i < topics->count; i++) {
        rows[i] =
            rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topics->rows[i].name);
        if (!rows[i])
            return false;
    }
    return true;
}

static void query(th_kafka_topics *topics, rd_kafka_t *rk)
{
    rd_kafka_ConfigResource_t **rows = calloc(topics->count + 1, sizeof(void *));
    rd_kafka_AdminOptions_t *options =
        rd_kafka_AdminOptions_new(rk, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
    char words[128];
    if (!topics->queue)
        topics->queue = rd_kafka_queue_new(rk);
    if (rows && options && topics->queue && fill_request(topics, rows)) {
        (void)rd_kafka_AdminOptions_set_request_timeout(options, ANSWER_MS, words,
                                                        sizeof words);
        rd_kafka_DescribeConfigs(rk, rows, topics->count, options, topics->queue);
        topics->asked_at = th_now_ms();
    }
    /* Also if out of memory: sends no request until then. */
    topics->query_at = th_now_ms() + EACH_MS;
    for (uint32_t i = 0; rows && i < topics->count; i++)
        if (rows[i])
            rd_kafka_ConfigResource_destroy(rows[i]);
    if (options)
        rd_kafka_AdminOptions_destroy(options);
    free((void *)rows);
}

/* ---- answers ---- */

static uint64_t read_batch_max(const rd_kafka_ConfigResource_t *resource)
{
    size_t count = 0;
    const rd_kafka_ConfigEntry_t **entries =
        rd_kafka_ConfigResource_configs(resource, &count);
    for (size_t i = 0; i < count; i++) {
        const char *value = rd_kafka_ConfigEntry_value(entries[i]);
        if (value &&
            strcmp(rd_kafka_ConfigEntry_name(entries[i]), "max.message.bytes") == 0)
            return strtoull(value, NULL, 10);
    }
    return 0;
}

static void take_resource(th_kafka_topics *topics,
                          const rd_kafka_ConfigResource_t *resource)
{
    const char *name = rd_kafka_ConfigResource_name(resource);
    const rd_kafka_resp_err_t error = rd_kafka_ConfigResource_error(resource);
    for (uint32_t i = 0; name && i < topics->count; i++) {
        th_kafka_topic_facts *row = &topics->rows[i];
        if (strcmp(row->name, name) != 0)
            continue;
        row->is_missing = error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
        row->batch_max = error ? 0 : read_batch_max(resource);
    }
}

/* Reads an answer, or notes that none came. If no broker answers, the question remains
 * open with its start time. */
static void read_answer(th_kafka_topics *topics, rd_kafka_event_t *event)
{
    const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
    size_t count = 0;
    const bool is_silence = error == RD_KAFKA_RESP_ERR__TIMED_OUT ||
                            error == RD_KAFKA_RESP_ERR__TRANSPORT ||
                            error == RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE;
    if (is_silence) {
        topics->query_at = 0;
        return;
    }
    topics->asked_at = -1;
    topics->has_answered = true;
    const rd_kafka_ConfigResource_t **resources =
        error ? NULL
              : rd_kafka_DescribeConfigs_result_resources(
                    rd_kafka_event_DescribeConfigs_result(event), &count);
    for (size_t i = 0; i < count; i++)
        take_resource(topics, resources[i]);
}

static bool take_answer(th_kafka_topics *topics, int timeout_ms)
{
    rd_kafka_event_t *event =
        topics->queue ? rd_kafka_queue_poll(topics->queue, timeout_ms) : NULL;
    if (!event)
        return false;
    read_answer(topics, event);
    rd_kafka_event_destroy(event);
    return true;
}

void th_kafka_topics_tick(th_kafka_topics *topics, rd_kafka_t *rk)
{
    if (!topics->count)
        return;
    (void)take_answer(topics, 0);
    const int64_t since = topics->asked_at;
    const bool is_due =
        since < 0 ? th_now_ms() >= topics->query_at : topics->query_at == 0;
    if (!is_due)
        return;
    query(topics, rk);
    if (since >= 0)
        topics->asked_at = since;
}

void th_kafka_topics_query(th_kafka_topics *topics, rd_kafka_t *rk,
                           const th_deadline *deadline, int max_ms)
{
    const int64_t end_ms = th_now_ms() + max_ms;
    th_kafka_topics_leave(topics);
    if (!topics->count)
        return;
    query(topics, rk);
    const bool is_asked = topics->asked_at >= 0; /* else out of memory */
    while (is_asked && !take_answer(topics, POLL_MS) && th_now_ms() < end_ms &&
           th_deadline_wait_ms(deadline, POLL_MS) > 0)
        ;
}

/* ---- what is known ---- */

const th_kafka_topic_facts *th_kafka_topics_find(const th_kafka_topics *topics,
                                                 const char *name)
{
    for (uint32_t i = 0; name && i < topics->count; i++)
        if (strcmp(topics->rows[i].name, name) == 0)
            return &topics->rows[i];
    return NULL;
}

bool th_kafka_topics_reason(const th_kafka_topics *topics, char *reason, size_t max)
{
    const bool is_asked = topics->has_answered && topics->asked_at >= 0;
    const int64_t silent = is_asked ? th_now_ms() - topics->asked_at : 0;
    if (silent >= SILENT_MS) {
        (void)snprintf(reason, max, "no broker has answered for %lld s",
                       (long long)(silent / 1000));
        return true;
    }
    for (uint32_t i = 0; i < topics->count; i++) {
        if (!topics->rows[i].is_missing)
            continue;
        (void)snprintf(reason, max, "topic '%.120s' does not exist",
                       topics->rows[i].name);
        return true;
    }
    return false;
}
