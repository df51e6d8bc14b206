/* src/kafka/kafka_pairing.c on librdkafka's mock cluster: errors that must not stop it. Kills,
 * rebalances and equality with `dedup`: tests/kafka/pairs.py. */
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

#include "kafka/kafka_pairing.h"
#include "sketch/digest_key.h"

enum { FULL, OLD, PARTITIONS }; /* of the bands topic */

enum { TURNS = 1200, LONG_URL = 60000, SHORT_URL = 20000, MESSAGE_MAX = 100000 };

enum { DAY_MS = 86400000 };

struct scene {
    rd_kafka_t *writer; /* hosts the cluster, fills the topic */
    th_kafka_pairing_options options;
    th_kafka_pairing *pairing;
    th_kafka_pairing_stats facts;
};

enum { PRODUCE = 0, FETCH = 1 }; /* numbers of requests in Kafka's protocol */

static const char *const bands[] = { "bands" };
static const th_deadline deadline = { 0 };

static void print_warning(void *context, const char *line)
{
    (void)context;
    (void)fprintf(stderr, "%s\n", line);
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
    rd_kafka_mock_cluster_t *cluster = rd_kafka_handle_mock_cluster(scene->writer);
    (void)rd_kafka_mock_topic_create(cluster, "bands", PARTITIONS, 1);
    (void)rd_kafka_mock_topic_create(cluster, "edges", 1, 1);
    (void)rd_kafka_mock_topic_create(cluster, "days", 1, 1);
    scene->options = (th_kafka_pairing_options){
        .in = { .client = { .brokers = rd_kafka_mock_cluster_bootstraps(cluster),
                            .client_id = "thresher",
                            .warn = getenv("TH_TEST_NOTICES") ? print_warning : NULL },
                .topics = bands,
                .topic_count = 1,
                .group = "pairs",
                .session_ms = 45000,
                .is_transactional = true },
        .edges = "edges",
        .instance = "pairs-1",
        .transaction_ms = 60000,
        .message_max = MESSAGE_MAX,
        .flush_ms = 10,
        .flush_messages = 100,
        .table = { .compared = TH_COMPARE_MAIN,
                   .fan_out = 64,
                   .epoch_s = 86400,
                   .epochs = 30 },
        .memory = 1 << 24,
    };
}

/* A message of a short text. Its record has a URL of `url_len` bytes, and the time of the day. */
static void send_digest_to(struct scene *scene, const char *topic, int partition,
                           const char *id, size_t url_len, int day)
{
    static char url[LONG_URL + 1], line[LONG_URL + 200];
    uint8_t key[TH_BAND_KEY_LEN];
    memset(url, 'u', url_len);
    url[url_len] = 0;
    th_digest_key(5, key);
    const int len = snprintf(line, sizeof line,
                             "{\"schema\":\"thresher-band/"
                             "1\",\"id\":\"%s\",\"url\":\"%s\",\"digest\":{\"text\":"
                             "\"00000000000000050000000000000006\"}}",
                             id, url);
    assert_int_equal(
        rd_kafka_producev(
            scene->writer, RD_KAFKA_VTYPE_TOPIC, topic, RD_KAFKA_VTYPE_PARTITION,
            (int32_t)partition, RD_KAFKA_VTYPE_TIMESTAMP, (int64_t)day * DAY_MS,
            RD_KAFKA_VTYPE_MSGFLAGS, (int)RD_KAFKA_MSG_F_COPY, RD_KAFKA_VTYPE_KEY, key,
            sizeof key, RD_KAFKA_VTYPE_VALUE, line, (size_t)len, RD_KAFKA_VTYPE_END),
        0);
    assert_int_equal(rd_kafka_flush(scene->writer, 60000), 0);
}

static void send_digest(struct scene *scene, int partition, const char *id,
                        size_t url_len)
{
    send_digest_to(scene, "bands", partition, id, url_len, 20000);
}

/* Offsets committed by another member of the group. The mock cluster keeps no offsets of
 * transactions, so this offset stays. */
static void commit_as_other(const struct scene *scene, int32_t partition, int64_t offset)
{
    char words[200];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    assert_int_equal(rd_kafka_conf_set(conf, "group.id", "pairs", words, sizeof words),
                     0);
    assert_int_equal(rd_kafka_conf_set(conf, "bootstrap.servers",
                                       scene->options.in.client.brokers, words,
                                       sizeof words),
                     0);
    rd_kafka_t *other = rd_kafka_new(RD_KAFKA_CONSUMER, conf, words, sizeof words);
    assert_non_null(other);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, "bands", partition)->offset = offset;
    assert_int_equal(rd_kafka_commit(other, list, 0), 0);
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_destroy(other);
}

static void turn(struct scene *scene)
{
    assert_int_equal(th_kafka_pairing_turn(scene->pairing, NULL), TH_OK);
    th_kafka_pairing_stats_of(scene->pairing, &scene->facts);
}

/* One process for all tests: joining a group takes seconds. */
static int open_group(void **state)
{
    static struct scene scene;
    open_scene(&scene);
    *state = &scene;
    send_digest(&scene, FULL, "a", LONG_URL);
    send_digest(&scene, FULL, "b", LONG_URL);
    send_digest(&scene, FULL, "c", SHORT_URL);
    send_digest(&scene, FULL, "d", SHORT_URL);
    rd_kafka_mock_push_request_errors(rd_kafka_handle_mock_cluster(scene.writer), PRODUCE,
                                      1, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
    commit_as_other(&scene, OLD, 7);
    assert_int_equal(
        th_kafka_pairing_open(&scene.options, &deadline, &scene.pairing, NULL), TH_OK);
    return 0;
}

static int close_group(void **state)
{
    struct scene *scene = *state;
    th_kafka_pairing_close(scene->pairing);
    rd_kafka_destroy(scene->writer);
    return 0;
}

/* An edge that no message can hold (a and b) is omitted, like edges as long as the edge that
 * the topic refused (a and c). The following pairs are written. Edges that were omitted in
 * a transaction before the refusal count twice, because the mock cluster keeps no offsets
 * of transactions, and all messages are read again. */
static void edge_too_long(void **state)
{
    struct scene *scene = *state;
    for (int i = 0; i < TURNS && scene->facts.aborts < 1; i++)
        turn(scene);
    assert_int_equal(scene->facts.aborts, 1);
    assert_int_equal(scene->facts.edges, 0);
    const uint64_t before = scene->facts.left_out;
    assert_in_range(before, 0, 1);
    for (int i = 0; i < TURNS && scene->facts.edges < 1 && scene->facts.aborts < 2; i++)
        turn(scene);
    assert_int_equal(scene->facts.aborts, 1);
    assert_int_equal(scene->facts.edges, 1);
    assert_int_equal(scene->facts.left_out, before + 5);
}

/* The group has committed offset 7 of a partition that ends at 0, because its topic was
 * recreated while no process ran. Pairs below offset 7 are written. */
static void topic_created_again_before_start(void **state)
{
    struct scene *scene = *state;
    const uint64_t before = scene->facts.edges;
    for (int i = 0; i < TURNS && (!scene->facts.remade || scene->facts.rebuilding); i++)
        turn(scene);
    assert_true(scene->facts.is_assigned);
    assert_int_equal(scene->facts.partitions, PARTITIONS);
    assert_int_equal(scene->facts.remade, 1);
    assert_int_equal(scene->facts.rebuilding, 0);
    send_digest(scene, OLD, "e", SHORT_URL);
    send_digest(scene, OLD, "f", SHORT_URL);
    for (int i = 0; i < TURNS && scene->facts.edges == before; i++)
        turn(scene);
    assert_int_equal(scene->facts.edges, before + 1);
}

/* Offsets go back while partitions are read. The broker reports an unknown offset, and
 * librdkafka continues at the beginning. All is read as from another topic. The group is
 * another one, because the mock cluster keeps the offset committed above. */
static void topic_created_again_while_read(void **state)
{
    enum { EDGES = 5 + 1 }; /* of FULL all but the longest, of OLD */
    struct scene *scene = *state, other = *scene;
    other.options.in.group = "other";
    other.options.instance = "other";
    other.facts = (th_kafka_pairing_stats){ .edges = 0 };
    th_kafka_pairing_close(scene->pairing); /* else the error may come to its fetches */
    scene->pairing = NULL;
    assert_int_equal(
        th_kafka_pairing_open(&other.options, &deadline, &other.pairing, NULL), TH_OK);
    for (int i = 0; i < TURNS && other.facts.edges < EDGES; i++)
        turn(&other);
    assert_int_equal(other.facts.edges, EDGES);
    assert_int_equal(other.facts.remade, 0);
    rd_kafka_mock_push_request_errors(rd_kafka_handle_mock_cluster(scene->writer), FETCH,
                                      1, RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE);
    for (int i = 0; i < TURNS && other.facts.edges < (uint64_t)2 * EDGES; i++)
        turn(&other);
    assert_int_equal(other.facts.remade, PARTITIONS);
    assert_int_equal(other.facts.edges, 2 * EDGES);
    assert_int_equal(other.facts.again, 0);
    th_kafka_pairing_close(other.pairing);
}

/* Reads the six messages of topic days with a bound of memory. */
static th_kafka_pairing_stats read_days(const struct scene *scene, const char *group,
                                        uint64_t memory)
{
    static const char *const days[] = { "days" };
    struct scene other = *scene;
    other.options.in.topics = days;
    other.options.in.group = group;
    other.options.instance = group;
    other.options.memory = memory;
    other.facts = (th_kafka_pairing_stats){ .edges = 0 };
    assert_int_equal(
        th_kafka_pairing_open(&other.options, &deadline, &other.pairing, NULL), TH_OK);
    for (int i = 0; i < TURNS && other.facts.messages < 6; i++)
        turn(&other);
    th_kafka_pairing_close(other.pairing);
    assert_int_equal(other.facts.messages, 6);
    assert_int_equal(other.facts.again, 0);
    return other.facts;
}

/* Records that fit into the memory are kept. Beyond it only the oldest epoch is forgotten. */
static void memory_has_a_bound(void **state)
{
    struct scene *scene = *state;
    static const char *const ids[] = { "a", "b", "c", "d", "e", "f" };
    for (int i = 0; i < 6; i++)
        send_digest_to(scene, "days", 0, ids[i], 100, 20000 + i / 4);
    const th_kafka_pairing_stats all = read_days(scene, "days-1", UINT64_MAX);
    assert_int_equal(all.records, 6);
    assert_int_equal(all.shed, 0);
    assert_int_equal(all.compared, 6 * 5 / 2);
    assert_true(all.bytes > 0);
    const th_kafka_pairing_stats full = read_days(scene, "days-2", all.bytes);
    assert_int_equal(full.records, 6);
    assert_int_equal(full.bytes, all.bytes);
    assert_int_equal(full.shed, 0);
    const th_kafka_pairing_stats less = read_days(scene, "days-3", all.bytes - 1);
    assert_int_equal(less.shed, 1);
    assert_int_equal(less.records, 2); /* of the second day */
    assert_true(less.bytes > 0 && less.bytes < all.bytes);
}

static void bad_options_are_reported(void **state)
{
    static const th_kafka_pair bad[] = { { "no.such.key", "1" },
                                         { "linger.ms", "soon" },
                                         { "fetch.max.bytes", "many" } };
    const struct scene *scene = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        th_kafka_pairing_options options = scene->options;
        th_kafka_pairing *pairing = NULL;
        th_error err = { .text = "" };
        options.in.client.pairs = &bad[i];
        options.in.client.pair_count = 1;
        assert_int_equal(th_kafka_pairing_open(&options, &deadline, &pairing, &err),
                         TH_USAGE);
        assert_non_null(strstr(err.text, bad[i].key));
        assert_null(pairing);
    }
    th_kafka_pairing_options options = scene->options;
    th_kafka_pairing *pairing = NULL;
    th_error err = { .text = "" };
    options.message_max = 1;
    assert_int_equal(th_kafka_pairing_open(&options, &deadline, &pairing, &err),
                     TH_USAGE);
    assert_non_null(strstr(err.text, "message.max.bytes"));
    assert_null(pairing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edge_too_long),
        cmocka_unit_test(topic_created_again_before_start),
        cmocka_unit_test(topic_created_again_while_read),
        cmocka_unit_test(memory_has_a_bound),
        cmocka_unit_test(bad_options_are_reported),
    };
    return cmocka_run_group_tests(tests, open_group, close_group);
}
