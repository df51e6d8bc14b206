/* Names of the methods, of all stages, for messages that refuse an unknown one. */
#ifndef TH_METHOD_NAMES_H
#define TH_METHOD_NAMES_H

#include "base/unknown_name.h"

/* Each is a th_name_at over the stage's own table; `table` is not looked at. */
const char *th_segmenter_at(const void *table, size_t i);
const char *th_profile_at(const void *table, size_t i);
const char *th_classifier_at(const void *table, size_t i);

#endif
