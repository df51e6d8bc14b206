/* Builds the file of `thresher robots build` from archives. */
#ifndef TH_ROBOTS_BUILD_H
#define TH_ROBOTS_BUILD_H

#include "app/progress.h"
#include "ingest/input_list.h"
#include "settings/settings.h"

typedef struct th_robots_build {
    const th_settings *settings;
    const th_input_list *inputs;
    th_remote *remote; /* NULL if remote names are not read */
    th_warning_fn warn;
    void *warn_context;
    th_progress *progress;
    /* out */
    th_source_counts source;
    uint64_t records, files, hosts, cut; /* files over a limit */
} th_robots_build;

/**
 * Reads the inputs and writes the output. The newest file of a host counts, or with
 * equal dates the later file in the inputs.
 * @return TH_OK; TH_IO; TH_NOMEM; TH_INTERRUPTED
 */
th_status th_robots_build_run(th_robots_build *build, th_error *err);

#endif
