/* Workers of `run`: batches of records in, results out in input order. */
#ifndef TH_RUNNER_H
#define TH_RUNNER_H

#include <stdatomic.h>

#include "ingest/source.h"
#include "traffic/work.h"

/**
 * Consumes results in input order, one call at a time, from any worker. A batch may come
 * in parts (is_part). Its last result does not have is_part. A status that is not TH_OK
 * ends the run with that status.
 */
typedef th_status (*th_commit)(void *context, const th_work_result *result,
                               th_error *err);

/* Batches of each worker that are read, worked on or wait for their turn. */
enum { TH_RUN_BATCHES = 2 };

typedef struct th_run_options {
    th_work_options work;
    unsigned workers; /* 1..256 */
} th_run_options;

/**
 * Reads a source until it ends. Each worker reads a batch, works on it and submits it.
 * There is no reader thread, so one worker uses one thread, and two workers also share
 * the reading. At most TH_RUN_BATCHES batches of each worker are in flight, which bounds
 * the memory and is the back-pressure. If some threads cannot be started, the run
 * continues with fewer.
 * @param stop  when it becomes non-zero, no further batch is read, and batches in flight
 *              are committed. May be NULL.
 * @return TH_OK; TH_INTERRUPTED after `stop`; or the first failure, with its message in
 *         err
 */
th_status th_run(th_source *source, const th_run_options *options, th_commit commit,
                 void *context, const atomic_int *stop, th_error *err);

#endif
