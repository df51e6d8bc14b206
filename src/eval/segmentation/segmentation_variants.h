/* What `eval segmentation` scores: segmenters with their parameters. */
#ifndef TH_SEGMENTATION_VARIANTS_H
#define TH_SEGMENTATION_VARIANTS_H

#include "eval/eval.h"
#include "eval/method_list.h"
#include "thresher/arena.h"

/** A segmenter with its parameters; the strings are static. */
typedef struct th_segmentation_variant {
    const char *segmenter, *profile;
    double theta_max; /* negative: its own */
    uint32_t w_max;
} th_segmentation_variant;

/** Sorted by w_max, which costs a parse for each: that of the request comes first. */
typedef struct th_segmentation_variants {
    th_segmentation_variant *items;
    uint32_t count;
    uint32_t table_count; /* of these, the methods of the table; they come first */
    uint32_t width_first; /* where the curves of theta_max end and those of w_max begin */
} th_segmentation_variants;

/**
 * Lists what a request asks for: the table's methods and, with a plot, those of its
 * curves; at most 1024, further ones are left out.
 * @param arena  owns the items
 * @return TH_OK or TH_NOMEM
 */
th_status th_segmentation_list_variants(const th_eval_request *request,
                                        const th_method_list *segmenters,
                                        const th_method_list *profiles, th_arena *arena,
                                        th_segmentation_variants *out);

/** Whether theta_max changes what a segmenter does. @param segmenter  a known name */
bool th_segmentation_has_theta(const char *segmenter);

/** Whether the profile does. */
bool th_segmentation_has_profile(const char *segmenter);

/** Whether two variants of one list differ in their parameters at most. */
bool th_segmentation_is_same_method(const th_segmentation_variant *a,
                                    const th_segmentation_variant *b);

#endif
