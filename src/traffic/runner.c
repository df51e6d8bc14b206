/*
 * Workers of `run`. They take turns at the source, work independently, and pass results
 * to the sequencer, which commits in input order.
 *
 *     turn at the source ─► batch n ─► pipeline, format ─► sequencer ─► commit n
 *
 * A large result is committed in parts, by its own worker in its turn. The total memory
 * of pages and results is bounded by one budget (budget.h).
 *
 * A near-duplicate, which depends on the records before it, is also looked up there. One
 * lock is held while a batch is read, another while a result is submitted. That is two
 * lock operations for a batch, and none for a record.
 */
#include "traffic/runner.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "traffic/seen_state.h"

/* A batch with buffers for its results. */
struct slot {
    th_batch batch;
    th_work_buffers buffers;
    th_work_result result;
    uint64_t sequence;
    struct slot *next; /* in the list of free slots */
};

struct runner {
    th_source *source;
    const th_run_options *options;
    th_commit commit;
    void *commit_context;
    const atomic_int *stop;
    th_budget *budget;

    pthread_mutex_t read_lock; /* source, and the following four */
    uint64_t next_sequence;
    bool is_dry;
    /* Why the source has no more batches. Batches before this one are committed. */
    th_status read_status;
    th_error read_error;

    pthread_mutex_t order_lock; /* all below */
    pthread_cond_t slot_freed;
    pthread_cond_t turn_come; /* another batch is the next to commit */
    struct slot *slots;       /* slot_count of them */
    uint32_t slot_count;
    struct slot *free_slots;
    struct slot **done; /* ring by sequence: handed in, not yet committed */
    uint64_t next_commit;
    bool is_committing;
    bool has_failed;
    th_status status;
    th_error error;
};

/* Keeps the first failure and wakes waiting threads. Called with order_lock held. */
static void fail_locked(struct runner *runner, th_status status, const th_error *error)
{
    if (!runner->has_failed) {
        runner->has_failed = true;
        runner->status = status;
        runner->error = *error;
        if (!error->text[0])
            (void)th_fail(&runner->error, status, "%s", th_status_text(status));
    }
    pthread_cond_broadcast(&runner->slot_freed);
    pthread_cond_broadcast(&runner->turn_come);
    th_budget_advance(runner->budget, UINT64_MAX); /* wakes threads that wait for
                                                    * memory */
    if (runner->options->work.memory)
        th_site_memory_cancel(runner->options->work.memory); /* and for an epoch */
}

static void fail(struct runner *runner, th_status status, const th_error *error)
{
    pthread_mutex_lock(&runner->order_lock);
    fail_locked(runner, status, error);
    pthread_mutex_unlock(&runner->order_lock);
}

/* A free slot, when there is one; NULL when the run has failed. */
static struct slot *take_slot(struct runner *runner)
{
    pthread_mutex_lock(&runner->order_lock);
    while (!runner->free_slots && !runner->has_failed)
        pthread_cond_wait(&runner->slot_freed, &runner->order_lock);
    struct slot *slot = runner->has_failed ? NULL : runner->free_slots;
    if (slot)
        runner->free_slots = slot->next;
    pthread_mutex_unlock(&runner->order_lock);
    return slot;
}

static void give_back_locked(struct runner *runner, struct slot *slot)
{
    th_work_buffers_release_memory(&slot->buffers, runner->budget);
    slot->next = runner->free_slots;
    runner->free_slots = slot;
    pthread_cond_signal(&runner->slot_freed);
}

static void give_back(struct runner *runner, struct slot *slot)
{
    pthread_mutex_lock(&runner->order_lock);
    give_back_locked(runner, slot);
    pthread_mutex_unlock(&runner->order_lock);
}

/* Reads the next batch into the slot. False when there is nothing more to do. */
static bool read_slot(struct runner *runner, struct slot *slot)
{
    th_error error = { .text = "" };
    th_status status = TH_END;
    th_arena_reset(slot->batch.arena);
    pthread_mutex_lock(&runner->read_lock);
    if (!runner->is_dry && !(runner->stop && atomic_load(runner->stop)))
        status = runner->source->read(runner->source, &slot->batch, &error);
    if (status == TH_OK) {
        slot->sequence = runner->next_sequence++;
        th_seen_state_number(&runner->options->work, &slot->batch);
    } else {
        if (!runner->is_dry && status != TH_END && status != TH_INTERRUPTED) {
            runner->read_status =
                status; /* a requested stop is not a failure: th_run reports it */
            runner->read_error = error;
        }
        runner->is_dry = true;
    }
    pthread_mutex_unlock(&runner->read_lock);
    return status == TH_OK;
}

static th_status commit_result(const struct runner *runner, th_work_result *result,
                               th_error *error)
{
    const th_status status = th_seen_state_settle(result, error);
    return status == TH_OK ? runner->commit(runner->commit_context, result, error)
                           : status;
}

/* A batch in progress, for parts of its result. */
struct turn {
    struct runner *runner;
    const struct slot *slot;
};

/* Commits a part of a batch when all before it is committed. */
static th_status hand_in_part(void *context, th_work_result *part, th_error *err)
{
    const struct turn *turn = context;
    struct runner *runner = turn->runner;
    th_error error = { .text = "" };
    (void)err; /* the run keeps the words */
    pthread_mutex_lock(&runner->order_lock);
    while (!runner->has_failed &&
           (runner->next_commit != turn->slot->sequence || runner->is_committing))
        pthread_cond_wait(&runner->turn_come, &runner->order_lock);
    th_status status = runner->has_failed ? runner->status : TH_OK;
    runner->is_committing = status == TH_OK;
    pthread_mutex_unlock(&runner->order_lock);
    if (status != TH_OK)
        return status;
    status = commit_result(runner, part, &error);
    pthread_mutex_lock(&runner->order_lock);
    runner->is_committing = false;
    if (status != TH_OK)
        fail_locked(runner, status, &error);
    pthread_mutex_unlock(&runner->order_lock);
    return status;
}

/*
 * Submits a finished slot. The thread that submits the next one in order commits it and
 * all that wait after it. Other threads leave theirs and continue.
 */
static void hand_in(struct runner *runner, struct slot *slot)
{
    pthread_mutex_lock(&runner->order_lock);
    runner->done[slot->sequence % runner->slot_count] = slot;
    if (!runner->is_committing) {
        runner->is_committing = true;
        struct slot **place;
        while (!runner->has_failed &&
               *(place = &runner->done[runner->next_commit % runner->slot_count])) {
            struct slot *next = *place;
            *place = NULL;
            runner->next_commit++;
            pthread_mutex_unlock(&runner->order_lock);
            th_error error = { .text = "" };
            const th_status status = commit_result(runner, &next->result, &error);
            pthread_mutex_lock(&runner->order_lock);
            give_back_locked(runner, next);
            th_budget_advance(runner->budget, runner->next_commit);
            if (status != TH_OK)
                fail_locked(runner, status, &error);
        }
        runner->is_committing = false;
        pthread_cond_broadcast(&runner->turn_come);
    }
    pthread_mutex_unlock(&runner->order_lock);
}

static void *worker_main(void *context)
{
    struct runner *runner = context;
    th_worker *worker = th_worker_new(&runner->options->work);
    if (!worker) {
        fail(runner, TH_NOMEM, &(th_error){ .text = "cannot allocate a worker" });
        return NULL;
    }
    struct slot *slot;
    while ((slot = take_slot(runner))) {
        if (!read_slot(runner, slot)) {
            give_back(runner, slot);
            break;
        }
        struct turn turn = { .runner = runner, .slot = slot };
        const th_work_flow flow = { .budget = runner->budget,
                                    .number = slot->sequence,
                                    .hand_in = hand_in_part,
                                    .context = &turn };
        th_error error = { .text = "" };
        const th_status status =
            th_work(worker, &slot->batch, &flow, &slot->buffers, &slot->result, &error);
        if (status != TH_OK) {
            fail(runner, status, &error);
            break;
        }
        hand_in(runner, slot);
    }
    th_worker_free(worker);
    return NULL;
}

static th_status make_slots(struct runner *runner)
{
    runner->slot_count = runner->options->workers * TH_RUN_BATCHES;
    runner->budget = th_work_budget_new(&runner->options->work, runner->options->workers);
    if (!runner->budget)
        return TH_NOMEM;
    runner->slots = calloc(runner->slot_count, sizeof *runner->slots);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers
    runner->done = calloc(runner->slot_count, sizeof *runner->done);
    if (!runner->slots || !runner->done)
        return TH_NOMEM;
    for (uint32_t i = 0; i < runner->slot_count; i++) {
        struct slot *slot = &runner->slots[i];
        slot->batch.arena = th_arena_new(0);
        if (!slot->batch.arena)
            return TH_NOMEM;
        slot->next = runner->free_slots;
        runner->free_slots = slot;
    }
    return TH_OK;
}

static void free_slots(struct runner *runner)
{
    for (uint32_t i = 0; runner->slots && i < runner->slot_count; i++) {
        struct slot *slot = &runner->slots[i];
        th_arena_free(slot->batch.arena);
        th_work_buffers_done(&slot->buffers);
    }
    free(runner->slots);
    free(runner->done);
    th_budget_free(runner->budget);
}

/* Starts the workers and waits for all of them; fewer than asked for will do. */
static th_status run_workers(struct runner *runner)
{
    pthread_t *threads = calloc(runner->options->workers, sizeof *threads);
    if (!threads)
        return TH_NOMEM;
    unsigned started = 0;
    while (started < runner->options->workers &&
           pthread_create(&threads[started], NULL, worker_main, runner) == 0)
        started++;
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return started ? TH_OK : TH_NOMEM;
}

th_status th_run(th_source *source, const th_run_options *options, th_commit commit,
                 void *context, const atomic_int *stop, th_error *err)
{
    struct runner runner = {
        .source = source,
        .options = options,
        .commit = commit,
        .commit_context = context,
        .stop = stop,
        .read_lock = PTHREAD_MUTEX_INITIALIZER,
        .order_lock = PTHREAD_MUTEX_INITIALIZER,
        .slot_freed = PTHREAD_COND_INITIALIZER,
        .turn_come = PTHREAD_COND_INITIALIZER,
    };
    th_status status = make_slots(&runner);
    if (status == TH_OK)
        status = run_workers(&runner);
    if (runner.read_status != TH_OK)
        fail(&runner, runner.read_status, &runner.read_error);
    free_slots(&runner);
    pthread_cond_destroy(&runner.turn_come);
    pthread_cond_destroy(&runner.slot_freed);
    pthread_mutex_destroy(&runner.order_lock);
    pthread_mutex_destroy(&runner.read_lock);
    if (status != TH_OK)
        return th_fail(err, status, "cannot start %u workers", options->workers);
    if (runner.has_failed) {
        if (err)
            *err = runner.error;
        return runner.status;
    }
    return stop && atomic_load(stop) ? th_fail(err, TH_INTERRUPTED, "interrupted")
                                     : TH_OK;
}
