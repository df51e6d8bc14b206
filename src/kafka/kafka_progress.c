/*
 * The progress topic, by a consumer without a group. See the header.
 *
 * With read_committed, the topic seems to end at the first open transaction of any
 * producer, and our rows may follow after it. So we read up to the high watermark, and
 * wait until those transactions are decided.
 */
#include "kafka/kafka_progress.h"

#include <librdkafka/rdkafka.h>
#include <string.h>

#include "base/clock.h"

enum {
    MAKE_MS = 20000,        /* until a new topic is known */
    ANSWER_MS = 2000,       /* for one question to a broker; repeated */
    READ_LIMIT_MS = 150000, /* longest reading: twice the longest transaction and more */
    POLL_MS = 100,
};

/* ---- topics ---- */

/* Sets *count to the number of partitions of a topic, 0 if it does not exist. TH_OK;
 * TH_NO_BROKER if there is no answer; TH_IO for a name that librdkafka refuses. */
static th_status count_partitions(rd_kafka_t *rk, const char *topic,
                                  const th_deadline *deadline, int *count, th_error *err)
{
    rd_kafka_topic_t *handle = rd_kafka_topic_new(rk, topic, NULL);
    const struct rd_kafka_metadata *metadata = NULL;
    if (!handle)
        return th_fail(err, TH_IO, "cannot use topic '%s': %s", topic,
                       rd_kafka_err2str(rd_kafka_last_error()));
    const int ms = th_deadline_wait_ms(deadline, ANSWER_MS);
    const rd_kafka_resp_err_t error =
        ms > 0 ? rd_kafka_metadata(rk, 0, handle, &metadata, ms)
               : RD_KAFKA_RESP_ERR__TIMED_OUT;
    rd_kafka_topic_destroy(handle);
    if (error)
        return th_fail(err, TH_NO_BROKER, "cannot query topic '%s': %s", topic,
                       rd_kafka_err2str(error));
    *count = metadata->topic_cnt == 1 && !metadata->topics[0].err
                 ? metadata->topics[0].partition_cnt
                 : 0;
    rd_kafka_metadata_destroy(metadata);
    return TH_OK;
}

/* Returns the result of a request to make a topic. */
static th_status check_answer(rd_kafka_event_t *event, const char *topic, th_error *err)
{
    rd_kafka_resp_err_t error =
        event ? rd_kafka_event_error(event) : RD_KAFKA_RESP_ERR__TIMED_OUT;
    size_t count = 0;
    if (!error) {
        const rd_kafka_topic_result_t **results = rd_kafka_CreateTopics_result_topics(
            rd_kafka_event_CreateTopics_result(event), &count);
        if (count == 1)
            error = rd_kafka_topic_result_error(results[0]);
    }
    if (error && error != RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
        return th_fail(err, TH_IO, "cannot create topic '%s': %s", topic,
                       rd_kafka_err2str(error));
    return TH_OK;
}

/* Waits for the answer to a request; NULL if there is none in MAKE_MS, or at the
 * deadline. */
static rd_kafka_event_t *wait_for_answer(rd_kafka_queue_t *queue,
                                         const th_deadline *deadline)
{
    const int64_t end_ms = th_now_ms() + MAKE_MS;
    rd_kafka_event_t *event = NULL;
    while (!event && th_now_ms() < end_ms && th_deadline_wait_ms(deadline, POLL_MS) > 0)
        event = rd_kafka_queue_poll(queue, POLL_MS);
    return event;
}

static th_status make_topic(rd_kafka_t *rk, const char *topic,
                            const th_deadline *deadline, th_error *err)
{
    char words[256];
    rd_kafka_NewTopic_t *wanted =
        rd_kafka_NewTopic_new(topic, 1, -1, words, sizeof words);
    if (!wanted)
        return th_fail(err, TH_IO, "cannot create topic '%s': %s", topic, words);
    th_status status = TH_NOMEM;
    rd_kafka_queue_t *queue = rd_kafka_queue_new(rk);
    (void)rd_kafka_NewTopic_set_config(wanted, "cleanup.policy", "compact");
    if (queue) {
        rd_kafka_CreateTopics(rk, &wanted, 1, NULL, queue);
        rd_kafka_event_t *event = wait_for_answer(queue, deadline);
        status = check_answer(event, topic, err);
        if (event)
            rd_kafka_event_destroy(event);
        rd_kafka_queue_destroy(queue);
    }
    rd_kafka_NewTopic_destroy(wanted);
    return status;
}

th_status th_kafka_need_topic(rd_kafka_t *producer, const char *topic, bool makes,
                              const th_deadline *deadline, th_error *err)
{
    int count = 0;
    th_status status = count_partitions(producer, topic, deadline, &count, err);
    if (status == TH_OK && count == 0 && makes) {
        status = make_topic(producer, topic, deadline, err);
        /* The brokers know of it some time later. */
        const int64_t end_ms = th_now_ms() + MAKE_MS;
        while (status == TH_OK && count == 0 && th_now_ms() < end_ms &&
               th_deadline_wait_ms(deadline, POLL_MS) > 0) {
            (void)rd_kafka_poll(producer, POLL_MS);
            status = count_partitions(producer, topic, deadline, &count, err);
        }
    }
    return status != TH_OK || count > 0
               ? status
               : th_fail(err, TH_IO, "topic '%s' does not exist", topic);
}

/* ---- reading ---- */

struct reading {
    rd_kafka_t *rk;
    const char *topic;
    void (*take)(void *context, th_view key, th_view value);
    void *context;
    const th_deadline *deadline;
    rd_kafka_topic_partition_list_t *left; /* partitions that are not read completely */
};

static th_status open_reader(const th_kafka_client *client, th_kafka_watch *watch,
                             rd_kafka_t **out, th_error *err)
{
    rd_kafka_conf_t *conf = NULL;
    th_status status = th_kafka_conf_new(client, TH_KAFKA_CONSUMER, watch, &conf, err);
    if (status != TH_OK)
        return status;
    /* assign needs a name of a group, though it never joins or commits. */
    status = th_kafka_conf_set(conf, "group.id", "thresher.progress", err);
    if (status == TH_OK)
        status = th_kafka_conf_set(conf, "enable.partition.eof", "true", err);
    if (status != TH_OK) {
        rd_kafka_conf_destroy(conf);
        return status;
    }
    status = th_kafka_open(conf, TH_KAFKA_CONSUMER, out, err);
    if (status == TH_OK)
        (void)rd_kafka_poll_set_consumer(*out);
    return status;
}

/* Ends a partition that gave no more rows at `offset`, if it has ended regardless of
 * open transactions of other producers. */
static void end_partition(struct reading *reading, const rd_kafka_message_t *message)
{
    int64_t low = -1, high = -1;
    if (rd_kafka_get_watermark_offsets(reading->rk, reading->topic, message->partition,
                                       &low, &high) ||
        message->offset < high)
        return;
    (void)rd_kafka_topic_partition_list_del(reading->left, reading->topic,
                                            message->partition);
}

static th_status take_row(struct reading *reading, const rd_kafka_message_t *message,
                          th_error *err)
{
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        end_partition(reading, message);
        return TH_OK;
    }
    if (message->err == RD_KAFKA_RESP_ERR__FATAL)
        return th_fail(err, TH_IO, "cannot read topic '%s': %s", reading->topic,
                       rd_kafka_message_errstr(message));
    if (!message->err && message->key)
        reading->take(reading->context, (th_view){ message->key, message->key_len },
                      (th_view){ message->payload, message->len });
    return TH_OK;
}

static th_status read_rows(struct reading *reading, th_error *err)
{
    const int64_t end_ms = th_now_ms() + READ_LIMIT_MS;
    th_status status = TH_OK;
    while (status == TH_OK && reading->left->cnt > 0) {
        rd_kafka_message_t *message = rd_kafka_consumer_poll(reading->rk, POLL_MS);
        if (message) {
            status = take_row(reading, message, err);
            rd_kafka_message_destroy(message);
        } else if (th_deadline_wait_ms(reading->deadline, POLL_MS) <= 0) {
            status = TH_NO_BROKER;
        } else if (th_now_ms() > end_ms) {
            status =
                th_fail(err, TH_IO, "cannot read topic '%s' completely", reading->topic);
        }
    }
    return status;
}

static th_status read_partitions(struct reading *reading, th_error *err)
{
    int count = 0;
    const th_status status =
        count_partitions(reading->rk, reading->topic, reading->deadline, &count, err);
    if (status == TH_NO_BROKER && th_deadline_wait_ms(reading->deadline, 1) <= 0)
        return TH_NO_BROKER;
    if (count <= 0)
        return th_fail(err, TH_IO, "topic '%s' cannot be read", reading->topic);
    rd_kafka_topic_partition_list_add_range(reading->left, reading->topic, 0, count - 1);
    for (int i = 0; i < reading->left->cnt; i++)
        reading->left->elems[i].offset = RD_KAFKA_OFFSET_BEGINNING;
    const rd_kafka_resp_err_t error = rd_kafka_assign(reading->rk, reading->left);
    if (error)
        return th_fail(err, TH_IO, "cannot read topic '%s': %s", reading->topic,
                       rd_kafka_err2str(error));
    return read_rows(reading, err);
}

th_status th_kafka_read_progress(const th_kafka_client *client, const char *topic,
                                 void (*take)(void *context, th_view key, th_view value),
                                 void *context, const th_deadline *deadline,
                                 th_error *err)
{
    th_kafka_watch watch;
    struct reading reading = {
        .topic = topic, .take = take, .context = context, .deadline = deadline
    };
    th_status status = open_reader(client, &watch, &reading.rk, err);
    if (status != TH_OK)
        return status == TH_NOMEM ? status : TH_IO;
    reading.left = rd_kafka_topic_partition_list_new(1);
    status = reading.left ? read_partitions(&reading, err) : TH_NOMEM;
    (void)rd_kafka_assign(reading.rk, NULL);
    rd_kafka_destroy_flags(reading.rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    if (reading.left)
        rd_kafka_topic_partition_list_destroy(reading.left);
    return status;
}
