/*
 * Outputs in a store: `run -O s3://BUCKET/...`. Each is written to a local folder and
 * sent when it is complete. The store never contains a partial output, and --resume works
 * as it does with files.
 */
#ifndef TH_REMOTE_OUTPUT_H
#define TH_REMOTE_OUTPUT_H

#include <stdbool.h>

#include "ingest/input_list.h"
#include "settings/settings.h"

typedef struct th_remote_output {
    th_remote *remote; /* borrowed */
    char *folder;      /* folder of incomplete outputs; NULL: output is local */
} th_remote_output;

/**
 * Prepares for `settings->output`. Does nothing if that is local. Creates the folder,
 * which only its owner may enter: `remote.staging`, or thresher-UID in $TMPDIR, or in
 * /tmp.
 * @return TH_OK; TH_USAGE: https:// or http://, only a bucket, or a folder of another
 *         user; TH_IO; TH_NOMEM
 */
th_status th_remote_output_open(const th_settings *settings, th_remote *remote,
                                th_remote_output *out, th_error *err);

/**
 * Returns the local file of an output: its name and a hash of the complete name, so that
 * the same command finds it again. Freed by the caller; NULL without memory.
 */
char *th_remote_output_path(const th_remote_output *output, const char *name);

/** Refuses an output that is an input. TH_OK; TH_USAGE. */
th_status th_remote_output_check(const char *name, const th_input_list *inputs,
                                 th_error *err);

/**
 * Copies the marker of an output, NAME.done, to PATH.done.
 * @return TH_OK, also if there is no marker, and then no file; TH_NOT_YET; TH_IO;
 *         TH_INTERRUPTED; TH_NOMEM
 */
th_status th_remote_output_find(const th_remote_output *output, const char *name,
                                const char *path, th_error *err);

/**
 * Sends a complete output and its manifest, if any, then its state as the marker. Removes
 * the local copies.
 * @param path  its local file
 * @return TH_OK; TH_NOT_YET: the store does not answer, and the files are kept; TH_IO;
 *         TH_INTERRUPTED; TH_NOMEM
 */
th_status th_remote_output_send(const th_remote_output *output, const char *name,
                                const char *path, bool has_marker, th_error *err);

void th_remote_output_done(th_remote_output *output);

#endif
