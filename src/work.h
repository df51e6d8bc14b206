/* What a worker does with a batch: every record down the pipeline, pages formatted. */
#ifndef TH_WORK_H
#define TH_WORK_H

#include "pipeline.h"
#include "work_result.h"

/** A worker's pipeline; not for two threads at once. */
typedef struct th_worker th_worker;

/** @param options  borrowed while the worker lives. @return NULL without memory */
th_worker *th_worker_new(const th_work_options *options);
void th_worker_free(th_worker *worker);

/**
 * Works on a batch.
 * @param room    gets the bytes that `result` points to
 * @param result  out: valid until the room is used again or freed
 * @return TH_OK or TH_NOMEM
 */
th_status th_work(th_worker *worker, const th_batch *batch, th_work_room *room,
                  th_work_result *result);

#endif
