/*
 * Selectors of elements by tag and words of class, id and itemprop, compared by the
 * numbers of the words (page/class_word.h).
 *
 * A selector is an optional tag, then words that an element must have, each with its mark:
 * '.' in class, '#' in id, '@' in itemprop; a '!' before the mark excludes the word. "li.post#post"
 * is an LI with the word "post" in its class and in its id. A word is what the parser
 * keeps: "post-body" is ".post.body", "userDetails" is ".user.details".
 */
#ifndef TH_NODE_SELECTOR_H
#define TH_NODE_SELECTOR_H

#include <stdbool.h>

#include "thresher/page.h"

enum { TH_SELECTOR_WORDS = 4, TH_SELECTORS_MAX = 32 };

typedef struct th_node_selector {
    uint64_t bits; /* of the words that it requires */
    uint32_t needed[TH_SELECTOR_WORDS];
    uint32_t excluded[TH_SELECTOR_WORDS];
    uint8_t needed_count, excluded_count;
    th_tag tag; /* TH_TAG_COUNT: any */
} th_node_selector;

/**
 * Reads selectors with spaces between them.
 * @param text  a literal with at most `capacity` selectors; or NULL for no selectors
 * @return their number
 */
uint32_t th_node_selectors_read(const char *text, th_node_selector *out,
                                uint32_t capacity);

/** Returns false if a set lacks a word that the selector needs; true if it may have all. */
static inline bool th_node_selector_may_fit(const th_node_selector *selector,
                                            const th_class_set *set)
{
    return !(selector->bits & ~set->bits);
}

/** Whether a set of words of the page fulfills the selector, ignoring tags. */
bool th_node_selector_fits(const th_node_selector *selector, const th_page *page,
                           const th_class_set *set);

enum { TH_WORD_FILTER_SIZE = 4096 };

/**
 * The words of all sets of a page, by a hash. Most selectors need a word that does not
 * occur on the page, and need not be compared with each set.
 */
typedef struct th_word_filter {
    uint8_t has[TH_WORD_FILTER_SIZE];
} th_word_filter;

/** Fills the filter with the words of all class sets of a page. Linear in the words. */
void th_word_filter_fill(th_word_filter *filter, const th_page *page);

/** Returns false if no set of the page has all words that the selector needs; true if one
 * may have them. */
bool th_word_filter_may_fit(const th_word_filter *filter,
                            const th_node_selector *selector);

#endif
