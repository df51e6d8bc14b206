/*
 * The daemon's traffic, one thread:
 *
 *     source ─ poll ─► pool ─ take ─► sink.put ─ ...
 *     source.commit token ─► sink.flush ─► source.acknowledge ─► sink.conclude
 *
 * Results are staged and made durable together, every flush_ms or when there are many.
 * Nothing is acknowledged before. The source is polled in every turn, because a consumer
 * that does not poll is removed from its group.
 */
#include "traffic/serve.h"

#include <assert.h>

#include "base/clock.h"
#include "traffic/commit.h"
#include "traffic/seen_state.h"

enum {
    IDLE_MS = 50,    /* longest wait for input when no batch is in flight */
    BUSY_MS = 5,     /* the same when workers have something */
    BLOCKED_MS = 200 /* between two tries of a blocked flush */
};

struct serve {
    th_stream_source *source;
    th_stream_sink *sink;
    const th_serve_options *options;
    const th_serve_hooks *hooks;
    const th_work_options *next_work; /* waits for the pool to run empty */
    th_pool *pool;
    th_seen_state seen;
    uint32_t epoch;   /* of the staged results */
    th_counts staged; /* put, not yet durable */
    uint64_t staged_bytes;
    int64_t staged_since; /* ms, of the oldest */
    int64_t retry_at;     /* ms, when blocked */
    int64_t stop_at;      /* ms, when draining: the latest end */
    bool has_begun;       /* the sink has recovered */
    th_status settled;    /* how the last settling for the source ended, */
    th_error why;         /* and why so: the source does not pass it on */
    th_serve_stats facts;
};

/* ---- flush ---- */

static void forget_staged(struct serve *serve)
{
    serve->staged = (th_counts){ 0 };
    serve->staged_bytes = 0;
}

/* Subtracts returned records that will be repeated. */
static void make_void(struct serve *serve, uint64_t records)
{
    serve->facts.received -= records;
    serve->facts.voided += records;
}

static bool has_staged(const struct serve *serve)
{
    return serve->staged.read > 0;
}

/*
 * Flushes the output and the index together. The index is made durable first, under a
 * mark that travels with the output, and counts when the output counts. A disk that is
 * full for one is full for the other: try again.
 */
static th_status flush_all(struct serve *serve, th_error *err)
{
    const th_seen_state *seen = &serve->seen;
    uint64_t mark = 0;
    th_status status = th_seen_state_prepare(seen, &mark, err);
    if (status == TH_NO_ROOM)
        return TH_BLOCKED;
    if (status != TH_OK)
        return status;
    status = th_commit(serve->source, serve->sink, mark, err);
    if (status == TH_OK)
        th_seen_state_commit(seen);
    if (status == TH_ABORTED) {
        const th_status rewound = th_seen_state_rewind(seen, 0, err);
        status = rewound == TH_OK ? TH_ABORTED : rewound;
    }
    return status;
}

static th_status flush(struct serve *serve, th_error *err)
{
    th_status status = flush_all(serve, err);
    serve->facts.is_blocked = status == TH_BLOCKED;
    if (status == TH_OK) {
        th_counts_add(&serve->facts.counts, &serve->staged);
        serve->facts.flushes++;
        forget_staged(serve);
    } else if (status == TH_ABORTED) {
        make_void(serve, serve->staged.read);
        serve->facts.aborts++;
        forget_staged(serve);
        status = TH_OK;
    } else if (status == TH_BLOCKED) {
        serve->retry_at = th_now_ms() + BLOCKED_MS;
        status = TH_OK;
    }
    return status;
}

static bool is_flush_due(const struct serve *serve)
{
    const th_serve_options *options = serve->options;
    if (!has_staged(serve))
        return false;
    if (serve->facts.is_blocked)
        return th_now_ms() >= serve->retry_at;
    const bool is_last = serve->facts.is_draining && th_pool_in_flight(serve->pool) == 0;
    return is_last || serve->staged.read >= options->flush_results ||
           serve->staged_bytes >= options->flush_bytes ||
           th_now_ms() - serve->staged_since >= options->flush_ms;
}

/* ---- results ---- */

/*
 * Drops staged results of an older epoch. They are void, and will be repeated. Neither
 * the index nor the output contains them.
 */
static th_status forget_void(struct serve *serve, th_error *err)
{
    const uint32_t epoch = serve->source->verbs->epoch(serve->source);
    const bool is_void = epoch != serve->epoch && has_staged(serve);
    const bool is_new = epoch != serve->epoch;
    serve->epoch = epoch;
    if (!is_void)
        return is_new ? th_seen_state_drop(&serve->seen, false, err) : TH_OK;
    make_void(serve, serve->staged.read);
    forget_staged(serve);
    serve->sink->verbs->drop(serve->sink);
    serve->facts.is_blocked = false;
    return th_seen_state_drop(&serve->seen, true, err);
}

static th_status put(struct serve *serve, th_work_result *result, th_error *err)
{
    if (result->batch->epoch != serve->source->verbs->epoch(serve->source)) {
        make_void(serve, result->batch->record_count);
        return TH_OK;
    }
    th_status status = th_seen_state_settle(result, err);
    if (status == TH_OK)
        status = serve->sink->verbs->put(serve->sink, result, err);
    if (status != TH_OK)
        return status;
    serve->source->verbs->done(serve->source, result->batch);
    if (!has_staged(serve))
        serve->staged_since = th_now_ms();
    th_counts_add(&serve->staged, &result->counts);
    serve->staged_bytes += result->pages.len + result->rejects.len;
    return TH_OK;
}

/* Takes the available results. Waits for the first one at most `timeout_ms`. */
static th_status take_results(struct serve *serve, int timeout_ms, th_error *err)
{
    th_status status = TH_OK;
    while (status == TH_OK && !serve->facts.is_blocked) {
        th_work_result *result = NULL;
        status = th_pool_pop(serve->pool, timeout_ms, &result, err);
        if (status == TH_OK) {
            status = put(serve, result, err);
            th_pool_release(serve->pool);
        } else if (status == TH_NOMEM) {
            (void)th_fail(err, status, "a worker is out of memory");
        }
        if (status == TH_OK && is_flush_due(serve))
            status = flush(serve, err);
        timeout_ms = 0;
    }
    return status == TH_TIMED_OUT ? TH_OK : status;
}

/*
 * Finishes the work in flight, within `limit_ms`: before partitions are revoked, before
 * the workers change, and at the end. TH_OK also when time ran out. Then unfinished work
 * is void or waits.
 */
static th_status settle(struct serve *serve, int limit_ms, th_error *err)
{
    const int64_t deadline = th_now_ms() + limit_ms;
    th_status status = TH_OK;
    while (status == TH_OK && th_pool_in_flight(serve->pool) && th_now_ms() < deadline &&
           !serve->facts.is_blocked)
        status = take_results(serve, BUSY_MS, err);
    return status == TH_OK && has_staged(serve) ? flush(serve, err) : status;
}

static th_status settle_for_source(void *context, int limit_ms)
{
    struct serve *serve = context;
    serve->settled = settle(serve, limit_ms, &serve->why);
    return serve->settled;
}

/* ---- input ---- */

/* While it was polled the source may have settled, and have begun a new epoch. */
static th_status follow_source(struct serve *serve, th_error *err)
{
    if (serve->settled == TH_OK)
        return forget_void(serve, err);
    if (err)
        *err = serve->why;
    return serve->settled;
}

static th_status read_batch(struct serve *serve, th_error *err)
{
    const bool is_busy = th_pool_in_flight(serve->pool) > 0 || has_staged(serve);
    const bool may_read =
        !serve->facts.is_draining && !serve->facts.is_blocked && !serve->next_work;
    th_batch *batch = may_read ? th_pool_batch(serve->pool) : NULL;
    const int timeout_ms = !batch ? 0 : is_busy ? BUSY_MS : IDLE_MS;
    th_status status =
        serve->source->verbs->poll(serve->source, batch != NULL, timeout_ms, batch, err);
    const bool has_batch = status == TH_OK;
    if (status == TH_OK || status == TH_NOT_YET)
        status =
            follow_source(serve, err); /* first, because a batch gets its numbers after
                                        * it */
    if (has_batch && status == TH_OK) {
        assert(batch); /* no batch is returned if reading is not allowed */
        serve->facts.received += batch->record_count;
        th_seen_state_number(th_pool_options(serve->pool), batch);
        th_pool_submit(serve->pool);
    }
    return status;
}

/* New options take hold when the old workers have nothing left. */
static th_status change_workers(struct serve *serve, th_error *err)
{
    if (!serve->next_work)
        serve->next_work = serve->hooks->reload(serve->hooks->context);
    if (!serve->next_work || th_pool_in_flight(serve->pool))
        return TH_OK;
    th_pool_free(serve->pool);
    serve->pool = NULL;
    const th_status status =
        th_pool_new(serve->next_work, serve->options->workers, &serve->pool, err);
    serve->next_work = NULL;
    return status;
}

static void observe(struct serve *serve)
{
    th_serve_stats *facts = &serve->facts;
    th_pool_facts_get(serve->pool, &facts->pool);
    serve->source->verbs->facts(serve->source, &facts->source);
    serve->sink->verbs->facts(serve->sink, &facts->sink);
    /* The recovery of the sink may have scanned the spool already. */
    facts->source.is_assigned = facts->source.is_assigned && serve->has_begun;
    facts->has_index = serve->seen.index != NULL;
    if (serve->seen.index)
        th_index_facts_get(serve->seen.index, &facts->index);
    facts->has_sites = serve->seen.sites != NULL;
    if (serve->seen.sites)
        th_site_memory_facts_get(serve->seen.sites, &facts->sites);
    facts->in_flight = facts->pool.in_flight_records + serve->staged.read;
    serve->hooks->observe(serve->hooks->context, facts);
}

static void look_for_stop(struct serve *serve)
{
    if (serve->facts.is_draining || !serve->hooks->should_stop(serve->hooks->context))
        return;
    serve->facts.is_draining = true;
    serve->stop_at = th_now_ms() + serve->options->drain_ms;
}

/*
 * Source and sink call it before each of their waits. It detects a stop, and reports
 * the reason of the wait to observers.
 */
static int64_t remaining_ms(void *context)
{
    struct serve *serve = context;
    look_for_stop(serve);
    if (serve->pool)
        observe(serve);
    if (!serve->facts.is_draining)
        return INT64_MAX;
    const int64_t left = serve->has_begun ? serve->stop_at - th_now_ms() : 0;
    return left > 0 ? left : 0;
}

/* Records that were read and are not durable. */
static uint64_t unsettled(const struct serve *serve)
{
    th_pool_stats pool = { 0 };
    if (serve->pool)
        th_pool_facts_get(serve->pool, &pool);
    return pool.in_flight_records + serve->staged.read;
}

static bool is_over(const struct serve *serve)
{
    if (!serve->facts.is_draining)
        return false;
    const bool is_empty = th_pool_in_flight(serve->pool) == 0 && !has_staged(serve);
    return is_empty || th_now_ms() >= serve->stop_at;
}

/* Told to stop: was there time for all? */
static th_status judge_end(struct serve *serve, th_error *err)
{
    th_sink_stats sink;
    const uint64_t records = unsettled(serve);
    if (!records)
        return TH_OK;
    serve->sink->verbs->facts(serve->sink, &sink);
    return th_fail(err, TH_TIMED_OUT,
                   "stopping: %llu records were not completed in %u ms. They are not "
                   "acknowledged and are read again%s%s",
                   (unsigned long long)records, serve->options->drain_ms,
                   sink.unready[0] ? ": " : "", sink.unready);
}

static th_status turn(struct serve *serve, th_error *err)
{
    look_for_stop(serve);
    serve->sink->verbs->tick(serve->sink);
    th_status status = change_workers(serve, err);
    if (status == TH_OK)
        status = read_batch(serve, err);
    if (status == TH_OK) {
        /* No free batch, or draining: wait for results. */
        const bool is_full = !th_pool_batch(serve->pool) || serve->facts.is_draining;
        status = take_results(serve, is_full ? BUSY_MS : 0, err);
    }
    if (status == TH_OK && is_flush_due(serve))
        status = flush(serve, err);
    return status;
}

static bool is_mark_known(const void *context, uint64_t mark)
{
    return th_seen_state_know(context, mark);
}

/*
 * Returns the index to the position of the output, or to the last commit if the output
 * has no mark. Entries that no longer count must not answer. A new index is filled again.
 */
static th_status take_up(struct serve *serve, th_error *err)
{
    return th_seen_state_take_up(&serve->seen, serve->sink->mark, err);
}

th_status th_serve(th_stream_source *source, th_stream_sink *sink,
                   const th_work_options *work, const th_serve_options *options,
                   const th_serve_hooks *hooks, th_error *err)
{
    struct serve serve = { .source = source,
                           .sink = sink,
                           .options = options,
                           .hooks = hooks,
                           .seen = { work->index, work->memory } };
    th_status status = th_pool_new(work, options->workers, &serve.pool, err);
    if (status != TH_OK)
        return status;
    source->settle = settle_for_source;
    source->settle_context = &serve;
    source->deadline = sink->deadline = (th_deadline){ remaining_ms, &serve };
    if (th_seen_state_is_used(&serve.seen)) {
        sink->knows_mark = is_mark_known;
        sink->mark_context = &serve.seen;
    }
    status = sink->verbs->recover(sink, source, err);
    if (status == TH_OK)
        status = take_up(&serve, err);
    serve.has_begun = true;
    while (status == TH_OK && !is_over(&serve)) {
        status = turn(&serve, err);
        if (serve.pool)
            observe(&serve);
    }
    if (status == TH_INTERRUPTED && serve.facts.is_draining)
        status = TH_OK; /* within recover, when no batch has been read */
    else if (status == TH_OK)
        status = judge_end(&serve, err);
    source->deadline = sink->deadline = (th_deadline){ 0 };
    th_pool_free(serve.pool);
    return status;
}
