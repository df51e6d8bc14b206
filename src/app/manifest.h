/*
 * The manifest of a run's output: a JSON file next to it that states how it was made. It
 * has the version, the checksums of the models, the options that differ from their
 * defaults, the inputs and outputs with their SHA-256, and the counts. It contains no
 * time, no host and no user, so the same run writes the same manifest.
 */
#ifndef TH_MANIFEST_H
#define TH_MANIFEST_H

#include "app/progress_bar.h"
#include "app/state.h"
#include "ingest/input_list.h"
#include "settings/settings.h"

#define TH_MANIFEST_SUFFIX ".manifest.json"
#define TH_MANIFEST_SCHEMA "thresher-manifest/1"

/** A finished run, or a finished file of a daemon. All is borrowed. */
typedef struct th_manifest {
    const th_settings *settings;
    const th_input_list *inputs; /* NULL for a daemon, whose inputs do not end */
    const th_state *state;       /* NULL for a daemon */
    const char *const *outputs;  /* paths of complete files; a missing file is left out */
    uint32_t output_count;
    uint32_t record_files; /* the first ones; the others are rejects and edges */
    th_progress_bar *bar;  /* shows the bytes read; the caller clears it. May be NULL */
} th_manifest;

/**
 * Returns the manifest's path: "NAME.manifest.json", "DIR/thresher.manifest.json" for one
 * file per input, or "DIR/RRRRR.manifest.json" for signature shards from rank RRRRR on.
 * The caller frees it. NULL if out of memory.
 */
char *th_manifest_path(const th_settings *settings);

/**
 * Reads each input file and each output once to compute its SHA-256, and replaces the
 * manifest atomically. An input has no digest if it is not a regular file, or if only
 * single records are read from it.
 * @return TH_OK; TH_IO if a file cannot be read or the manifest cannot be written;
 *         TH_NO_ROOM; TH_NOMEM; TH_INTERRUPTED by the stop of the inputs
 */
th_status th_manifest_write(const th_manifest *manifest, const char *path, th_error *err);

#endif
