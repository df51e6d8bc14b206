/*
 * The state of a run, on disk, which --resume needs to continue with identical output. It
 * stays next to a finished output and contains how that was made and how it ended.
 */
#ifndef TH_STATE_H
#define TH_STATE_H

#include <stdbool.h>

#include "app/job_identity.h"
#include "ingest/source.h"
#include "traffic/runner.h"

/** Name of the state of a run with one output per input, in the folder of the outputs. */
#define TH_FOLDER_STATE "thresher.state"

/** Outputs next to the pages, one file each for all inputs. */
enum { TH_SIDE_REJECTS, TH_SIDE_EDGES, TH_SIDE_ASIDE, TH_SIDES };

/** A run's state after a committed batch. */
typedef struct th_state {
    th_job_identity job;
    th_checkpoint next; /* input == number of inputs: all is read */
    /* Bytes of the outputs before that, if each input has its own. */
    uint64_t done_len;
    uint64_t pages_len; /* of the current output, or of the only one */
    uint64_t side_len[TH_SIDES];
    /* Sums of the last bytes of all these before that length: th_file_sink_sum. */
    uint64_t pages_sum, side_sum[TH_SIDES];
    uint64_t index_mark; /* of the index; 0 if there is no index */
    th_source_counts source;
    th_counts counts;
} th_state;

/**
 * Writes the state whole, replacing an older one. The output that it describes must
 * be durable already.
 * @return TH_OK, TH_IO, TH_NOMEM
 */
th_status th_state_save(const th_state *state, const char *path, th_error *err);

/**
 * Reads a state and verifies its checksum.
 * @param found  out: false when there is no such file
 * @return TH_OK; TH_USAGE: the file is not a state that this version wrote, or one of its
 *         bytes is wrong; TH_IO: it cannot be read; TH_NOMEM
 */
th_status th_state_load(th_state *state, const char *path, bool *found, th_error *err);

#endif
