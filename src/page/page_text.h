/*
 * A page's paragraphs as one text, as people read them.
 *
 * One line each, a blank line where a reader sees a gap. Items of lists have "- " or "3.
 * " before them, and two blanks for each list around theirs, at most 15 times; the
 * further paragraphs of an item have two blanks more than its mark. A table's row is a
 * line, with a tab between two cells, as long as each cell holds no more than a plain
 * paragraph: else each paragraph has its line. A paragraph that keeps its white space is
 * copied unchanged.
 */
#ifndef TH_PAGE_TEXT_H
#define TH_PAGE_TEXT_H

#include "thresher/page.h"

/** Where a paragraph's text begins. */
typedef struct th_text_place {
    uint32_t bytes;
    uint32_t chars;
} th_text_place;

/**
 * Prints paragraphs.
 * @param label_of  those with TH_CONTENT, an entry for each; NULL: all
 * @param places    out: where they stand in the result; NULL: not wanted
 * @param chars     out: code points in all; NULL: not wanted
 * @return UTF-8 in the page's arena; data == NULL without memory or over 4 GiB; {"", 0}
 *         without paragraphs. Linear.
 */
th_view th_page_print(const th_page *page, const uint8_t *label_of, th_text_place *places,
                      uint32_t *chars);

/**
 * Like th_page_print(), but each post of the page's thread begins with a line of its author
 * and date behind an empty line. Paragraphs that say no more are left out, and lists and
 * tables around a post leave no mark. Without a thread the same as th_page_print().
 */
th_view th_page_print_thread(const th_page *page, const uint8_t *label_of,
                             th_text_place *places, uint32_t *chars);

/**
 * Prints the text of a post, whatever the labels say.
 * @param post  index into the thread's posts
 * @return UTF-8 in the page's arena; data == NULL without memory; {"", 0} for a post
 *         without words. Linear in the paragraphs from its first to its last.
 */
th_view th_page_print_post(const th_page *page, uint32_t post);

#endif
