/* src/daemon/daemon_parts.c on librdkafka's mock cluster: each topic of the settings is
 * checked before the first record. */
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

#include "daemon/daemon_parts.h"
#include "write/format.h"

static const char *const keys[] = { "kafka.records-topic", "kafka.bands-topic",
                                    "kafka.edges-topic", "kafka.dead-letters-topic" };

static struct scene {
    rd_kafka_t *host; /* of the cluster */
    rd_kafka_mock_cluster_t *cluster;
    char folder[40];
} scene = { .folder = "/tmp/thresher-parts-XXXXXX" };

static int open_scene(void **state)
{
    char words[200];
    (void)state;
    scene.host = rd_kafka_new(RD_KAFKA_PRODUCER, NULL, words, sizeof words);
    scene.cluster = scene.host ? rd_kafka_mock_cluster_new(scene.host, 1) : NULL;
    return scene.cluster && mkdtemp(scene.folder) ? 0 : -1;
}

static int close_scene(void **state)
{
    char command[64];
    (void)state;
    rd_kafka_mock_cluster_destroy(scene.cluster);
    rd_kafka_destroy(scene.host);
    (void)snprintf(command, sizeof command, "rm -r '%s'", scene.folder);
    return system(command); // NOLINT(cert-env33-c)
}

/* Opens the parts with topics of the name of their option and a number. The one of the
 * option `missing` does not exist. @return the sink's answer */
static th_status recover(size_t missing, th_error *err)
{
    const th_work_options work = { .page = NULL };
    const th_daemon_watch watch = { .warn = NULL };
    th_settings settings;
    th_stream_source *source = NULL;
    th_stream_sink *sink = NULL;
    char name[64];
    assert_int_equal(th_settings_init(&settings, NULL), TH_OK);
    assert_int_equal(th_settings_set(&settings, "kafka.brokers",
                                     rd_kafka_mock_cluster_bootstraps(scene.cluster),
                                     err),
                     TH_OK);
    assert_int_equal(th_settings_set(&settings, "spool.path", scene.folder, err), TH_OK);
    assert_int_equal(th_settings_set(&settings, "daemon.delivery", "at-least-once", err),
                     TH_OK);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        (void)snprintf(name, sizeof name, "%s.%zu", keys[i], missing);
        assert_int_equal(th_settings_set(&settings, keys[i], name, err), TH_OK);
        if (i == missing)
            rd_kafka_mock_topic_set_error(scene.cluster, name,
                                          RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
        else
            (void)rd_kafka_mock_topic_create(scene.cluster, name, 1, 1);
    }
    th_status status = th_daemon_open(&settings, &work, &watch, &source, &sink, err);
    assert_int_equal(status, TH_OK);
    status = sink->verbs->recover(sink, source, err);
    sink->verbs->close(sink);
    source->verbs->close(source);
    th_settings_done(&settings);
    return status;
}

static void each_topic_is_asked_for(void **state)
{
    (void)state;
    const size_t count = sizeof keys / sizeof *keys;
    th_error err = { .text = "" };
    for (size_t i = 0; i < count; i++) {
        char want[100];
        (void)snprintf(want, sizeof want, "topic '%s.%zu' does not exist", keys[i], i);
        assert_int_equal(recover(i, &err), TH_IO);
        assert_string_equal(err.text, want);
    }
    assert_int_equal(recover(count, &err), TH_OK);
}

/* Opens a source that reads topics, with files as its output. */
static th_status open_topics(const char *topics, th_error *err)
{
    const th_work_options work = { .page = NULL, .format = &th_jsonl_format };
    const th_daemon_watch watch = { .warn = NULL };
    th_settings settings;
    th_stream_source *source = NULL;
    th_stream_sink *sink = NULL;
    char folder[64];
    (void)snprintf(folder, sizeof folder, "%s/out", scene.folder);
    assert_int_equal(th_settings_init(&settings, NULL), TH_OK);
    const char *const rows[][2] = {
        { "kafka.brokers", rd_kafka_mock_cluster_bootstraps(scene.cluster) },
        { "kafka.topics", topics },
        { "files.path", folder },
        { "daemon.delivery", "at-least-once" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(th_settings_set(&settings, rows[i][0], rows[i][1], err), TH_OK);
    const th_status status =
        th_daemon_open(&settings, &work, &watch, &source, &sink, err);
    if (sink)
        sink->verbs->close(sink);
    if (source) {
        assert_string_equal(source->verbs->name, "kafka");
        source->verbs->close(source);
    }
    th_settings_done(&settings);
    return status;
}

static void topics_are_a_list(void **state)
{
    (void)state;
    th_error err = { .text = "" };
    assert_int_equal(open_topics("read.1, read.2", &err), TH_OK);
    assert_int_equal(open_topics(" , ", &err), TH_USAGE);
    assert_string_equal(err.text, "' , ' names nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_topic_is_asked_for),
                                        cmocka_unit_test(topics_are_a_list) };
    return cmocka_run_group_tests(tests, open_scene, close_scene);
}
