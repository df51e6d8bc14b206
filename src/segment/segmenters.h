/* The methods by their own names: for the registry, and for a method's own defaults. */
#ifndef TH_SEGMENTERS_H
#define TH_SEGMENTERS_H

#include "thresher/segmenter.h"

extern const th_segmenter th_word_wrap;
extern const th_segmenter th_tag_gap;
extern const th_segmenter th_full_text;
extern const th_segmenter th_bf_plain;
extern const th_segmenter th_bf_smoothed;
extern const th_segmenter th_bf_rulebased;
extern const th_segmenter th_just_rules;
extern const th_segmenter th_dom_cohesion;
extern const th_segmenter th_gcuts;
extern const th_segmenter th_cclus;
extern const th_segmenter th_boundary_graph_method;

#endif
