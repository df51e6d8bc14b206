/*
 * Text density as an exact fraction. [K11 Eq. 4.6]
 *
 * Smoothing tests whether two densities are equal, and computes the slope delta between
 * unequal ones. Densities are compared as tokens over lines, so rounding never decides
 * where a segment ends.
 */
#ifndef TH_DENSITY_H
#define TH_DENSITY_H

#include "thresher/page.h"

/** Tokens per line; lines is at least 1. */
typedef struct th_density {
    uint32_t tokens;
    uint32_t lines;
} th_density;

/** Returns the density of `lines` lines with `tokens` tokens in total. The last line is
 * seldom full, so it counts only if it is the only one. */
static inline th_density th_density_of_lines(uint32_t tokens, uint32_t lines,
                                             uint32_t last_line_tokens)
{
    if (lines > 1)
        return (th_density){ tokens - last_line_tokens, lines - 1 };
    return (th_density){ tokens, 1 };
}

/** Returns the density of the adjacent blocks [first, end), first < end. O(1). */
static inline th_density th_density_of(const th_page *page, uint32_t first, uint32_t end)
{
    return th_density_of_lines(page->tokens_before[end] - page->tokens_before[first],
                               page->lines_before[end] - page->lines_before[first],
                               page->blocks[end - 1].last_line_tokens);
}

static inline double th_density_value(th_density density)
{
    return (double)density.tokens / density.lines;
}

#endif
