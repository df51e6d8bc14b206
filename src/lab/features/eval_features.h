/* Features of paragraphs, for training. */
#ifndef TH_EVAL_FEATURES_H
#define TH_EVAL_FEATURES_H

#include "eval/eval.h"

extern const th_eval_kind th_eval_features;

#endif
