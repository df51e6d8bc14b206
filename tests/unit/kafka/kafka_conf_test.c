/* src/kafka/kafka_conf.c: properties that are set, omitted and refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <librdkafka/rdkafka.h>

#include "kafka/kafka_conf.h"

/* clang-format off */
static const struct row {
    const char *name, *key, *value, *asked;
    bool is_left_out;
} rows[] = {
    { "the brokers' protocol: without our assignor", "group.protocol", "consumer", "partition.assignment.strategy", true },
    { "the brokers' protocol: without our session", "group.protocol", "consumer", "session.timeout.ms", true },
    { "for consumers only", "consumer.group.protocol", "consumer", "session.timeout.ms", true },
    { "values have no case", "group.protocol", "Consumer", "session.timeout.ms", true },
    { "not what it allows", "group.protocol", "consumer", "max.poll.interval.ms", false },
    { "the classic protocol", "group.protocol", "classic", "session.timeout.ms", false },
    { "another key", "sasl.mechanism", "consumer", "session.timeout.ms", false },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_kafka_pair pairs[] = { { "linger.ms", "7" }, { row->key, row->value } };
    const th_kafka_client client = { .brokers = "127.0.0.1:1",
                                     .client_id = TH_KAFKA_CLIENT_ID,
                                     .pairs = pairs,
                                     .pair_count = 2 };
    assert_int_equal(th_kafka_conf_omits(&client, row->asked), row->is_left_out);
}

/* A property of a client; "" if the library does not know the protocol. */
static void the_assignor_is_left_out(void **state)
{
    (void)state;
    const th_kafka_pair pair = { "group.protocol", "consumer" };
    const th_kafka_client client = { .brokers = "127.0.0.1:1",
                                     .client_id = TH_KAFKA_CLIENT_ID,
                                     .pairs = &pair,
                                     .pair_count = 1 };
    th_kafka_watch watch;
    rd_kafka_conf_t *conf = NULL;
    th_error err = { .text = "" };
    const th_status status =
        th_kafka_conf_new(&client, TH_KAFKA_CONSUMER, &watch, &conf, &err);
    if (status == TH_USAGE) { /* librdkafka before 2.4 */
        assert_non_null(strstr(err.text, "librdkafka.group.protocol"));
        return;
    }
    rd_kafka_t *rk = NULL;
    assert_int_equal(status, TH_OK);
    assert_int_equal(th_kafka_conf_set(conf, "group.id", "g", &err), TH_OK);
    assert_int_equal(th_kafka_open(conf, TH_KAFKA_CONSUMER, &rk, &err), TH_OK);
    rd_kafka_destroy(rk);
}

static void the_password_is_read_from_its_file(void **state)
{
    (void)state;
    char path[] = "/tmp/kafka_conf.XXXXXX", value[32] = "";
    size_t size = sizeof value;
    const int fd = mkstemp(path);
    assert_int_equal(write(fd, "a secret\n", 9), 9);
    (void)close(fd);
    const th_kafka_client client = { .brokers = "127.0.0.1:1",
                                     .client_id = TH_KAFKA_CLIENT_ID,
                                     .password_file = path };
    th_kafka_watch watch;
    rd_kafka_conf_t *conf = NULL;
    th_error err = { .text = "" };
    assert_int_equal(th_kafka_conf_new(&client, TH_KAFKA_CONSUMER, &watch, &conf, &err),
                     TH_OK);
    assert_int_equal(rd_kafka_conf_get(conf, "sasl.password", value, &size),
                     RD_KAFKA_CONF_OK);
    assert_string_equal(value, "a secret");
    rd_kafka_conf_destroy(conf);
    (void)unlink(path);
    assert_int_not_equal(
        th_kafka_conf_new(&client, TH_KAFKA_CONSUMER, &watch, &conf, &err), TH_OK);
    assert_non_null(strstr(err.text, path));
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = row_holds,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(the_assignor_is_left_out);
    tests[ROWS + 1] =
        (struct CMUnitTest)cmocka_unit_test(the_password_is_read_from_its_file);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
