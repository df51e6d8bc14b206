/*
 * libxml2's SAX events into the page builder.
 *
 * Its limits [docs/reliability.md#hostile-html; measured and read with 2.9.14]:
 * - XML_PARSE_HUGE is set. Without it, all content after an element nested deeper than
 *   256 and after 10 MB of one text is lost. No tree is built, so depth costs only its
 *   stack of names.
 * - The text is UTF-8 and libxml2 is configured so: it neither obeys a declaration nor
 *   guesses. At a NUL it loses the rest of the page, so NULs are removed. Then tag_scan.c
 *   checks the text.
 * - No network, no DTD, no entities except HTML's: every handler that could load them is
 *   absent.
 * - End tags search its stack, and nothing bounds its depth. Such work is reported to the
 *   builder's clock, which stops the parser when the page's time is used up.
 *
 * Implied tags must be distinguished from tags in the source, because only the latter
 * make gaps. SAX does not report the difference. But it reports a start tag of the source
 * with the cursor after its attributes, and an end tag with the cursor after the '>'. So
 * a tag is in the source if the bytes before the cursor are that tag.
 *
 * Deviations from the standard, which our own tokenizer does not have:
 * - End tags that close nothing are not reported, nor is a second HTML or BODY start tag:
 *   no gap without other tags.
 * - "&#128;".."&#159;" are not windows-1252. References of HTML 5 are unknown.
 * - TITLE, TEXTAREA, IFRAME, NOEMBED, NOFRAMES, XMP and PLAINTEXT are parsed as markup.
 * - "<div/>" is an empty element. Attributes whose name starts with "@" or similar are
 *   dropped.
 * - FORM, tables and mis-nested formatting are repaired in its own way.
 */
#include "parse/html_libxml2.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/unicode.h"
#include "parse/html/tag_scan.h"
#include "parse/mathml.h"

enum {
    TAG_CACHE = 256, /* a power of two */
    /* Limit of names that libxml2 has interned. Above it, the next page gets a new
     * context. */
    NAMES_KEPT = 16384,
    /* Names that one page may add to a dictionary; more than a tag can have. */
    NAMES_ADDED = 131072,
    /* Open elements that an end tag is compared with per unit of th_builder_work. */
    NAMES_PER_UNIT = 16,
    /* Maximum whitespace between a name and the end of its tag. */
    TAG_BLANKS_MAX = 256,
};

/* Tag names are interned, so the pointer identifies the name. Cleared with the
 * dictionary. */
struct cached_tag {
    const xmlChar *name;
    th_tag tag;
};

struct th_libxml2 {
    const th_options *opt;
    xmlParserCtxtPtr html; /* kept from page to page */
    xmlParserCtxtPtr now;  /* the context that is parsing */
    th_builder *builder;
    th_attribute *attrs; /* opt->max_attributes */
    xmlEntity entity;    /* last result of get_entity */
    char entity_text[5];
    bool is_stopped;
    bool has_text;      /* characters other than whitespace were reported */
    bool is_malformed;  /* as XML; a copy, because get_entity resets libxml2's flag */
    bool has_lost_text; /* as XML: more than markup is missing */
    xmlDictPtr retired; /* the dictionary before this one; a tag may still name it */
    int names_max;      /* names in it before it is replaced */
    th_buffer stripped; /* the text without NULs */
    th_buffer tamed;    /* the text with tags cut */
    struct cached_tag tags[TAG_CACHE];
};

static th_tag tag_of(th_libxml2 *parser, const xmlChar *name)
{
    const uintptr_t bits = (uintptr_t)name;
    struct cached_tag *cached = &parser->tags[(bits ^ bits >> 8) % TAG_CACHE];
    if (cached->name != name) {
        const th_view view = { (const char *)name, strlen((const char *)name) };
        *cached = (struct cached_tag){ .name = name, .tag = th_tag_of(view) };
    }
    return cached->tag;
}

static void stop_if_told(th_libxml2 *parser)
{
    if (th_builder_status(parser->builder)) {
        parser->is_stopped = true;
        xmlStopParser(parser->now);
    }
}

/*
 * libxml2's dictionary has at most 16,384 chains, so a page with many new names becomes
 * quadratic. A new dictionary takes the names of the open elements. The old one stays
 * until the next is retired, because the attributes of the current tag may use it.
 */
static void renew_names(th_libxml2 *parser)
{
    xmlParserCtxtPtr ctxt = parser->now;
    xmlDictPtr names = xmlDictCreate();
    if (!names)
        return; /* slower, and the page's time is watched */
    for (int i = 0; i < ctxt->nameNr; i++) {
        const xmlChar *name = xmlDictLookup(names, ctxt->nameTab[i], -1);
        if (!name) {
            xmlDictFree(names);
            return;
        }
    }
    for (int i = 0; i < ctxt->nameNr; i++)
        ctxt->nameTab[i] = xmlDictLookup(names, ctxt->nameTab[i], -1);
    ctxt->name = ctxt->nameNr ? ctxt->nameTab[ctxt->nameNr - 1] : NULL;
    if (parser->retired)
        xmlDictFree(parser->retired);
    parser->retired = ctxt->dict;
    ctxt->dict = names;
    parser->names_max = xmlDictSize(names) + NAMES_ADDED;
    memset(parser->tags, 0, sizeof parser->tags);
}

static void bound_names(th_libxml2 *parser)
{
    if (xmlDictSize(parser->now->dict) > parser->names_max)
        renew_names(parser);
}

/* ---- the bytes before the cursor --------------------------------------------------- */

static bool is_name_end(const char *end, const char *base, const char *name, size_t len,
                        const char *before)
{
    const size_t before_len = strlen(before);
    if ((size_t)(end - base) < len + before_len)
        return false;
    const char *at = end - len;
    for (size_t i = 0; i < len; i++) {
        const char c = at[i];
        if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != name[i])
            return false;
    }
    return memcmp(at - before_len, before, before_len) == 0;
}

static const char *skip_blanks_back(const char *at, const char *base)
{
    const char *const stop = at - base > TAG_BLANKS_MAX ? at - TAG_BLANKS_MAX : base;
    while (at > stop && (at[-1] == ' ' || (at[-1] >= '\t' && at[-1] <= '\r')))
        at--;
    return at;
}

/* Whether "<name" and spaces, or "<name ..." without a '>' between, precede the
 * cursor. */
static bool is_start_in_source(th_libxml2 *parser, const xmlChar *name)
{
    const xmlParserInput *input = parser->now->input;
    const char *base = (const char *)input->base;
    const char *at = skip_blanks_back((const char *)input->cur, base);
    const size_t len = strlen((const char *)name);
    if (is_name_end(at, base, (const char *)name, len, "<"))
        return true;
    /* Attributes that libxml2 could not read leave no other trace, so search for the
     * tag. */
    const char *const stop = at - base > TAG_BLANKS_MAX ? at - TAG_BLANKS_MAX : base;
    while (at > stop && at[-1] != '<' && at[-1] != '>')
        at--;
    if (at == stop || at[-1] != '<' || (size_t)((const char *)input->cur - at) <= len)
        return false;
    const char next = at[len];
    return is_name_end(at + len, base, (const char *)name, len, "<") &&
           !(th_is_digit(next) || th_is_letter(next) || next == '-' || next == ':' ||
             next == '_' || next == '.');
}

/* Whether "</name", spaces and '>' precede the cursor. */
static bool is_end_in_source(th_libxml2 *parser, const xmlChar *name)
{
    const xmlParserInput *input = parser->now->input;
    const char *base = (const char *)input->base;
    const char *at = (const char *)input->cur;
    if (at == base || at[-1] != '>')
        return false;
    at = skip_blanks_back(at - 1, base);
    return is_name_end(at, base, (const char *)name, strlen((const char *)name), "</");
}

/* ---- events ------------------------------------------------------------------------ */

static size_t read_attributes(th_libxml2 *parser, const xmlChar **atts)
{
    size_t count = 0;
    for (; atts && atts[0]; atts += 2) {
        if (count == parser->opt->max_attributes) {
            th_builder_flag(parser->builder, TH_FLAG_ATTRIBUTES_CUT);
            break;
        }
        const char *name = (const char *)atts[0];
        const char *value = atts[1] ? (const char *)atts[1] : "";
        parser->attrs[count++] = (th_attribute){ .name = { name, strlen(name) },
                                                 .value = { value, strlen(value) } };
    }
    return count;
}

/* The hash of a name that is not in the list, as th_builder_start_tag takes it: MathML has
 * such names. */
static unsigned name_bits(th_tag tag, const xmlChar *name)
{
    const char *text = (const char *)name;
    return tag == TH_TAG_OTHER
               ? th_tag_name_hash((th_view){ text, strlen(text) }) << TH_TAG_NAME_SHIFT
               : 0;
}

static void start_html(void *context, const xmlChar *name, const xmlChar **atts)
{
    th_libxml2 *parser = context;
    if (parser->is_stopped)
        return;
    const unsigned how =
        atts || is_start_in_source(parser, name) ? TH_TAG_IN_SOURCE : TH_TAG_IMPLIED;
    const size_t count = read_attributes(parser, atts);
    const th_tag tag = tag_of(parser, name);
    th_builder_start_tag(parser->builder, tag, parser->attrs, count,
                         th_attribute_bits(parser->attrs, count),
                         how | name_bits(tag, name));
    bound_names(parser);
    stop_if_told(parser);
}

static void end_html(void *context, const xmlChar *name)
{
    th_libxml2 *parser = context;
    if (parser->is_stopped)
        return;
    const unsigned how =
        is_end_in_source(parser, name) ? TH_TAG_IN_SOURCE : TH_TAG_IMPLIED;
    th_builder_end_tag(parser->builder, tag_of(parser, name), how);
    stop_if_told(parser);
}

/* Attributes come five pointers each: name, prefix, namespace, value, value's end. */
static void start_xml(void *context, const xmlChar *name, const xmlChar *prefix,
                      const xmlChar *uri, int namespace_count, const xmlChar **namespaces,
                      int attr_count, int default_count, const xmlChar **atts)
{
    (void)prefix, (void)uri, (void)namespace_count, (void)namespaces, (void)default_count;
    th_libxml2 *parser = context;
    if (parser->is_stopped)
        return;
    size_t count = 0;
    for (int i = 0; i < attr_count && count < parser->opt->max_attributes;
         i++, atts += 5) {
        const char *attr = (const char *)atts[0];
        parser->attrs[count++] =
            (th_attribute){ .name = { attr, strlen(attr) },
                            .value = { (const char *)atts[3],
                                       (size_t)(atts[4] - atts[3]) } };
    }
    const th_tag tag = tag_of(parser, name);
    th_builder_start_tag(parser->builder, tag, parser->attrs, count,
                         th_attribute_bits(parser->attrs, count),
                         TH_TAG_IN_SOURCE | name_bits(tag, name));
    stop_if_told(parser);
}

static void end_xml(void *context, const xmlChar *name, const xmlChar *prefix,
                    const xmlChar *uri)
{
    (void)prefix, (void)uri;
    th_libxml2 *parser = context;
    if (parser->is_stopped)
        return;
    const xmlParserInput *input = parser->now->input;
    const bool is_empty_tag = input->cur - input->base >= 2 && input->cur[-2] == '/';
    th_builder_end_tag(parser->builder, tag_of(parser, name),
                       is_empty_tag ? TH_TAG_IMPLIED : TH_TAG_IN_SOURCE);
    stop_if_told(parser);
}

static void characters(void *context, const xmlChar *bytes, int len)
{
    th_libxml2 *parser = context;
    if (parser->is_stopped || len <= 0)
        return;
    th_builder_text(parser->builder, (const char *)bytes, (size_t)len);
    for (int i = 0; !parser->has_text && i < len; i++)
        parser->has_text = bytes[i] > ' ';
    /* A page may be one text, which must stop as well. */
    if (len >= 256)
        stop_if_told(parser);
}

/*
 * Called for an error. End tags that match nothing are compared with every open element,
 * and cause no other event. And before a "]]>" in XML the text is dropped.
 */
static void error(void *context, xmlErrorPtr what)
{
    th_libxml2 *parser = context;
    if (parser->is_stopped)
        return;
    if (what && what->code == XML_ERR_MISPLACED_CDATA_END)
        parser->has_lost_text = true;
    th_builder_work(parser->builder, 1 + (size_t)parser->now->nameNr / NAMES_PER_UNIT);
    if (parser->now == parser->html)
        bound_names(parser);
    stop_if_told(parser);
}

/*
 * XML: resolves HTML's named references, which XHTML's DTD would declare. After an error
 * libxml2 drops every reference in its text, including "&amp;". It checks for an error
 * right after this call.
 */
static xmlEntityPtr get_entity(void *context, const xmlChar *name)
{
    th_libxml2 *parser = context;
    parser->is_malformed = parser->is_malformed || !parser->now->wellFormed;
    parser->now->wellFormed = 1;
    const htmlEntityDesc *known = htmlEntityLookup(name);
    if (!known)
        return NULL;
    const size_t len = th_utf8_put(known->value, parser->entity_text);
    /* libxml2 copies only the first byte of a predefined entity into an attribute. */
    if (len > 1 && parser->now->instate == XML_PARSER_ATTRIBUTE_VALUE)
        return NULL;
    parser->entity_text[len] = '\0';
    parser->entity = (xmlEntity){ .type = XML_ENTITY_DECL,
                                  .name = name,
                                  .etype = XML_INTERNAL_PREDEFINED_ENTITY,
                                  .content = (xmlChar *)parser->entity_text,
                                  .orig = (xmlChar *)parser->entity_text,
                                  .length = (int)len };
    return &parser->entity;
}

/* ---- contexts ---------------------------------------------------------------------- */

/* Points a context at the text. libxml2 makes a copy, because it relies on a final
 * NUL. */
static th_status feed(xmlParserCtxtPtr ctxt, th_view text)
{
    xmlParserInputBufferPtr buffer =
        xmlParserInputBufferCreateMem(text.data, (int)text.len, XML_CHAR_ENCODING_NONE);
    if (!buffer)
        return TH_NOMEM;
    xmlParserInputPtr input = xmlNewIOInputStream(ctxt, buffer, XML_CHAR_ENCODING_NONE);
    if (!input) {
        xmlFreeParserInputBuffer(buffer);
        return TH_NOMEM;
    }
    if (inputPush(ctxt, input) < 0) {
        xmlFreeInputStream(input);
        return TH_NOMEM;
    }
    (void)xmlSwitchEncoding(ctxt, XML_CHAR_ENCODING_UTF8);
    return TH_OK;
}

static void set_handlers(th_libxml2 *parser, xmlParserCtxtPtr ctxt)
{
    *ctxt->sax = (xmlSAXHandler){ .characters = characters,
                                  .cdataBlock = characters,
                                  .ignorableWhitespace = characters,
                                  .serror = error,
                                  .initialized = XML_SAX2_MAGIC };
    ctxt->userData = parser;
}

/* Returns the HTML context, new or reset. */
static xmlParserCtxtPtr html_context(th_libxml2 *parser)
{
    if (parser->html && xmlDictSize(parser->html->dict) > NAMES_KEPT) {
        htmlFreeParserCtxt(parser->html);
        parser->html = NULL;
    }
    if (parser->html) {
        htmlCtxtReset(parser->html);
        return parser->html;
    }
    memset(parser->tags, 0, sizeof parser->tags);
    xmlParserCtxtPtr ctxt = htmlNewParserCtxt();
    if (!ctxt)
        return NULL;
    (void)htmlCtxtUseOptions(ctxt, HTML_PARSE_RECOVER | HTML_PARSE_NONET |
                                       HTML_PARSE_IGNORE_ENC | HTML_PARSE_NODEFDTD |
                                       XML_PARSE_HUGE);
    set_handlers(parser, ctxt);
    ctxt->sax->startElement = start_html;
    ctxt->sax->endElement = end_html;
    parser->html = ctxt;
    return ctxt;
}

static xmlParserCtxtPtr xml_context(th_libxml2 *parser)
{
    memset(parser->tags, 0, sizeof parser->tags); /* another dictionary */
    xmlParserCtxtPtr ctxt = xmlNewParserCtxt();
    if (!ctxt)
        return NULL;
    (void)xmlCtxtUseOptions(ctxt, XML_PARSE_RECOVER | XML_PARSE_NONET |
                                      XML_PARSE_IGNORE_ENC | XML_PARSE_HUGE |
                                      XML_PARSE_OLDSAX);
    set_handlers(parser, ctxt);
    ctxt->sax->startElementNs = start_xml;
    ctxt->sax->endElementNs = end_xml;
    ctxt->sax->getEntity = get_entity;
    return ctxt;
}

th_libxml2 *th_libxml2_new(const th_options *opt)
{
    xmlInitParser();
    th_libxml2 *parser = calloc(1, sizeof *parser);
    if (!parser)
        return NULL;
    parser->opt = opt;
    parser->attrs = calloc(opt->max_attributes, sizeof *parser->attrs);
    if (!parser->attrs) {
        free(parser);
        return NULL;
    }
    return parser;
}

void th_libxml2_free(th_libxml2 *parser)
{
    if (!parser)
        return;
    if (parser->html)
        htmlFreeParserCtxt(parser->html);
    if (parser->retired)
        xmlDictFree(parser->retired);
    th_buffer_done(&parser->stripped);
    th_buffer_done(&parser->tamed);
    free(parser->attrs);
    free(parser);
}

/* Removes the NULs from the text, and flags the page. */
static th_status strip_nuls(th_libxml2 *parser, th_builder *builder, th_view *text)
{
    const char *nul = text->len ? memchr(text->data, '\0', text->len) : NULL;
    if (!nul)
        return TH_OK;
    th_buffer *const stripped = &parser->stripped;
    th_buffer_reset(stripped);
    if (!th_buffer_reserve(stripped, text->len))
        return TH_NOMEM;
    th_view rest = *text;
    while (nul) {
        const size_t part = (size_t)(nul - rest.data);
        th_buffer_append(stripped, rest.data, part);
        rest = (th_view){ nul + 1, rest.len - part - 1 };
        nul = memchr(rest.data, '\0', rest.len);
    }
    th_buffer_append_view(stripped, rest);
    *text = th_buffer_view(stripped);
    th_builder_flag(builder, TH_FLAG_NUL_REMOVED);
    return TH_OK;
}

/* Returns the text in the form that libxml2's HTML parser may read. */
static th_status tame(th_libxml2 *parser, th_builder *builder, th_view *text)
{
    const th_tag_limits limits = { .max_attributes = parser->opt->max_attributes,
                                   .max_tag = parser->opt->max_tag };
    uint32_t flags = 0;
    th_status status = strip_nuls(parser, builder, text);
    if (status == TH_OK)
        status = th_tag_scan(*text, &limits, &parser->tamed, text, &flags);
    if (status == TH_OK)
        th_builder_flag(builder, flags);
    return status;
}

static bool has_read_all(const xmlParserCtxt *ctxt)
{
    return !ctxt->disableSAX && ctxt->input && ctxt->input->cur >= ctxt->input->end;
}

/* Returns the status of the builder and of libxml2. */
static th_status outcome(th_libxml2 *parser)
{
    const xmlParserCtxt *ctxt = parser->now;
    const th_status status = th_builder_status(parser->builder);
    if (status)
        return status;
    if (ctxt->errNo == XML_ERR_NO_MEMORY)
        return TH_NOMEM;
    if (!has_read_all(ctxt))
        th_builder_flag(parser->builder, TH_FLAG_PARSER_STOPPED);
    return TH_OK;
}

static th_status begin(th_libxml2 *parser, xmlParserCtxtPtr ctxt, th_view text,
                       th_builder *builder)
{
    if (!ctxt)
        return TH_NOMEM;
    parser->now = ctxt;
    parser->builder = builder;
    parser->is_stopped = false;
    parser->has_text = false;
    parser->is_malformed = false;
    parser->has_lost_text = false;
    parser->names_max = xmlDictSize(ctxt->dict) + NAMES_ADDED;
    return text.len > INT_MAX ? TH_TOO_LARGE : feed(ctxt, text);
}

th_status th_libxml2_html(th_libxml2 *parser, th_view text, th_builder *builder)
{
    th_status status = tame(parser, builder, &text);
    if (status || text.len == 0)
        return status;
    status = begin(parser, html_context(parser), text, builder);
    if (status)
        return status;
    (void)htmlParseDocument(parser->now);
    status = outcome(parser);
    htmlCtxtReset(parser->now); /* releases the text */
    return status;
}

th_status th_libxml2_xml(th_libxml2 *parser, th_view text, th_builder *builder,
                         bool *has_found)
{
    *has_found = false;
    th_status status = strip_nuls(parser, builder, &text);
    if (status || text.len == 0)
        return status;
    if (th_tag_scan_xml(text, parser->opt->max_attributes))
        return TH_OK; /* only the HTML parser can cut such a tag */
    xmlParserCtxtPtr ctxt = xml_context(parser);
    status = begin(parser, ctxt, text, builder);
    if (status == TH_OK) {
        (void)xmlParseDocument(ctxt);
        status = outcome(parser);
        const bool is_well_formed = ctxt->wellFormed && !parser->is_malformed;
        *has_found = (parser->has_text || is_well_formed) && has_read_all(ctxt) &&
                     !parser->has_lost_text;
    }
    if (ctxt)
        xmlFreeParserCtxt(ctxt);
    memset(parser->tags, 0, sizeof parser->tags);
    return status;
}
