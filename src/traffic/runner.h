/* Workers of `run`: batches of records in, results out in input order. */
#ifndef TH_RUNNER_H
#define TH_RUNNER_H

#include <stdatomic.h>

#include "ingest/source.h"
#include "traffic/work.h"

/**
 * Takes results in input order, one call at a time, from whichever worker is at hand.
 * A batch may come in parts (is_part), the last of which is no part. Not TH_OK ends the
 * run with that status.
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
 * Reads a source to its end. Each worker reads a batch, works on it and hands it in;
 * there is no reader thread, so one worker is one thread's work and two share reading
 * too. At most TH_RUN_BATCHES of each worker are under way: that is the memory bound and
 * the back-pressure. Where not all threads can be started the run goes on with fewer.
 * @param stop  when it becomes non-zero no further batch is read; those under way are
 *              committed. May be NULL.
 * @return TH_OK; TH_INTERRUPTED after `stop`; or the first failure, with its words in err
 */
th_status th_run(th_source *source, const th_run_options *options, th_commit commit,
                 void *context, const atomic_int *stop, th_error *err);

#endif
