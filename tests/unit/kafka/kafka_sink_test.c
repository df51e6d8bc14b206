/* src/kafka/kafka_sink.c on librdkafka's mock cluster: the effect of each error of a broker.
 * The mock cannot show that transactions are exactly-once. tests/kafka does. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include "kafka/kafka_position.h"
#include "kafka/kafka_sink.h"
#include "traffic/commit.h"

/* Numbers of requests in Kafka's protocol. */
enum api {
    PRODUCE = 0,
    INIT = 22,
    ADD_PARTITIONS = 24,
    ADD_OFFSETS = 25,
    END = 26,
    OFFSET_COMMIT = 28
};

enum { RECORDS = 20, ERRORS_MAX = 4 };

/*
 * A producer that ends while librdkafka (2.0.2) queries the group's coordinator sometimes
 * leaks the memory of that request, about 200 bytes. Therefore LeakSanitizer ignores
 * the allocations of librdkafka, only here.
 */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:librdkafka.so\n";
}

/* ---- a source that counts ---- */

struct fake_source {
    th_stream_source base;
    uint32_t epoch, acknowledged, rewound;
    uint32_t refusals; /* acknowledgements that find no room */
    bool has_no_position;
    uint32_t silences; /* queries of marks without an answer */
    bool has_no_marks;
    th_source_position position;
};

static uint32_t fake_epoch(const th_stream_source *source)
{
    return ((const struct fake_source *)(const void *)source)->epoch;
}

static th_status fake_acknowledge(th_stream_source *source, const th_commit_token *token,
                                  th_view note, th_error *err)
{
    struct fake_source *fake = (struct fake_source *)(void *)source;
    (void)token;
    (void)note;
    if (fake->refusals) {
        fake->refusals--;
        return th_fail(err, TH_NO_ROOM, "the ledger is full");
    }
    fake->acknowledged++;
    return TH_OK;
}

static th_status fake_rewind(th_stream_source *source, th_error *err)
{
    struct fake_source *fake = (struct fake_source *)(void *)source;
    (void)err;
    fake->rewound++;
    fake->epoch++;
    return TH_OK;
}

static th_status fake_token(th_stream_source *source, uint64_t mark, th_commit_token *out,
                            th_error *err)
{
    struct fake_source *fake = (struct fake_source *)(void *)source;
    (void)err;
    *out = (th_commit_token){ .keeping = TH_KEPT_AS_OFFSETS,
                              .epoch = fake->epoch,
                              .mark = mark };
    if (fake->has_no_position)
        return TH_OK;
    th_kafka_position_done(&fake->position);
    fake->position.offsets = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(fake->position.offsets, "in", 0)->offset = 7;
    fake->position.group = rd_kafka_consumer_group_metadata_new("group");
    out->position = &fake->position;
    return TH_OK;
}

/* Two of three marks are of this index. Half an answer can come before its failure. */
static th_status fake_marks(th_stream_source *source, th_buffer *out, th_error *err)
{
    struct fake_source *fake = (struct fake_source *)(void *)source;
    static const uint64_t marks[] = { 40, 60, 70 };
    if (fake->has_no_marks)
        return th_fail(err, TH_IO, "no marks");
    th_buffer_append(out, (const char *)&marks[fake->silences ? 1 : 0],
                     fake->silences ? sizeof *marks : sizeof marks);
    if (!fake->silences)
        return TH_OK;
    fake->silences--;
    return th_fail(err, TH_NO_BROKER, "the coordinator is not available");
}

static const th_stream_source_verbs fake_verbs = { .keeping = TH_KEPT_AS_OFFSETS,
                                                   .marks = fake_marks,
                                                   .token = fake_token,
                                                   .acknowledge = fake_acknowledge,
                                                   .rewind = fake_rewind,
                                                   .epoch = fake_epoch };

static struct fake_source new_source(void)
{
    return (struct fake_source){ .base.verbs = &fake_verbs };
}

/* ---- the scene ---- */

/* Warnings since the scene was opened. */
static char warnings[4096];

static void take_warning(void *context, const char *line)
{
    (void)context;
    if (getenv("TH_TEST_NOTICES"))
        (void)fprintf(stderr, "%s\n", line);
    const size_t len = strlen(warnings);
    (void)snprintf(warnings + len, sizeof warnings - len, "%s\n", line);
}

struct scene {
    rd_kafka_t *host; /* of the cluster */
    rd_kafka_mock_cluster_t *cluster;
    th_kafka_sink_options options;
    th_stream_sink *sink;
    struct fake_source source;
    th_batch *batch;
};

static void open_scene(struct scene *scene, bool is_exactly_once)
{
    char words[200];
    *scene = (struct scene){ .source = new_source() };
    warnings[0] = '\0';
    scene->host = rd_kafka_new(RD_KAFKA_PRODUCER, NULL, words, sizeof words);
    assert_non_null(scene->host);
    scene->cluster = rd_kafka_mock_cluster_new(scene->host, 1);
    assert_non_null(scene->cluster);
    (void)rd_kafka_mock_topic_create(scene->cluster, "records", 2, 1);
    (void)rd_kafka_mock_topic_create(scene->cluster, "dead", 1, 1);
    (void)rd_kafka_mock_topic_create(scene->cluster, "in", 1, 1);
    th_kafka_sink_options_init(&scene->options);
    scene->options.client.warn = take_warning;
    scene->options.client.brokers = rd_kafka_mock_cluster_bootstraps(scene->cluster);
    scene->options.topics[TH_TOPIC_RECORDS] = "records";
    scene->options.topics[TH_TOPIC_DEAD_LETTERS] = "dead";
    scene->options.is_exactly_once = is_exactly_once;
    /* Long enough for a machine that is busy; no row waits for its end. */
    scene->options.transaction_ms = 60000;
    scene->options.pause_ms = 1;
    scene->batch = calloc(1, sizeof *scene->batch);
    assert_non_null(scene->batch);
    assert_int_equal(th_kafka_sink_open(&scene->options, &scene->sink, NULL), TH_OK);
}

static void close_scene(struct scene *scene)
{
    scene->sink->verbs->close(scene->sink);
    th_kafka_position_done(&scene->source.position);
    rd_kafka_mock_cluster_destroy(scene->cluster);
    rd_kafka_destroy(scene->host);
    free(scene->batch);
}

static void put_some(struct scene *scene)
{
    static const char text[] = "{\"schema\":\"thresher/1\"}\n";
    th_piece pieces[RECORDS];
    scene->batch->epoch = scene->source.epoch;
    scene->batch->record_count = RECORDS;
    for (uint32_t i = 0; i < RECORDS; i++) {
        scene->batch->records[i] =
            (th_record){ .url = TH_VIEW("http://a.example/"), .block = TH_VIEW("block") };
        pieces[i] = (th_piece){ .record = i,
                                .status = i % 5 ? TH_OK : TH_NOT_HTML,
                                .len = sizeof text - 1 };
    }
    const th_work_result result = { .batch = scene->batch,
                                    .pages = { text, sizeof text - 1 },
                                    .pieces = pieces,
                                    .details = TH_VIEW("") };
    assert_int_equal(scene->sink->verbs->put(scene->sink, &result, NULL), TH_OK);
}

/* Flushes until it is neither blocked nor pausing. */
static th_status flush(struct scene *scene)
{
    th_error err = { .text = "" };
    th_status status = TH_BLOCKED;
    for (int i = 0; i < 300 && status == TH_BLOCKED; i++) {
        status = th_commit(&scene->source.base, scene->sink, 0, &err);
        if (status == TH_BLOCKED)
            (void)rd_kafka_poll(scene->host, 50);
    }
    return status;
}

/* ---- rows ---- */

static const struct row {
    const char *name;
    bool is_exactly_once;
    enum api api;
    unsigned error_count;
    rd_kafka_resp_err_t errors[ERRORS_MAX];
    th_status recover, flush;
} rows[] = {
    /* clang-format off */
    { "no error", true, PRODUCE, 0, { 0 }, TH_OK, TH_OK },
    { "init: coordinator not there yet", true, INIT, 2, { RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NOT_COORDINATOR }, TH_OK, TH_OK },
    { "init: an older transaction is ending", true, INIT, 1, { RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS }, TH_OK, TH_OK },
    { "init: not allowed", true, INIT, 1, { RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED }, TH_IO, TH_OK },
    { "produce: leader moved", true, PRODUCE, 2, { RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS }, TH_OK, TH_OK },
    { "produce: not allowed", true, PRODUCE, 1, { RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED }, TH_OK, TH_ABORTED },
    { "produce: too large", true, PRODUCE, 1, { RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE }, TH_OK, TH_ABORTED },
    { "partitions: again", true, ADD_PARTITIONS, 2, { RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS, RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS }, TH_OK, TH_OK },
    { "partitions: not allowed", true, ADD_PARTITIONS, 1, { RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED }, TH_OK, TH_ABORTED },
    { "partitions: fenced", true, ADD_PARTITIONS, 1, { RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH }, TH_OK, TH_IO },
    { "offsets: again", true, ADD_OFFSETS, 2, { RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS }, TH_OK, TH_OK },
    { "offsets: not allowed", true, ADD_OFFSETS, 1, { RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED }, TH_OK, TH_ABORTED },
    { "offsets: coordinator loads", true, OFFSET_COMMIT, 2, { RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, RD_KAFKA_RESP_ERR_NOT_COORDINATOR }, TH_OK, TH_OK },
    { "offsets: of an old generation", true, OFFSET_COMMIT, 1, { RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION }, TH_OK, TH_ABORTED },
    { "offsets: thrown out of the group", true, OFFSET_COMMIT, 1, { RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID }, TH_OK, TH_ABORTED },
    { "offsets: another has our name", true, OFFSET_COMMIT, 1, { RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID }, TH_OK, TH_ABORTED },
    { "offsets: fenced", true, OFFSET_COMMIT, 1, { RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH }, TH_OK, TH_IO },
    { "commit: again", true, END, 2, { RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, RD_KAFKA_RESP_ERR_NOT_COORDINATOR }, TH_OK, TH_OK },
    { "commit: fenced", true, END, 1, { RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH }, TH_OK, TH_IO },
    { "commit: not in this state", true, END, 1, { RD_KAFKA_RESP_ERR_INVALID_TXN_STATE }, TH_OK, TH_IO },
    { "commit: connection breaks", true, END, 1, { RD_KAFKA_RESP_ERR__TRANSPORT }, TH_OK, TH_OK },
    { "at least once", false, PRODUCE, 0, { 0 }, TH_OK, TH_OK },
    { "at least once: leader moved", false, PRODUCE, 2, { RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR__TRANSPORT }, TH_OK, TH_OK },
    { "at least once: too large", false, PRODUCE, 1, { RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE }, TH_OK, TH_ABORTED },
    { "at least once: not allowed", false, PRODUCE, 1, { RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED }, TH_OK, TH_ABORTED },
    { "at least once: not valid", false, PRODUCE, 1, { RD_KAFKA_RESP_ERR_INVALID_RECORD }, TH_OK, TH_ABORTED },
    /* clang-format on */
};

/* Messages of all topics at the brokers. */
static int64_t stored_messages(const struct scene *scene)
{
    static const struct {
        const char *topic;
        int32_t partition;
    } places[] = { { "records", 0 }, { "records", 1 }, { "dead", 0 } };
    char words[200];
    int64_t count = 0;
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    assert_int_equal(rd_kafka_conf_set(conf, "bootstrap.servers",
                                       scene->options.client.brokers, words,
                                       sizeof words),
                     RD_KAFKA_CONF_OK);
    rd_kafka_t *reader = rd_kafka_new(RD_KAFKA_CONSUMER, conf, words, sizeof words);
    assert_non_null(reader);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int64_t low = 0, high = 0;
        assert_int_equal(rd_kafka_query_watermark_offsets(reader, places[i].topic,
                                                          places[i].partition, &low,
                                                          &high, 60000),
                         RD_KAFKA_RESP_ERR_NO_ERROR);
        count += high;
    }
    rd_kafka_destroy(reader);
    return count;
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    struct scene scene;
    th_error err = { .text = "" };
    open_scene(&scene, row->is_exactly_once);
    struct fake_source *source = &scene.source;
    if (row->api == INIT)
        rd_kafka_mock_push_request_errors_array(scene.cluster, (int16_t)row->api,
                                                row->error_count, row->errors);
    assert_int_equal(scene.sink->verbs->recover(scene.sink, &source->base, &err),
                     row->recover);
    if (row->recover == TH_OK) {
        if (row->api != INIT)
            rd_kafka_mock_push_request_errors_array(scene.cluster, (int16_t)row->api,
                                                    row->error_count, row->errors);
        put_some(&scene);
        assert_int_equal(flush(&scene), row->flush);
        assert_int_equal(source->acknowledged, row->flush == TH_OK);
        assert_int_equal(source->rewound, row->flush == TH_ABORTED);
        const char *restart = strstr(warnings, "kafka output restarts: ");
        assert_int_equal(restart != NULL, row->flush == TH_ABORTED);
        if (restart) /* and the reason is named */
            assert_true(restart[strlen("kafka output restarts: ")] != '\n');
    }
    /* Interrupted records are sent again and delivered. */
    if (row->recover == TH_OK && row->flush != TH_IO) {
        put_some(&scene);
        assert_int_equal(flush(&scene), TH_OK);
        assert_int_equal(source->acknowledged, 1 + (row->flush == TH_OK));
    }
    if (!row->error_count)
        assert_int_equal(stored_messages(&scene), 2 * RECORDS);
    /* Its thread takes no signals, but this one still does. */
    sigset_t blocked;
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &blocked), 0);
    assert_false(sigismember(&blocked, SIGTERM));
    close_scene(&scene);
}

/* ---- claims ---- */

static unsigned warned(const char *words)
{
    unsigned count = 0;
    for (const char *at = warnings; (at = strstr(at, words)); at++)
        count++;
    return count;
}

static void an_outage_blocks(void **state)
{
    (void)state;
    struct scene scene;
    th_sink_stats facts;
    open_scene(&scene, false);
    assert_int_equal(scene.sink->verbs->recover(scene.sink, &scene.source.base, NULL),
                     TH_OK);
    put_some(&scene);
    assert_int_equal(rd_kafka_mock_broker_set_down(scene.cluster, 1), 0);
    assert_int_equal(th_commit(&scene.source.base, scene.sink, 0, NULL), TH_BLOCKED);
    scene.sink->verbs->facts(scene.sink, &facts);
    assert_true(facts.is_blocked);
    assert_int_equal(warned("kafka output is blocked: "), 1);
    assert_int_equal(warned("kafka output continues"), 0);
    assert_int_equal(scene.source.acknowledged, 0);
    assert_int_equal(rd_kafka_mock_broker_set_up(scene.cluster, 1), 0);
    assert_int_equal(flush(&scene), TH_OK);
    assert_int_equal(scene.source.acknowledged, 1);
    assert_int_equal(scene.source.rewound, 0);
    scene.sink->verbs->facts(scene.sink, &facts);
    assert_false(facts.is_blocked);
    assert_true(facts.blocked_seconds > 0);
    assert_int_equal(warned("kafka output is blocked: "), 1);
    assert_int_equal(warned("kafka output continues\n"), 1);
    close_scene(&scene);
}

/* With too few in-sync replicas it waits, reports it, and continues. */
static void missing_replicas_block(void **state)
{
    (void)state;
    enum { TIMES = 100 };
    rd_kafka_resp_err_t errors[TIMES];
    struct scene scene;
    th_sink_stats facts;
    for (int i = 0; i < TIMES; i++)
        errors[i] = RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS;
    open_scene(&scene, false);
    assert_int_equal(scene.sink->verbs->recover(scene.sink, &scene.source.base, NULL),
                     TH_OK);
    rd_kafka_mock_push_request_errors_array(scene.cluster, PRODUCE, TIMES, errors);
    put_some(&scene);
    assert_int_equal(th_commit(&scene.source.base, scene.sink, 0, NULL), TH_BLOCKED);
    scene.sink->verbs->facts(scene.sink, &facts);
    assert_true(facts.is_blocked);
    assert_non_null(strstr(facts.unready, "not delivered"));
    assert_int_equal(warned("kafka output is blocked: "), 1);
    assert_int_equal(warned("not delivered"), 1);
    assert_int_equal(flush(&scene), TH_OK);
    assert_int_equal(scene.source.acknowledged, 1);
    assert_int_equal(scene.source.rewound, 0);
    scene.sink->verbs->facts(scene.sink, &facts);
    assert_false(facts.unready[0]);
    close_scene(&scene);
}

/* Delivered records are not sent again while the source cannot store them yet. */
static void an_acknowledgement_is_repeated(void **state)
{
    for (int is_exactly_once = 0; is_exactly_once < 2; is_exactly_once++) {
        (void)state;
        struct scene scene;
        th_sink_stats facts;
        open_scene(&scene, is_exactly_once);
        assert_int_equal(scene.sink->verbs->recover(scene.sink, &scene.source.base, NULL),
                         TH_OK);
        put_some(&scene);
        scene.source.refusals = 3;
        assert_int_equal(flush(&scene), TH_OK);
        assert_int_equal(scene.source.refusals, 0);
        scene.sink->verbs->facts(scene.sink, &facts);
        assert_false(facts.is_blocked);
        assert_true(facts.blocked_seconds > 0);
        assert_int_equal(facts.commits, 1);
        assert_int_equal(scene.source.acknowledged, 1);
        close_scene(&scene);
    }
}

static void a_missing_topic_is_told(void **state)
{
    (void)state;
    struct scene scene;
    th_error err = { .text = "" };
    open_scene(&scene, true);
    rd_kafka_mock_topic_set_error(scene.cluster, "dead",
                                  RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
    assert_int_equal(scene.sink->verbs->recover(scene.sink, &scene.source.base, &err),
                     TH_IO);
    assert_non_null(strstr(err.text, "dead"));
    close_scene(&scene);
}

static void what_is_dropped_is_not_sent(void **state)
{
    for (int is_exactly_once = 0; is_exactly_once < 2; is_exactly_once++) {
        (void)state;
        struct scene scene;
        th_sink_stats facts;
        open_scene(&scene, is_exactly_once);
        assert_int_equal(scene.sink->verbs->recover(scene.sink, &scene.source.base, NULL),
                         TH_OK);
        put_some(&scene);
        scene.sink->verbs->drop(scene.sink);
        assert_int_equal(flush(&scene), TH_OK);
        assert_int_equal(scene.source.rewound, 0);
        scene.sink->verbs->facts(scene.sink, &facts);
        assert_int_equal(facts.bytes, 0);
        put_some(&scene);
        assert_int_equal(flush(&scene), TH_OK);
        close_scene(&scene);
    }
}

static void endless_failure_ends(void **state)
{
    (void)state;
    enum { REQUESTS = 4 }; /* a flush may take more than one */
    rd_kafka_resp_err_t refused[REQUESTS];
    for (unsigned i = 0; i < REQUESTS; i++)
        refused[i] = RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
    struct scene scene;
    open_scene(&scene, false); /* a transaction's abort takes a second each */
    assert_int_equal(scene.sink->verbs->recover(scene.sink, &scene.source.base, NULL),
                     TH_OK);
    th_status status = TH_ABORTED;
    for (int i = 0; i < 20 && status == TH_ABORTED; i++) {
        rd_kafka_mock_push_request_errors_array(scene.cluster, PRODUCE, REQUESTS,
                                                refused);
        put_some(&scene);
        status = flush(&scene);
    }
    assert_int_equal(status, TH_IO);
    assert_int_equal(scene.source.acknowledged, 0);
    close_scene(&scene);
}

/* Small messages that are refused together: the batches get smaller, and nothing is cut. A
 * permanent refusal ends it. */
static void batches_shrink_to_an_end(void **state)
{
    (void)state;
    enum { REQUESTS = 4 };
    rd_kafka_resp_err_t too_large[REQUESTS];
    for (unsigned i = 0; i < REQUESTS; i++)
        too_large[i] = RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE;
    for (unsigned refusals = 1; refusals <= 20; refusals += 19) {
        struct scene scene;
        th_sink_stats facts;
        open_scene(&scene, false);
        assert_int_equal(scene.sink->verbs->recover(scene.sink, &scene.source.base, NULL),
                         TH_OK);
        th_status status = TH_ABORTED;
        unsigned attempts = 0;
        while (status == TH_ABORTED && attempts++ < 30) {
            if (attempts <= refusals) /* for ever: however many requests it takes */
                rd_kafka_mock_push_request_errors_array(
                    scene.cluster, PRODUCE, refusals == 1 ? 1 : REQUESTS, too_large);
            put_some(&scene);
            status = flush(&scene);
        }
        scene.sink->verbs->facts(scene.sink, &facts);
        assert_int_equal(status, refusals == 1 ? TH_OK : TH_IO);
        assert_true(attempts <= 15);
        assert_int_equal(facts.cut_records, 0);
        close_scene(&scene);
    }
}

/* ---- the deadline ---- */

static int64_t clock_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int64_t left_until(void *context)
{
    const int64_t left = *(const int64_t *)context - clock_ms();
    return left > 0 ? left : 0;
}

enum { PATIENCE_MS = 400, ENOUGH_MS = 3500 };

/* Without a broker, after a stop: recovery and closing both end. */
static void recovering_ends_at_the_deadline(void **state)
{
    (void)state;
    for (int is_exactly_once = 0; is_exactly_once < 2; is_exactly_once++) {
        struct scene scene;
        th_sink_stats facts;
        open_scene(&scene, is_exactly_once);
        assert_int_equal(rd_kafka_mock_broker_set_down(scene.cluster, 1), 0);
        const int64_t start = clock_ms();
        int64_t end = start + PATIENCE_MS;
        scene.sink->deadline = (th_deadline){ left_until, &end };
        assert_int_equal(scene.sink->verbs->recover(scene.sink, &scene.source.base, NULL),
                         TH_INTERRUPTED);
        scene.sink->verbs->facts(scene.sink, &facts);
        assert_true(facts.unready[0]);
        close_scene(&scene);
        assert_true(clock_ms() - start < ENOUGH_MS);
    }
}

/* A broker that does not answer any more: a flush ends without a word about what became
 * of it, and nothing is acknowledged. */
static void flushing_ends_at_the_deadline(void **state)
{
    (void)state;
    for (int is_exactly_once = 0; is_exactly_once < 2; is_exactly_once++) {
        struct scene scene;
        th_sink_stats facts;
        open_scene(&scene, is_exactly_once);
        scene.source.has_no_position = true;
        assert_int_equal(scene.sink->verbs->recover(scene.sink, &scene.source.base, NULL),
                         TH_OK);
        put_some(&scene);
        assert_int_equal(rd_kafka_mock_broker_set_rtt(scene.cluster, 1, 60000), 0);
        const int64_t start = clock_ms();
        int64_t end = start + PATIENCE_MS;
        scene.sink->deadline = (th_deadline){ left_until, &end };
        assert_int_equal(th_commit(&scene.source.base, scene.sink, 0, NULL), TH_BLOCKED);
        assert_int_equal(scene.source.acknowledged, 0);
        assert_int_equal(scene.source.rewound, 0);
        scene.sink->verbs->facts(scene.sink, &facts);
        assert_true(facts.is_blocked);
        assert_true(facts.unready[0]);
        close_scene(&scene);
        assert_true(clock_ms() - start < ENOUGH_MS);
    }
}

static bool knows_mark(const void *context, uint64_t mark)
{
    return mark < *(const uint64_t *)context;
}

/* The greatest mark that the index knows, also if the first queries have no answer. */
static void marks_are_asked_again(void **state)
{
    (void)state;
    for (uint32_t silences = 0; silences < 3; silences++) {
        struct scene scene;
        th_sink_stats facts;
        const uint64_t end = 70;
        open_scene(&scene, false);
        scene.sink->knows_mark = knows_mark;
        scene.sink->mark_context = &end;
        scene.source.silences = silences;
        assert_int_equal(scene.sink->verbs->recover(scene.sink, &scene.source.base, NULL),
                         TH_OK);
        assert_int_equal(scene.source.silences, 0);
        assert_int_equal(scene.sink->mark, 60);
        scene.sink->verbs->facts(scene.sink, &facts);
        assert_string_equal(facts.unready, "");
        scene.source.has_no_marks = true;
        assert_int_equal(scene.sink->verbs->recover(scene.sink, &scene.source.base, NULL),
                         TH_IO);
        close_scene(&scene);
    }
}

static void bad_options_are_reported(void **state)
{
    (void)state;
    static const th_kafka_pair bad[] = { { "no.such.key", "1" },
                                         { "linger.ms", "soon" },
                                         { "compression.codec", "rar" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        th_kafka_sink_options options;
        th_stream_sink *sink = NULL;
        th_error err = { .text = "" };
        th_kafka_sink_options_init(&options);
        options.client.brokers = "127.0.0.1:1";
        options.client.pairs = &bad[i];
        options.client.pair_count = 1;
        options.topics[TH_TOPIC_RECORDS] = "records";
        assert_int_equal(th_kafka_sink_open(&options, &sink, &err), TH_USAGE);
        assert_non_null(strstr(err.text, bad[i].key));
        assert_null(sink);
    }
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    static struct CMUnitTest tests[ROWS];
    const struct CMUnitTest claims[] = {
        cmocka_unit_test(an_outage_blocks),
        cmocka_unit_test(missing_replicas_block),
        cmocka_unit_test(an_acknowledgement_is_repeated),
        cmocka_unit_test(a_missing_topic_is_told),
        cmocka_unit_test(what_is_dropped_is_not_sent),
        cmocka_unit_test(endless_failure_ends),
        cmocka_unit_test(batches_shrink_to_an_end),
        cmocka_unit_test(recovering_ends_at_the_deadline),
        cmocka_unit_test(flushing_ends_at_the_deadline),
        cmocka_unit_test(marks_are_asked_again),
        cmocka_unit_test(bad_options_are_reported),
    };
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    const int failed = cmocka_run_group_tests_name("errors", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("claims", claims, NULL, NULL);
}
