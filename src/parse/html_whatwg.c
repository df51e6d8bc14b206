/*
 * Tokens to events. Provides the tokenizer with the input from tree construction: how the
 * content of an element is read, and whether "<![CDATA[" is a section.
 * [HTML Living Standard 13.2.6]
 */
#include "parse/html_whatwg.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "parse/html/html_quirks.h"
#include "parse/html/html_tokenizer.h"

struct th_whatwg {
    th_html_tokenizer *tokenizer;
    th_builder *builder;
    th_whatwg_titles titles;
    bool has_begun;      /* a tag or text came: later doctypes are ignored */
    bool has_open_title; /* a TITLE is open */
};

/* End tags of unlisted names are matched by a hash (FNV-1a), 24 bits. */
static unsigned name_bits(const th_html_tag *tag)
{
    if (tag->tag != TH_TAG_OTHER)
        return 0;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < tag->name.len; i++)
        hash = (hash ^ (unsigned char)tag->name.data[i]) * 16777619u;
    return hash << TH_TAG_NAME_SHIFT;
}

/* Of HTML elements: th_html_content. */
static const uint8_t content_of[TH_TAG_COUNT] = {
    [TH_TAG_TITLE] = TH_HTML_RCDATA,        [TH_TAG_TEXTAREA] = TH_HTML_RCDATA,
    [TH_TAG_STYLE] = TH_HTML_RAWTEXT,       [TH_TAG_XMP] = TH_HTML_RAWTEXT,
    [TH_TAG_IFRAME] = TH_HTML_RAWTEXT,      [TH_TAG_NOEMBED] = TH_HTML_RAWTEXT,
    [TH_TAG_NOFRAMES] = TH_HTML_RAWTEXT,    [TH_TAG_SCRIPT] = TH_HTML_SCRIPT_DATA,
    [TH_TAG_PLAINTEXT] = TH_HTML_PLAINTEXT,
};

static void doctype(void *context, const th_html_doctype *what)
{
    th_whatwg *parser = context;
    if (!parser->has_begun)
        th_builder_set_quirks(parser->builder, th_doctype_has_quirks(what));
    parser->has_begun = true;
}

/* A TITLE that is read as markup ends at the next tag. */
static void end_title(th_whatwg *parser)
{
    if (parser->has_open_title && parser->titles == TH_TITLE_IS_MARKUP)
        th_builder_end_tag(parser->builder, TH_TAG_TITLE, TH_TAG_IMPLIED);
    parser->has_open_title = false;
}

/*
 * Handles any start tag. Some are not the same in SVG and MathML.
 *
 * An <iframe /> has no end tag, so the rest of the page would be its text. In NOSCRIPT no
 * browser shows this, because where scripts run all of NOSCRIPT is text and the IFRAME
 * ends with it. So in NOSCRIPT the slash ends the element.
 */
__attribute__((noinline)) static th_html_content start_special(th_whatwg *parser,
                                                               const th_html_tag *tag)
{
    th_builder *builder = parser->builder;
    end_title(parser);
    parser->has_begun = true;
    if (tag->is_cut)
        th_builder_flag(builder, TH_FLAG_ATTRIBUTES_CUT);
    const unsigned how = TH_TAG_IN_SOURCE | name_bits(tag) |
                         (tag->is_self_closing ? TH_TAG_SELF_CLOSING : 0u);
    const th_html_content content = (th_html_content)content_of[tag->tag];
    const bool is_html = th_builder_starts_html(builder);
    const th_tag number = tag->tag == TH_TAG_IMAGE && is_html ? TH_TAG_IMG : tag->tag;
    th_builder_start_tag(builder, number, tag->attrs, tag->attr_count, tag->attr_bits,
                         how);
    if (!is_html)
        return TH_HTML_DATA;
    if (number == TH_TAG_TITLE) {
        parser->has_open_title = true;
        if (parser->titles == TH_TITLE_IS_MARKUP)
            return TH_HTML_DATA;
    }
    return content == TH_HTML_RAWTEXT && tag->is_self_closing &&
                   th_builder_has_open(builder, TH_TAG_NOSCRIPT)
               ? TH_HTML_DATA
               : content;
}

/* Whether a start tag needs start_special, wherever it occurs. */
static const bool is_special[TH_TAG_COUNT] = {
    [TH_TAG_OTHER] = true,    [TH_TAG_IMAGE] = true,     [TH_TAG_TITLE] = true,
    [TH_TAG_TEXTAREA] = true, [TH_TAG_STYLE] = true,     [TH_TAG_XMP] = true,
    [TH_TAG_IFRAME] = true,   [TH_TAG_NOEMBED] = true,   [TH_TAG_NOFRAMES] = true,
    [TH_TAG_SCRIPT] = true,   [TH_TAG_PLAINTEXT] = true,
};

static th_html_content start_tag(void *context, const th_html_tag *tag)
{
    th_whatwg *parser = context;
    if (is_special[tag->tag] || tag->is_cut || parser->has_open_title)
        return start_special(parser, tag);
    parser->has_begun = true;
    th_builder_start_tag(
        parser->builder, tag->tag, tag->attrs, tag->attr_count, tag->attr_bits,
        TH_TAG_IN_SOURCE | (tag->is_self_closing ? TH_TAG_SELF_CLOSING : 0u));
    return TH_HTML_DATA;
}

static void end_tag(void *context, const th_html_tag *tag)
{
    th_whatwg *parser = context;
    parser->has_begun = true;
    end_title(parser); /* read as text, so only its own end tag counts */
    th_builder_end_tag(parser->builder, tag->tag, TH_TAG_IN_SOURCE | name_bits(tag));
}

static void text(void *context, const char *bytes, size_t len)
{
    th_whatwg *parser = context;
    th_builder *builder = parser->builder;
    if (!parser->has_begun)
        parser->has_begun = !th_ascii_all_blank(bytes, len);
    if (len > 1 || *bytes) {
        th_builder_text(builder, bytes, len);
        return;
    }
    th_builder_flag(builder, TH_FLAG_NUL_REMOVED);
    if (!th_builder_starts_html(builder))
        th_builder_text(builder, "\xEF\xBF\xBD", 3);
}

static bool is_foreign(void *context)
{
    return th_builder_is_foreign(((th_whatwg *)context)->builder);
}

static const th_html_sink sink = {
    .start_tag = start_tag,
    .end_tag = end_tag,
    .text = text,
    .doctype = doctype,
    .is_foreign = is_foreign,
};

th_whatwg *th_whatwg_new(const th_options *opt)
{
    th_whatwg *parser = calloc(1, sizeof *parser);
    if (!parser)
        return NULL;
    const th_html_limits limits = { .max_attributes = opt->max_attributes,
                                    .max_tag = opt->max_tag };
    parser->tokenizer = th_html_tokenizer_new(&limits);
    if (parser->tokenizer)
        return parser;
    free(parser);
    return NULL;
}

void th_whatwg_free(th_whatwg *parser)
{
    if (!parser)
        return;
    th_html_tokenizer_free(parser->tokenizer);
    free(parser);
}

th_status th_whatwg_html(th_whatwg *parser, th_view text_of_page, th_whatwg_titles titles,
                         th_builder *builder)
{
    parser->builder = builder;
    parser->titles = titles;
    parser->has_open_title = false;
    parser->has_begun = false;
    th_builder_use_light_tree(builder);
    th_builder_set_quirks(builder, true); /* until a doctype clears it */
    th_html_tokenizer_begin(parser->tokenizer, &sink, parser,
                            th_builder_status_place(builder), TH_HTML_DATA,
                            (th_view){ 0 });
    th_status status =
        th_html_tokenizer_feed(parser->tokenizer, text_of_page.data, text_of_page.len);
    if (status == TH_OK)
        status = th_html_tokenizer_finish(parser->tokenizer);
    return status ? status : th_builder_status(builder);
}

bool th_whatwg_has_open_title(const th_whatwg *parser)
{
    return parser->has_open_title;
}
