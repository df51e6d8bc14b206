/* Which job it is: what --resume compares before it goes on. */
#ifndef TH_JOB_IDENTITY_H
#define TH_JOB_IDENTITY_H

#include "ingest/input_list.h"
#include "settings/settings.h"

/** Digests of all that shapes the output. */
typedef struct th_job_identity {
    uint64_t options; /* of `run`, but those that change no byte: jobs, quiet, ... */
    uint64_t names;   /* of the inputs, in their order */
    uint64_t files;   /* of each input's inode, length and time of last write */
} th_job_identity;

/**
 * The identity of a job as it would be now. Inputs that are no regular files have a name
 * only.
 * @return TH_OK or TH_NOMEM. Costs a stat for each input.
 */
th_status th_job_identify(const th_settings *settings, const th_input_list *inputs,
                          th_job_identity *out);

/**
 * Whether a job may go on where another stopped.
 * @param what  what is compared, for the message: the state's path
 * @return TH_OK, or TH_USAGE with what differs in err
 */
th_status th_job_identity_compare(const th_job_identity *then, const th_job_identity *now,
                                  const char *what, th_error *err);

#endif
