/* The identity of a job, which --resume compares before it continues. */
#ifndef TH_JOB_IDENTITY_H
#define TH_JOB_IDENTITY_H

#include "ingest/input_list.h"
#include "settings/settings.h"

/** Returns whether an option changes no byte of an output, or is its name. */
bool th_job_option_is_neutral(const char *key);

/** Digests of all that shapes the output. */
typedef struct th_job_identity {
    uint64_t options; /* of `run`, except options that change no byte: jobs, quiet, ... */
    uint64_t names;   /* of the inputs, in their order */
    uint64_t files;   /* of each input's inode, length and time of last write */
} th_job_identity;

/**
 * Computes the identity of a job as it would be now. Inputs that are not regular files
 * have only a name.
 * @return TH_OK or TH_NOMEM. Costs a stat for each input.
 */
th_status th_job_identify(const th_settings *settings, const th_input_list *inputs,
                          th_job_identity *out);

/**
 * Checks whether a job may continue where another stopped.
 * @param what  the compared file, for the message: the state's path
 * @return TH_OK, or TH_USAGE with the difference in err
 */
th_status th_job_identity_compare(const th_job_identity *then, const th_job_identity *now,
                                  const char *what, th_error *err);

#endif
