/* Declarations of the methods, for tables of methods. */
#ifndef TH_SEGMENTERS_H
#define TH_SEGMENTERS_H

#include "thresher/segmenter.h"

extern const th_segmenter th_full_text;
extern const th_segmenter th_bf_plain;
extern const th_segmenter th_bf_smoothed;
extern const th_segmenter th_bf_rulebased;
extern const th_segmenter th_just_rules;
extern const th_segmenter th_boundary_graph_method;

#endif
