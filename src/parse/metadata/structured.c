/*
 * Structured data of a page. See the header.
 *
 * JSON-LD is checked by the grammar and written again without whitespace, so that every
 * reader of JSON can read it. Tags, section and image are taken from the best source that
 * the page has: META, then JSON-LD of an object at the top level, then links.
 */
#include "parse/metadata/structured.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/json_escape.h"
#include "base/json_reader.h"
#include "parse/metadata/items.h"
#include "parse/metadata/json_ld.h"

enum { MAX_TAG = 256, MAX_NAME = 1024, MAX_TAGS = 64 };

/* Sources of a fact, best first. */
enum { FROM_META, FROM_CARD, FROM_JSON_LD, FROM_LINK, FROM_NOTHING };

struct th_structured_collector {
    th_statements statements;
    th_json_ld_memory memory;
    th_buffer json; /* owned */
    th_view section, image;
    uint8_t section_from, image_from;
    th_items items;
};

static const th_view absent = { NULL, 0 };

static void add(th_structured_collector *c, th_structured_list list, th_view property,
                th_view value, th_view ref)
{
    (void)th_statements_add(
        &c->statements, list,
        &(th_statement){ .property = property, .value = value, .ref = ref });
}

static th_view line_of(th_structured_collector *c, th_view text, size_t max)
{
    return th_statements_line(&c->statements, text, max);
}

/* ---- tags, section, image ---- */

static void add_tag(th_structured_collector *c, th_view text)
{
    const th_structured *const lists = c->statements.lists;
    text = th_ascii_trimmed(text);
    if (!text.len || !lists)
        return;
    const uint32_t count = lists->counts[TH_STRUCTURED_TAGS];
    for (uint32_t i = 0; i < count; i++) {
        const th_view known = lists->rows[TH_STRUCTURED_TAGS][i].value;
        if (known.len == text.len && memcmp(known.data, text.data, text.len) == 0)
            return;
    }
    if (count == MAX_TAGS)
        c->statements.flags |= TH_FLAG_STRUCTURED_CUT;
    else
        add(c, TH_STRUCTURED_TAGS, absent, line_of(c, text, MAX_TAG), absent);
}

/* Adds "a, b". */
static void add_tags(th_structured_collector *c, th_view list)
{
    while (list.len) {
        const char *const comma = memchr(list.data, ',', list.len);
        const size_t len = comma ? (size_t)(comma - list.data) : list.len;
        add_tag(c, (th_view){ list.data, len });
        const size_t used = comma ? len + 1 : len;
        list = (th_view){ list.data + used, list.len - used };
    }
}

static void set_section(th_structured_collector *c, th_view text, uint8_t from)
{
    if (from >= c->section_from || !th_ascii_trimmed(text).len)
        return;
    c->section = line_of(c, text, MAX_TAG);
    c->section_from = from;
}

/* The base may still change, so the URL is resolved at the end of the page. */
static void set_image(th_structured_collector *c, th_view url, uint8_t from)
{
    if (from >= c->image_from || !th_ascii_trimmed(url).len)
        return;
    c->image = th_statements_copy(&c->statements, th_ascii_trimmed(url));
    c->image_from = from;
}

/* ---- META and LINK ---- */

static void take_property(th_structured_collector *c, th_view name, th_view content)
{
    const bool is_card = th_ascii_starts_with(name, "twitter:");
    if (!is_card && !th_is_opengraph(name))
        return;
    add(c, is_card ? TH_STRUCTURED_TWITTER : TH_STRUCTURED_OPENGRAPH,
        line_of(c, name, MAX_NAME), line_of(c, content, TH_STATEMENT_VALUE_MAX), absent);
    if (th_ascii_is(name, "article:tag") || th_ascii_is(name, "og:article:tag"))
        add_tags(c, content);
    else if (th_ascii_is(name, "article:section"))
        set_section(c, content, FROM_META);
    else if (th_ascii_is(name, "og:image") || th_ascii_is(name, "og:image:url") ||
             th_ascii_is(name, "og:image:secure_url"))
        set_image(c, content, FROM_META);
    else if (th_ascii_is(name, "twitter:image") || th_ascii_is(name, "twitter:image:src"))
        set_image(c, content, FROM_CARD);
}

static void take_meta(th_structured_collector *c, const th_attribute *attrs,
                      size_t attr_count)
{
    const th_view content = th_attribute_value(attrs, attr_count, "content");
    const th_view name = th_ascii_trimmed(th_attribute_value(attrs, attr_count, "name"));
    const th_view property =
        th_ascii_trimmed(th_attribute_value(attrs, attr_count, "property"));
    if (!content.data)
        return;
    if (property.len)
        take_property(c, property, content);
    if (name.len && !th_ascii_same(name, property))
        take_property(c, name, content);
    if (th_ascii_is(name, "keywords") || th_ascii_is(name, "news_keywords"))
        add_tags(c, content);
}

static bool is_feed(th_view type)
{
    static const char *const types[] = { "application/rss+xml", "application/atom+xml",
                                         "application/feed+json", "application/rdf+xml" };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (th_ascii_starts_with(type, types[i]))
            return true;
    return false;
}

static void take_link(th_structured_collector *c, th_view base, const th_attribute *attrs,
                      size_t attr_count)
{
    const th_view rel = th_attribute_value(attrs, attr_count, "rel");
    const th_view href = th_attribute_value(attrs, attr_count, "href");
    const th_view type = th_ascii_trimmed(th_attribute_value(attrs, attr_count, "type"));
    const th_view language = th_attribute_value(attrs, attr_count, "hreflang");
    if (!href.len)
        return;
    if (th_ascii_has_word(rel, "image_src"))
        set_image(c, href, FROM_LINK);
    if (!th_ascii_has_word(rel, "alternate") && !th_ascii_has_word(rel, "feed"))
        return;
    if (is_feed(type) || th_ascii_has_word(rel, "feed"))
        add(c, TH_STRUCTURED_FEEDS, line_of(c, type, MAX_NAME),
            line_of(c, th_attribute_value(attrs, attr_count, "title"), MAX_NAME),
            th_statements_url(&c->statements, base, href));
    else if (th_ascii_trimmed(language).len)
        add(c, TH_STRUCTURED_ALTERNATES, line_of(c, language, MAX_NAME), absent,
            th_statements_url(&c->statements, base, href));
}

/* ---- JSON-LD ---- */

/* The role of a value, by the keys that lead to it. */
enum place { IN_OTHER, IN_OBJECT, IN_TAGS, IN_SECTION, IN_IMAGE };

static enum place place_of(th_view key)
{
    return th_view_is(key, "@graph")           ? IN_OBJECT
           : th_view_is(key, "keywords")       ? IN_TAGS
           : th_view_is(key, "articleSection") ? IN_SECTION
           : th_view_is(key, "image")          ? IN_IMAGE
                                               : IN_OTHER;
}

/* An open container. */
struct frame {
    uint8_t place; /* of an array or object */
    uint8_t next;  /* of its next value */
};

/* Returns the place of a key's value in an object. */
static enum place place_in(const struct frame *frame, th_view key)
{
    if (frame->place == IN_OBJECT)
        return place_of(key);
    if (frame->place == IN_IMAGE &&
        (th_view_is(key, "url") || th_view_is(key, "contentUrl")))
        return IN_IMAGE;
    return IN_OTHER;
}

static void take_string(th_structured_collector *c, enum place place, th_view text)
{
    if (place == IN_TAGS)
        add_tags(c, text);
    else if (place == IN_SECTION)
        set_section(c, text, FROM_JSON_LD);
    else if (place == IN_IMAGE)
        set_image(c, text, FROM_JSON_LD);
}

static void write_string(th_buffer *out, th_view text)
{
    th_buffer_append_char(out, '"');
    th_json_escape(out, text);
    th_buffer_append_char(out, '"');
}

/* Writes a document as compact JSON. Returns false if it is not JSON. Text after the
 * document is ignored ("-->"). */
static bool compact(th_structured_collector *c, char *copy, size_t len)
{
    struct frame frames[TH_JSON_DEPTH + 1] = { { .next = IN_OBJECT } };
    th_buffer *const out = &c->json;
    uint32_t depth = 0;
    bool needs_comma = false;
    th_json_reader json;
    th_json_reader_init(&json, (th_view){ copy, len });
    do {
        const th_json_token token = th_json_read(&json);
        const bool closes = token == TH_JSON_CLOSE_OBJECT || token == TH_JSON_CLOSE_ARRAY;
        th_view text = json.text;
        if (token <= TH_JSON_BAD)
            return false;
        if (token == TH_JSON_KEY || token == TH_JSON_STRING) {
            char *const at = copy + (text.data - copy);
            if (!th_json_text(&json, at, &text.len))
                return false;
        }
        if (needs_comma && !closes)
            th_buffer_append_char(out, ',');
        needs_comma = token != TH_JSON_KEY && token != TH_JSON_OPEN_OBJECT &&
                      token != TH_JSON_OPEN_ARRAY;
        struct frame *const frame = &frames[depth];
        switch (token) {
        case TH_JSON_KEY:
            write_string(out, text);
            th_buffer_append_char(out, ':');
            frame->next = (uint8_t)place_in(frame, text);
            break;
        case TH_JSON_STRING:
            write_string(out, text);
            take_string(c, (enum place)frame->next, text);
            break;
        case TH_JSON_OPEN_OBJECT:
        case TH_JSON_OPEN_ARRAY:
            frames[++depth] =
                (struct frame){ .place = frame->next,
                                .next = token == TH_JSON_OPEN_ARRAY ? frame->next
                                                                    : IN_OTHER };
            th_buffer_append_char(out, token == TH_JSON_OPEN_OBJECT ? '{' : '[');
            break;
        case TH_JSON_CLOSE_OBJECT:
        case TH_JSON_CLOSE_ARRAY:
            depth--;
            th_buffer_append_char(out, token == TH_JSON_CLOSE_OBJECT ? '}' : ']');
            break;
        default:
            th_buffer_append(out, text.data, text.len);
            break;
        }
    } while (depth);
    return true;
}

void th_structured_json(th_structured_collector *c, th_view text)
{
    size_t len = 0;
    if (th_ascii_all_blank(text.data, text.len))
        return;
    char *const copy = th_json_ld_copy(text, c->statements.arena, &c->memory, &len);
    th_buffer_reset(&c->json);
    if (copy && compact(c, copy, len) && !c->json.has_failed) {
        const th_view whole =
            th_statements_copy(&c->statements, th_buffer_view(&c->json));
        if (whole.data)
            add(c, TH_STRUCTURED_JSON_LD, absent, whole, absent);
    } else {
        c->statements.flags |= TH_FLAG_STRUCTURED_CUT;
    }
    c->statements.has_failed |= c->json.has_failed;
}

/* ---- the page ---- */

th_structured_collector *th_structured_new(void)
{
    return calloc(1, sizeof(th_structured_collector));
}

void th_structured_free(th_structured_collector *collector)
{
    if (!collector)
        return;
    th_items_done(&collector->items);
    th_buffer_done(&collector->json);
    free(collector);
}

void th_structured_begin(th_structured_collector *collector, th_arena *arena)
{
    th_statements_begin(&collector->statements, arena);
    collector->memory = (th_json_ld_memory){ NULL, 0 };
    collector->section = collector->image = absent;
    collector->section_from = collector->image_from = FROM_NOTHING;
    th_items_begin(&collector->items, &collector->statements);
}

void th_structured_start(th_structured_collector *collector, th_view base, uint32_t at,
                         th_tag tag, const th_attribute *attrs, size_t attr_count)
{
    th_items_start(&collector->items, base, at, tag, attrs, attr_count);
    if (tag == TH_TAG_META)
        take_meta(collector, attrs, attr_count);
    else if (tag == TH_TAG_LINK)
        take_link(collector, base, attrs, attr_count);
}

void th_structured_text(th_structured_collector *collector, const char *bytes, size_t len)
{
    if (th_items_want_text(&collector->items))
        th_items_text(&collector->items, bytes, len);
}

void th_structured_end(th_structured_collector *collector, uint32_t at)
{
    th_items_end(&collector->items, at);
}

const th_structured *th_structured_finish(th_structured_collector *collector,
                                          th_view base, uint32_t *flags)
{
    th_statements *const statements = &collector->statements;
    if (statements->has_failed)
        return NULL;
    statements->lists->section = collector->section;
    if (collector->image.data) {
        const th_view url = th_statements_url(statements, base, collector->image);
        statements->lists->image = url.len ? url : absent;
    }
    *flags |= statements->flags;
    return statements->has_failed ? NULL : statements->lists;
}
