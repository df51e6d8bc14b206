/* The table of all segmentation methods. */
#include "lab/segment/lab_segmenters.h"

/* clang-format off */
const th_segmenter *const th_lab_segmenters[] = {
    &th_word_wrap,
    &th_tag_gap,
    &th_full_text,
    &th_bf_plain,
    &th_bf_smoothed,
    &th_bf_rulebased,
    &th_just_rules,
    &th_dom_cohesion,
    &th_gcuts,
    &th_cclus,
    &th_boundary_graph_method,
    NULL,
};
/* clang-format on */
