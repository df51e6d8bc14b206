/*
 * A shard of a run. If n processes run, on one machine or many, process i takes the
 * inputs i, i + n, ... Each input is a separate job with its own output, and with a
 * marker next to it when it is done. An input with a marker is not processed again, even
 * if another process made the marker.
 */
#ifndef TH_SHARD_H
#define TH_SHARD_H

#include <stdbool.h>
#include <stdint.h>

#include "app/state.h"
#include "thresher/status.h"

/* Suffix of an output's marker, after its name. The marker is the job's last state. */
#define TH_DONE_SUFFIX ".done"

/** Process `index` of `count`, from 0 on. */
typedef struct th_shard {
    uint32_t index, count;
} th_shard;

/**
 * Reads `--shard`, or the `--part` of a deduplication.
 *   I/N     process I of N, I from 0 on
 *   auto    as the scheduler says: SLURM_ARRAY_TASK_ID, _MIN, _STEP and _COUNT, or
 *           AWS_BATCH_JOB_ARRAY_INDEX and _SIZE
 *   auto/N  its index, of N: also for JOB_COMPLETION_INDEX of Kubernetes
 * @param what  name of the option, for messages
 * @return TH_OK; TH_USAGE
 */
th_status th_shard_read(const char *what, const char *text, th_shard *out, th_error *err);

/**
 * Whether an input has its marker.
 * @param now   the job as it would be done now
 * @param then  out: of the marker
 * @return TH_OK: it is done; TH_ABSENT; TH_USAGE: the marker belongs to another job;
 *         TH_NOMEM
 */
th_status th_done_find(const char *output, const th_job_identity *now, th_state *then,
                       th_error *err);

/** Makes the state of a finished output its marker: at once, or not at all, and durable.
 * TH_OK; TH_IO; TH_NOMEM. */
th_status th_done_mark(const char *output, th_error *err);

#endif
