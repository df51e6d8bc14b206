/* The stages' tables, by number. */
#include "method_names.h"

#include "segment/gap_profile.h"
#include "thresher/classifier.h"
#include "thresher/segmenter.h"

const char *th_segmenter_at(const void *table, size_t i)
{
    (void)table;
    return th_segmenters[i] ? th_segmenters[i]->name : NULL;
}

const char *th_profile_at(const void *table, size_t i)
{
    (void)table;
    return th_gap_profiles[i] ? th_gap_profiles[i]->name : NULL;
}

const char *th_classifier_at(const void *table, size_t i)
{
    (void)table;
    return th_classifiers[i] ? th_classifiers[i]->name : NULL;
}
