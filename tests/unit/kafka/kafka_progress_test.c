/* src/kafka/kafka_progress.c on librdkafka's mock cluster: all rows, in order, to the end of
 * now; how it ends otherwise. Open transactions and topics that are made:
 * tests/kafka/chaos.py spool. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include "kafka/kafka_progress.h"

enum { PARTITIONS = 2, ROWS = 40 };

static const th_deadline endless = { 0 };

struct scene {
    rd_kafka_t *writer; /* hosts the cluster */
    th_kafka_client client;
    unsigned taken, without_value;
    int last[PARTITIONS];
    bool is_wrong;
};

static struct scene scene;

static void write_row(int32_t partition, const char *key, const char *value)
{
    assert_int_equal(rd_kafka_producev(scene.writer, RD_KAFKA_VTYPE_TOPIC, "progress",
                                       RD_KAFKA_VTYPE_PARTITION, partition,
                                       RD_KAFKA_VTYPE_MSGFLAGS, (int)RD_KAFKA_MSG_F_COPY,
                                       RD_KAFKA_VTYPE_KEY, key, key ? strlen(key) : 0,
                                       RD_KAFKA_VTYPE_VALUE, value,
                                       value ? strlen(value) : 0, RD_KAFKA_VTYPE_END),
                     0);
}

static int open_scene(void **state)
{
    char words[200], key[32], value[32];
    (void)state;
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    assert_int_equal(
        rd_kafka_conf_set(conf, "test.mock.num.brokers", "1", words, sizeof words), 0);
    scene.writer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, words, sizeof words);
    assert_non_null(scene.writer);
    rd_kafka_mock_cluster_t *cluster = rd_kafka_handle_mock_cluster(scene.writer);
    (void)rd_kafka_mock_topic_create(cluster, "progress", PARTITIONS, 1);
    (void)rd_kafka_mock_topic_create(cluster, "empty", PARTITIONS, 1);
    scene.client =
        (th_kafka_client){ .brokers = rd_kafka_mock_cluster_bootstraps(cluster),
                           .client_id = TH_KAFKA_CLIENT_ID };
    for (int i = 0; i < ROWS; i++) {
        (void)snprintf(key, sizeof key, "key-%d", i);
        (void)snprintf(value, sizeof value, "value-%d", i);
        write_row(i % PARTITIONS, key, i % 10 ? value : NULL);
    }
    write_row(0, NULL, "a row without a key is ignored");
    assert_int_equal(rd_kafka_flush(scene.writer, 60000), 0);
    return 0;
}

static int close_scene(void **state)
{
    (void)state;
    rd_kafka_destroy(scene.writer);
    return 0;
}

static void take(void *context, th_view key, th_view value)
{
    char want[32], text[32] = "";
    assert_ptr_equal(context, &scene);
    memcpy(text, key.data, key.len < sizeof text ? key.len : sizeof text - 1);
    const int number = atoi(text + 4);
    (void)snprintf(want, sizeof want, "value-%d", number);
    scene.is_wrong |= number <= scene.last[number % PARTITIONS];
    scene.last[number % PARTITIONS] = number;
    if (number % 10)
        scene.is_wrong |=
            value.len != strlen(want) || memcmp(value.data, want, value.len) != 0;
    else
        scene.without_value += !value.data && !value.len;
    scene.taken++;
}

static th_status read_topic(const char *topic, const th_deadline *deadline, th_error *err)
{
    scene.taken = scene.without_value = 0;
    scene.is_wrong = false;
    for (int i = 0; i < PARTITIONS; i++)
        scene.last[i] = -1;
    return th_kafka_read_progress(&scene.client, topic, take, &scene, deadline, err);
}

static void every_row_comes_once_in_order(void **state)
{
    (void)state;
    assert_int_equal(read_topic("progress", &endless, NULL), TH_OK);
    assert_int_equal(scene.taken, ROWS);
    assert_int_equal(scene.without_value, ROWS / 10);
    assert_false(scene.is_wrong);
}

static void an_empty_topic_has_no_row(void **state)
{
    (void)state;
    assert_int_equal(read_topic("empty", &endless, NULL), TH_OK);
    assert_int_equal(scene.taken, 0);
}

static int64_t no_time(void *context)
{
    (void)context;
    return 0;
}

static void reading_ends_at_the_deadline(void **state)
{
    (void)state;
    const th_deadline deadline = { .remaining_ms = no_time };
    th_error err = { .text = "" };
    assert_int_equal(read_topic("progress", &deadline, &err), TH_NO_BROKER);
    assert_non_null(strstr(err.text, "cannot query topic 'progress'"));
    assert_int_equal(scene.taken, 0);
}

/* Time that is over after some questions. */
static int64_t some_time(void *context)
{
    int *asked = context;
    return --*asked >= 0 ? INT64_MAX : 0;
}

/* Time ends while rows are awaited: the mock gives no more after these errors. */
static void waiting_for_rows_ends_at_the_deadline(void **state)
{
    (void)state;
    int asked = 3;
    const th_deadline deadline = { some_time, &asked };
    rd_kafka_resp_err_t errors[200];
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        errors[i] = RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION;
    rd_kafka_mock_cluster_t *cluster = rd_kafka_handle_mock_cluster(scene.writer);
    rd_kafka_mock_push_request_errors_array(cluster, 1 /* Fetch */,
                                            sizeof errors / sizeof *errors, errors);
    assert_int_equal(read_topic("progress", &deadline, NULL), TH_NO_BROKER);
    rd_kafka_mock_clear_request_errors(cluster, 1);
}

static void a_bad_client_is_refused(void **state)
{
    (void)state;
    const th_kafka_pair pair = { "no.such.property", "1" };
    const th_kafka_client good = scene.client;
    th_error err = { .text = "" };
    scene.client.pairs = &pair;
    scene.client.pair_count = 1;
    assert_int_equal(read_topic("progress", &endless, &err), TH_IO);
    assert_non_null(strstr(err.text, "no.such.property"));
    scene.client = good;
}

static void a_topic_that_is_there_is_found(void **state)
{
    (void)state;
    const th_deadline deadline = { .remaining_ms = no_time };
    th_error err = { .text = "" };
    assert_int_equal(th_kafka_need_topic(scene.writer, "progress", false, &endless, &err),
                     TH_OK);
    assert_int_equal(th_kafka_need_topic(scene.writer, "progress", true, &endless, &err),
                     TH_OK);
    assert_int_equal(
        th_kafka_need_topic(scene.writer, "progress", false, &deadline, &err),
        TH_NO_BROKER);
}

/* A cluster that does not create queried topics. */
static void a_missing_topic_is_named(void **state)
{
    (void)state;
    th_error err = { .text = "" };
    rd_kafka_mock_topic_set_error(rd_kafka_handle_mock_cluster(scene.writer), "missing",
                                  RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
    assert_int_equal(th_kafka_need_topic(scene.writer, "missing", false, &endless, &err),
                     TH_IO);
    assert_string_equal(err.text, "topic 'missing' does not exist");
    /* The mock never answers a request to create one. */
    int asked = 3;
    const th_deadline deadline = { some_time, &asked };
    assert_int_equal(th_kafka_need_topic(scene.writer, "missing", true, &deadline, &err),
                     TH_IO);
    assert_non_null(strstr(err.text, "cannot create topic 'missing'"));
    assert_int_equal(read_topic("missing", &endless, &err), TH_IO);
    assert_string_equal(err.text, "topic 'missing' cannot be read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_comes_once_in_order),
        cmocka_unit_test(an_empty_topic_has_no_row),
        cmocka_unit_test(reading_ends_at_the_deadline),
        cmocka_unit_test(waiting_for_rows_ends_at_the_deadline),
        cmocka_unit_test(a_bad_client_is_refused),
        cmocka_unit_test(a_topic_that_is_there_is_found),
        cmocka_unit_test(a_missing_topic_is_named),
    };
    return cmocka_run_group_tests(tests, open_scene, close_scene);
}
