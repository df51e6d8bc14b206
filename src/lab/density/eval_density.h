/* Distributions of text density in archives. */
#ifndef TH_EVAL_DENSITY_H
#define TH_EVAL_DENSITY_H

#include "eval/eval.h"

extern const th_eval_kind th_eval_density;

#endif
