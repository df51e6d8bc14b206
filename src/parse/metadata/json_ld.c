/*
 * Reads schema.org objects from a stream of JSON events. The keys that lead to a value
 * decide whether it is read, so each open container is one small frame and each object of
 * the page one set of short texts. [JSON-LD 1.1, schema.org]
 *
 * Strings are decoded in place, in a copy of the text. Deviation from JSON-LD: contexts
 * are not expanded. A property is schema.org's when it is written as schema.org writes
 * it.
 */
#include "parse/metadata/json_ld.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json_reader.h"
#include "parse/metadata/author_list.h"
#include "parse/metadata/tidy_text.h"

enum {
    MAX_TEXT = 1024 * 1024,
    MAX_DEPTH = 32,
    MAX_OPEN = 4,    /* objects of the page, nested */
    MAX_PERSONS = 8, /* kept for authors who are identified by @id */
    MAX_TITLE = 1024,
    MAX_DESCRIPTION = 4096,
    MAX_NAME = 512,
    MAX_ID = 256,
};

/* The role of a value, by the keys that lead to it. */
enum place {
    IN_NOTHING, /* a value that is not read */
    IN_PAGE,    /* an object about the page, or an array of such */
    IN_TYPE,
    IN_ID,
    IN_HEADLINE,
    IN_NAME,
    IN_DESCRIPTION,
    IN_AUTHOR, /* a name, an object with a name, or an array of them */
    IN_AUTHOR_ID,
    IN_PUBLISHED,
    IN_CREATED,
    IN_MODIFIED,
    IN_LANGUAGE,
    IN_PUBLISHER, /* a name, or an object with a name */
};

/* An open container. */
struct frame {
    uint8_t place;
    uint8_t value_place; /* of its next value */
};

struct short_text {
    size_t len;
    char bytes[MAX_NAME];
};

struct identity {
    size_t len; /* 0 = none */
    char bytes[MAX_ID];
};

/* An object of the page while it is open. */
struct object {
    th_json_ld_kind kind;
    bool is_agent; /* a person or an organisation */
    bool is_news, is_product;
    struct identity id;
    struct identity author_id; /* of the first author */
    th_author_list authors;
    struct short_text name, published, created, modified, language, publisher;
    size_t headline_len;
    size_t description_len;
    char headline[MAX_TITLE];
    char description[MAX_DESCRIPTION];
};

/* A node that an author's @id may refer to. */
struct person {
    struct identity id;
    struct short_text name;
};

struct reader {
    th_json_ld_emit emit;
    void *context;
    uint32_t depth;
    uint32_t open_count;
    uint32_t person_count;
    th_json_ld_kind orphan_kind;
    struct identity orphan; /* the first author's @id for whom no name was found yet */
    struct frame frames[MAX_DEPTH];
    struct object objects[MAX_OPEN];
    struct person persons[MAX_PERSONS];
};

/* ---- What an object says ---- */

/* Returns a type or key without "http://schema.org/" or "schema:". */
static th_view local_name(th_view name)
{
    for (size_t i = name.len; i > 0; i--)
        if (name.data[i - 1] == '/' || name.data[i - 1] == ':' || name.data[i - 1] == '#')
            return (th_view){ name.data + i, name.len - i };
    return name;
}

static void set_kind(struct object *object, th_view type)
{
    static const char *const articles[] = { "Report", "Recipe", "HowTo", "CreativeWork",
                                            "PodcastEpisode" };
    th_json_ld_kind kind = TH_LD_OTHER;
    type = local_name(type);
    object->is_news |= th_ends_with(type, "NewsArticle");
    object->is_product |= th_view_is(type, "Product");
    if (th_ends_with(type, "Article") || th_ends_with(type, "Posting"))
        kind = TH_LD_ARTICLE;
    else if (th_ends_with(type, "Page"))
        kind = TH_LD_PAGE;
    else if (th_view_is(type, "WebSite") || th_view_is(type, "Website"))
        kind = TH_LD_SITE;
    else if (th_view_is(type, "Person") || th_ends_with(type, "Organization"))
        object->is_agent = true;
    for (size_t i = 0; i < sizeof articles / sizeof articles[0]; i++)
        if (th_view_is(type, articles[i]))
            kind = TH_LD_ARTICLE;
    if (kind < object->kind) /* of several types, the best */
        object->kind = kind;
}

/* Keeps the first value that is not empty. */
static void set_short(struct short_text *text, th_view value)
{
    if (text->len == 0)
        text->len = th_tidy_text(value, TH_TIDY_REFERENCES, text->bytes, MAX_NAME);
}

/* Sets an @id. Ignores a long @id, because it could not be distinguished from others. */
static void set_identity(struct identity *identity, th_view value)
{
    if (identity->len > 0 || value.len > MAX_ID)
        return;
    memcpy(identity->bytes, value.data, value.len);
    identity->len = value.len;
}

static bool is_same(const struct identity *a, const struct identity *b)
{
    return a->len > 0 && a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

static void add_author(struct object *object, th_view value)
{
    char bytes[TH_AUTHOR_LIST_MAX];
    const size_t len = th_tidy_text(value, TH_TIDY_REFERENCES, bytes, sizeof bytes);
    th_author_list_add(&object->authors, (th_view){ bytes, len });
}

static void set_value(struct object *object, enum place place, th_view value)
{
    switch (place) {
    case IN_TYPE:
        set_kind(object, value);
        break;
    case IN_ID:
        set_identity(&object->id, value);
        break;
    case IN_HEADLINE:
        if (object->headline_len == 0)
            object->headline_len =
                th_tidy_text(value, TH_TIDY_REFERENCES, object->headline, MAX_TITLE);
        break;
    case IN_DESCRIPTION:
        if (object->description_len == 0)
            object->description_len = th_tidy_text(value, TH_TIDY_REFERENCES,
                                                   object->description, MAX_DESCRIPTION);
        break;
    case IN_NAME:
        set_short(&object->name, value);
        break;
    case IN_AUTHOR:
        add_author(object, value);
        break;
    case IN_AUTHOR_ID:
        set_identity(&object->author_id, value);
        break;
    case IN_PUBLISHED:
        set_short(&object->published, value);
        break;
    case IN_CREATED:
        set_short(&object->created, value);
        break;
    case IN_MODIFIED:
        set_short(&object->modified, value);
        break;
    case IN_LANGUAGE:
        set_short(&object->language, value);
        break;
    case IN_PUBLISHER:
        set_short(&object->publisher, value);
        break;
    case IN_NOTHING:
    case IN_PAGE:
        break;
    }
}

static th_view view_of(const char *bytes, size_t len)
{
    return len > 0 ? (th_view){ bytes, len } : (th_view){ NULL, 0 };
}

static th_view view_of_short(const struct short_text *text)
{
    return view_of(text->bytes, text->len);
}

/* Emits the author's name, which was found after the object. */
static void emit_author(struct reader *reader, const struct person *person)
{
    const th_json_ld out = { .kind = reader->orphan_kind,
                             .author = view_of_short(&person->name) };
    reader->emit(reader->context, &out);
    reader->orphan.len = 0;
}

/* Searches for the author who is identified by @id, now or in later objects. */
static void seek_author(struct reader *reader, const struct object *object)
{
    if (object->authors.len > 0 || object->author_id.len == 0 || reader->orphan.len > 0 ||
        object->kind == TH_LD_OTHER)
        return;
    reader->orphan = object->author_id;
    reader->orphan_kind = object->kind;
    for (uint32_t i = 0; i < reader->person_count; i++) {
        if (is_same(&reader->persons[i].id, &reader->orphan)) {
            emit_author(reader, &reader->persons[i]);
            return;
        }
    }
}

static void note_person(struct reader *reader, const struct object *object)
{
    if (!object->is_agent || object->id.len == 0 || object->name.len == 0 ||
        reader->person_count == MAX_PERSONS)
        return;
    struct person *person = &reader->persons[reader->person_count++];
    person->id = object->id;
    person->name = object->name;
    if (is_same(&person->id, &reader->orphan))
        emit_author(reader, person);
}

static void end_object(struct reader *reader)
{
    const struct object *object = &reader->objects[--reader->open_count];
    const th_json_ld out = {
        .kind = object->kind,
        .is_news = object->is_news,
        .is_product = object->is_product,
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): begin_object set it
        .headline = view_of(object->headline, object->headline_len),
        .name = view_of_short(&object->name),
        .description = view_of(object->description, object->description_len),
        .author = view_of(object->authors.bytes, object->authors.len),
        .published =
            view_of_short(object->published.len ? &object->published : &object->created),
        .modified = view_of_short(&object->modified),
        .language = view_of_short(&object->language),
        .publisher = view_of_short(&object->publisher),
    };
    if (object->kind != TH_LD_OTHER || object->is_product)
        reader->emit(reader->context, &out);
    seek_author(reader, object);
    note_person(reader, object);
}

static void begin_object(struct reader *reader)
{
    struct object *object = &reader->objects[reader->open_count++];
    object->kind = TH_LD_OTHER;
    object->is_agent = object->is_news = object->is_product = false;
    object->authors.len = object->authors.count = 0;
    object->id.len = object->author_id.len = 0;
    object->name.len = object->published.len = object->language.len = 0;
    object->publisher.len = object->created.len = object->modified.len = 0;
    object->headline_len = object->description_len = 0;
}

/* ---- Tokens ---- */

static enum place place_of_next(const struct reader *reader)
{
    return reader->depth == 0 ? IN_PAGE : reader->frames[reader->depth - 1].value_place;
}

static void begin_map(struct reader *reader)
{
    enum place place = place_of_next(reader);
    if (place == IN_PAGE && reader->open_count < MAX_OPEN)
        begin_object(reader);
    else if (place != IN_AUTHOR && place != IN_PUBLISHER)
        place = IN_NOTHING;
    reader->frames[reader->depth++] = (struct frame){ (uint8_t)place, IN_NOTHING };
}

static void end_map(struct reader *reader)
{
    if (reader->frames[--reader->depth].place == IN_PAGE)
        end_object(reader);
}

static void begin_array(struct reader *reader)
{
    const uint8_t place = (uint8_t)place_of_next(reader);
    reader->frames[reader->depth++] = (struct frame){ IN_NOTHING, place };
}

/* Returns the place of a key's value in an object of the page. */
static enum place place_of_key(th_view key)
{
    static const struct {
        const char *key;
        enum place place;
    } keys[] = {
        { "@type", IN_TYPE },
        { "@id", IN_ID },
        { "@graph", IN_PAGE },
        { "mainEntity", IN_PAGE },
        { "mainEntityOfPage", IN_PAGE },
        { "headline", IN_HEADLINE },
        { "name", IN_NAME },
        { "description", IN_DESCRIPTION },
        { "author", IN_AUTHOR },
        { "creator", IN_AUTHOR },
        { "dateCreated", IN_CREATED },
        { "dateModified", IN_MODIFIED },
        { "datePublished", IN_PUBLISHED },
        { "inLanguage", IN_LANGUAGE },
        { "publisher", IN_PUBLISHER },
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (th_view_is(key, keys[i].key))
            return keys[i].place;
    return IN_NOTHING;
}

static void map_key(struct reader *reader, th_view key)
{
    struct frame *frame = &reader->frames[reader->depth - 1];
    enum place place = IN_NOTHING;
    if (frame->place == IN_PAGE)
        place = place_of_key(key);
    else if (frame->place == IN_AUTHOR && th_view_is(key, "@id"))
        place = IN_AUTHOR_ID;
    else if (frame->place != IN_NOTHING && th_view_is(key, "name"))
        place = (enum place)frame->place;
    frame->value_place = (uint8_t)place;
}

static void text_value(struct reader *reader, th_view text)
{
    if (reader->open_count > 0)
        set_value(&reader->objects[reader->open_count - 1], place_of_next(reader), text);
}

/* Decodes the key or string that was read, in place. */
static bool decode(th_json_reader *json, char *copy, th_view *text)
{
    char *at = copy + (json->text.data - copy);
    text->data = at;
    return th_json_text(json, at, &text->len);
}

/* Emits the objects that are complete before the text ends, or stops being JSON. */
static void read_tokens(struct reader *reader, char *copy, size_t len)
{
    th_json_reader json;
    th_view text;
    th_json_reader_init(&json, (th_view){ copy, len });
    for (;;) {
        const th_json_token token = th_json_read(&json);
        if (token <= TH_JSON_BAD || json.depth > MAX_DEPTH)
            return;
        if ((token == TH_JSON_KEY || token == TH_JSON_STRING) &&
            !decode(&json, copy, &text))
            return;
        if (token == TH_JSON_KEY)
            map_key(reader, text);
        else if (token == TH_JSON_STRING)
            text_value(reader, text);
        else if (token == TH_JSON_OPEN_OBJECT)
            begin_map(reader);
        else if (token == TH_JSON_OPEN_ARRAY)
            begin_array(reader);
        else if (token == TH_JSON_CLOSE_OBJECT)
            end_map(reader);
        else if (token == TH_JSON_CLOSE_ARRAY)
            reader->depth--;
        if (reader->depth == 0)
            return; /* "-->", "]]>" and ";" may follow */
    }
}

/* ---- The text ---- */

/* Skips markup that hides a script from old browsers or from XML, up to the first
 * value. */
static th_view without_wrapper(th_view text)
{
    static const char *const wrappers[] = { " ",  "\t", "\r", "\n",        "\xEF\xBB\xBF",
                                            "//", "/*", "*/", "<![CDATA[", "<!--" };
    size_t i = 0;
    while (i < sizeof wrappers / sizeof wrappers[0]) {
        const size_t len = strlen(wrappers[i]);
        if (text.len < len || memcmp(text.data, wrappers[i], len) != 0) {
            i++;
            continue;
        }
        text = (th_view){ text.data + len, text.len - len };
        i = 0;
    }
    return text;
}

/* Returns memory for a text of `len` bytes, larger than the last one if necessary. */
static bool reserve(th_json_ld_memory *memory, th_arena *arena, size_t len)
{
    if (len <= memory->size)
        return true;
    /* Doubling keeps the sum of all copies of a page under twice the largest. */
    const size_t larger = len > 2 * memory->size ? len : 2 * memory->size;
    char *data = th_arena_alloc(arena, larger);
    if (!data)
        return false;
    *memory = (th_json_ld_memory){ data, larger };
    return true;
}

/*
 * Copies the text with a space for each control character. Pages have line ends in their
 * strings, and outside of strings the grammar allows spaces.
 */
static void copy_without_controls(char *out, th_view text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        out[i] = (char)(c < 0x20 ? ' ' : c);
    }
}

char *th_json_ld_copy(th_view text, th_arena *arena, th_json_ld_memory *memory,
                      size_t *len)
{
    text = without_wrapper(text);
    if (text.len > MAX_TEXT)
        text.len = MAX_TEXT;
    if (text.len == 0 || (text.data[0] != '{' && text.data[0] != '[') ||
        !reserve(memory, arena, text.len))
        return NULL;
    copy_without_controls(memory->data, text);
    *len = text.len;
    return memory->data;
}

void th_json_ld_read(th_view text, th_arena *arena, th_json_ld_memory *memory,
                     th_json_ld_emit emit, void *context)
{
    size_t len = 0;
    char *const copy = th_json_ld_copy(text, arena, memory, &len);
    if (!copy)
        return;
    struct reader reader;
    reader.emit = emit;
    reader.context = context;
    reader.depth = reader.open_count = reader.person_count = 0;
    reader.orphan.len = 0;
    memset(reader.frames, 0, sizeof reader.frames);
    read_tokens(&reader, copy, len);
}
