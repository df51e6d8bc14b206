/*
 * Documents that are served as XML: passes the events of libxml2's XML parser to the page
 * builder. No other file of src/parse uses libxml2.
 */
#ifndef TH_XML_PARSER_H
#define TH_XML_PARSER_H

#include "parse/page_builder.h"

/** A parser with its buffers. Each worker has one. */
typedef struct th_xml_parser th_xml_parser;

/** @return NULL if out of memory. Options are borrowed. */
th_xml_parser *th_xml_parser_new(const th_options *opt);
void th_xml_parser_free(th_xml_parser *parser);

/**
 * Parses XML between th_builder_begin and th_builder_finish, repairing errors if possible.
 * HTML's named references are known. References of the document's own DTD are not expanded.
 * @param text       UTF-8, borrowed; an encoding that the document declares is ignored.
 *                   NULs are removed from a copy, and the page flagged TH_FLAG_NUL_REMOVED
 * @param builder    gets the events; checked at every tag and long text whether to continue
 * @param has_found  out: whether it is well-formed or gave text, completely and without
 *                   loss. Otherwise, and if a tag may have too many attributes, the
 *                   caller should begin the page again and parse it as HTML.
 * @return TH_OK, TH_NOMEM, TH_TOO_LARGE (over 2 GiB), or the result of th_builder_status.
 *         If libxml2 stops before the end of the text the page gets
 *         TH_FLAG_PARSER_STOPPED.
 */
th_status th_xml_parse(th_xml_parser *parser, th_view text, th_builder *builder,
                       bool *has_found);

#endif
