/* The list of classifiers, for the table of all, and for classifiers that build on
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

/* clang-format off */
/** All classifiers, in the order of --help. */
#define TH_CLASSIFIERS(ROW) \
    ROW(th_learned_classifier) \
    ROW(th_num_words) \
    ROW(th_densitometric) \
    ROW(th_keep_all) \
    ROW(th_min_words) \
    ROW(th_density_5) \
    ROW(th_cleaneval) \
    ROW(th_largest_content) \
    ROW(th_main_content)
/* clang-format on */

#define TH_DECLARE(name) extern const th_classifier name;
TH_CLASSIFIERS(TH_DECLARE)
#undef TH_DECLARE

#endif
