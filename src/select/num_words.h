/*
 * The decision tree of NumWords: its thresholds, and its leaves with their reasons. It is
 * in a header because largest-content and main-content append their own reasons.
 */
#ifndef TH_NUM_WORDS_H
#define TH_NUM_WORDS_H

#include "select/classifiers.h"

/* clang-format off */
#define NW_LINKED 0.333333             /* link density of a block of links */
#define NW_LINKED_BEFORE 0.555556 /* link density of the block before */
#define NW_WORDS_BEHIND_LINKS 40 /* enough words after links */
#define NW_WORDS_AFTER_BEHIND_LINKS 17 /* in the block after */
#define NW_WORDS 16
#define NW_WORDS_AFTER 15
#define NW_WORDS_BEFORE 4

#define NW_LINKS_BEFORE_WORDS "links before ({prev.link_density} > " TH_IN_WORDS(NW_LINKED_BEFORE) "), "

/* X(leaf, label, the reason as text), in the order of the tree. */
#define TH_NUM_WORDS_LEAVES(X)                                                                                  \
    X(LINKED, BOILERPLATE, "link density {link_density} > " TH_IN_WORDS(NW_LINKED))                             \
    X(LONG_BEHIND_LINKS, CONTENT,                                                                               \
      NW_LINKS_BEFORE_WORDS "but {tokens} > " TH_IN_WORDS(NW_WORDS_BEHIND_LINKS) " words")                      \
    X(BEFORE_LONG_BEHIND_LINKS, CONTENT,                                                                        \
      NW_LINKS_BEFORE_WORDS "but {next.tokens} > " TH_IN_WORDS(NW_WORDS_AFTER_BEHIND_LINKS)                     \
      " words in the block after")                                                                              \
    X(BEHIND_LINKS, BOILERPLATE,                                                                                \
      NW_LINKS_BEFORE_WORDS "{tokens} <= " TH_IN_WORDS(NW_WORDS_BEHIND_LINKS)                                   \
      " words, {next.tokens} <= " TH_IN_WORDS(NW_WORDS_AFTER_BEHIND_LINKS) " in the block after")               \
    X(LONG, CONTENT, "{tokens} > " TH_IN_WORDS(NW_WORDS) " words")                                              \
    X(BEFORE_LONG, CONTENT, "{next.tokens} > " TH_IN_WORDS(NW_WORDS_AFTER) " words in the block after")         \
    X(BEHIND_SOME, CONTENT, "{prev.tokens} > " TH_IN_WORDS(NW_WORDS_BEFORE) " words in the block before")       \
    X(SHORT, BOILERPLATE,                                                                                       \
      "{tokens} <= " TH_IN_WORDS(NW_WORDS) " words, {next.tokens} <= " TH_IN_WORDS(NW_WORDS_AFTER)              \
      " in the block after, {prev.tokens} <= " TH_IN_WORDS(NW_WORDS_BEFORE) " in the block before")

enum { TH_NUM_WORDS_LEAVES(TH_LEAF_NAME) TH_NUM_WORDS_LEAF_COUNT };
/* clang-format on */

#endif
