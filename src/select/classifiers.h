/* The classifiers by their own names: for the registry, and where one builds on another.
 */
#ifndef TH_CLASSIFIERS_H
#define TH_CLASSIFIERS_H

#include "thresher/classifier.h"

extern const th_classifier th_num_words;
extern const th_classifier th_densitometric;
extern const th_classifier th_keep_all;
extern const th_classifier th_min_words;
extern const th_classifier th_density_5;
extern const th_classifier th_cleaneval;
extern const th_classifier th_largest_content;
extern const th_classifier th_main_content;

#endif
