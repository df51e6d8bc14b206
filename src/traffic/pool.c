/*
 * Workers of the daemon. A ring of slots, each in turn filled, worked on, taken:
 *
 *     released .. taken .. [ done / being worked on ] .. queued .. filling .. free
 *
 * Order costs nothing: a slot's place in the ring is its place in the order.
 */
#include "traffic/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { SLOTS_PER_WORKER = 3 };

struct slot {
    th_batch batch;
    th_work_buffers buffers;
    th_work_result result;
    th_status status;
    th_error error; /* message of the status; may be empty */
    bool is_done;
};

struct th_pool {
    const th_work_options *options;
    pthread_t *threads;
    unsigned started;
    struct slot *slots;
    uint32_t slot_count;
    th_budget *budget;

    pthread_mutex_t lock; /* all below */
    pthread_cond_t queued, done;
    uint64_t submitted, begun, released; /* batches; released <= begun <= submitted */
    uint64_t in_flight_records;
    double busy_seconds;
    bool is_ending;
};

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) +
           (double)(now.tv_nsec - start->tv_nsec) * 1e-9;
}

static struct slot *slot_at(const th_pool *pool, uint64_t number)
{
    return &pool->slots[number % pool->slot_count];
}

/* The next slot to work on; NULL when the pool ends. Called with the lock held. */
static struct slot *next_slot(th_pool *pool)
{
    while (pool->begun == pool->submitted && !pool->is_ending)
        pthread_cond_wait(&pool->queued, &pool->lock);
    return pool->is_ending ? NULL : slot_at(pool, pool->begun++);
}

static void *worker_main(void *context)
{
    th_pool *pool = context;
    th_worker *worker = th_worker_new(pool->options);
    struct slot *slot;
    pthread_mutex_lock(&pool->lock);
    while ((slot = next_slot(pool))) {
        struct timespec start;
        const th_work_flow flow = { .budget = pool->budget, .number = pool->begun - 1 };
        pthread_mutex_unlock(&pool->lock);
        clock_gettime(CLOCK_MONOTONIC, &start);
        slot->error = (th_error){ .text = "" };
        const th_status status =
            worker ? th_work(worker, &slot->batch, &flow, &slot->buffers, &slot->result,
                             &slot->error)
                   : TH_NOMEM;
        const double busy = seconds_since(&start);
        pthread_mutex_lock(&pool->lock);
        slot->status = status;
        slot->is_done = true;
        pool->busy_seconds += busy;
        pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    th_worker_free(worker);
    return NULL;
}

static th_status make_slots(th_pool *pool, unsigned workers)
{
    pool->slot_count = workers * SLOTS_PER_WORKER;
    pool->slots = calloc(pool->slot_count, sizeof *pool->slots);
    pool->threads = calloc(workers, sizeof *pool->threads);
    if (!pool->slots || !pool->threads)
        return TH_NOMEM;
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (!(pool->slots[i].batch.arena = th_arena_new(0)))
            return TH_NOMEM;
    return TH_OK;
}

static th_status start_workers(th_pool *pool, unsigned workers)
{
    while (pool->started < workers &&
           pthread_create(&pool->threads[pool->started], NULL, worker_main, pool) == 0)
        pool->started++;
    return pool->started == workers ? TH_OK : TH_NOMEM;
}

th_status th_pool_new(const th_work_options *options, unsigned workers, th_pool **out,
                      th_error *err)
{
    th_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return th_fail(err, TH_NOMEM, "cannot allocate a pool");
    pool->options = options;
    pool->budget = th_work_budget_new(options, workers);
    if (!pool->budget) {
        free(pool);
        return th_fail(err, TH_NOMEM, "cannot allocate a pool");
    }
    pthread_condattr_t clock;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->queued, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->done, &clock);
    pthread_condattr_destroy(&clock);
    th_status status = make_slots(pool, workers);
    if (status == TH_OK)
        status = start_workers(pool, workers);
    if (status != TH_OK) {
        th_pool_free(pool);
        return th_fail(err, status, "cannot start %u workers", workers);
    }
    *out = pool;
    return TH_OK;
}

void th_pool_free(th_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->is_ending = true;
    if (pool->options->memory && pool->submitted != pool->released)
        th_site_memory_cancel(pool->options->memory);
    th_budget_advance(pool->budget, UINT64_MAX);
    pthread_cond_broadcast(&pool->queued);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->started; i++)
        pthread_join(pool->threads[i], NULL);
    for (uint32_t i = 0; pool->slots && i < pool->slot_count; i++) {
        th_arena_free(pool->slots[i].batch.arena);
        th_work_buffers_done(&pool->slots[i].buffers);
    }
    th_budget_free(pool->budget);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->queued);
    pthread_mutex_destroy(&pool->lock);
    free(pool->threads);
    free(pool->slots);
    free(pool);
}

const th_work_options *th_pool_options(const th_pool *pool)
{
    return pool->options;
}

/* Only the caller's thread changes `submitted` and `released`, so it may read them. */
th_batch *th_pool_batch(th_pool *pool)
{
    if (th_pool_in_flight(pool) == pool->slot_count)
        return NULL;
    th_batch *batch = &slot_at(pool, pool->submitted)->batch;
    th_arena_reset(batch->arena);
    batch->record_count = 0;
    return batch;
}

void th_pool_submit(th_pool *pool)
{
    struct slot *slot = slot_at(pool, pool->submitted);
    slot->is_done = false;
    pthread_mutex_lock(&pool->lock);
    pool->submitted++;
    pool->in_flight_records += slot->batch.record_count;
    pthread_cond_signal(&pool->queued);
    pthread_mutex_unlock(&pool->lock);
}

static struct timespec deadline_in(int ms)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += ms / 1000;
    time.tv_nsec += (long)(ms % 1000) * 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000;
    }
    return time;
}

th_status th_pool_pop(th_pool *pool, int timeout_ms, th_work_result **out, th_error *err)
{
    if (th_pool_in_flight(pool) == 0)
        return TH_TIMED_OUT;
    struct slot *slot = slot_at(pool, pool->released);
    const struct timespec deadline = deadline_in(timeout_ms);
    int waited = 0;
    pthread_mutex_lock(&pool->lock);
    while (!slot->is_done && waited == 0 && timeout_ms > 0)
        waited = pthread_cond_timedwait(&pool->done, &pool->lock, &deadline);
    const bool is_done = slot->is_done;
    const th_status status = slot->status;
    pthread_mutex_unlock(&pool->lock);
    if (!is_done)
        return TH_TIMED_OUT;
    *out = &slot->result;
    return status == TH_OK || !slot->error.text[0]
               ? status
               : th_fail(err, status, "%s", slot->error.text);
}

void th_pool_release(th_pool *pool)
{
    struct slot *slot = slot_at(pool, pool->released);
    th_work_buffers_release_memory(&slot->buffers, pool->budget);
    pthread_mutex_lock(&pool->lock);
    pool->in_flight_records -= slot->batch.record_count;
    pool->released++;
    th_budget_advance(pool->budget, pool->released);
    pthread_mutex_unlock(&pool->lock);
}

uint32_t th_pool_in_flight(const th_pool *pool)
{
    return (uint32_t)(pool->submitted - pool->released);
}

void th_pool_facts_get(th_pool *pool, th_pool_stats *out)
{
    pthread_mutex_lock(&pool->lock);
    *out = (th_pool_stats){ .workers = pool->started,
                            .in_flight = th_pool_in_flight(pool),
                            .limit = pool->slot_count,
                            .in_flight_records = pool->in_flight_records,
                            .busy_seconds = pool->busy_seconds };
    pthread_mutex_unlock(&pool->lock);
}
