/* Method names of the stages' tables, by number. */
#include "methods/method_names.h"

#include "base/ascii.h"
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
    static const char *const of_the_lab[] = { "word-wrap", "tag-gap", "dom-cohesion",
                                              "gcuts", "cclus" };
    for (size_t i = 0; i < sizeof of_the_lab / sizeof *of_the_lab; i++)
        if (th_view_is(name, of_the_lab[i]))
            return th_fail(err, TH_USAGE, "%s '%s' is a method of thresher-lab", key,
                           of_the_lab[i]);
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
