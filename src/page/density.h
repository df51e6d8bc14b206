/*
 * Text density as an exact fraction. [K11 Eq. 4.6]
 *
 * Smoothing asks whether two densities are equal and the slope delta where they part, so
 * they are compared as tokens over lines: no rounding decides a segment.
 */
#ifndef TH_DENSITY_H
#define TH_DENSITY_H

#include "thresher/page.h"

/** Tokens per line; lines is at least 1. */
typedef struct th_density {
    uint32_t tokens;
    uint32_t lines;
} th_density;

/** Of lines that hold so many tokens: the last line counts only when it is the first. */
static inline th_density th_density_of_lines(uint32_t tokens, uint32_t lines,
                                             uint32_t last_line_tokens)
{
    if (lines > 1)
        return (th_density){ tokens - last_line_tokens, lines - 1 };
    return (th_density){ tokens, 1 };
}

/** Of the adjacent blocks [first, end), first < end. O(1). */
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
