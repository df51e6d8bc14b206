/*
 * The tokenizer as a parser: its tokens into the page builder, whose light tree says what
 * they mean. The default for HTML.
 */
#ifndef TH_HTML_WHATWG_H
#define TH_HTML_WHATWG_H

#include "parse/page_builder.h"

/** A tokenizer and what it needs, reused from page to page; one for each worker. */
typedef struct th_whatwg th_whatwg;

/** @return NULL without memory. Options are borrowed for the call. */
th_whatwg *th_whatwg_new(const th_options *opt);
void th_whatwg_free(th_whatwg *parser);

/**
 * Parses HTML between th_builder_begin and th_builder_finish.
 * @param text     UTF-8, borrowed; NULs are dropped from text and flagged
 * @param builder  gets the events; asked at every tag whether to go on
 * @return TH_OK, TH_NOMEM, or what th_builder_status says. O(len).
 */
th_status th_whatwg_html(th_whatwg *parser, th_view text, th_builder *builder);

#endif
