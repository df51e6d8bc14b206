/*
 * SAX events of libxml2's XML parser into the page builder.
 *
 * Precautions [docs/reliability.md#hostile-html; measured and read with 2.9.14]:
 * - XML_PARSE_HUGE is set. Without it, all content after an element nested deeper than
 *   256 and after 10 MB of one text is lost. No tree is built, so depth costs only its
 *   stack of names.
 * - The text is UTF-8 and libxml2 is configured so: it neither obeys a declaration nor
 *   guesses. At a NUL it loses the rest of the page, so NULs are removed.
 * - It compares each attribute of a tag with all before it, and makes no call before the
 *   tag ends. A document that may have such a tag is read as HTML.
 * - No network, no DTD, no entities except HTML's: every handler that could load them is
 *   absent.
 * - Errors are reported to the builder's clock, which stops the parser when the page's
 *   time is used up.
 */
#include "parse/xml_parser.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include "base/buffer.h"
#include "base/unicode.h"
#include "parse/mathml.h"

/* libxml2 2.13 and later deprecate members that this file reads. They have the same
 * values. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#if LIBXML_VERSION >= 21200
typedef const xmlError *xml_error;
#else
typedef xmlErrorPtr xml_error;
#endif

enum {
    TAG_CACHE = 256, /* a power of two */
    /* Open elements that an end tag is compared with per unit of th_builder_work. */
    NAMES_PER_UNIT = 16,
};

/* Tag names are interned, so the pointer identifies the name. Cleared with the
 * dictionary. */
struct cached_tag {
    const xmlChar *name;
    th_tag tag;
};

struct th_xml_parser {
    const th_options *opt;
    xmlParserCtxtPtr now; /* the context that is parsing */
    th_builder *builder;
    th_attribute *attrs; /* opt->max_attributes */
    xmlEntity entity;    /* last result of get_entity */
    char entity_text[5];
    bool is_stopped;
    bool has_text;      /* characters other than whitespace were reported */
    bool is_malformed;  /* a copy, because get_entity resets libxml2's flag */
    bool has_lost_text; /* more than markup is missing */
    th_buffer stripped; /* the text without NULs */
    struct cached_tag tags[TAG_CACHE];
};

static th_tag tag_of(th_xml_parser *parser, const xmlChar *name)
{
    const uintptr_t bits = (uintptr_t)name;
    struct cached_tag *cached = &parser->tags[(bits ^ bits >> 8) % TAG_CACHE];
    if (cached->name != name) {
        const th_view view = { (const char *)name, strlen((const char *)name) };
        *cached = (struct cached_tag){ .name = name, .tag = th_tag_of(view) };
    }
    return cached->tag;
}

static void stop_if_told(th_xml_parser *parser)
{
    if (th_builder_status(parser->builder)) {
        parser->is_stopped = true;
        xmlStopParser(parser->now);
    }
}

/* ---- events ------------------------------------------------------------------------ */

/* The hash of a name that is not in the list, as th_builder_start_tag takes it: MathML has
 * such names. */
static unsigned name_bits(th_tag tag, const xmlChar *name)
{
    const char *text = (const char *)name;
    return tag == TH_TAG_OTHER
               ? th_tag_name_hash((th_view){ text, strlen(text) }) << TH_TAG_NAME_SHIFT
               : 0;
}

/* Attributes come five pointers each: name, prefix, namespace, value, value's end. */
static void start_xml(void *context, const xmlChar *name, const xmlChar *prefix,
                      const xmlChar *uri, int namespace_count, const xmlChar **namespaces,
                      int attr_count, int default_count, const xmlChar **atts)
{
    (void)prefix, (void)uri, (void)namespace_count, (void)namespaces, (void)default_count;
    th_xml_parser *parser = context;
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
    th_xml_parser *parser = context;
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
    th_xml_parser *parser = context;
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
 * and cause no other event. And before a "]]>" the text is dropped.
 */
static void error(void *context, xml_error what)
{
    th_xml_parser *parser = context;
    if (parser->is_stopped)
        return;
    if (what && what->code == XML_ERR_MISPLACED_CDATA_END)
        parser->has_lost_text = true;
    th_builder_work(parser->builder, 1 + (size_t)parser->now->nameNr / NAMES_PER_UNIT);
    stop_if_told(parser);
}

/*
 * Resolves HTML's named references, which XHTML's DTD would declare. After an error
 * libxml2 drops every reference in its text, including "&amp;". It checks for an error
 * right after this call.
 */
static xmlEntityPtr get_entity(void *context, const xmlChar *name)
{
    th_xml_parser *parser = context;
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

static void set_handlers(th_xml_parser *parser, xmlParserCtxtPtr ctxt)
{
    *ctxt->sax = (xmlSAXHandler){ .characters = characters,
                                  .cdataBlock = characters,
                                  .ignorableWhitespace = characters,
                                  .serror = error,
                                  .initialized = XML_SAX2_MAGIC };
    ctxt->userData = parser;
}

static xmlParserCtxtPtr xml_context(th_xml_parser *parser)
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

th_xml_parser *th_xml_parser_new(const th_options *opt)
{
    xmlInitParser();
    th_xml_parser *parser = calloc(1, sizeof *parser);
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

void th_xml_parser_free(th_xml_parser *parser)
{
    if (!parser)
        return;
    th_buffer_done(&parser->stripped);
    free(parser->attrs);
    free(parser);
}

/* Removes the NULs from the text, and flags the page. */
static th_status strip_nuls(th_xml_parser *parser, th_builder *builder, th_view *text)
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

static bool has_read_all(const xmlParserCtxt *ctxt)
{
    return !ctxt->disableSAX && ctxt->input && ctxt->input->cur >= ctxt->input->end;
}

/* Returns the status of the builder and of libxml2. */
static th_status outcome(th_xml_parser *parser)
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

static th_status begin(th_xml_parser *parser, xmlParserCtxtPtr ctxt, th_view text,
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
    return text.len > INT_MAX ? TH_TOO_LARGE : feed(ctxt, text);
}

/*
 * Whether a tag may have more attributes than that. No value can have a '<', so it is
 * enough to count '=' between one '<' and the next. May be true unnecessarily. Never false
 * if there is such a tag.
 */
static bool may_have_large_tag(th_view text, uint32_t max_attributes)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '<')
            count = 0;
        else if (text.data[i] == '=' && ++count > max_attributes)
            return true;
    }
    return false;
}

th_status th_xml_parse(th_xml_parser *parser, th_view text, th_builder *builder,
                       bool *has_found)
{
    *has_found = false;
    th_status status = strip_nuls(parser, builder, &text);
    if (status || text.len == 0)
        return status;
    if (may_have_large_tag(text, parser->opt->max_attributes))
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
