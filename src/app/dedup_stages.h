/*
 * `thresher dedup` in three stages, for any scheduler: `partition RECORDS... -O DIR`,
 * `pairs DIR... --part I/P`, `components DIR...`. Each is done when its output is there
 * whole: run again it does nothing, killed and run again it gives the same bytes.
 */
#ifndef TH_DEDUP_STAGES_H
#define TH_DEDUP_STAGES_H

#include "dedup/duplicate_finder.h"
#include "settings/settings.h"

/** Returns the settings of comparing, and the flag of a stop. */
th_dedup_options th_dedup_options_of(const th_settings *settings);

/**
 * Run the stages, with the arguments after their name. Return TH_OK and the exit code, or
 * an error with the reason in err.
 */
th_status th_dedup_partition(const th_settings *settings, int count, char **arguments,
                             int *code, th_error *err);
th_status th_dedup_pairs(const th_settings *settings, int count, char **arguments,
                         int *code, th_error *err);
th_status th_dedup_components(const th_settings *settings, int count, char **arguments,
                              int *code, th_error *err);

#endif
