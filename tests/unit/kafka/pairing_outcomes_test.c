/* src/kafka/kafka_pairing.c with a librdkafka that fails by chance: all that it writes,
 * commits, asks and reports has one digest. */
#include "kafka/kafka_double.h"

#include "kafka/kafka_pairing.h"
#include "sketch/digest_key.h"

enum { ROUNDS = 600, TURNS = 30, DAY_MS = 86400000 };

/* A record of one of a few texts. Some messages are damaged, and some records are long. */
static void fill_record(rd_kafka_message_t *message, char *value, size_t *len, char *key,
                        size_t *key_len)
{
    static char url[3001];
    const uint32_t text = 5 + chance(3);
    if (!*url)
        memset(url, 'u', sizeof url - 1);
    th_digest_key(text, (uint8_t *)key);
    *key_len = chance(40) ? TH_BAND_KEY_LEN : SIZE_MAX;
    if (chance(40))
        *len = (size_t)sprintf(
            value,
            "{\"schema\":\"thresher-band/1\",\"id\":\"id-%d-%lld\",\"url\":\"%.*s\","
            "\"digest\":{\"text\":\"%016x%016x\"}}",
            (int)message->partition, (long long)message->offset,
            chance(5) ? 10 : (int)chance(3000), url, text, text + 1);
    if (*len != SIZE_MAX && chance(40) == 0)
        *len -= 1 + chance(10);
}

static int64_t day_of(const rd_kafka_message_t *message)
{
    return chance(20) ? (20000 + message->offset / 20) * DAY_MS : -1;
}

static void take_warning(void *context, const char *line)
{
    (void)context;
    say("warning: %s", line);
}

static void say_stats(const th_kafka_pairing *pairing)
{
    th_kafka_pairing_stats all;
    memset(&all, 0, sizeof all);
    th_kafka_pairing_stats_of(pairing, &all);
    say("stats %d %u %u '%s'", all.is_assigned, all.partitions, all.rebuilding,
        all.unready);
    const uint64_t counts[] = { all.messages,  all.again,  all.late,     all.full,
                                all.compared,  all.edges,  all.left_out, all.shed,
                                all.records,   all.remade, all.commits,  all.aborts,
                                all.rebalances };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        say("  %llu", (unsigned long long)counts[i]);
    for (int i = 0; i < TH_PAIRING_FAULT_COUNT; i++)
        say("  fault %d: %llu", i, (unsigned long long)all.faults[i]);
    assert_true(all.bytes < (uint64_t)1 << 30);
}

static th_kafka_pairing_options some_options(void)
{
    static const char *const topics[] = { "bands" };
    static const uint64_t memory[] = { 1 << 24, 1 << 16, 3000 };
    th_kafka_pairing_options options = {
        .in = { .client = { .brokers = "broker:9092",
                            .client_id = "client",
                            .warn = take_warning },
                .topics = topics,
                .topic_count = 1,
                .group = "pairs",
                .session_ms = 45000,
                .is_transactional = true },
        .edges = "edges",
        .instance = "pairs-1",
        .message_max = 100000,
        .table = { .compared = TH_COMPARE_MAIN, .epoch_s = 86400 },
    };
    options.transaction_ms = chance(2) ? 60000 : 7000;
    options.flush_ms = chance(2) ? 10 : 2000;
    options.flush_messages = 1 + chance(40);
    options.table.fan_out = 1 + chance(64);
    options.table.epochs = 1 + chance(4);
    options.memory = memory[chance(3)];
    return options;
}

static void one_round(uint32_t round)
{
    static const uint32_t failing[] = { 0, 5, 30, 120 };
    const th_deadline deadline = { .remaining_ms = left_until_deadline };
    th_error err = { .text = "" };
    th_kafka_pairing *pairing = NULL;
    begin_round(round * 7919 + 11, failing[round % 4]);
    kafka.fill = fill_record;
    kafka.time_of = day_of;
    kafka.protocol = round % 3 ? "EAGER" : "COOPERATIVE";
    for (int i = 0; i < DOUBLE_PARTITIONS; i++) {
        add_partition("bands", i);
        kafka.partitions[i].high = chance(40);
        kafka.partitions[i].committed = chance(2) ? -1 : (int64_t)chance(40);
    }
    const th_kafka_pairing_options options = some_options();
    maybe_lack_memory();
    th_status status = th_kafka_pairing_open(&options, &deadline, &pairing, &err);
    fail_allocation(0);
    say("round %u: %d %s", round, (int)status, err.text);
    for (int i = 0; i < TURNS && status == TH_OK; i++) {
        err.text[0] = '\0';
        maybe_lack_memory();
        status = chance(12) ? th_kafka_pairing_turn(pairing, &err)
                            : th_kafka_pairing_settle(pairing, &err);
        fail_allocation(0);
        say("turn: %d %s", (int)status, err.text);
        if (chance(4) == 0)
            say_stats(pairing);
        if (chance(10) == 0)
            still_ms += chance(5000);
    }
    if (pairing) {
        say_stats(pairing);
        if (chance(2))
            kafka.deadline_ms = still_ms + chance(3000);
        th_kafka_pairing_close(pairing);
    }
    if (kafka.live)
        fail_msg("round %u leaves %d objects", round, kafka.live);
}

static void one_digest_for_all(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++)
        one_round(round);
    expect_digest(&kafka.all, UINT64_C(0x3074365DC5130453));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_digest_for_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
