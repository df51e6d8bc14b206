/* src/kafka/kafka_conf.c with random clients: the properties that it sets, its errors and
 * the reports of its callbacks have one digest. */
#include "kafka/kafka_double.h"

#include <unistd.h>

#include <openssl/x509_vfy.h>

#include "kafka/kafka_conf.h"

enum { ROUNDS = 600, PAIRS = 4 };

static const char *const keys[] = {
    "bootstrap.servers",
    "metadata.broker.list",
    "client.id",
    "group.id",
    "group.instance.id",
    "session.timeout.ms",
    "transactional.id",
    "transaction.timeout.ms",
    "message.max.bytes",
    "message.timeout.ms",
    "delivery.timeout.ms",
    "enable.idempotence",
    "acks",
    "request.required.acks",
    "enable.auto.commit",
    "auto.commit.enable",
    "enable.auto.offset.store",
    "isolation.level",
    "enable.partition.eof",
    "log.queue",
    "socket.timeout.ms",
    "socket.nagle.disable",
    "socket.keepalive.enable",
    "reconnect.backoff.max.ms",
    "log.connection.close",
    "partition.assignment.strategy",
    "auto.offset.reset",
    "max.poll.interval.ms",
    "queued.max.messages.kbytes",
    "queued.min.messages",
    "fetch.max.bytes",
    "check.crcs",
    "queue.buffering.max.kbytes",
    "linger.ms",
    "compression.type",
    "partitioner",
    "sasl.password",
};
enum { KEYS = sizeof keys / sizeof *keys };

static void take_warning(void *context, const char *line)
{
    (void)context;
    say("warning: %s", line);
}

/* The text of an error without librdkafka's own words, which differ by version. */
static void say_error(const char *what, th_status status, th_error *err)
{
    static const char *const theirs[] = { "Invalid value", "No such configuration",
                                          "Expected " };
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++) {
        char *found = strstr(err->text, theirs[i]);
        char *guess = found ? strstr(found, "; did you mean") : NULL;
        if (found)
            (void)memmove(found, guess ? guess : "", guess ? strlen(guess) + 1 : 1);
    }
    say("%s: %d %s", what, (int)status, err->text);
}

/* A property, for one role or both. Unless it must be right, it can be thresher's own, not
 * supported, or mistyped. */
static th_kafka_pair some_pair(char key[64], bool is_right)
{
    static const char *const roles[] = { "", "", "consumer.", "producer.", "another." };
    static const th_kafka_pair right[] = {
        { "linger.ms", "7000" },
        { "fetch.max.bytes", "33554432" },
        { "sasl.username", "someone" },
        { "socket.timeout.ms", "20000" },
        { "compression.type", "gzip" },
        { "partition.assignment.strategy", "range" },
        { "queued.min.messages", "2000" },
        { "partition.assignment.strategy", "cooperative-sticky" },
    };
    const char *role = roles[chance(is_right ? 4 : 5)];
    const th_kafka_pair pair = right[chance(is_right ? 7 : 8)];
    const bool is_ours = !is_right && chance(3) == 0;
    (void)snprintf(key, 64, "%s%s", role, is_ours ? keys[chance(KEYS)] : pair.key);
    if (!is_right && chance(6) == 0) {
        const uint32_t at = chance((uint32_t)strlen(key));
        key[at] = (char)('a' + chance(26));
    }
    return (th_kafka_pair){ key, pair.value };
}

/* ---- a password ---- */

static const char path[] = "password";

static const char *some_password(void)
{
    static const uint32_t lens[] = { 0, 1, 8, 1023, 1024, 1025, 1026, 3000 };
    static const char *const ends[] = { "", "\n", "\r\n", "\nmore\n" };
    char text[4096];
    uint32_t len = lens[chance(8)];
    for (uint32_t i = 0; i < len; i++)
        text[i] = (char)('a' + i % 26);
    len += (uint32_t)snprintf(text + len, 16, "%s", ends[chance(4)]);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* ---- callbacks ---- */

static void say_watch(const th_kafka_watch *watch)
{
    say("watch: %u %d %d '%s' '%s' %d", watch->disconnects, watch->is_cut_off,
        watch->is_fatal, watch->fatal_words, watch->refusal, watch->certificate_fault);
}

static void call_back(rd_kafka_t *rk, th_kafka_watch *watch)
{
    static const int faults[] = { X509_V_OK,
                                  X509_V_ERR_CERT_HAS_EXPIRED,
                                  X509_V_ERR_CERT_NOT_YET_VALID,
                                  X509_V_ERR_HOSTNAME_MISMATCH,
                                  X509_V_ERR_IP_ADDRESS_MISMATCH,
                                  X509_V_ERR_CERT_REVOKED,
                                  X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
                                  X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
                                  X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
                                  X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                                  X509_V_ERR_CERT_SIGNATURE_FAILURE };
    static const int codes[] = { RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN,
                                 RD_KAFKA_RESP_ERR__AUTHENTICATION,
                                 RD_KAFKA_RESP_ERR__SSL,
                                 RD_KAFKA_RESP_ERR__TRANSPORT,
                                 RD_KAFKA_RESP_ERR__FATAL,
                                 RD_KAFKA_RESP_ERR__RESOLVE };
    char words[40] = "", reason[64];
    int fault = faults[chance(11)];
    const uint32_t what = chance(6);
    if (what == 0) {
        const size_t max = chance(2) ? sizeof words : 12;
        say("verified: %d", rk->callbacks.verify(rk, "broker", 1, &fault, 0, NULL, 0,
                                                 words, max, rk->callbacks.opaque));
        say("  %d %s", fault, words);
    } else if (what == 1) {
        rk->callbacks.log(rk, 4, "FAIL", "a line\nand\tanother");
    } else {
        rk->is_fatal = chance(2);
        (void)snprintf(reason, sizeof reason, "reason %u", chance(1000));
        rk->callbacks.complain(rk, codes[chance(6)], reason, rk->callbacks.opaque);
    }
    say_watch(watch);
    if (chance(8) == 0)
        watch->refusal[0] = '\0';
    const uint32_t len = chance(40);
    memset(reason, 'x', sizeof reason);
    reason[len] = '\0';
    const size_t max = len + chance(20);
    th_kafka_say_refusal(watch, reason, max);
    say("  %s", reason);
}

/* ---- rounds ---- */

static void one_client(th_kafka_client *client, th_kafka_role role)
{
    th_error err = { .text = "" };
    th_kafka_watch watch;
    rd_kafka_conf_t *conf = NULL;
    rd_kafka_t *rk = NULL;
    memset(&watch, 'x', sizeof watch);
    maybe_lack_memory();
    th_status status = th_kafka_conf_new(client, role, &watch, &conf, &err);
    fail_allocation(0);
    say_error("configuration", status, &err);
    if (status != TH_OK)
        return;
    for (size_t i = 0; i < KEYS; i++) {
        char value[2048] = "";
        size_t size = sizeof value;
        if (rd_kafka_conf_get(conf, keys[i], value, &size) == RD_KAFKA_CONF_OK)
            say("  %s=%s", keys[i], value);
    }
    status = th_kafka_open(conf, role, &rk, &err);
    say("open: %d %s", (int)status, err.text);
    if (status != TH_OK)
        return;
    for (int i = 0; i < 12; i++)
        call_back(rk, &watch);
    rd_kafka_destroy(rk);
}

static void one_round(uint32_t round)
{
    static const uint32_t failing[] = { 0, 200, 500 };
    th_kafka_pair pairs[PAIRS];
    char names[PAIRS][64], id[200];
    th_kafka_client client = { .brokers = "broker:9092", .client_id = id };
    th_error err = { .text = "" };
    begin_round(round * 7919 + 9, failing[round % 3]);
    say("round %u", round);
    const uint32_t len = chance(4) ? 8 : TH_KAFKA_CLIENT_ID_MAX - 1 + chance(3);
    memset(id, 'i', sizeof id);
    id[len] = '\0';
    client.pairs = pairs;
    client.pair_count = chance(PAIRS + 1);
    const bool is_right = chance(3);
    for (int i = 0; i < PAIRS; i++) {
        pairs[i] = some_pair(names[i], is_right);
        err.text[0] = '\0';
        const th_status status = th_kafka_pair_check(pairs[i], &err);
        say("%s=%s", pairs[i].key, pairs[i].value);
        say_error("check", status, &err);
    }
    if (chance(4))
        client.warn = take_warning;
    if (chance(3) == 0)
        client.password_file = chance(8) ? some_password() : chance(2) ? "" : "/no/such";
    one_client(&client, (th_kafka_role)chance(2));
    if (kafka.live)
        fail_msg("round %u leaves %d objects", round, kafka.live);
}

/* Each property that is thresher's own, for both roles. */
static void check_all(void)
{
    static const char *const roles[] = { "", "consumer.", "producer." };
    for (size_t i = 0; i < KEYS; i++)
        for (size_t role = 0; role < 3; role++) {
            char name[64];
            th_error err = { .text = "" };
            (void)snprintf(name, sizeof name, "%s%s", roles[role], keys[i]);
            const th_kafka_pair pair = { name, "1000" };
            const th_status status = th_kafka_pair_check(pair, &err);
            say_error(name, status, &err);
        }
}

static void one_digest_for_all(void **state)
{
    (void)state;
    char folder[] = "/tmp/kafka-conf-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    check_all();
    for (uint32_t round = 0; round < ROUNDS; round++)
        one_round(round);
    (void)unlink(path);
    (void)rmdir(folder);
    expect_digest(&kafka.all, UINT64_C(0xD4A231122DBEB227));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_digest_for_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
