/* Pages made by hand, for tests of code that uses the page and not its HTML. */
#ifndef MAKE_PAGE_H
#define MAKE_PAGE_H

#include <stddef.h>

#include "thresher/page.h"

/** An atomic block as a test writes it down. */
struct block_row {
    const char *text;
    uint32_t linked; /* number of its linked tokens, at most all */
    const char *gap; /* tags before it, separated by spaces: "/p h2"; NULL means "p" */
};

/** The same for texts and gaps that are not literals. */
struct block_part {
    th_view text; /* valid UTF-8, at least one byte */
    uint32_t linked;
    const uint16_t *gap;
    uint32_t gap_len;
};

/**
 * A page of these blocks: tokens and lines are counted as docs/methods.md#text-model
 * says, for scripts written with spaces, with lines of 80 columns. Aborts without memory.
 * @param arena  owns the page; every table in it is of exact size
 */
th_page *make_page(th_arena *arena, const struct block_row *rows, size_t count);
th_page *make_page_of_parts(th_arena *arena, const struct block_part *parts,
                            size_t count);

/**
 * A page of blocks whose counts are given and whose texts do not matter.
 * @param blocks  tokens, linked_tokens, lines, last_line_tokens and a gap of one tag in
 *                gap_start: the rest is filled in
 */
th_page *make_page_of_counts(th_arena *arena, const th_block *blocks, size_t count);

/** A step of xorshift64*: the same numbers on every machine. The seed is not 0. */
uint64_t next_random(uint64_t *seed);

/** A page of short and long, linked and unlinked blocks with gaps of all kinds. */
th_page *make_random_page(th_arena *arena, uint64_t *seed, size_t count);

/**
 * Gives a page elements nested at random, blocks in any of them: children need not follow
 * their parent, as in tables with text outside their cells.
 */
void nest_at_random(th_page *page, th_arena *arena, uint64_t *seed);

/** The title that the page states; borrowed for its life. */
void set_title(th_page *page, const char *title);

/** Labels of a page's blocks by the named classifier alone: uint8_t[block_count]. */
void label_blocks(const char *classifier, const th_page *page, uint8_t *labels);

#endif
