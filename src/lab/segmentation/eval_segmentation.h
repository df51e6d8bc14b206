/* Scores of segmenters against gold segments. */
#ifndef TH_EVAL_SEGMENTATION_H
#define TH_EVAL_SEGMENTATION_H

#include "eval/eval.h"

extern const th_eval_kind th_eval_segmentation;

#endif
