/* Names of methods as the command line gives them: "all", or names with commas. */
#ifndef TH_METHOD_LIST_H
#define TH_METHOD_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/segmenter.h"
#include "thresher/status.h"

enum { TH_METHODS_MAX = 32 };

typedef struct th_method_list {
    const char *names[TH_METHODS_MAX]; /* static storage: the methods' own */
    uint32_t count;
} th_method_list;

/** Whether the classifier of that name reads more of a page than rules do. */
bool th_classifier_is_learned(const char *name);

/**
 * Each reads a list of names. @param methods  NULL: th_segmenters
 * @return TH_OK, or TH_USAGE with the unknown name in err
 */
th_status th_classifier_list(const char *text, th_method_list *out, th_error *err);
th_status th_segmenter_list(const char *text, const th_segmenter *const *methods,
                            th_method_list *out, th_error *err);
th_status th_profile_list(const char *text, th_method_list *out, th_error *err);

#endif
