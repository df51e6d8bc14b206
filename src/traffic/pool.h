/* Workers of the daemon: batches in, results out in the order of submission. */
#ifndef TH_POOL_H
#define TH_POOL_H

#include "traffic/work.h"

/** A pool. All calls except the workers' own come from one thread. */
typedef struct th_pool th_pool;

/** Statistics of a pool, for metrics and health. */
typedef struct th_pool_stats {
    unsigned workers;
    uint32_t in_flight; /* batches submitted and not yet released */
    uint32_t limit;     /* of them */
    uint64_t in_flight_records;
    double busy_seconds; /* of all workers since the start */
} th_pool_stats;

/**
 * Starts the workers.
 * @param options  borrowed while the pool lives
 * @param workers  1..256
 * @return TH_OK or TH_NOMEM
 */
th_status th_pool_new(const th_work_options *options, unsigned workers, th_pool **out,
                      th_error *err);

/** The options that its workers use. */
const th_work_options *th_pool_options(const th_pool *pool);

/** Waits until each worker has ended its batch, then frees all. NULL is legal. */
void th_pool_free(th_pool *pool);

/** A batch to fill, its arena reset; the same one until it is submitted. NULL: no room.
 */
th_batch *th_pool_batch(th_pool *pool);

/** Hands the batch of th_pool_batch to the workers. */
void th_pool_submit(th_pool *pool);

/**
 * Returns the next result in the order of submission.
 * @param timeout_ms  longest wait
 * @param out         valid until th_pool_release
 * @param err         gets the message of a failure of th_work, if any
 * @return TH_OK or another status of th_work. TH_TIMED_OUT if no result arrives in that
 *         time. TH_NOMEM if the worker had no memory to begin
 */
th_status th_pool_pop(th_pool *pool, int timeout_ms, th_work_result **out, th_error *err);

/** The result that was taken is done with. */
void th_pool_release(th_pool *pool);

/** Batches submitted and not yet released. */
uint32_t th_pool_in_flight(const th_pool *pool);

void th_pool_facts_get(th_pool *pool, th_pool_stats *out);

#endif
