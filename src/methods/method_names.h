/* Names of the methods of all stages, for error messages about an unknown one. */
#ifndef TH_METHOD_NAMES_H
#define TH_METHOD_NAMES_H

#include "base/unknown_name.h"
#include "thresher/segmenter.h"

/** A th_name_at for a table of methods. @param table  NULL means th_segmenters */
const char *th_segmenter_at(const void *table, size_t i);

/**
 * Fails for a segmenter that the table does not have; names thresher-lab if it has it.
 * @param key  the option: "segmenter" @return TH_USAGE
 */
th_status th_fail_segmenter(th_error *err, const char *key, th_view name,
                            const th_segmenter *const *methods);

/* Each is a th_name_at over the stage's own table; `table` is ignored. */
const char *th_profile_at(const void *table, size_t i);
const char *th_classifier_at(const void *table, size_t i);

#endif
