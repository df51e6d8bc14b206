/* src/daemon/descriptors.c: the descriptors of each part, and the effect of a low limit. */
#include "daemon/descriptors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/resource.h>

#include "kafka/kafka_conf.h"

static const struct row {
    const char *name;
    const char *set[4][2]; /* options and their values */
    uint64_t needed;
    unsigned connections;
} rows[] = {
    /* clang-format off */
    { "the program alone", { { "daemon.listen", "none" } }, 16, 0 },
    { "an endpoint", { { "daemon.listen", "0" } }, 16 + 5 + 2 * 16, 16 },
    { "an endpoint for pages", { { "daemon.listen", "0" }, { "endpoint.extract", "yes" }, { "endpoint.queue", "3" } }, 16 + 5 + 2 * 19, 19 },
    { "a spool", { { "daemon.listen", "none" }, { "spool.path", "a" } }, 16 + 14, 0 },
    { "files", { { "daemon.listen", "none" }, { "files.path", "a" } }, 16 + 12, 0 },
    { "an index", { { "daemon.listen", "none" }, { "index.path", "a" } }, 16 + 10, 0 },
    { "topics to read", { { "daemon.listen", "none" }, { "kafka.topics", "a" } }, 16 + 64, 0 },
    { "a topic to write", { { "daemon.listen", "none" }, { "kafka.records-topic", "a" } }, 16 + 64, 0 },
    { "both", { { "daemon.listen", "none" }, { "kafka.topics", "a" }, { "kafka.records-topic", "b" } }, 16 + 2 * 64, 0 },
    /* clang-format on */
};

static void settings_of(const struct row *row, th_settings *settings)
{
    th_error err = { .text = "" };
    assert_int_equal(th_settings_init(settings, NULL), TH_OK);
    for (size_t i = 0; i < 4 && row->set[i][0]; i++)
        if ((th_kafka_is_built || strncmp(row->set[i][0], "kafka.", 6) != 0) &&
            th_settings_set(settings, row->set[i][0], row->set[i][1], &err) != TH_OK)
            fail_msg("%s", err.text);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_settings settings;
    th_descriptors out;
    settings_of(row, &settings);
    th_descriptors_fit(&settings, &out);
    /* Without Kafka its options are refused, and nothing needs its 64 descriptors. */
    assert_int_equal(out.needed, th_kafka_is_built ? row->needed : row->needed % 64);
    assert_int_equal(out.connections, row->connections);
    assert_true(out.limit >= out.needed);
    th_settings_done(&settings);
}

/* The hard limit cannot be raised again, so each test lowers it. */
static void a_low_limit_leaves_fewer_connections(void **state)
{
    (void)state;
    static const struct {
        rlim_t soft, hard;
        uint64_t limit;
        unsigned connections;
    } limits[] = { { 30, 60, 53, 16 }, /* raised as far as necessary */
                   { 30, 52, 52, 15 }, /* raised as far as possible */
                   { 27, 27, 27, 3 },  { 26, 26, 26, 2 }, { 25, 25, 25, 2 },
                   { 21, 21, 21, 2 },  { 20, 20, 20, 2 } };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct rlimit limit = { limits[i].soft, limits[i].hard };
        th_settings settings;
        th_descriptors out;
        settings_of(&rows[1], &settings);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        th_descriptors_fit(&settings, &out);
        assert_int_equal(out.needed, 53);
        assert_int_equal(out.limit, limits[i].limit);
        assert_int_equal(out.connections, limits[i].connections);
        th_settings_done(&settings);
    }
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] =
        (struct CMUnitTest)cmocka_unit_test(a_low_limit_leaves_fewer_connections);
    return cmocka_run_group_tests_name("descriptors", tests, NULL, NULL);
}
