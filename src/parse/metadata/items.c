/*
 * Microdata and RDFa. See the header.
 *
 * A scope is kept for each open element with an attribute that matters, with the values
 * that its content inherits. A value that is text gets its row at the start tag, and its
 * text at the end tag. The text of all open elements is one buffer.
 */
#include "parse/metadata/items.h"

#include <stdio.h>

#include "base/ascii.h"

enum { TEXT_MAX = TH_STATEMENT_BYTES_MAX };

static const th_view absent = { NULL, 0 };

static bool is_same(th_view a, th_view b)
{
    return a.data && b.data && a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

/* Returns a name for an item that has none: "_:0". */
static th_view new_name(th_items *items)
{
    char name[16];
    const int len = snprintf(name, sizeof name, "_:%u", items->names++);
    return th_statements_copy(items->statements, (th_view){ name, (size_t)len });
}

static th_view line_of(th_items *items, th_view text)
{
    return th_statements_line(items->statements, text, TH_STATEMENT_VALUE_MAX);
}

static void add(th_items *items, th_structured_list list, th_view item, th_view property,
                th_view value, th_view ref)
{
    if (item.data && property.data && (value.data || ref.data))
        (void)th_statements_add(items->statements, list,
                                &(th_statement){ item, property, value, ref });
}

/* Makes the element's text the value of rows from here on. */
static void open_text(th_items *items, th_item_scope *scope, th_structured_list list)
{
    scope->values[list].first = items->statements->lists->counts[list];
    if (!scope->wants_text) {
        scope->wants_text = true;
        scope->text_at = items->text.len;
        items->text_count++;
    }
}

/* Adds a row whose value is text that follows. */
static void add_open(th_items *items, th_item_scope *scope, th_structured_list list,
                     th_view item, th_view property)
{
    const th_statement row = { item, property, TH_VIEW(""), absent };
    if (item.data && property.data && th_statements_add(items->statements, list, &row))
        scope->values[list].count++;
}

bool th_is_opengraph(th_view property)
{
    static const char *const prefixes[] = { "og:",      "article:", "book:", "profile:",
                                            "video:",   "music:",   "fb:",   "product:",
                                            "twitter:", "al:",      "place:" };
    property = th_ascii_trimmed(property);
    for (size_t i = 0; property.len && i < sizeof prefixes / sizeof *prefixes; i++)
        if (th_ascii_starts_with(property, prefixes[i]))
            return true;
    return false;
}

/* ---- microdata ---- */

/* Returns the value of a property by its element; absent if it is the text. */
static th_view microdata_value(th_items *items, th_view base, th_tag tag,
                               const th_attribute *attrs, size_t attr_count)
{
    const char *url = NULL, *plain = "content";
    switch (tag) {
    case TH_TAG_AUDIO:
    case TH_TAG_EMBED:
    case TH_TAG_IFRAME:
    case TH_TAG_IMG:
    case TH_TAG_SOURCE:
    case TH_TAG_TRACK:
    case TH_TAG_VIDEO:
        url = "src";
        break;
    case TH_TAG_A:
    case TH_TAG_AREA:
    case TH_TAG_LINK:
        url = "href";
        break;
    case TH_TAG_OBJECT:
        url = "data";
        break;
    case TH_TAG_DATA:
    case TH_TAG_METER:
        plain = "value";
        break;
    case TH_TAG_TIME:
        plain = "datetime";
        break;
    default:
        break;
    }
    th_view value = th_attribute_value(attrs, attr_count, url ? url : plain);
    if (url && value.data)
        return th_statements_url(items->statements, base, value);
    if (!value.data && tag == TH_TAG_TIME)
        value = th_attribute_value(attrs, attr_count, "content");
    if (!value.len && tag != TH_TAG_META && !strcmp(plain, "content"))
        value = absent;
    if (!value.data && (url || tag == TH_TAG_META))
        value = TH_VIEW("");
    return value.data ? line_of(items, value) : absent;
}

/* Adds the types of an item. */
static void add_types(th_items *items, th_view item, th_view types)
{
    for (th_view type = th_ascii_next_word(&types); type.len;
         type = th_ascii_next_word(&types))
        add(items, TH_STRUCTURED_MICRODATA, item, TH_VIEW("@type"), line_of(items, type),
            absent);
}

static void take_microdata(th_items *items, th_view base, th_item_scope *scope,
                           th_view around, th_tag tag, const th_attribute *attrs,
                           size_t attr_count)
{
    th_view names = th_attribute_value(attrs, attr_count, "itemprop");
    th_view item = absent, value = absent;
    const bool is_item = th_attribute_value(attrs, attr_count, "itemscope").data;
    if (is_item) {
        const th_view id = th_attribute_value(attrs, attr_count, "itemid");
        item = id.len ? th_statements_url(items->statements, base, id) : new_name(items);
        if (scope)
            scope->item = item;
    } else if (names.data && around.data) {
        value = microdata_value(items, base, tag, attrs, attr_count);
    }
    const bool is_text = names.data && around.data && !is_item && !value.data;
    if (is_text && scope)
        open_text(items, scope, TH_STRUCTURED_MICRODATA);
    for (th_view name = th_ascii_next_word(&names); around.data && name.len;
         name = th_ascii_next_word(&names)) {
        const th_view property = line_of(items, name);
        if (is_text && scope)
            add_open(items, scope, TH_STRUCTURED_MICRODATA, around, property);
        else
            add(items, TH_STRUCTURED_MICRODATA, around, property,
                is_text ? TH_VIEW("") : value, item);
    }
    if (is_item)
        add_types(items, item, th_attribute_value(attrs, attr_count, "itemtype"));
}

/* ---- RDFa ---- */

/* Prefixes that every page may use. Source: RDFa initial context. */
static const struct {
    const char *name, *iri;
} known_prefixes[] = {
    { "as", "https://www.w3.org/ns/activitystreams#" },
    { "cc", "http://creativecommons.org/ns#" },
    { "ctag", "http://commontag.org/ns#" },
    { "dc", "http://purl.org/dc/terms/" },
    { "dc11", "http://purl.org/dc/elements/1.1/" },
    { "dcat", "http://www.w3.org/ns/dcat#" },
    { "dcterms", "http://purl.org/dc/terms/" },
    { "foaf", "http://xmlns.com/foaf/0.1/" },
    { "gr", "http://purl.org/goodrelations/v1#" },
    { "ical", "http://www.w3.org/2002/12/cal/icaltzd#" },
    { "og", "http://ogp.me/ns#" },
    { "owl", "http://www.w3.org/2002/07/owl#" },
    { "prov", "http://www.w3.org/ns/prov#" },
    { "rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#" },
    { "rdfa", "http://www.w3.org/ns/rdfa#" },
    { "rdfs", "http://www.w3.org/2000/01/rdf-schema#" },
    { "rev", "http://purl.org/stuff/rev#" },
    { "schema", "http://schema.org/" },
    { "sioc", "http://rdfs.org/sioc/ns#" },
    { "skos", "http://www.w3.org/2004/02/skos/core#" },
    { "v", "http://rdf.data-vocabulary.org/#" },
    { "vcard", "http://www.w3.org/2006/vcard/ns#" },
    { "void", "http://rdfs.org/ns/void#" },
    { "xhv", "http://www.w3.org/1999/xhtml/vocab#" },
    { "xsd", "http://www.w3.org/2001/XMLSchema#" },
};

/* Returns the IRI of a prefix, absent if it is unknown. */
static th_view iri_of(const th_items *items, th_view prefix)
{
    for (uint32_t i = items->prefix_count; i-- > 0;)
        if (th_ascii_same(items->prefixes[i].name, prefix))
            return items->prefixes[i].iri;
    for (size_t i = 0; i < sizeof known_prefixes / sizeof *known_prefixes; i++)
        if (th_ascii_is(prefix, known_prefixes[i].name))
            return (th_view){ known_prefixes[i].iri, strlen(known_prefixes[i].iri) };
    return absent;
}

static th_view joined(th_items *items, th_view start, th_view end)
{
    th_view whole = { NULL, start.len + end.len };
    char *const data = th_arena_alloc(items->statements->arena, whole.len + 1);
    if (!data) {
        items->statements->has_failed = true;
        return absent;
    }
    if (start.len)
        memcpy(data, start.data, start.len);
    if (end.len)
        memcpy(data + start.len, end.data, end.len);
    whole.data = data;
    return line_of(items, whole);
}

/* Expands "dc:title". Absent if the text has no known prefix. */
static th_view expanded(th_items *items, th_view text)
{
    const char *const colon = text.len ? memchr(text.data, ':', text.len) : NULL;
    if (!colon)
        return absent;
    const size_t len = (size_t)(colon - text.data);
    const th_view rest = { colon + 1, text.len - len - 1 };
    if (rest.len >= 2 && rest.data[0] == '/' && rest.data[1] == '/')
        return absent;
    if (len == 1 && text.data[0] == '_')
        return line_of(items, text);
    const th_view iri = iri_of(items, (th_view){ text.data, len });
    return iri.data ? joined(items, iri, rest) : absent;
}

/* Returns the IRI of a property or type; absent if it is not one. */
static th_view term_iri(th_items *items, th_view vocab, th_view term)
{
    static const struct {
        const char *term, *iri;
    } terms[] = {
        { "describedby", "http://www.w3.org/2007/05/powder-s#describedby" },
        { "license", "http://www.w3.org/1999/xhtml/vocab#license" },
        { "role", "http://www.w3.org/1999/xhtml/vocab#role" },
    };
    if (memchr(term.data, ':', term.len)) {
        const th_view iri = expanded(items, term);
        return iri.data ? iri : line_of(items, term);
    }
    if (vocab.len)
        return joined(items, vocab, term);
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (th_ascii_is(term, terms[i].term))
            return (th_view){ terms[i].iri, strlen(terms[i].iri) };
    return absent;
}

/* Returns the resource that ABOUT or RESOURCE names; absent without one. */
static th_view resource_of(th_items *items, th_view base, th_view text)
{
    if (!text.data)
        return absent;
    text = th_ascii_trimmed(text);
    if (text.len > 2 && text.data[0] == '[' && text.data[text.len - 1] == ']')
        return expanded(items, (th_view){ text.data + 1, text.len - 2 });
    const th_view iri = expanded(items, text);
    return iri.data ? iri : th_statements_url(items->statements, base, text);
}

static void add_prefix(th_items *items, uint32_t at, th_view name, th_view iri)
{
    if (at == TH_NONE)
        return;
    if (items->prefix_count == TH_ITEM_PREFIXES) {
        items->statements->flags |= TH_FLAG_STRUCTURED_CUT;
        return;
    }
    const th_item_prefix prefix = { .name = line_of(items, name),
                                    .iri = line_of(items, iri),
                                    .at = at };
    if (prefix.name.len && prefix.iri.data)
        items->prefixes[items->prefix_count++] = prefix;
}

/* Reads "dc: http://... foaf: http://..." and xmlns:dc. */
static void read_prefixes(th_items *items, uint32_t at, const th_attribute *attrs,
                          size_t attr_count)
{
    th_view list = th_attribute_value(attrs, attr_count, "prefix");
    for (size_t i = 0; i < attr_count; i++)
        if (th_ascii_starts_with(attrs[i].name, "xmlns:"))
            add_prefix(items, at,
                       (th_view){ attrs[i].name.data + 6, attrs[i].name.len - 6 },
                       attrs[i].value);
    for (th_view name = th_ascii_next_word(&list); name.len;
         name = th_ascii_next_word(&list)) {
        const th_view iri = th_ascii_next_word(&list);
        if (iri.len && name.data[name.len - 1] == ':')
            add_prefix(items, at, (th_view){ name.data, name.len - 1 }, iri);
    }
}

/* Adds a relation to or from an item for each term. */
static void relate(th_items *items, th_view vocab, th_view terms, th_view from,
                   th_view to)
{
    for (th_view term = th_ascii_next_word(&terms); term.len;
         term = th_ascii_next_word(&terms))
        add(items, TH_STRUCTURED_RDFA, from, term_iri(items, vocab, term), absent, to);
}

/* Returns relations that are not just terms of HTML, next to a property. */
static th_view with_prefix(th_view terms)
{
    for (th_view rest = terms, term = th_ascii_next_word(&rest); term.len;
         term = th_ascii_next_word(&rest))
        if (memchr(term.data, ':', term.len))
            return terms;
    return absent;
}

/* Resources of an element, by the attributes. */
struct rdfa {
    th_view property, type_of, rel, rev, content;
    th_view about, resource;
    th_view subject, object, typed;
    bool has_datatype, is_skipped;
};

static th_view first_of(th_view a, th_view b)
{
    return a.data ? a : b;
}

static struct rdfa read_rdfa(th_items *items, th_view base, th_tag tag,
                             const th_attribute *attrs, size_t attr_count)
{
    struct rdfa rdfa = {
        .property = th_attribute_value(attrs, attr_count, "property"),
        .type_of = th_attribute_value(attrs, attr_count, "typeof"),
        .rel = th_attribute_value(attrs, attr_count, "rel"),
        .rev = th_attribute_value(attrs, attr_count, "rev"),
        .content = th_attribute_value(attrs, attr_count, "content"),
        .about = resource_of(items, base, th_attribute_value(attrs, attr_count, "about")),
        .resource =
            resource_of(items, base, th_attribute_value(attrs, attr_count, "resource")),
        .has_datatype = th_attribute_value(attrs, attr_count, "datatype").data,
    };
    if (!rdfa.content.data)
        rdfa.content = th_attribute_value(attrs, attr_count, "datetime");
    if (!rdfa.content.data && (tag == TH_TAG_DATA || tag == TH_TAG_METER))
        rdfa.content = th_attribute_value(attrs, attr_count, "value");
    static const char *const urls[] = { "href", "src", "data" };
    for (size_t i = 0; !rdfa.resource.data && i < sizeof urls / sizeof *urls; i++) {
        const th_view url = th_attribute_value(attrs, attr_count, urls[i]);
        if (url.data && (i < 2 || tag == TH_TAG_OBJECT))
            rdfa.resource = th_statements_url(items->statements, base, url);
    }
    if (rdfa.property.data) {
        rdfa.rel = with_prefix(rdfa.rel);
        rdfa.rev = with_prefix(rdfa.rev);
    }
    return rdfa;
}

/* Decides about subject, object and typed resource. RDFa Core 7.5, steps 5 and 6. */
static void choose_resources(th_items *items, struct rdfa *rdfa, th_view around)
{
    if (rdfa->rel.data || rdfa->rev.data) {
        rdfa->subject = first_of(rdfa->about, around);
        rdfa->object = rdfa->resource;
        if (rdfa->type_of.data && rdfa->about.data)
            rdfa->typed = rdfa->about;
        else if (rdfa->type_of.data)
            rdfa->typed = rdfa->object =
                rdfa->object.data ? rdfa->object : new_name(items);
    } else if (rdfa->property.data && !rdfa->content.data && !rdfa->has_datatype) {
        rdfa->subject = first_of(rdfa->about, around);
        if (rdfa->type_of.data) {
            rdfa->typed = first_of(rdfa->about, rdfa->resource);
            if (!rdfa->typed.data)
                rdfa->typed = new_name(items);
            rdfa->object = rdfa->typed;
        }
    } else {
        rdfa->subject = first_of(rdfa->about, rdfa->resource);
        if (!rdfa->subject.data && rdfa->type_of.data)
            rdfa->subject = new_name(items);
        rdfa->is_skipped = !rdfa->subject.data && !rdfa->property.data;
        rdfa->subject = first_of(rdfa->subject, around);
        if (rdfa->type_of.data)
            rdfa->typed = rdfa->subject;
    }
}

/* Adds the values of properties. RDFa Core 7.5, step 11. */
static void add_properties(th_items *items, th_item_scope *scope, th_view vocab,
                           const struct rdfa *rdfa)
{
    th_view value = absent, ref = absent, terms = rdfa->property;
    if (rdfa->content.data)
        value = line_of(items, rdfa->content);
    else if (!rdfa->has_datatype && !rdfa->rel.data && !rdfa->rev.data &&
             rdfa->resource.data)
        ref = rdfa->resource;
    else if (!rdfa->has_datatype && rdfa->typed.data && !rdfa->about.data)
        ref = rdfa->typed;
    const bool is_text = !value.data && !ref.data;
    if (is_text && scope)
        open_text(items, scope, TH_STRUCTURED_RDFA);
    for (th_view term = th_ascii_next_word(&terms); term.len;
         term = th_ascii_next_word(&terms)) {
        const th_view property = term_iri(items, vocab, term);
        if (is_text && scope)
            add_open(items, scope, TH_STRUCTURED_RDFA, rdfa->subject, property);
        else
            add(items, TH_STRUCTURED_RDFA, rdfa->subject, property,
                is_text ? TH_VIEW("") : value, ref);
    }
}

static void take_rdfa(th_items *items, th_view base, th_item_scope *scope,
                      th_item_scope *around, th_tag tag, const th_attribute *attrs,
                      size_t attr_count)
{
    struct rdfa rdfa = read_rdfa(items, base, tag, attrs, attr_count);
    const th_view vocab_name = th_attribute_value(attrs, attr_count, "vocab");
    const th_view vocab = vocab_name.data ? line_of(items, vocab_name) : around->vocab;
    choose_resources(items, &rdfa, around->object);
    for (th_view type = th_ascii_next_word(&rdfa.type_of); type.len;
         type = th_ascii_next_word(&rdfa.type_of))
        add(items, TH_STRUCTURED_RDFA, rdfa.typed, TH_VIEW("@type"),
            term_iri(items, vocab, type), absent);
    if (!rdfa.is_skipped && (around->rel.data || around->rev.data) &&
        !is_same(around->related, rdfa.subject)) {
        relate(items, around->vocab, around->rel, around->subject, rdfa.subject);
        relate(items, around->vocab, around->rev, rdfa.subject, around->subject);
        around->related = rdfa.subject;
    }
    if (rdfa.object.data) {
        relate(items, vocab, rdfa.rel, rdfa.subject, rdfa.object);
        relate(items, vocab, rdfa.rev, rdfa.object, rdfa.subject);
    }
    if (rdfa.property.data)
        add_properties(items, scope, vocab, &rdfa);
    if (!scope)
        return;
    scope->vocab = vocab;
    if (rdfa.is_skipped)
        return;
    const bool hangs = !rdfa.object.data && (rdfa.rel.data || rdfa.rev.data);
    scope->subject = rdfa.subject;
    scope->rel = hangs && rdfa.rel.data ? line_of(items, rdfa.rel) : absent;
    scope->rev = hangs && rdfa.rev.data ? line_of(items, rdfa.rev) : absent;
    scope->related = absent;
    scope->object = hangs ? new_name(items) : first_of(rdfa.object, rdfa.subject);
}

/* ---- elements ---- */

void th_items_begin(th_items *items, th_statements *statements)
{
    items->statements = statements;
    items->names = items->depth = items->prefix_count = items->text_count = 0;
    th_buffer_reset(&items->text);
}

void th_items_done(th_items *items)
{
    th_buffer_done(&items->text);
}

/* Returns a scope for an open element, with the values that it inherits. NULL over the
 * limit, or if the element has no content. */
static th_item_scope *open_scope(th_items *items, th_view base, uint32_t at)
{
    if (at == TH_NONE)
        return NULL;
    if (items->depth == TH_ITEM_DEPTH) {
        items->statements->flags |= TH_FLAG_STRUCTURED_CUT;
        return NULL;
    }
    th_item_scope *const scope = &items->scopes[items->depth];
    *scope = items->depth ? scope[-1] : (th_item_scope){ .object = base };
    items->depth++;
    scope->at = at;
    scope->wants_text = false;
    memset(scope->values, 0, sizeof scope->values);
    return scope;
}

/* Whether an element has an attribute of microdata or RDFa. */
static bool has_any(const th_attribute *attrs, size_t attr_count, bool *is_rdfa,
                    bool *is_microdata)
{
    static const char *const rdfa[] = {
        "property", "typeof", "vocab", "about", "rel",
        "resource", "rev",    "href",  "src",   "prefix"
    };
    for (size_t i = 0; i < attr_count; i++) {
        const th_view name = attrs[i].name;
        *is_microdata |= th_view_is(name, "itemprop") || th_view_is(name, "itemscope");
        for (size_t k = 0; !*is_rdfa && k < sizeof rdfa / sizeof *rdfa; k++)
            *is_rdfa = th_view_is(name, rdfa[k]);
        *is_rdfa |= th_ascii_starts_with(name, "xmlns:");
    }
    return *is_rdfa || *is_microdata;
}

void th_items_start(th_items *items, th_view base, uint32_t at, th_tag tag,
                    const th_attribute *attrs, size_t attr_count)
{
    bool is_rdfa = false, is_microdata = false;
    if (!has_any(attrs, attr_count, &is_rdfa, &is_microdata) ||
        items->statements->has_failed)
        return;
    if (tag == TH_TAG_META &&
        th_is_opengraph(th_attribute_value(attrs, attr_count, "property")))
        is_rdfa = false;
    th_item_scope root = { .object = base };
    th_item_scope *const around = items->depth ? &items->scopes[items->depth - 1] : &root;
    const th_view item = around->item;
    th_item_scope *const scope = open_scope(items, base, at);
    if (is_microdata)
        take_microdata(items, base, scope, item, tag, attrs, attr_count);
    if (is_rdfa) {
        read_prefixes(items, at, attrs, attr_count);
        take_rdfa(items, base, scope, around, tag, attrs, attr_count);
    }
}

void th_items_text(th_items *items, const char *bytes, size_t len)
{
    const size_t left = TEXT_MAX - items->text.len;
    if (len > left)
        items->statements->flags |= TH_FLAG_STRUCTURED_CUT;
    th_buffer_append(&items->text, bytes, len < left ? len : left);
    items->statements->has_failed |= items->text.has_failed;
}

/* Gives the rows of an element its text. */
static void end_values(th_items *items, const th_item_scope *scope)
{
    const th_view text = { items->text.data ? items->text.data + scope->text_at : "",
                           items->text.len - scope->text_at };
    const th_view value = line_of(items, text);
    for (unsigned list = 0; value.data && list <= TH_STRUCTURED_RDFA; list++)
        for (uint32_t i = 0; i < scope->values[list].count; i++)
            items->statements->lists->rows[list][scope->values[list].first + i].value =
                value;
    if (--items->text_count == 0)
        th_buffer_reset(&items->text);
}

void th_items_end(th_items *items, uint32_t at)
{
    while (items->prefix_count && items->prefixes[items->prefix_count - 1].at == at)
        items->prefix_count--;
    for (uint32_t i = items->depth; i-- > 0;) {
        if (items->scopes[i].at < at)
            return;
        if (items->scopes[i].at > at)
            continue;
        if (items->scopes[i].wants_text)
            end_values(items, &items->scopes[i]);
        items->depth--;
        memmove(&items->scopes[i], &items->scopes[i + 1],
                (items->depth - i) * sizeof *items->scopes);
    }
}
