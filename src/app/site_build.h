/* Inputs to a file of sites: parsed and counted, nothing else. */
#ifndef TH_SITE_BUILD_H
#define TH_SITE_BUILD_H

#include "app/progress.h"
#include "ingest/input_list.h"
#include "settings/settings.h"
#include "traffic/work_result.h"

typedef struct th_site_build {
    const th_settings *settings;
    const th_input_list *inputs;
    const char *path; /* of the file, replaced when it is complete */
    th_warning_fn warn;
    void *warn_context;
    th_progress *progress;
    /* out */
    th_source_counts source;
    th_counts counts;
} th_site_build;

/**
 * Reads all inputs and writes the file. Its bytes do not depend on the order of the
 * inputs, nor on the workers.
 * @return TH_OK, also if some input was damaged, which `source` counts; TH_INTERRUPTED;
 *         TH_IO; TH_NOMEM
 */
th_status th_site_build_run(th_site_build *build, th_error *err);

/** How the settings bound a site. */
th_site_limits th_site_limits_of(const th_settings *settings);

#endif
