/* The methods that exist to be compared with, and the table with all methods. */
#ifndef TH_LAB_SEGMENTERS_H
#define TH_LAB_SEGMENTERS_H

#include "segment/segment_model.h"
#include "segment/segmenters.h"

extern const th_segmenter th_word_wrap;
extern const th_segmenter th_tag_gap;
extern const th_segmenter th_dom_cohesion;
extern const th_segmenter th_gcuts;
extern const th_segmenter th_cclus;

extern const th_feature_set th_gcuts_features;
extern const th_feature_set th_cclus_features;

/** The models that ship. */
extern const th_segment_model th_gcuts_model;
extern const th_segment_model th_cclus_model;

/** Baselines first, then all methods of libthresher and the lab; ends with NULL. */
extern const th_segmenter *const th_lab_segmenters[];

#endif
