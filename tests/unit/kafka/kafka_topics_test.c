/* src/kafka/kafka_topics.c: queried topics and their reports. The mock cluster of librdkafka
 * does not support DescribeConfigs, so tests/kafka/ends.py tests the
 * answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include "base/clock.h"
#include "kafka/kafka_topics.h"

static const char *const names[] = { "a", NULL, "", "^pages-.*", "b" };

enum { NAMES = sizeof names / sizeof *names };

static th_kafka_topics open_topics(void)
{
    th_kafka_topics topics;
    assert_true(th_kafka_topics_init(&topics, names, NAMES));
    return topics;
}

static void patterns_and_empty_names_are_left_out(void **state)
{
    (void)state;
    th_kafka_topics topics = open_topics();
    assert_int_equal(topics.count, 2);
    assert_string_equal(th_kafka_topics_find(&topics, "a")->name, "a");
    assert_string_equal(th_kafka_topics_find(&topics, "b")->name, "b");
    assert_null(th_kafka_topics_find(&topics, "c"));
    assert_null(th_kafka_topics_find(&topics, NULL));
    th_kafka_topics_done(&topics);
    assert_int_equal(topics.count, 0);
    th_kafka_topics_done(&topics); /* twice is legal */
}

static void nothing_is_said_before_anything_is_known(void **state)
{
    (void)state;
    char reason[64] = "as before";
    th_kafka_topics topics = open_topics();
    assert_false(th_kafka_topics_reason(&topics, reason, sizeof reason));
    assert_string_equal(reason, "as before");
    th_kafka_topics_done(&topics);
}

static void a_missing_topic_is_named(void **state)
{
    (void)state;
    char reason[64] = "";
    th_kafka_topics topics = open_topics();
    topics.rows[1].is_missing = true;
    assert_true(th_kafka_topics_reason(&topics, reason, sizeof reason));
    assert_string_equal(reason, "topic 'b' does not exist");
    th_kafka_topics_done(&topics);
}

/* Silence is reported after 4 s, and only for brokers that have answered before. */
static void silence_is_said(void **state)
{
    (void)state;
    static const struct row {
        int64_t since_ms; /* -1 if no query is pending */
        bool has_answered, is_said;
    } rows[] = { { 60500, true, true },
                 { 60500, false, false },
                 { 0, true, false },
                 { -1, true, false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char reason[64] = "";
        th_kafka_topics topics = open_topics();
        topics.has_answered = rows[i].has_answered;
        topics.asked_at = rows[i].since_ms < 0 ? -1 : th_now_ms() - rows[i].since_ms;
        assert_int_equal(th_kafka_topics_reason(&topics, reason, sizeof reason),
                         rows[i].is_said);
        if (rows[i].is_said)
            assert_memory_equal(reason, "no broker has answered for 6", 28);
        th_kafka_topics_leave(&topics);
        assert_int_equal(topics.asked_at, -1);
        assert_int_equal(topics.query_at, 0);
        assert_int_equal(topics.has_answered, rows[i].has_answered);
        th_kafka_topics_done(&topics);
    }
}

static rd_kafka_t *open_client(bool has_broker)
{
    char words[200];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    assert_int_equal(has_broker ? rd_kafka_conf_set(conf, "test.mock.num.brokers", "1",
                                                    words, sizeof words)
                                : rd_kafka_conf_set(conf, "bootstrap.servers",
                                                    "127.0.0.1:1", words, sizeof words),
                     0);
    assert_int_equal(rd_kafka_conf_set(conf, "log_level", "0", words, sizeof words), 0);
    rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_PRODUCER, conf, words, sizeof words);
    assert_non_null(rk);
    return rk;
}

/* A query without an answer is repeated, and silence counts from the first query. The
 * mock cluster never answers it; librdkafka waits for 10 s. */
static void a_question_is_repeated(void **state)
{
    (void)state;
    enum { TURNS = 6000 };
    rd_kafka_t *rk = open_client(true);
    th_kafka_topics topics = open_topics();
    topics.query_at = th_now_ms() + 1000000;
    th_kafka_topics_tick(&topics, rk);
    assert_int_equal(topics.asked_at, -1); /* it is not time yet */
    topics.query_at = 0;
    th_kafka_topics_tick(&topics, rk);
    const int64_t first = topics.asked_at, before = topics.query_at;
    assert_true(first >= 0 && before > first);
    for (int i = 0; i < TURNS && topics.query_at <= before; i++) {
        th_kafka_topics_tick(&topics, rk);
        th_sleep_ms(20);
    }
    assert_true(topics.query_at > before);
    assert_int_equal(topics.asked_at, first);
    assert_false(topics.has_answered);
    th_kafka_topics_done(&topics);
    rd_kafka_destroy(rk);
}

static int64_t no_time(void *context)
{
    (void)context;
    return 0;
}

/* Waiting for an answer ends at the deadline, and without topics there is no question. */
static void asking_ends_at_the_deadline(void **state)
{
    (void)state;
    const th_deadline deadline = { .remaining_ms = no_time };
    rd_kafka_t *rk = open_client(false);
    th_kafka_topics topics = open_topics(), none;
    th_kafka_topics_query(&topics, rk, &deadline, 600000);
    assert_true(topics.asked_at >= 0);
    assert_false(topics.has_answered);
    assert_true(th_kafka_topics_init(&none, names, 0));
    th_kafka_topics_query(&none, rk, &deadline, 600000);
    th_kafka_topics_tick(&none, rk);
    assert_int_equal(none.asked_at, -1);
    assert_null(none.queue);
    th_kafka_topics_done(&none);
    th_kafka_topics_done(&topics);
    rd_kafka_destroy(rk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_and_empty_names_are_left_out),
        cmocka_unit_test(nothing_is_said_before_anything_is_known),
        cmocka_unit_test(a_missing_topic_is_named),
        cmocka_unit_test(silence_is_said),
        cmocka_unit_test(a_question_is_repeated),
        cmocka_unit_test(asking_ends_at_the_deadline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
