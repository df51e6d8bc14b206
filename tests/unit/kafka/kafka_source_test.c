/* src/kafka/kafka_source.c on librdkafka's mock cluster: records that are delivered, delivered
 * again, and committed. Real rebalances: tests/kafka. */
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

#include "kafka/kafka_position.h"
#include "kafka/kafka_source.h"

/* Numbers of requests in Kafka's protocol. */
enum api { OFFSET_COMMIT = 8, OFFSET_FETCH = 9 };

enum { MESSAGES = 300, PARTITIONS = 2, TURNS = 1200 };

struct scene {
    rd_kafka_t *writer; /* hosts the cluster, fills the topic */
    rd_kafka_mock_cluster_t *cluster;
    th_kafka_source_options options;
    th_stream_source *source;
    th_batch *batch;
    bool has_seen[MESSAGES];
    int64_t next[PARTITIONS]; /* minimum of the next offset */
    unsigned seen, done;      /* done: sum of the offsets that follow finished records */
};

static const char *const topics[] = { "pages" };

static void print_warning(void *context, const char *line)
{
    (void)context;
    (void)fprintf(stderr, "%s\n", line);
}

static void fill_topic(struct scene *scene)
{
    char text[32];
    for (int i = 0; i < MESSAGES; i++) {
        const int len = snprintf(text, sizeof text, "<p>%d", i);
        const rd_kafka_resp_err_t error = rd_kafka_producev(
            scene->writer, RD_KAFKA_VTYPE_TOPIC, "pages", RD_KAFKA_VTYPE_PARTITION,
            (int32_t)(i % PARTITIONS), RD_KAFKA_VTYPE_MSGFLAGS, (int)RD_KAFKA_MSG_F_COPY,
            RD_KAFKA_VTYPE_VALUE, text, (size_t)len, RD_KAFKA_VTYPE_END);
        assert_int_equal(error, 0);
    }
    assert_int_equal(rd_kafka_flush(scene->writer, 10000), 0);
}

static void open_source(struct scene *scene)
{
    assert_int_equal(th_kafka_source_open(&scene->options, &scene->source, NULL), TH_OK);
    for (int i = 0; i < PARTITIONS; i++)
        scene->next[i] = 0;
}

static void set_defaults(th_kafka_source_options *options)
{
    *options = (th_kafka_source_options){
        .client = { .brokers = "", .client_id = TH_KAFKA_CLIENT_ID },
        .group = TH_KAFKA_GROUP,
        .session_ms = TH_KAFKA_SESSION_MS,
        .message = { .max_record = 8u << 20,
                     .archive_wait_ms = TH_KAFKA_ARCHIVE_WAIT_MS },
    };
}

static void open_scene(struct scene *scene)
{
    char words[200];
    *scene = (struct scene){ 0 };
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    assert_int_equal(
        rd_kafka_conf_set(conf, "test.mock.num.brokers", "1", words, sizeof words), 0);
    assert_int_equal(rd_kafka_conf_set(conf, "linger.ms", "1", words, sizeof words), 0);
    scene->writer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, words, sizeof words);
    assert_non_null(scene->writer);
    scene->cluster = rd_kafka_handle_mock_cluster(scene->writer);
    (void)rd_kafka_mock_topic_create(scene->cluster, "pages", PARTITIONS, 1);
    fill_topic(scene);
    set_defaults(&scene->options);
    scene->options.client.brokers = rd_kafka_mock_cluster_bootstraps(scene->cluster);
    scene->options.client.warn = getenv("TH_TEST_NOTICES") ? print_warning : NULL;
    scene->options.topics = topics;
    scene->options.topic_count = 1;
    scene->options.session_ms = 6000;
    scene->batch = calloc(1, sizeof *scene->batch);
    assert_non_null(scene->batch);
    scene->batch->arena = th_arena_new(0);
    open_source(scene);
}

static void close_scene(struct scene *scene)
{
    scene->source->verbs->close(scene->source);
    rd_kafka_destroy(scene->writer);
    th_arena_free(scene->batch->arena);
    free(scene->batch);
}

/* Takes note of a batch: every partition in its order. */
static void see(struct scene *scene)
{
    for (uint32_t i = 0; i < scene->batch->record_count; i++) {
        const th_record *record = &scene->batch->records[i];
        const int32_t partition = record->position.partition;
        assert_true(partition >= 0 && partition < PARTITIONS);
        assert_int_equal(record->position.offset, scene->next[partition]);
        scene->next[partition]++;
        char text[16] = "";
        assert_true(record->block.len > 3 && record->block.len < 10);
        memcpy(text, record->block.data + 3, record->block.len - 3);
        const int number = atoi(text);
        assert_true(number >= 0 && number < MESSAGES);
        scene->has_seen[number] = true;
        scene->seen++;
    }
}

static unsigned sum_of(const int64_t next[PARTITIONS])
{
    unsigned sum = 0;
    for (int i = 0; i < PARTITIONS; i++)
        sum += (unsigned)next[i];
    return sum;
}

/* Polls until `count` messages arrived. Finishes each batch. */
static void take(struct scene *scene, unsigned count, bool is_done)
{
    const unsigned want = scene->seen + count;
    for (int turn = 0; turn < TURNS && scene->seen < want; turn++) {
        /* of a batch that was used for something else */
        scene->batch->input = 7;
        scene->batch->is_last = true;
        scene->batch->next.offset = 9;
        scene->batch->counts = (th_source_counts){ .bytes_read = 1, .damaged = 1 };
        const th_status status =
            scene->source->verbs->poll(scene->source, true, 50, scene->batch, NULL);
        assert_true(status == TH_OK || status == TH_NOT_YET);
        if (status != TH_OK)
            continue;
        assert_int_equal(scene->batch->epoch, scene->source->verbs->epoch(scene->source));
        assert_int_equal(scene->batch->input, 0);
        assert_false(scene->batch->is_last);
        assert_int_equal(scene->batch->next.offset, 0);
        see(scene);
        if (is_done) {
            scene->source->verbs->done(scene->source, scene->batch);
            scene->done = sum_of(scene->next);
        }
    }
    assert_true(scene->seen >= want);
}

static void assert_nothing_more(struct scene *scene)
{
    for (int turn = 0; turn < 10; turn++)
        assert_int_equal(
            scene->source->verbs->poll(scene->source, true, 50, scene->batch, NULL),
            TH_NOT_YET);
}

/* Offsets committed by the group, over all partitions. */
static unsigned committed(const struct scene *scene)
{
    char words[200];
    unsigned sum = 0;
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    assert_int_equal(
        rd_kafka_conf_set(conf, "group.id", scene->options.group, words, sizeof words),
        0);
    assert_int_equal(rd_kafka_conf_set(conf, "bootstrap.servers",
                                       scene->options.client.brokers, words,
                                       sizeof words),
                     0);
    rd_kafka_t *other = rd_kafka_new(RD_KAFKA_CONSUMER, conf, words, sizeof words);
    assert_non_null(other);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(PARTITIONS);
    rd_kafka_topic_partition_list_add_range(list, "pages", 0, PARTITIONS - 1);
    assert_int_equal(rd_kafka_committed(other, list, 60000), 0);
    for (int i = 0; i < list->cnt; i++)
        sum += list->elems[i].offset > 0 ? (unsigned)list->elems[i].offset : 0;
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_destroy(other);
    return sum;
}

/* Acknowledges all finished records until they are committed. Commits are answered during
 * polling, and the next acknowledgement repeats a failed commit. */
static void acknowledge(struct scene *scene)
{
    th_commit_token token;
    th_stream_source *source = scene->source;
    for (int turn = 0; turn < TURNS; turn++) {
        assert_int_equal(source->verbs->token(source, 0, &token, NULL), TH_OK);
        assert_int_equal(
            source->verbs->acknowledge(source, &token, (th_view){ NULL, 0 }, NULL),
            TH_OK);
        (void)source->verbs->poll(source, false, 50, NULL, NULL);
        if (committed(scene) == scene->done)
            return;
    }
    assert_int_equal(committed(scene), scene->done);
}

static void all_come_in_order(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    take(&scene, MESSAGES, true);
    for (int i = 0; i < MESSAGES; i++)
        assert_true(scene.has_seen[i]);
    assert_nothing_more(&scene);
    th_source_stats facts;
    scene.source->verbs->facts(scene.source, &facts);
    assert_int_equal(facts.received, MESSAGES);
    assert_true(facts.is_assigned);
    assert_int_equal(th_kafka_source_counts(scene.source).lag, 0);
    /* "<p>0" to "<p>299" */
    assert_int_equal(facts.bytes, 10 * 4 + 90 * 5 + 200 * 6);
    assert_true(facts.own.count > 0);
    for (uint32_t i = 0; i < facts.own.count; i++) /* the others are counts */
        assert_int_equal(facts.own.rows[i].is_seconds,
                         strstr(facts.own.rows[i].name, "seconds") != NULL);
    assert_int_equal(scene.batch->counts.bytes_read, facts.bytes);
    assert_int_equal(scene.batch->counts.damaged, 0);
    close_scene(&scene);
}

static void what_is_acknowledged_is_not_given_again(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    take(&scene, MESSAGES, true);
    acknowledge(&scene);
    scene.source->verbs->close(scene.source);
    open_source(&scene);
    assert_nothing_more(&scene);
    close_scene(&scene);
}

static void what_is_not_acknowledged_is_given_again(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    take(&scene, MESSAGES, true);
    scene.source->verbs->close(scene.source);
    open_source(&scene);
    take(&scene, MESSAGES, true);
    close_scene(&scene);
}

/* A finished batch is not acknowledged, and a dispatched batch is not finished. */
static void only_what_is_done_is_committed(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    take(&scene, 64, true);
    int64_t committed[PARTITIONS];
    memcpy(committed, scene.next, sizeof committed);
    take(&scene, 64, false);
    th_commit_token token;
    assert_int_equal(scene.source->verbs->token(scene.source, 0, &token, NULL), TH_OK);
    const rd_kafka_topic_partition_list_t *list = token.position->offsets;
    int64_t sum = 0;
    for (int i = 0; i < list->cnt; i++) {
        assert_int_equal(list->elems[i].offset, committed[list->elems[i].partition]);
        sum += list->elems[i].offset;
    }
    assert_int_equal(sum, committed[0] + committed[1]);
    acknowledge(&scene);
    /* Nothing new: nothing to commit. */
    assert_int_equal(scene.source->verbs->token(scene.source, 0, &token, NULL), TH_OK);
    assert_int_equal(token.position->offsets->cnt, 0);
    scene.source->verbs->close(scene.source);
    open_source(&scene);
    memcpy(scene.next, committed, sizeof committed);
    take(&scene, (unsigned)(MESSAGES - committed[0] - committed[1]), true);
    close_scene(&scene);
}

static void a_rewind_gives_again(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    take(&scene, 100, true);
    acknowledge(&scene);
    int64_t committed[PARTITIONS];
    memcpy(committed, scene.next, sizeof committed);
    take(&scene, 100, true);
    const uint32_t epoch = scene.source->verbs->epoch(scene.source);
    /* The first answers fail, and the source retries. */
    rd_kafka_mock_push_request_errors(scene.cluster, OFFSET_FETCH, 1,
                                      RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS);
    assert_int_equal(scene.source->verbs->rewind(scene.source, NULL), TH_OK);
    assert_int_equal(scene.source->verbs->epoch(scene.source), epoch + 1);
    memcpy(scene.next, committed, sizeof committed);
    take(&scene, (unsigned)(MESSAGES - committed[0] - committed[1]), true);
    assert_nothing_more(&scene);
    th_source_stats facts;
    scene.source->verbs->facts(scene.source, &facts);
    assert_int_equal(facts.received, MESSAGES);
    close_scene(&scene);
}

static void a_rewind_without_commits_goes_to_the_start(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    take(&scene, 100, true);
    assert_int_equal(scene.source->verbs->rewind(scene.source, NULL), TH_OK);
    scene.next[0] = scene.next[1] = 0;
    take(&scene, MESSAGES, true);
    assert_nothing_more(&scene);
    close_scene(&scene);
}

/* Back pressure, short and long, without lost or repeated records. */
static void not_reading_loses_nothing(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    for (int i = 0; i < 4; i++) {
        take(&scene, 30, true);
        for (int turn = 0; turn < (i % 2 ? 3 : 20); turn++)
            assert_int_equal(
                scene.source->verbs->poll(scene.source, false, 50, NULL, NULL),
                TH_NOT_YET);
        if (i == 3)
            assert_int_equal(scene.source->verbs->rewind(scene.source, NULL), TH_OK);
    }
    scene.next[0] = scene.next[1] = 0; /* rewound while paused */
    take(&scene, MESSAGES, true);
    assert_nothing_more(&scene);
    close_scene(&scene);
}

/* ---- archives that are not there ---- */

enum { POINTERS = 20 }; /* after the messages, in partition 0, with one page after each */

static char folder[] = "/tmp/th-source-XXXXXX";

static void produce(struct scene *scene, int32_t partition, const char *text)
{
    assert_int_equal(rd_kafka_producev(scene->writer, RD_KAFKA_VTYPE_TOPIC, "pages",
                                       RD_KAFKA_VTYPE_PARTITION, partition,
                                       RD_KAFKA_VTYPE_MSGFLAGS, (int)RD_KAFKA_MSG_F_COPY,
                                       RD_KAFKA_VTYPE_VALUE, text, strlen(text),
                                       RD_KAFKA_VTYPE_END),
                     0);
    assert_int_equal(rd_kafka_flush(scene->writer, 10000), 0);
}

/* The archive of the pointers comes, with one record. */
static void write_archive(void)
{
    char path[64], whole[72];
    (void)snprintf(path, sizeof path, "%s/.a.warc", folder);
    (void)snprintf(whole, sizeof whole, "%s/a.warc", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    (void)fputs("WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 3\r\n\r\n<p>\r\n\r\n",
                file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rename(path, whole), 0);
}

/* Polls until this number arrived, and some more turns. Checks that partitions keep their
 * order. Returns the count of each. */
static void watch(struct scene *scene, unsigned wanted, unsigned came[PARTITIONS])
{
    enum { MORE = 30 };
    for (int turn = 0, more = 0; turn < TURNS && more < MORE; turn++) {
        more += came[0] + came[1] >= wanted;
        if (scene->source->verbs->poll(scene->source, true, 20, scene->batch, NULL) !=
            TH_OK)
            continue;
        for (uint32_t i = 0; i < scene->batch->record_count; i++) {
            const th_record *record = &scene->batch->records[i];
            const int32_t partition = record->position.partition;
            assert_int_equal(record->position.offset, scene->next[partition]);
            scene->next[partition]++;
            came[partition]++;
        }
        scene->source->verbs->done(scene->source, scene->batch);
    }
}

/* A pointer whose archive is late holds up its own partition, through back pressure and
 * a rewind, and nothing is lost or comes twice. */
static void a_late_archive_parks_one_partition(void **state)
{
    (void)state;
    struct scene scene;
    assert_non_null(mkdtemp(folder));
    open_scene(&scene);
    scene.source->verbs->close(scene.source);
    scene.options.message.archives = folder;
    open_source(&scene);
    take(&scene, MESSAGES, true);
    acknowledge(&scene);
    const int64_t at = scene.next[0];
    for (int i = 0; i < POINTERS; i++) {
        produce(&scene, 0, "{\"filename\":\"a.warc\",\"offset\":0}");
        produce(&scene, 0, "<p>1");
        produce(&scene, 1, "<p>1");
    }
    for (int round = 0; round < 3; round++) {
        unsigned came[PARTITIONS] = { 0 };
        watch(&scene, round == 1 ? 0 : POINTERS, came);
        assert_int_equal(came[0], 0);
        assert_int_equal(came[1], round == 1 ? 0 : POINTERS);
        const th_kafka_source_stats counts = th_kafka_source_counts(scene.source);
        assert_int_equal(counts.parked, 1);
        assert_true(counts.parked_seconds > 0.1);
        assert_true(counts.lag > 0); /* later messages are unknown while it waits */
        if (round == 0)              /* longer than it takes to pause all */
            for (int turn = 0; turn < 40; turn++)
                assert_int_equal(
                    scene.source->verbs->poll(scene.source, false, 20, NULL, NULL),
                    TH_NOT_YET);
        if (round == 1) {
            scene.next[1] -= POINTERS; /* done, not acknowledged */
            assert_int_equal(scene.source->verbs->rewind(scene.source, NULL), TH_OK);
        }
    }
    write_archive();
    unsigned came[PARTITIONS] = { 0 };
    watch(&scene, 2 * POINTERS, came);
    assert_int_equal(came[0], 2 * POINTERS);
    assert_int_equal(came[1], 0);
    assert_int_equal(scene.next[0], at + 2 * POINTERS);
    const th_kafka_source_stats counts = th_kafka_source_counts(scene.source);
    assert_int_equal(counts.parked, 0);
    assert_int_equal(counts.lag, 0);
    close_scene(&scene);
    char path[64];
    (void)snprintf(path, sizeof path, "%s/a.warc", folder);
    (void)remove(path);
    (void)remove(folder);
}

/* The mark goes with each offset. The mock cluster cannot list a group's offsets: that it
 * is found again is shown by tests/kafka/chaos.py index. */
static void a_mark_goes_with_the_offsets(void **state)
{
    (void)state;
    static const struct row {
        uint64_t mark;
        const char *want;
    } rows[] = { { 0, NULL }, { 1, "1" }, { UINT64_MAX, "18446744073709551615" } };
    struct scene scene;
    open_scene(&scene);
    take(&scene, MESSAGES, true);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_commit_token token;
        char want[64];
        assert_int_equal(
            scene.source->verbs->token(scene.source, rows[i].mark, &token, NULL), TH_OK);
        const rd_kafka_topic_partition_list_t *list = token.position->offsets;
        assert_int_equal(list->cnt, PARTITIONS);
        for (int row = 0; row < list->cnt; row++) {
            const rd_kafka_topic_partition_t *at = &list->elems[row];
            assert_int_equal(at->metadata_size ? 1 : 0, rows[i].want ? 1 : 0);
            if (!rows[i].want)
                continue;
            (void)snprintf(want, sizeof want, "thresher.mark=%s", rows[i].want);
            assert_int_equal(at->metadata_size, strlen(want));
            assert_memory_equal(at->metadata, want, strlen(want));
        }
    }
    close_scene(&scene);
}

static void a_failed_commit_is_repeated(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    take(&scene, MESSAGES, true);
    rd_kafka_mock_push_request_errors(scene.cluster, OFFSET_COMMIT, 1,
                                      RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS);
    acknowledge(&scene);
    scene.source->verbs->close(scene.source);
    open_source(&scene);
    assert_nothing_more(&scene);
    close_scene(&scene);
}

static void bad_options_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *word;
    } bad[] = { { "no.such.key", "1", "no.such.key" },
                { "fetch.max.bytes", "many", "fetch.max.bytes" },
                { "enable.auto.commit", "true", "daemon.delivery" },
                { "partition.assignment.strategy", "cooperative-sticky", "cooperative" },
                { "consumer.check.crcs", "maybe", "check.crcs" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const th_kafka_pair pair = { bad[i].key, bad[i].value };
        th_kafka_source_options options;
        th_stream_source *source = NULL;
        th_error err = { .text = "" };
        set_defaults(&options);
        options.client.pairs = &pair;
        options.client.pair_count = 1;
        options.topics = topics;
        options.topic_count = 1;
        assert_int_equal(th_kafka_source_open(&options, &source, &err), TH_USAGE);
        assert_non_null(strstr(err.text, bad[i].word));
        assert_null(source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_come_in_order),
        cmocka_unit_test(what_is_acknowledged_is_not_given_again),
        cmocka_unit_test(what_is_not_acknowledged_is_given_again),
        cmocka_unit_test(only_what_is_done_is_committed),
        cmocka_unit_test(a_rewind_gives_again),
        cmocka_unit_test(a_rewind_without_commits_goes_to_the_start),
        cmocka_unit_test(not_reading_loses_nothing),
        cmocka_unit_test(a_late_archive_parks_one_partition),
        cmocka_unit_test(a_mark_goes_with_the_offsets),
        cmocka_unit_test(a_failed_commit_is_repeated),
        cmocka_unit_test(bad_options_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
