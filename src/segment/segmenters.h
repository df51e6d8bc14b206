/* The list of segmenters, for declarations and for tables of methods. */
#ifndef TH_SEGMENTERS_H
#define TH_SEGMENTERS_H

#include "thresher/segmenter.h"

/* clang-format off */
/** All segmenters of thresher, in the order of --help. */
#define TH_SEGMENTERS(ROW) \
    ROW(th_full_text) \
    ROW(th_bf_plain) \
    ROW(th_bf_smoothed) \
    ROW(th_bf_rulebased) \
    ROW(th_just_rules) \
    ROW(th_boundary_graph_method)
/* clang-format on */

#define TH_DECLARE(name) extern const th_segmenter name;
TH_SEGMENTERS(TH_DECLARE)
#undef TH_DECLARE

#endif
