/*
 * HTML in, page out: decode, parse, build.
 *
 * Our own tokenizer sends events to the builder. Documents that were served as XML go to
 * libxml2's XML parser first. Plain text needs no parser.
 */
#include "parse/parser.h"

#include <stdlib.h>
#include <string.h>

#include "parse/charset/charset.h"
#include "parse/html_whatwg.h"
#include "parse/page_builder.h"
#include "parse/plain_text.h"
#include "parse/streamed.h"
#include "parse/xml_parser.h"

struct th_parser {
    th_options opt; /* options that its parts borrow */
    th_charset *charset;
    th_whatwg *whatwg;
    th_xml_parser *xml;
    th_builder *builder;
};

void th_parser_free(th_parser *parser)
{
    if (!parser)
        return;
    th_charset_free(parser->charset);
    th_whatwg_free(parser->whatwg);
    th_xml_parser_free(parser->xml);
    th_builder_free(parser->builder);
    free(parser);
}

th_parser *th_parser_open(const th_options *options)
{
    th_parser *parser = calloc(1, sizeof *parser);
    if (!parser)
        return NULL;
    parser->opt = *options;
    const th_options *opt = &parser->opt;
    parser->charset = th_charset_new();
    parser->whatwg = th_whatwg_new(opt);
    parser->xml = th_xml_parser_new(opt);
    parser->builder = th_builder_new(opt);
    if (!parser->charset || !parser->whatwg || !parser->xml || !parser->builder) {
        th_parser_free(parser);
        return NULL;
    }
    return parser;
}

/*
 * Parses by the standard. If a TITLE has no end, this leaves no text. Then the page is
 * read again as its author meant it, and TITLE ends at the next tag. 3 of 366 news pages
 * of 2008 are such.
 */
static th_status parse_html(th_parser *parser, const th_document *document, th_view text,
                            th_arena *arena)
{
    th_status status =
        th_whatwg_html(parser->whatwg, text, TH_TITLE_IS_TEXT, parser->builder);
    if (status != TH_OK || !th_whatwg_has_open_title(parser->whatwg))
        return status;
    status = th_builder_begin(parser->builder, arena, document);
    if (status != TH_OK)
        return status;
    th_builder_flag(parser->builder, TH_FLAG_TITLE_UNCLOSED);
    return th_whatwg_html(parser->whatwg, text, TH_TITLE_IS_MARKUP, parser->builder);
}

/*
 * Parses a page that streams its content again, as its scripts would have left it. If
 * they would move nothing, the page is unchanged.
 */
static th_status parse_streamed(th_parser *parser, const th_document *document,
                                th_view text, th_arena *arena)
{
    th_view settled;
    th_status status = th_streamed_settle(text, arena, &settled);
    if (status == TH_ABSENT)
        return TH_OK;
    if (status == TH_OK)
        status = th_builder_begin(parser->builder, arena, document);
    if (status == TH_OK)
        status = parse_html(parser, document, settled, arena);
    th_builder_flag(parser->builder, TH_FLAG_STREAMED_TEXT);
    return status;
}

/* Parses the decoded text into the page. */
static th_status build(th_parser *parser, const th_document *document, th_view text,
                       uint32_t flags, th_arena *arena, th_page **page)
{
    bool is_done = false;
    th_status status = th_builder_begin(parser->builder, arena, document);
    if (status == TH_OK && document->is_text) {
        th_builder_flag(parser->builder, TH_FLAG_PLAIN_TEXT);
        status = th_plain_text(text, parser->builder);
        is_done = true;
    }
    if (status == TH_OK && document->is_xml) {
        status = th_xml_parse(parser->xml, text, parser->builder, &is_done);
        if (status == TH_OK && !is_done)
            status = th_builder_begin(parser->builder, arena, document);
    }
    if (status == TH_OK && !is_done)
        status = parse_html(parser, document, text, arena);
    if (status == TH_OK && !is_done && th_builder_has_streamed(parser->builder))
        status = parse_streamed(parser, document, text, arena);
    if (status)
        return status;
    th_builder_flag(parser->builder, flags);
    return th_builder_finish(parser->builder, page);
}

th_status th_parse_html(th_parser *parser, const th_document *document, th_arena *arena,
                        th_page **page, th_encoding *encoding, th_error *err)
{
    th_view text = { 0 };
    th_encoding used = { 0 };
    uint32_t flags = 0;
    th_status status = th_charset_decode(parser->charset, document->charset,
                                         document->bytes, arena, &text, &used, &flags);
    if (status)
        return th_fail(err, status, "cannot decode %zu bytes", document->bytes.len);
    if (encoding)
        *encoding = used;
    status = build(parser, document, text, flags, arena, page);
    if (status)
        return th_fail(err, status, "cannot parse %zu bytes of HTML: %s", text.len,
                       th_status_text(status));
    (*page)->html = text;
    return TH_OK;
}
