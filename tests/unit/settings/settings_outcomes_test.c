/* Rules about several options: settings of random options, and one digest of all that the
 * checks say. The options of a daemon are mostly complete, so that later rules
 * are also reached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isolate/sandbox.h"
#include "kafka/kafka_conf.h"
#include "outcomes.h"
#include "remote/remote.h"
#include "settings/settings.h"

enum { ROUNDS = 40000, SKIPPED = 77, VALUES = 6 };

static struct outcomes all;

#define say(...) note_line(&all, __VA_ARGS__)

static uint32_t chance(uint32_t n)
{
    return below(&all, n);
}

/* ---- values ---- */

struct choice {
    const char *key;
    const char *values[VALUES];
};

/* clang-format off */
static const struct choice run_choices[] = {
    { "output", { "out", "out/", "-", "s3://b/k" } },
    { "resume", { "yes", "no" } },
    { "format", { "jsonl", "wet", "parquet", "warc", "minhash-sig", "auto" } },
    { "compress", { "gzip", "zstd", "zstd:seekable", "none" } },
    { "index.path", { "index", "" } },
    { "index.edges", { "edges", "" } },
    { "index.bits", { "0", "8", "9", "16", "32", "64" } },
    { "minhash", { "paper", "paper-slots", "none", "datatrove", "modern", "nothing" } },
    { "sign", { "main", "content", "none", "all" } },
    { "strictness", { "balanced", "strict,wide", "0.4", "wide", "strict", "2" } },
    { "language-detector", { "cld2", "fasttext", "none" } },
    { "language-fasttext", { "lid.bin", "" } },
    { "filter.detected", { "de,en", "" } },
    { "filter.min-share", { "0", "0.5" } },
    { "classifier", { "learned", "num-words", "densitometric" } },
    { "filter.page-type", { "article", "" } },
    { "filter.min-quality", { "0", "0.2" } },
    { "isolation", { "none", "process" } },
    { "sites.path", { "sites", "" } },
    { "two-pass", { "yes", "no" } },
    { "robots", { "robots.bin", "" } },
    { "filter.rights", { "tdm", "" } },
    { "emit", { "none", "rights", "html", "structured,links", "links,blocks" } },
    { "redact", { "email", "none", "all" } },
    { "w-max", { "80", "1" } },
};

static const struct choice daemon_choices[] = {
    { "daemon.role", { "pages", "pages", "pages", "pairs" } },
    { "daemon.delivery", { "at-least-once", "exactly-once" } },
    { "daemon.listen", { "none", "9464" } },
    { "endpoint.extract", { "yes", "no", "no" } },
    { "spool.path", { "spool", "" } },
    { "files.path", { "files", "" } },
    { "files.prefix", { "edges", "records" } },
    { "files.edges", { "yes", "no" } },
    { "kafka.brokers", { "b:9092", "b:9092", "" } },
    { "kafka.topics", { "in", "" } },
    { "kafka.records-topic", { "out", "" } },
    { "kafka.bands-topic", { "bands", "" } },
    { "kafka.bands-bits", { "0", "4", "5", "8" } },
    { "kafka.bands-signed", { "yes", "no", "no" } },
    { "kafka.edges-topic", { "edges", "" } },
    { "kafka.progress-topic", { "progress", "" } },
    { "kafka.transactional-id", { "t", "" } },
    { "kafka.key", { "url", "id", "input", "none" } },
    { "kafka.tombstones", { "", "404,410", "null", "410", "", "200,x" } },
    { "kafka.archive-prefixes", { "", "s3://b/ https://a.example/x/", "", "", "s3://b" } },
    { "index.path", { "index", "" } },
    { "minhash", { "paper", "paper-slots", "none" } },
    { "sign", { "main", "none" } },
    { "format", { "jsonl", "parquet", "minhash-sig", "warc" } },
    { "compress", { "gzip", "zstd", "none", "none", "zstd:seekable" } },
};
/* clang-format on */

/* Sets an option to one of its values. Values that the option refuses also count. */
static void set(th_settings *settings, const struct choice *choice)
{
    th_error err = { .text = "" };
    size_t count = 0;
    while (count < VALUES && choice->values[count])
        count++;
    const char *value = choice->values[chance((uint32_t)count)];
    const th_status status = th_settings_set(settings, choice->key, value, &err);
    say("%s = %s: %d %s", choice->key, value, (int)status, err.text);
}

/* Sets one in `seldom` of the options. */
static void set_some(th_settings *settings, const struct choice *choices, size_t count,
                     uint32_t seldom)
{
    for (size_t i = 0; i < count; i++)
        if (chance(seldom) == 0)
            set(settings, &choices[i]);
}

/* ---- checks ---- */

/* An input and an output, so that the check of both ends passes. */
static void set_ends(th_settings *settings)
{
    static const char *const inputs[] = { "spool.path", "kafka.topics" };
    static const char *const outputs[] = { "files.path", "kafka.records-topic" };
    assert_int_equal(th_settings_set(settings, inputs[chance(2)], "in", NULL), TH_OK);
    assert_int_equal(th_settings_set(settings, outputs[chance(2)], "out", NULL), TH_OK);
    assert_int_equal(th_settings_set(settings, "kafka.brokers", "b:1", NULL), TH_OK);
}

/* Sets the options that role pairs needs, except its transactional id. */
static void set_pairs(th_settings *settings)
{
    static const struct choice ends[] = { { "daemon.role", { "pairs" } },
                                          { "kafka.brokers", { "b:1" } },
                                          { "kafka.bands-topic", { "bands" } },
                                          { "kafka.edges-topic", { "edges" } } };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (chance(8))
            set(settings, &ends[i]);
}

static void one_round(uint32_t round)
{
    th_settings settings;
    th_error err = { .text = "" };
    const bool is_daemon = round % 2;
    const uint32_t seldom = 2 + round / 2 % 8;
    all.chance = round * 7919 + 11;
    assert_int_equal(th_settings_init(&settings, NULL), TH_OK);
    say("round %u", round);
    if (is_daemon) {
        const uint32_t ends = chance(8);
        if (ends == 0)
            set_pairs(&settings);
        else if (ends > 1)
            set_ends(&settings);
        set_some(&settings, daemon_choices,
                 sizeof daemon_choices / sizeof *daemon_choices, seldom);
        const bool is_whole = chance(2);
        const th_status status = th_settings_check_daemon(&settings, is_whole, &err);
        say("daemon, whole %d: %d %s", is_whole, (int)status, err.text);
    } else {
        set_some(&settings, run_choices, sizeof run_choices / sizeof *run_choices,
                 seldom);
        const th_status status = th_settings_check(&settings, &err);
        say("run: %d %s, isolated %d", (int)status, err.text,
            th_settings_isolate(&settings));
    }
    th_settings_done(&settings);
}

static void one_digest_for_all(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++)
        one_round(round);
    expect_digest(&all, UINT64_C(0x55F745AFF45E5485));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_digest_for_all) };
    if (!th_kafka_is_built || !th_sandbox_is_built() || !th_remote_library_version())
        return SKIPPED; /* options of a part that is left out are refused */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
