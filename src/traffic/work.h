/* Processes a batch: runs every record through the pipeline, formats pages. */
#ifndef TH_WORK_H
#define TH_WORK_H

#include <stdatomic.h>

#include "pipeline/pipeline.h"
#include "traffic/work_result.h"

/** A worker's pipeline; not for two threads at once. */
typedef struct th_worker th_worker;

/** @param options  borrowed while the worker lives. @return NULL without memory */
th_worker *th_worker_new(const th_work_options *options);
void th_worker_free(th_worker *worker);

/** How a batch travels. All NULL for a single batch. */
typedef struct th_work_flow {
    th_budget *budget; /* of all workers; NULL if memory is not counted */
    uint64_t number;   /* of the batch, in input order */
    uint32_t first;    /* records before it that have been processed; 0 if none */
    /* Gets 1 + the index of each record before the work on it begins; may be NULL. */
    _Atomic uint32_t *under_way;
    /**
     * Takes a part of the result after all earlier parts have been taken, and may wait
     * for that. So a large result is never held completely. The part is consumed on
     * return. NULL: the result is made in one piece.
     */
    th_status (*hand_in)(void *context, th_work_result *part, th_error *err);
    void *context;
} th_work_flow;

/**
 * Works on a batch.
 * @param flow     borrowed for the call; parts that were passed on are not in `result`
 * @param buffers    gets the bytes that `result` points to
 * @param result  out: valid until the room is used again or freed
 * @param err     gets the message of a failure in a worker process; else unchanged
 * @return TH_OK; TH_NOMEM; the status of hand_in; TH_IO if a worker process cannot
 *         continue. The caller calls th_work_buffers_release_memory when it is done with the result
 */
th_status th_work(th_worker *worker, const th_batch *batch, const th_work_flow *flow,
                  th_work_buffers *buffers, th_work_result *result, th_error *err);

/**
 * Workers that replace the calling thread. th_worker_new, th_work and th_worker_free pass
 * their calls on, each worker's from one thread at a time.
 */
typedef struct th_worker_process {
    void *context;
    /** @return NULL without memory */
    void *(*open)(void *context, const th_work_options *options);
    /** As th_work. */
    th_status (*work)(void *worker, const th_batch *batch, const th_work_flow *flow,
                      th_work_buffers *buffers, th_work_result *result, th_error *err);
    void (*close)(void *worker);
} th_worker_process;

#endif
