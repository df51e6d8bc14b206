/* What a worker does with a batch: every record down the pipeline, pages formatted. */
#ifndef TH_WORK_H
#define TH_WORK_H

#include "pipeline.h"
#include "traffic/work_result.h"

/** A worker's pipeline; not for two threads at once. */
typedef struct th_worker th_worker;

/** @param options  borrowed while the worker lives. @return NULL without memory */
th_worker *th_worker_new(const th_work_options *options);
void th_worker_free(th_worker *worker);

/** How a batch travels; all NULL for one that travels alone. */
typedef struct th_work_flow {
    th_budget *budget; /* of all workers */
    uint64_t number;   /* of the batch, in input order */
    /**
     * Takes a part of the result when what comes before has been taken, so that a large
     * one is never held whole; may wait for that. The part is used up when it returns.
     * NULL: the result is made whole.
     */
    th_status (*hand_in)(void *context, th_work_result *part, th_error *err);
    void *context;
} th_work_flow;

/**
 * Works on a batch.
 * @param flow     borrowed for the call; what was handed in is not in `result`
 * @param room    gets the bytes that `result` points to
 * @param result  out: valid until the room is used again or freed
 * @return TH_OK; TH_NOMEM; what hand_in said. The caller calls th_work_room_rest when it
 *         is done with the result
 */
th_status th_work(th_worker *worker, const th_batch *batch, const th_work_flow *flow,
                  th_work_room *room, th_work_result *result);

#endif
