/*
 * TeX in a page's text that a script of the page would render: between dollars, between
 * \( and \), \[ and \], or in an environment. [docs/text.md#formulas]
 */
#ifndef TH_TEX_SPAN_H
#define TH_TEX_SPAN_H

#include <stdbool.h>

#include "thresher/view.h"

typedef struct th_tex_span {
    th_view tex; /* without delimiters, except an environment */
    size_t end;  /* where the text continues */
    bool is_display;
} th_tex_span;

/**
 * Whether a formula begins at a byte of a text, '$' or '\\'. Dollars also occur in prices
 * and programs, so the text between two must look like TeX, and more so if the page has
 * no renderer.
 * @param has_tex  the page has one
 * @param out      set only if the result is true
 */
bool th_tex_span_at(th_view text, size_t at, bool has_tex, th_tex_span *out);

#endif
