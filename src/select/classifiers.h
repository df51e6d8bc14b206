/* Declarations of the classifiers, for the registry and for classifiers that build on
 * another. */
#ifndef TH_CLASSIFIERS_H
#define TH_CLASSIFIERS_H

#include "thresher/classifier.h"

/* A threshold is a macro, so the code and the text of the reason have the same number. */
#define TH_IN_WORDS(threshold) TH_IN_WORDS_(threshold)
#define TH_IN_WORDS_(threshold) #threshold

/* A tree's leaves are one list X(leaf, label, words), for an enum and for the table that
 * it indexes. */
#define TH_LEAF_NAME(leaf, label, words) leaf,
#define TH_LEAF_REASON(leaf, label, words) { TH_##label, words },

extern const th_classifier th_learned_classifier;
extern const th_classifier th_num_words;
extern const th_classifier th_densitometric;
extern const th_classifier th_keep_all;
extern const th_classifier th_min_words;
extern const th_classifier th_density_5;
extern const th_classifier th_cleaneval;
extern const th_classifier th_largest_content;
extern const th_classifier th_main_content;

#endif
