/*
 * libxml2 as a parser: passes its SAX events to the page builder. HTML and XML.
 *
 * libxml2 is not designed for hostile input, so html_libxml2.c and tag_scan.c limit its
 * input and its work. No other file uses its types.
 */
#ifndef TH_HTML_LIBXML2_H
#define TH_HTML_LIBXML2_H

#include "parse/page_builder.h"

/** A libxml2 context, reused from page to page. Each worker has one. */
typedef struct th_libxml2 th_libxml2;

/** @return NULL without memory. Options are borrowed. */
th_libxml2 *th_libxml2_new(const th_options *opt);
void th_libxml2_free(th_libxml2 *parser);

/**
 * Parses HTML between th_builder_begin and th_builder_finish.
 * @param text     UTF-8, borrowed; bytes that libxml2 cannot read are removed from a
 *                 copy, and the page flagged: TH_FLAG_NUL_REMOVED, TH_FLAG_ATTRIBUTES_CUT
 * @param builder  gets the events; checked at every tag and long text whether to continue
 * @return TH_OK, TH_NOMEM, TH_TOO_LARGE (over 2 GiB), or the result of th_builder_status.
 *         If libxml2 stops before the end of the text the page gets
 *         TH_FLAG_PARSER_STOPPED.
 */
th_status th_libxml2_html(th_libxml2 *parser, th_view text, th_builder *builder);

/**
 * Parses XML the same way, repairing errors if possible. HTML's named references are
 * known. References of the document's own DTD are not expanded.
 * @param text       as it was decoded: an encoding that the document declares is ignored
 * @param has_found  out: whether it is well-formed or gave text, completely and without
 *                   loss. Otherwise, and if a tag may have too many attributes, the
 *                   caller should begin the page again and parse it as HTML.
 */
th_status th_libxml2_xml(th_libxml2 *parser, th_view text, th_builder *builder,
                         bool *has_found);

#endif
