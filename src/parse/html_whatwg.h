/*
 * The tokenizer as a parser: passes its tokens to the page builder, whose light tree
 * decides which elements they open and close. The default for HTML.
 */
#ifndef TH_HTML_WHATWG_H
#define TH_HTML_WHATWG_H

#include "parse/page_builder.h"

/** A tokenizer and its buffers, reused from page to page. Each worker has one. */
typedef struct th_whatwg th_whatwg;

/** @return NULL without memory. Options are borrowed for the call. */
th_whatwg *th_whatwg_new(const th_options *opt);
void th_whatwg_free(th_whatwg *parser);

/** How a page is read. */
typedef enum th_whatwg_titles {
    TH_TITLE_IS_TEXT,   /* by the standard: TITLE holds text up to its end tag */
    TH_TITLE_IS_MARKUP, /* TITLE ends at the next tag, for pages without its end tag */
} th_whatwg_titles;

/**
 * Parses HTML between th_builder_begin and th_builder_finish.
 * @param text     UTF-8, borrowed; NULs are dropped from text (in SVG and MathML they
 *                 become U+FFFD) and flagged
 * @param builder  gets the events; checked at every tag whether to continue
 * @return TH_OK, TH_NOMEM, or the result of th_builder_status. O(len).
 */
th_status th_whatwg_html(th_whatwg *parser, th_view text, th_whatwg_titles titles,
                         th_builder *builder);

/**
 * Whether the last page ended inside a TITLE. By the standard the rest of the page is
 * title and nothing is shown. The caller should begin the page again, with
 * TH_TITLE_IS_MARKUP.
 */
bool th_whatwg_has_open_title(const th_whatwg *parser);

#endif
