/* src/kafka/record_fetcher.c over records and failures by chance: all requests, results
 * and waits have one digest. The fetcher's thread is real. It fetches only when the test
 * opens a gate, so the order of all events is known. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocation.h"
#include "ingest/single_record.h"
#include "kafka/record_fetcher.h"
#include "outcomes.h"
#include "still_clock.h"

enum { ROUNDS = 200, STEPS = 40 };

static struct outcomes all; /* of the thread that has work: the other one waits */
static int live;            /* batch builders, and stores */

/* The thread posts `begun` when it begins to fetch. `gate` lets it fetch. `idle` counts its waits for a request: when the test has
 * taken the lock after one, the thread has published its result. */
static sem_t begun, gate, idle;
static bool is_pending; /* a fetch that the last request for it did not wait for */

#define say(...) note_line(&all, __VA_ARGS__)

static uint32_t chance(uint32_t n)
{
    return below(&all, n);
}

static void wait_for(sem_t *sem)
{
    while (sem_wait(sem) != 0)
        assert_int_equal(errno, EINTR);
}

static void post(sem_t *sem)
{
    assert_int_equal(sem_post(sem), 0);
}

/* Lets the thread fetch the record that is wanted. */
static void end_fetch(void)
{
    while (sem_trywait(&idle) == 0)
        ; /* waits before the request */
    post(&gate);
    wait_for(&idle);
}

/* ---- threads ---- */

/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's */
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *context);
int __real_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                  const struct timespec *until);

int __wrap_pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock);

int __wrap_pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock)
{
    (void)attributes;
    say("clock %d", clock == CLOCK_MONOTONIC);
    return 0;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *context)
{
    if (chance(4) == 0)
        return EAGAIN;
    return __real_pthread_create(thread, attributes, run, context);
}

/* The thread waits for a request. */
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
    post(&idle);
    return __real_pthread_cond_wait(condition, lock);
}

/* The test waits for a result: the fetch ends in this time, or not. */
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                  const struct timespec *until)
{
    const int64_t end_ms = (int64_t)until->tv_sec * 1000 + until->tv_nsec / 1000000;
    (void)condition;
    say("wait of %lld ms, %ld", (long long)(end_ms - still_ms), until->tv_nsec);
    if (end_ms > still_ms && chance(4) == 0)
        return 0; /* woken without a reason */
    if (end_ms <= still_ms || chance(3) == 0) {
        (void)pthread_mutex_unlock(lock);
        wait_for(&begun);
        (void)pthread_mutex_lock(lock);
        still_ms = end_ms;
        is_pending = true;
        return ETIMEDOUT;
    }
    (void)pthread_mutex_unlock(lock);
    wait_for(&begun);
    end_fetch();
    (void)pthread_mutex_lock(lock);
    return 0;
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- the store ---- */

static char remote; /* its address is the store's, and the object's */

th_status th_remote_new(const th_remote_options *options, th_remote **out, th_error *err)
{
    say("new store: %u, stops: %d", options->retries, options->stop != NULL);
    if (chance(20) == 0)
        return th_fail(err, TH_USAGE, "no such store");
    live++;
    *out = (th_remote *)(void *)&remote;
    return TH_OK;
}

void th_remote_free(th_remote *store)
{
    live -= store != NULL;
}

th_status th_remote_object_failure(const th_remote_object *object, th_error *err)
{
    static const th_status results[] = { TH_OK, TH_IO, TH_NOT_YET };
    assert_ptr_equal((const void *)object, &remote);
    const th_status status = results[chance(3)];
    if (status != TH_OK)
        (void)th_fail(err, status, "the object fails");
    return status;
}

uint32_t th_remote_object_retry_after(const th_remote_object *object)
{
    assert_ptr_equal((const void *)object, &remote);
    return chance(2) ? chance(100) : 0;
}

bool th_read_limit_is_passed(void *limit)
{
    return ((const th_read_limit *)limit)->max == 7;
}

/* Waits until the test lets it fetch, or the fetcher must end. */
static bool may_fetch(const th_batch_builder_options *options)
{
    while (sem_trywait(&gate) != 0) {
        if (options->should_pause(options->pause_context))
            return false;
        (void)sched_yield();
    }
    return true;
}

static void give_diags(const th_batch_builder_options *options)
{
    static const warc_diag_code codes[] = { WARC_DIAG_MEMBER_TRUNCATED,
                                            WARC_DIAG_HEADER_EOF,
                                            WARC_DIAG_TRUNCATED_BLOCK,
                                            WARC_DIAG_MEMBER_DAMAGED };
    for (uint32_t i = chance(2) ? 0 : chance(chance(4) ? 3 : 20); i; i--) {
        const uint32_t code = chance(chance(2) ? 4 : 1);
        options->on_diag(options->diag_context,
                         &(warc_diag){ .code = codes[3 - code], .offset = i });
    }
}

static th_status some_result(warc_error *error)
{
    static const th_status results[] = { TH_OK, TH_OK,      TH_OK,    TH_OK,
                                         TH_IO, TH_NOT_YET, TH_NOMEM, TH_PAUSED };
    const th_status status = results[chance(8)];
    if (status != TH_OK && error)
        (void)snprintf(error->text, sizeof error->text, "no record here, %u", chance(9));
    return status;
}

th_status th_single_record_open(th_batch_builder *builder, th_read_limit *limit,
                                const char *archive, const th_archive_place *place,
                                const th_batch_builder_options *options,
                                warc_error *error)
{
    sigset_t blocked;
    live++;
    post(&begun);
    if (!may_fetch(options))
        return TH_PAUSED;
    say("open %s (%zu) at %llu+%llu: %llu, %d, store %d, limit %d", archive,
        place->name_len, (unsigned long long)place->offset,
        (unsigned long long)place->length, (unsigned long long)options->max_record,
        options->verify_digests, (void *)options->remote == (void *)&remote,
        limit->reader != NULL);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert_true(sigismember(&blocked, SIGTERM)); /* signals are for the main thread */
    limit->reader = (const warc_reader *)(const void *)&remote;
    limit->max = 7;
    say("  pauses: %d", options->should_pause(options->pause_context));
    limit->max = 8;
    say("  pauses: %d", options->should_pause(options->pause_context));
    builder->object = chance(2) ? (th_remote_object *)(void *)&remote : NULL;
    give_diags(options);
    still_ms += chance(3000);
    return some_result(error);
}

th_status th_single_record_take(th_batch_builder *builder, th_read_limit *limit,
                                th_view name, th_batch *batch, warc_error *error)
{
    (void)builder;
    say("take '%s', limit %d, %u records", name.data ? "name" : "", limit->reader != NULL,
        batch->record_count);
    th_record *record = &batch->records[batch->record_count++];
    *record = (th_record){ .block = TH_VIEW("<p>page") };
    record->flags = chance(2) ? TH_FLAG_WARC_DAMAGED : 0;
    record->block_len = chance(1000);
    return some_result(error);
}

void th_batch_builder_close(th_batch_builder *builder)
{
    (void)builder;
    live--;
}

/* ---- requests ---- */

static void say_result(const th_fetched *fetched)
{
    say("result %d '%s', after %u ms, later %u, %u diagnostics", (int)fetched->status,
        fetched->why.text, fetched->took_ms, fetched->retry_after_s, fetched->diag_count);
    for (uint32_t i = 0; i < fetched->diag_count; i++)
        say("  %d at %llu", (int)fetched->diags[i].code,
            (unsigned long long)fetched->diags[i].offset);
    if (fetched->record)
        say("  record of %llu bytes, flags %u",
            (unsigned long long)fetched->record->block_len, fetched->record->flags);
}

static void query(th_record_fetcher *fetcher)
{
    static const char *const archives[] = { "http://a.example/1.warc", "s3://b/2.warc" };
    static const int waits[] = { 0, 0, 500, 1700 };
    th_warc_pointer pointer = { .offset = 100 };
    const char *name = archives[chance(5) == 0];
    const int wait_ms = waits[chance(4)];
    pointer.offset += chance(5) == 0;
    pointer.length = chance(5) == 0;
    const th_fetched *fetched = th_record_fetcher_query(fetcher, name, &pointer, wait_ms);
    say("query %s %llu+%llu: %d", name, (unsigned long long)pointer.offset,
        (unsigned long long)pointer.length, fetched != NULL);
    if (fetched)
        say_result(fetched);
}

static void one_round(uint32_t round)
{
    const th_remote_options store = { .retries = round };
    th_record_fetcher_options options = { .store = &store };
    th_record_fetcher *fetcher = NULL;
    th_error err = { .text = "" };
    is_pending = false;
    all.chance = round * 7919 + 3;
    assert_int_equal(sem_init(&begun, 0, 0), 0);
    assert_int_equal(sem_init(&gate, 0, 0), 0);
    assert_int_equal(sem_init(&idle, 0, 0), 0);
    options.max_record = chance(1000);
    options.verify_digests = chance(2);
    fail_allocation(chance(4) ? 0 : 1 + chance(3));
    const th_status status = th_record_fetcher_new(&options, &fetcher, &err);
    fail_allocation(0);
    say("round %u: %d %s", round, (int)status, err.text);
    for (int i = 0; i < STEPS && status == TH_OK; i++) {
        query(fetcher);
        if (is_pending && chance(2)) {
            is_pending = false;
            end_fetch();
        }
        if (chance(4) == 0)
            still_ms += chance(7000);
    }
    if (status == TH_OK)
        th_record_fetcher_free(fetcher);
    assert_int_equal(live, 0);
    (void)sem_destroy(&begun);
    (void)sem_destroy(&gate);
    (void)sem_destroy(&idle);
}

static void one_digest_for_all(void **state)
{
    sigset_t blocked;
    (void)state;
    th_record_fetcher_free(NULL);
    for (uint32_t round = 0; round < ROUNDS; round++)
        one_round(round);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert_false(sigismember(&blocked, SIGTERM));
    expect_digest(&all, UINT64_C(0x0E35A8BE6FAED531));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_digest_for_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
