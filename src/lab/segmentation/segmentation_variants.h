/* Variants that `eval segmentation` scores: segmenters with their parameters. */
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
    bool has_parameter; /* else the model's own holds */
    int32_t parameter;  /* first of the model's: lambda or grain, in 1/1024 */
} th_segmentation_variant;

/** Sorted by w_max, because each value costs a parse. The request's value comes first. */
typedef struct th_segmentation_variants {
    th_segmentation_variant *items;
    uint32_t count;
    uint32_t table_count; /* of these, the methods of the table; they come first */
    /*
     * Index of the first curve of a model's parameter, after the curves of theta_max, and
     * of the first curve of w_max, after those.
     */
    uint32_t parameter_first, width_first;
} th_segmentation_variants;

/**
 * Lists the variants of a request: the table's methods and, with a plot, the variants of
 * its curves. At most 1024; further ones are omitted.
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

/**
 * Name of the model's parameter that is drawn: "lambda", "grain"; NULL if no parameter is
 * drawn.
 */
const char *th_segmentation_parameter(const char *segmenter);

/** Whether two variants of one list are equal except for their parameters. */
bool th_segmentation_is_same_method(const th_segmentation_variant *a,
                                    const th_segmentation_variant *b);

#endif
