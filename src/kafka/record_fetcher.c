/* One record by Range, in a thread. See the header. */
#include "kafka/record_fetcher.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/stoppable_read.h"
#include "ingest/single_record.h"

enum fetch_state { IDLE, WANTED, DONE };

struct th_record_fetcher {
    th_record_fetcher_options options;
    th_remote_options store;
    th_remote *remote;
    atomic_int stop; /* ends the thread and its waits */
    bool is_started;
    pthread_t thread;

    pthread_mutex_t lock; /* all below; of `batch` and `fetched` while the state is WANTED
                           * only the thread knows */
    pthread_cond_t changed;
    enum fetch_state state;
    char *name;
    uint64_t offset, length;
    int64_t done_ms;
    th_fetched fetched;
    th_batch batch; /* one record */

    th_read_limit limit; /* of the present record */
    bool is_cut;         /* the present record ends too early */
};

/* ---- a record, in the thread ---- */

static void on_diag(void *context, const warc_diag *diag)
{
    th_record_fetcher *fetcher = context;
    th_fetched *fetched = &fetcher->fetched;
    fetcher->is_cut |= diag->code == WARC_DIAG_MEMBER_TRUNCATED ||
                       diag->code == WARC_DIAG_HEADER_EOF ||
                       diag->code == WARC_DIAG_TRUNCATED_BLOCK;
    if (fetched->diag_count < TH_FETCHED_DIAGS)
        fetched->diags[fetched->diag_count++] = *diag;
}

/* Returns whether the thread must stop, or has read too far before the record. */
static bool should_pause(void *context)
{
    th_record_fetcher *fetcher = context;
    return th_is_stopped(&fetcher->stop) || th_read_limit_is_passed(&fetcher->limit);
}

static th_status read_record(th_record_fetcher *fetcher, th_batch_builder *builder,
                             const th_archive_place *place, warc_error *error)
{
    const th_batch_builder_options options = {
        .max_record = fetcher->options.max_record,
        .verify_digests = fetcher->options.verify_digests,
        .on_diag = on_diag,
        .diag_context = fetcher,
        .should_pause = should_pause,
        .pause_context = fetcher,
        .remote = fetcher->remote,
    };
    fetcher->is_cut = false;
    th_status status = th_single_record_open(builder, &fetcher->limit, fetcher->name,
                                             place, &options, error);
    if (status == TH_OK)
        status = th_single_record_take(builder, &fetcher->limit, (th_view){ NULL, 0 },
                                       &fetcher->batch, error);
    return status;
}

/* Why there is no record: TH_IO, TH_NOT_YET, TH_NOMEM, TH_PAUSED. */
static th_status judge(th_record_fetcher *fetcher, const th_batch_builder *builder,
                       th_status status, const warc_error *error)
{
    th_fetched *fetched = &fetcher->fetched;
    th_status failure = TH_OK;
    if (builder->object) {
        failure = th_remote_object_failure(builder->object, &fetched->why);
        fetched->retry_after_s = th_remote_object_retry_after(builder->object);
    }
    if (status == TH_NOMEM || status == TH_PAUSED)
        return status;
    if (failure != TH_OK)
        return failure;
    const char *words = status == TH_OK || fetcher->is_cut
                            ? "the record is longer than the requested bytes"
                            : error->text;
    return th_fail(&fetched->why, status == TH_NOT_YET ? TH_NOT_YET : TH_IO,
                   "%.250s: offset %llu: %.200s", fetcher->name,
                   (unsigned long long)fetcher->offset, words);
}

static void fetch(th_record_fetcher *fetcher)
{
    const th_archive_place place = { .name_len = strlen(fetcher->name),
                                     .offset = fetcher->offset,
                                     .length = fetcher->length };
    const int64_t began = th_now_ms();
    th_fetched *fetched = &fetcher->fetched;
    th_batch_builder builder = { .reader = NULL };
    warc_error error = { .text = "" };
    const th_record *record = &fetcher->batch.records[0];
    *fetched = (th_fetched){ .status = TH_OK };
    th_arena_reset(fetcher->batch.arena);
    fetcher->batch.record_count = 0;
    const th_status status = read_record(fetcher, &builder, &place, &error);
    if (status == TH_OK && !(fetcher->is_cut && record->flags & TH_FLAG_WARC_DAMAGED))
        fetched->record = record;
    else
        fetched->status = judge(fetcher, &builder, status, &error);
    fetcher->limit = (th_read_limit){ .reader = NULL };
    th_batch_builder_close(&builder);
    fetched->took_ms = (uint32_t)(th_now_ms() - began);
}

static void *fetch_records(void *context)
{
    th_record_fetcher *fetcher = context;
    (void)pthread_mutex_lock(&fetcher->lock);
    while (!th_is_stopped(&fetcher->stop)) {
        if (fetcher->state != WANTED) {
            (void)pthread_cond_wait(&fetcher->changed, &fetcher->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&fetcher->lock);
        fetch(fetcher);
        (void)pthread_mutex_lock(&fetcher->lock);
        fetcher->state = DONE;
        fetcher->done_ms = th_now_ms();
        (void)pthread_cond_broadcast(&fetcher->changed);
    }
    (void)pthread_mutex_unlock(&fetcher->lock);
    return NULL;
}

/* ---- life ---- */

th_status th_record_fetcher_new(const th_record_fetcher_options *options,
                                th_record_fetcher **out, th_error *err)
{
    th_record_fetcher *fetcher = calloc(1, sizeof *fetcher);
    if (!fetcher)
        return th_fail(err, TH_NOMEM, "cannot allocate a fetcher");
    pthread_condattr_t clock;
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&fetcher->changed, &clock);
    (void)pthread_condattr_destroy(&clock);
    (void)pthread_mutex_init(&fetcher->lock, NULL);
    fetcher->options = *options;
    fetcher->store = *options->store;
    fetcher->store.stop = &fetcher->stop;
    fetcher->batch.arena = th_arena_new(0);
    th_status status = fetcher->batch.arena
                           ? th_remote_new(&fetcher->store, &fetcher->remote, err)
                           : th_fail(err, TH_NOMEM, "cannot allocate a fetcher");
    if (status == TH_OK)
        *out = fetcher;
    else
        th_record_fetcher_free(fetcher);
    return status;
}

void th_record_fetcher_free(th_record_fetcher *fetcher)
{
    if (!fetcher)
        return;
    (void)pthread_mutex_lock(&fetcher->lock);
    atomic_store(&fetcher->stop, 1);
    (void)pthread_cond_broadcast(&fetcher->changed);
    (void)pthread_mutex_unlock(&fetcher->lock);
    if (fetcher->is_started)
        (void)pthread_join(fetcher->thread, NULL);
    th_remote_free(fetcher->remote);
    th_arena_free(fetcher->batch.arena);
    free(fetcher->name);
    (void)pthread_mutex_destroy(&fetcher->lock);
    (void)pthread_cond_destroy(&fetcher->changed);
    free(fetcher);
}

/* ---- requests ---- */

static bool is_asked_for(const th_record_fetcher *fetcher, const char *name,
                         const th_warc_pointer *pointer)
{
    return fetcher->offset == pointer->offset && fetcher->length == pointer->length &&
           strcmp(fetcher->name, name) == 0;
}

static bool start_thread(th_record_fetcher *fetcher)
{
    sigset_t all, before;
    (void)sigfillset(&all); /* signals are for the main thread */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    fetcher->is_started =
        pthread_create(&fetcher->thread, NULL, fetch_records, fetcher) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fetcher->is_started;
}

/* The result of a request that could not be made. */
static const th_fetched *fail(th_record_fetcher *fetcher, th_status status,
                              const char *words)
{
    fetcher->fetched = (th_fetched){ .status = status };
    (void)th_fail(&fetcher->fetched.why, status, "%s", words);
    return &fetcher->fetched;
}

static void wait_for_result(th_record_fetcher *fetcher, int wait_ms)
{
    const int64_t until = th_clock_ns(CLOCK_MONOTONIC) + (int64_t)wait_ms * 1000000;
    const struct timespec time = { (time_t)(until / 1000000000),
                                   (long)(until % 1000000000) };
    while (fetcher->state != DONE &&
           pthread_cond_timedwait(&fetcher->changed, &fetcher->lock, &time) == 0)
        ;
}

static const th_fetched *query_locked(th_record_fetcher *fetcher, const char *name,
                                      const th_warc_pointer *pointer, int wait_ms)
{
    if (fetcher->state == DONE && !is_asked_for(fetcher, name, pointer) &&
        th_now_ms() - fetcher->done_ms > TH_FETCHER_UNCLAIMED_MS)
        fetcher->state = IDLE;
    if (fetcher->state == IDLE) {
        char *copy = strdup(name);
        if (!copy)
            return fail(fetcher, TH_NOMEM, "out of memory");
        free(fetcher->name);
        fetcher->name = copy;
        fetcher->offset = pointer->offset;
        fetcher->length = pointer->length;
        if (!fetcher->is_started && !start_thread(fetcher))
            return fail(fetcher, TH_NOT_YET, "cannot start a thread");
        fetcher->state = WANTED;
        (void)pthread_cond_broadcast(&fetcher->changed);
        wait_for_result(fetcher, wait_ms);
    }
    if (fetcher->state != DONE || !is_asked_for(fetcher, name, pointer))
        return NULL;
    fetcher->state = IDLE;
    return &fetcher->fetched;
}

const th_fetched *th_record_fetcher_query(th_record_fetcher *fetcher, const char *name,
                                          const th_warc_pointer *pointer, int wait_ms)
{
    (void)pthread_mutex_lock(&fetcher->lock);
    const th_fetched *result = query_locked(fetcher, name, pointer, wait_ms);
    (void)pthread_mutex_unlock(&fetcher->lock);
    return result;
}
