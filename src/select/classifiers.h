/* The classifiers by their own names: for the registry, and where one builds on another.
 */
#ifndef TH_CLASSIFIERS_H
#define TH_CLASSIFIERS_H

#include "thresher/classifier.h"

/* What can decide in NumWords; classifiers that build on it add theirs behind. */
/* clang-format off */
#define TH_NUM_WORDS_REASONS \
    { TH_BOILERPLATE, "link density {link_density} > 0.333333" }, \
    { TH_CONTENT, "links before ({prev.link_density} > 0.555556), but {tokens} > 40 words" }, \
    { TH_CONTENT, "links before ({prev.link_density} > 0.555556), but {next.tokens} > 17 words in the block after" }, \
    { TH_BOILERPLATE, "links before ({prev.link_density} > 0.555556), {tokens} <= 40 words, {next.tokens} <= 17 in the block after" }, \
    { TH_CONTENT, "{tokens} > 16 words" }, \
    { TH_CONTENT, "{next.tokens} > 15 words in the block after" }, \
    { TH_CONTENT, "{prev.tokens} > 4 words in the block before" }, \
    { TH_BOILERPLATE, "{tokens} <= 16 words, {next.tokens} <= 15 in the block after, {prev.tokens} <= 4 in the block before" }
enum { TH_NUM_WORDS_REASON_COUNT = 8 };
/* clang-format on */

extern const th_classifier th_num_words;
extern const th_classifier th_densitometric;
extern const th_classifier th_keep_all;
extern const th_classifier th_min_words;
extern const th_classifier th_density_5;
extern const th_classifier th_cleaneval;
extern const th_classifier th_largest_content;
extern const th_classifier th_main_content;

#endif
