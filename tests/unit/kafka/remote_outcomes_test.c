/* src/kafka/remote_archives.c with a fetcher whose results are random: all requests,
 * records, errors and warnings have one digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocation.h"
#include "kafka/record_fetcher.h"
#include "kafka/remote_archives.h"
#include "outcomes.h"
#include "still_clock.h"

enum { ROUNDS = 300, STEPS = 60 };

static struct outcomes all;
static int live; /* fetchers */

#define say(...) note_line(&all, __VA_ARGS__)

static uint32_t chance(uint32_t n)
{
    return below(&all, n);
}

/* ---- the fetcher ---- */

struct th_record_fetcher {
    int number;
    th_fetched fetched;
    th_record record;
    char bytes[256];
};

th_status th_record_fetcher_new(const th_record_fetcher_options *options,
                                th_record_fetcher **out, th_error *err)
{
    static const char *const urls[] = { "http://a.example/in/x", "http://b.example/",
                                        "s3://crawls/web/x", "http://a.example/out" };
    const th_remote_options *store = options->store;
    say("new fetcher: %llu %d", (unsigned long long)options->max_record,
        options->verify_digests);
    say("  %u %u %u %u %u %u %d", store->retries, store->connect_ms, store->stall_ms,
        store->backoff_ms, store->deadline_ms, store->longest_ms, store->parts_only);
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        say("  %s: %d", urls[i], store->may_follow(store->follow_context, urls[i]));
    if (chance(20) == 0)
        return th_fail(err, TH_NOMEM, "no memory for a fetcher");
    *out = malloc(sizeof **out);
    if (!*out)
        return th_fail(err, TH_NOMEM, "no memory");
    (*out)->number = live++;
    return TH_OK;
}

void th_record_fetcher_free(th_record_fetcher *fetcher)
{
    live -= fetcher != NULL;
    free(fetcher);
}

static th_view some_bytes(th_record_fetcher *fetcher)
{
    const uint32_t at = chance(200);
    const uint32_t len = chance(50);
    return chance(4) ? (th_view){ fetcher->bytes + at, len } : (th_view){ NULL, 0 };
}

static void make_record(th_record_fetcher *fetcher)
{
    for (size_t i = 0; i < sizeof fetcher->bytes; i++)
        fetcher->bytes[i] = (char)('a' + chance(26));
    th_record *record = &fetcher->record;
    *record = (th_record){ .kind = TH_RECORD_RESPONSE, .flags = chance(16) };
    th_view *const views[] = { &record->type,         &record->url,
                               &record->id,           &record->date,
                               &record->content_type, &record->ip,
                               &record->truncated,    &record->payload_digest,
                               &record->block,        &record->crawl_languages };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        *views[i] = some_bytes(fetcher);
    record->is_http = chance(2);
    record->block_len = chance(1000);
}

const th_fetched *th_record_fetcher_query(th_record_fetcher *fetcher, const char *name,
                                          const th_warc_pointer *pointer, int wait_ms)
{
    static const th_status results[] = { TH_OK,      TH_OK,      TH_OK,
                                         TH_IO,      TH_NOT_YET, TH_NOT_YET,
                                         TH_NOT_YET, TH_PAUSED,  TH_NOMEM };
    static const uint32_t times[] = { 0, 100, 500, 501, 9000 };
    th_fetched *fetched = &fetcher->fetched;
    say("query %d: %s %llu+%llu within %d", fetcher->number, name,
        (unsigned long long)pointer->offset, (unsigned long long)pointer->length,
        wait_ms);
    still_ms += wait_ms ? chance((uint32_t)wait_ms) : 0;
    if (chance(4) == 0)
        return NULL;
    *fetched = (th_fetched){ .status = results[chance(chance(30) ? 7 : 9)] };
    fetched->took_ms = times[chance(5)];
    fetched->diag_count = chance(3) ? 0 : chance(4);
    for (uint32_t i = 0; i < fetched->diag_count; i++)
        fetched->diags[i] = (warc_diag){ .offset = chance(100) };
    if (fetched->status == TH_NOT_YET && chance(3) == 0)
        fetched->retry_after_s = chance(90);
    if (fetched->status == TH_OK) {
        make_record(fetcher);
        fetched->record = &fetcher->record;
    } else {
        (void)th_fail(&fetched->why, fetched->status, "no record, %u", chance(10));
    }
    return fetched;
}

/* ---- pointers ---- */

static void on_diag(void *context, const warc_diag *diag)
{
    (void)context;
    say("diagnostic at %llu", (unsigned long long)diag->offset);
}

static void take_warning(void *context, const char *line)
{
    (void)context;
    say("warning: %s", line);
}

static void say_record(const th_record *record)
{
    const th_view views[] = { record->type,
                              record->url,
                              record->id,
                              record->date,
                              record->content_type,
                              record->ip,
                              record->truncated,
                              record->payload_digest,
                              record->head,
                              record->block,
                              record->rendered,
                              record->rendered_type,
                              record->crawl_languages,
                              record->original };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        note_view(&all, views[i]);
    say("  %d, %llu bytes, flags %u, http %d", (int)record->kind,
        (unsigned long long)record->block_len, record->flags, record->is_http);
}

static void follow_pointer(th_remote_archives *archives, th_batch *batch)
{
    static const char *const files[] = {
        "http://a.example/in/1.warc",
        "http://a.example/in/2.warc",
        "http://a.example/out/1.warc",
        "http://a.example/in/1.warc?query",
        "s3://crawls/web/a.warc",
        "s3://crawls/web/a?b.warc",
        "s3://other/a.warc",
        "http://b.example/a.warc",
        "a.warc",
        "http://b.example/%2e%2e/a.warc",
    };
    const char *file = files[chance(10)];
    th_warc_pointer pointer = { .file = { file, strlen(file) } };
    th_error why = { .text = "" };
    pointer.offset = chance(1000);
    pointer.length = chance(2) ? chance(1000) : 0;
    batch->record_count = chance(3);
    const uint32_t count = batch->record_count;
    th_record *record = &batch->records[count];
    *record = (th_record){ .flags = 77 };
    fail_allocation(chance(25) ? 0 : 1 + chance(4));
    const th_status status = th_remote_archives_take(archives, &pointer, batch, &why);
    fail_allocation(0);
    say("%s: %d %s, %llu given up", file, (int)status, why.text,
        (unsigned long long)th_remote_archives_given_up(archives));
    assert_int_equal(batch->record_count, count);
    if (status == TH_OK) {
        say_record(record);
        for (size_t i = 0; i < record->block.len; i++) /* it is a copy */
            assert_true(record->block.data[i] >= 'a');
    } else if (status != TH_NOMEM) { /* the place is as it was */
        assert_true(record->flags == 77 && !record->block.data);
    }
}

/* ---- rounds ---- */

static th_remote_options some_store(void)
{
    static const uint32_t times[] = { 0, 1, 300, 1000, 5000, 10000, 60000 };
    th_remote_options store = { .endpoint = "http://127.0.0.1:1",
                                .region = "",
                                .path_style = "auto",
                                .credentials = "none",
                                .ca_file = "" };
    store.retries = chance(4);
    store.backoff_ms = times[chance(7)];
    store.connect_ms = times[chance(7)];
    store.stall_ms = times[chance(7)];
    if (chance(20) == 0)
        store.path_style = "none";
    return store;
}

static void one_round(uint32_t round, th_batch *batch)
{
    static const char *const prefixes[] = {
        "s3://crawls/web/ http://a.example/in/ http://b.example/",
        "http://b.example/ http://a.example/in/ http://a.example/in/1.warc/",
        "",
        "http://a.example/in",
    };
    static const uint32_t waits[] = { 0, 2000, 10000, 300000 };
    th_archive_options options = { .warn = take_warning, .max_record = 1 << 20 };
    th_remote_archives *archives = NULL;
    th_error err = { .text = "" };
    all.chance = round * 7919 + 3;
    const th_remote_options store = some_store();
    options.store = &store;
    options.prefixes = prefixes[chance(8) ? chance(2) : chance(4)];
    options.wait_ms = waits[chance(4)];
    options.verify_digests = chance(2);
    if (chance(3))
        options.on_diag = on_diag;
    fail_allocation(chance(4) ? 0 : 1 + chance(5));
    const th_status status = th_remote_archives_new(&options, &archives, &err);
    fail_allocation(0);
    say("round %u: %d %s", round, (int)status, err.text);
    for (int i = 0; i < STEPS && status == TH_OK; i++) {
        follow_pointer(archives, batch);
        if (chance(3) == 0)
            still_ms += chance(4) ? chance(600) : chance(100000);
        if (chance(10) == 0)
            th_arena_reset(batch->arena);
    }
    if (status == TH_OK)
        th_remote_archives_free(archives);
    assert_int_equal(live, 0);
}

static void one_digest_for_all(void **state)
{
    th_batch *batch = calloc(1, sizeof *batch);
    (void)state;
    assert_non_null(batch);
    batch->arena = th_arena_new(0);
    th_remote_archives_free(NULL);
    for (uint32_t round = 0; round < ROUNDS; round++)
        one_round(round, batch);
    th_arena_free(batch->arena);
    free(batch);
    expect_digest(&all, UINT64_C(0xCB1B34AC6B3AB52D));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_digest_for_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
