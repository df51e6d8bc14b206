/* Method names of the stages' tables, by number. */
#include "methods/method_names.h"

#include "methods/lab_names.h"
#include "segment/gap_profile.h"
#include "thresher/classifier.h"
#include "thresher/segmenter.h"

const char *th_segmenter_at(const void *table, size_t i)
{
    const th_segmenter *const *methods = table ? table : th_segmenters;
    return methods[i] ? methods[i]->name : NULL;
}

th_status th_fail_segmenter(th_error *err, const char *key, th_view name,
                            const th_segmenter *const *methods)
{
    if (th_is_of_lab(TH_LAB_SEGMENTER, name))
        return th_fail(err, TH_USAGE, "%s '%.*s' is available only in thresher-lab", key,
                       (int)name.len, name.data);
    return th_fail_unknown(err, key, name, th_segmenter_at, methods);
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
