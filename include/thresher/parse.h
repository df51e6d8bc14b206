/* Parses HTML into a page. */
#ifndef THRESHER_PARSE_H
#define THRESHER_PARSE_H

#include <stdbool.h>

#include "thresher/options.h"
#include "thresher/page.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Facts about a document that are known before parsing. */
typedef struct th_document {
    th_view bytes;   /* as served, but with content codings decoded; borrowed */
    th_view url;     /* absolute; base of its links; absent = links unchanged */
    th_view charset; /* label in the HTTP header; absent if it has none */
    uint8_t is_xml;  /* served as XML */
    uint8_t is_text; /* plain text: paragraphs between empty lines; not HTML */
} th_document;

/** The document's encoding, and how it was determined. */
typedef struct th_encoding {
    const char *name; /* WHATWG name, "windows-1252"; static storage */
    /* "bom", "http", "meta", "utf-8" (the bytes are valid UTF-8), "detected",
     * "default" */
    const char *from;
} th_encoding;

/** A parser with its buffers. Use one for each worker; not thread-safe. */
typedef struct th_parser th_parser;

/**
 * Creates a parser.
 * @param options  copied; checked by th_options_check before
 * @return NULL if out of memory, or if th_options_init has not initialised the options
 */
TH_API th_parser *th_parser_new(const th_options *options);
TH_API void th_parser_free(th_parser *parser);

/**
 * Decodes, parses and divides a document into atomic blocks.
 * @param document  borrowed for the call
 * @param arena     owns the page; reset it when the page is no longer needed
 * @param page      out: blocks to metadata are filled; later stages' columns are empty
 * @param encoding  out, may be NULL
 * @return TH_OK (a page may have no block), TH_TIME_LIMIT, TH_TOO_LARGE, TH_NOMEM
 * Cost: linear in the bytes.
 */
TH_API th_status th_parse_html(th_parser *parser, const th_document *document,
                               th_arena *arena, th_page **page, th_encoding *encoding,
                               th_error *err);

#ifdef __cplusplus
}
#endif

#endif
