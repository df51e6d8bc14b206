/* src/traffic/runner.c: order, sums, stops and failures, for any number of workers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "traffic/runner.h"

/* A source that makes pages up: batch n holds n % 5 records. */
struct made_source {
    th_source base;
    uint32_t batches;
    uint32_t made;
    uint32_t fail_at; /* the read that fails; 0 = none */
};

static th_status read_made(th_source *base, th_batch *batch, th_error *err)
{
    struct made_source *source = (struct made_source *)base;
    if (source->made == source->batches)
        return TH_END;
    if (++source->made == source->fail_at)
        return th_fail(err, TH_NOMEM, "made to fail");
    batch->record_count = source->made % 5;
    for (uint32_t i = 0; i < batch->record_count; i++) {
        char text[256];
        const int len = snprintf(text, sizeof text,
                                 "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
                                 "<p>page %u of batch %u has some words in it</p>",
                                 i, source->made);
        batch->records[i] = (th_record){
            .kind = i == 3 ? TH_RECORD_OTHER : TH_RECORD_RESPONSE,
            .url = TH_VIEW("http://example.org/"),
            .is_http = true,
            .block = th_arena_copy(batch->arena, (th_view){ text, (size_t)len }),
        };
    }
    batch->next.offset = source->made;
    batch->is_last = source->made == source->batches;
    return TH_OK;
}

/* The output, in order. */
struct collected {
    th_buffer pages, rejects;
    th_counts counts;
    uint64_t commits;
    uint64_t fail_at;
    atomic_int *stop;
    uint64_t stop_at;
};

static th_status collect(void *context, const th_work_result *result, th_error *err)
{
    struct collected *collected = context;
    collected->commits++;
    assert_int_equal(result->batch->next.offset, collected->commits);
    th_buffer_append_view(&collected->pages, result->pages);
    th_buffer_append_view(&collected->rejects, result->rejects);
    th_counts_add(&collected->counts, &result->counts);
    if (collected->stop && collected->commits == collected->stop_at)
        atomic_store(collected->stop, 1);
    if (collected->commits == collected->fail_at)
        return th_fail(err, TH_IO, "disk is full");
    return TH_OK;
}

static th_status run(unsigned workers, struct made_source *source,
                     struct collected *collected, th_error *err)
{
    th_options opt;
    th_options_init(&opt);
    const th_run_options options = {
        .work = { .page = &opt,
                  .format = th_format_find("jsonl"),
                  .format_options = { .page = &opt },
                  .wants_rejects = true },
        .workers = workers,
    };
    source->base.read = read_made;
    return th_run(&source->base, &options, collect, collected, collected->stop, err);
}

static void done(struct collected *collected)
{
    th_buffer_done(&collected->pages);
    th_buffer_done(&collected->rejects);
}

static void order_does_not_depend_on_workers(void **state)
{
    (void)state;
    struct collected want = { .commits = 0 };
    struct made_source first = { .batches = 200 };
    assert_int_equal(run(1, &first, &want, NULL), TH_OK);
    assert_int_equal(want.counts.read, 400);
    assert_int_equal(want.counts.emitted, 360);
    assert_int_equal(want.counts.refused[TH_NOT_A_PAGE], 40);
    assert_int_equal(th_counts_refused(&want.counts), 40);
    for (unsigned workers = 2; workers <= 8; workers += 3) {
        struct collected got = { .commits = 0 };
        struct made_source source = { .batches = 200 };
        assert_int_equal(run(workers, &source, &got, NULL), TH_OK);
        assert_int_equal(got.pages.len, want.pages.len);
        assert_memory_equal(got.pages.data, want.pages.data, want.pages.len);
        assert_memory_equal(got.rejects.data, want.rejects.data, want.rejects.len);
        assert_memory_equal(&got.counts, &want.counts, sizeof want.counts);
        done(&got);
    }
    done(&want);
}

static void a_failed_read_ends_the_run(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 4; workers++) {
        struct collected got = { .commits = 0 };
        struct made_source source = { .batches = 100, .fail_at = 50 };
        th_error err;
        assert_int_equal(run(workers, &source, &got, &err), TH_NOMEM);
        assert_string_equal(err.text, "made to fail");
        assert_true(got.commits < 50);
        done(&got);
    }
}

static void a_failed_commit_ends_the_run(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 4; workers++) {
        struct collected got = { .fail_at = 20 };
        struct made_source source = { .batches = 100 };
        th_error err;
        assert_int_equal(run(workers, &source, &got, &err), TH_IO);
        assert_string_equal(err.text, "disk is full");
        assert_int_equal(got.commits, 20);
        done(&got);
    }
}

static void a_stop_commits_what_is_under_way(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 4; workers++) {
        atomic_int stop = 0;
        struct collected got = { .stop = &stop, .stop_at = 10 };
        struct made_source source = { .batches = 1000 };
        assert_int_equal(run(workers, &source, &got, NULL), TH_INTERRUPTED);
        assert_int_equal(got.commits, source.made); /* nothing read is lost */
        assert_true(got.commits < 1000);
        done(&got);
    }
}

static void nothing_to_read_is_no_failure(void **state)
{
    (void)state;
    struct collected got = { .commits = 0 };
    struct made_source source = { .batches = 0 };
    assert_int_equal(run(3, &source, &got, NULL), TH_OK);
    assert_int_equal(got.commits, 0);
    done(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_does_not_depend_on_workers),
        cmocka_unit_test(a_failed_read_ends_the_run),
        cmocka_unit_test(a_failed_commit_ends_the_run),
        cmocka_unit_test(a_stop_commits_what_is_under_way),
        cmocka_unit_test(nothing_to_read_is_no_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
