/*
 * A page's paragraphs as one text, as people read them.
 *
 * Each paragraph is one line, with an empty line for a visible gap. Items of lists are
 * prefixed with "- " or "3. ", and with two spaces for each enclosing list, at most 15
 * times. The further paragraphs of an item have two spaces more than its mark. A table's
 * row is one line, with a tab between two cells, if each cell contains no more than a
 * plain paragraph. Otherwise each paragraph has its line. A paragraph that keeps its
 * whitespace is copied unchanged.
 */
#ifndef TH_PAGE_TEXT_H
#define TH_PAGE_TEXT_H

#include "thresher/page.h"

/** Position of a paragraph's text. */
typedef struct th_text_place {
    uint32_t bytes;
    uint32_t chars;
} th_text_place;

/**
 * Prints paragraphs.
 * @param label_of  a label for each paragraph: only TH_CONTENT is printed. NULL prints
 *                  all
 * @param places    out: positions of the paragraphs in the result; may be NULL
 * @param chars     out: total code points; may be NULL
 * @return UTF-8 in the page's arena; {"", 0} without paragraphs. data is NULL if out of
 *         memory or over 4 GiB. Linear.
 */
th_view th_page_print(const th_page *page, const uint8_t *label_of, th_text_place *places,
                      uint32_t *chars);

/**
 * Like th_page_print(), but each post of the page's thread begins with an empty line and
 * a line of its author and date. Paragraphs with only that information are omitted, and
 * lists and tables around a post leave no mark. Without a thread the same as
 * th_page_print().
 */
th_view th_page_print_thread(const th_page *page, const uint8_t *label_of,
                             th_text_place *places, uint32_t *chars);

/**
 * Prints the text of a post, regardless of the labels.
 * @param post  index into the thread's posts
 * @return UTF-8 in the page's arena; {"", 0} for a post without words. data is NULL if
 *         out of memory. Linear in the paragraphs from its first to its last.
 */
th_view th_page_print_post(const th_page *page, uint32_t post);

#endif
