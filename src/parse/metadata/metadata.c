/*
 * Weighs what a page says of itself in META, LINK, HTML, TIME and JSON-LD.
 *
 * The builder reports tags as they come; every statement has a rank, and of each field
 * the best is kept, the first among equals. So a page costs a few small texts, however
 * many statements it makes. The orders of trust, best first:
 *
 *   title        TITLE, og:title, JSON-LD, twitter:title, libraries', others. TITLE
 *                comes first because every page has one of its own, while og:title
 *                is a caption for others' sites, and often the whole site's.
 *   description  description, og:, JSON-LD, twitter:, libraries', microdata.
 *   canonical    LINK rel=canonical, og:url; the first that is an http(s) URL.
 *   language     HTML lang, xml:lang, content-language, og:locale, others. og:locale
 *                is late: many content systems never change its default of en_US.
 *   author       JSON-LD, which tells a person from a site; citation_author; author
 *                and dc.creator; newsletter services' names; article:author;
 *                microdata. A link is no name. What is repeated for each author is
 *                joined by "; ".
 *   published    JSON-LD, article:published_time, libraries' dates of issue, the
 *                names of publishers' systems, microdata, TIME pubdate, and last the
 *                dates that say not of what. Dates that cannot be normalised come
 *                after all that can.
 *   site name    og:site_name, JSON-LD's site, its publisher, application names.
 *
 * Sources: ogp.me, schema.org, Dublin Core's names in HTML, Highwire Press's citation
 * tags as Google Scholar reads them, and the names met in our corpora.
 */
#include "parse/metadata/metadata.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "parse/metadata/author_list.h"
#include "parse/metadata/iso_date.h"
#include "parse/metadata/json_ld.h"
#include "parse/metadata/tidy_text.h"
#include "parse/url/url.h"

enum field {
    TITLE,
    DESCRIPTION,
    LANGUAGE,
    AUTHOR,
    PUBLISHED,
    SITE_NAME,
    FIELD_COUNT,
    /* What a name in the tables below may mean besides. */
    AUTHORS = FIELD_COUNT, /* AUTHOR, and repeated once for each of several */
    CANONICAL,
};

enum {
    MAX_TITLE = 1024,
    MAX_DESCRIPTION = 4096,
    MAX_VALUE = 512, /* of the other fields, bytes */
    MAX_URL = 8192,
    MAX_NAME = 32,             /* longer names of META are none of ours */
    MAX_DATE = 64,             /* of one that stays as it stands */
    MAX_JSON_LD = 1024 * 1024, /* of a page, bytes */
    NO_RANK = 255,
    /* Added to the rank of a date that could not be normalised. */
    NOT_NORMALISED = 100,
};

/*
 * Ranks, the lower the better: the orders above in numbers. Those of names stand in
 * the tables below, these are of what has none.
 */
enum {
    RANK_TITLE = 0,
    RANK_TITLE_LD_ARTICLE = 20,
    RANK_TITLE_LD_PAGE = 60,
    RANK_DESCRIPTION_LD_ARTICLE = 20,
    RANK_DESCRIPTION_LD_PAGE = 60,
    RANK_LANGUAGE_HTML = 0,
    RANK_LANGUAGE_XML = 1,
    RANK_LANGUAGE_LD = 50,
    RANK_AUTHOR_LD_ARTICLE = 0,
    RANK_AUTHOR_LD_PAGE = 60,
    RANK_PUBLISHED_LD_ARTICLE = 0,
    RANK_PUBLISHED_TIME = 50,
    RANK_PUBLISHED_LD_PAGE = 60,
    RANK_SITE_LD_SITE = 20,
    RANK_SITE_LD_PUBLISHER = 30,
};

/* A canonical URL as it stands; resolved at the end, when the base is known. */
enum { CANONICAL_LINK, CANONICAL_OPEN_GRAPH, CANONICAL_COUNT };

struct statement {
    th_view value; /* in the arena, tidy */
    uint8_t rank;
};

struct th_metadata_collector {
    th_arena *arena;
    struct statement best[FIELD_COUNT];
    th_view canonical[CANONICAL_COUNT]; /* in the arena */
    th_author_list authors;             /* best[AUTHOR].value is in here */
    size_t json_ld_left;                /* bytes that may still be read */
    th_json_ld_memory json_memory;
};

/* What a name of META or of an item property means. */
struct name_row {
    const char *name; /* lower case */
    enum field field;
    uint8_t rank;
};

/* Names in META's name, property and http-equiv; sorted. */
static const struct name_row meta_names[] = {
    { "apple-mobile-web-app-title", SITE_NAME, 50 },
    { "application-name", SITE_NAME, 40 },
    { "article:author", AUTHORS, 30 },
    { "article:published_time", PUBLISHED, 10 },
    { "author", AUTHORS, 20 },
    { "byl", AUTHOR, 25 },
    { "citation_author", AUTHORS, 10 },
    { "citation_date", PUBLISHED, 21 },
    { "citation_online_date", PUBLISHED, 21 },
    { "citation_publication_date", PUBLISHED, 20 },
    { "citation_title", TITLE, 40 },
    { "content-language", LANGUAGE, 10 },
    { "created", PUBLISHED, 70 },
    { "date", PUBLISHED, 70 },
    { "dc.creator", AUTHORS, 21 },
    { "dc.date", PUBLISHED, 70 },
    { "dc.date.created", PUBLISHED, 22 },
    { "dc.date.issued", PUBLISHED, 20 },
    { "dc.description", DESCRIPTION, 40 },
    { "dc.language", LANGUAGE, 40 },
    { "dc.title", TITLE, 40 },
    { "dcterms.abstract", DESCRIPTION, 41 },
    { "dcterms.created", PUBLISHED, 22 },
    { "dcterms.creator", AUTHORS, 21 },
    { "dcterms.date", PUBLISHED, 70 },
    { "dcterms.description", DESCRIPTION, 40 },
    { "dcterms.issued", PUBLISHED, 20 },
    { "dcterms.language", LANGUAGE, 40 },
    { "dcterms.title", TITLE, 40 },
    { "description", DESCRIPTION, 0 },
    { "displaydate", PUBLISHED, 71 },
    { "headline", TITLE, 50 },
    { "language", LANGUAGE, 40 },
    { "og:article:published_time", PUBLISHED, 10 },
    { "og:description", DESCRIPTION, 10 },
    { "og:locale", LANGUAGE, 20 },
    { "og:published_time", PUBLISHED, 11 },
    { "og:site_name", SITE_NAME, 0 },
    { "og:title", TITLE, 10 },
    { "og:url", CANONICAL, 0 },
    { "originalpublicationdate", PUBLISHED, 30 },
    { "parsely-author", AUTHOR, 25 },
    { "parsely-pub-date", PUBLISHED, 30 },
    { "pubdate", PUBLISHED, 30 },
    { "publication_date", PUBLISHED, 30 },
    { "publicationdate", PUBLISHED, 30 },
    { "publish-date", PUBLISHED, 30 },
    { "publish_date", PUBLISHED, 30 },
    { "publishdate", PUBLISHED, 30 },
    { "published_time", PUBLISHED, 30 },
    { "rnews:datepublished", PUBLISHED, 30 },
    { "sailthru.author", AUTHOR, 25 },
    { "sailthru.date", PUBLISHED, 30 },
    { "sailthru.description", DESCRIPTION, 45 },
    { "sailthru.title", TITLE, 45 },
    { "title", TITLE, 50 },
    { "twitter:description", DESCRIPTION, 30 },
    { "twitter:title", TITLE, 30 },
};

/* Names in itemprop; sorted. On a page of many items the first is the page's, we hope. */
static const struct name_row item_names[] = {
    { "author", AUTHOR, 40 },           { "datepublished", PUBLISHED, 40 },
    { "description", DESCRIPTION, 50 }, { "headline", TITLE, 55 },
    { "inlanguage", LANGUAGE, 45 },
};

static size_t max_of(enum field field)
{
    switch (field) {
    case TITLE:
        return MAX_TITLE;
    case DESCRIPTION:
        return MAX_DESCRIPTION;
    default:
        return MAX_VALUE;
    }
}

/* ---- Names and attributes ---- */

/* The next word of a list that blanks divide; empty at its end. */
static th_view next_word(th_view *list)
{
    th_view word = th_ascii_trimmed(*list);
    size_t len = 0;
    while (len < word.len && !th_ascii_is_blank(word.data[len]))
        len++;
    *list = (th_view){ word.data + len, word.len - len };
    word.len = len;
    return word;
}

static bool has_word(th_view list, th_view wanted)
{
    for (th_view word = next_word(&list); word.len > 0; word = next_word(&list))
        if (th_ascii_same(word, wanted))
            return true;
    return false;
}

static int compare_names(const void *name, const void *row)
{
    return strcmp(name, ((const struct name_row *)row)->name);
}

/* The row of a name, ASCII case ignored; NULL when there is none. */
static const struct name_row *find_name(th_view name, const struct name_row *rows,
                                        size_t count)
{
    char key[MAX_NAME];
    if (name.len == 0 || name.len >= sizeof key || memchr(name.data, '\0', name.len))
        return NULL;
    for (size_t i = 0; i < name.len; i++)
        key[i] = th_lower(name.data[i]);
    key[name.len] = '\0';
    if (strncmp(key, "dc:", 3) == 0 || strncmp(key, "dcterms:", 8) == 0)
        *strchr(key, ':') = '.';
    return bsearch(key, rows, count, sizeof rows[0], compare_names);
}

/* Value of an attribute; absent when the tag has none of that name. */
static th_view attribute(const th_attribute *attrs, size_t attr_count, th_view name)
{
    for (size_t i = 0; i < attr_count; i++)
        if (attrs[i].name.len == name.len &&
            memcmp(attrs[i].name.data, name.data, name.len) == 0)
            return attrs[i].value;
    return (th_view){ NULL, 0 };
}

/* ---- Statements ---- */

/* Keeps a copy of a tidy value if nothing better is known. */
static void keep(th_metadata_collector *collector, enum field field, unsigned rank,
                 th_view value)
{
    struct statement *best = &collector->best[field];
    if (value.len == 0 || rank >= best->rank)
        return;
    const th_view copy = th_arena_copy(collector->arena, value);
    if (copy.data)
        *best = (struct statement){ copy, (uint8_t)rank };
}

/* [RFC 5646 §2.1] in outline: a language of two or three letters, then subtags. */
static bool is_language_tag(th_view tag)
{
    size_t subtag = 0; /* its length so far */
    size_t subtag_count = 0;
    for (size_t i = 0; i <= tag.len; i++) {
        if (i == tag.len || tag.data[i] == '-') {
            if (subtag == 0 || subtag > 8 ||
                (subtag_count == 0 && (subtag < 2 || subtag > 3)))
                return false;
            subtag_count++;
            subtag = 0;
            continue;
        }
        const char c = th_lower(tag.data[i]);
        if ((c < 'a' || c > 'z') && (subtag_count == 0 || c < '0' || c > '9'))
            return false;
        subtag++;
    }
    return true;
}

/* The first tag of a list, with the underscores of locales as hyphens. */
static void keep_language(th_metadata_collector *collector, unsigned rank, char *bytes,
                          size_t len)
{
    size_t tag_len = 0;
    while (tag_len < len && bytes[tag_len] != ',' && bytes[tag_len] != ' ') {
        if (bytes[tag_len] == '_')
            bytes[tag_len] = '-';
        tag_len++;
    }
    const th_view tag = { bytes, tag_len };
    if (is_language_tag(tag))
        keep(collector, LANGUAGE, rank, tag);
}

/* A date as it stands is kept if it can be one at all. */
static void keep_date(th_metadata_collector *collector, unsigned rank, th_view text)
{
    char bytes[TH_ISO_DATE_MAX];
    th_view date = { bytes, 0 };
    switch (th_iso_date(text, bytes, &date.len)) {
    case TH_DATE_ISO:
        keep(collector, PUBLISHED, rank, date);
        return;
    case TH_DATE_UNSET:
        return;
    case TH_DATE_OTHER:
        break;
    }
    size_t digit_count = 0;
    for (size_t i = 0; i < text.len; i++)
        digit_count += th_is_digit(text.data[i]);
    if (digit_count >= 3 && text.len <= MAX_DATE)
        keep(collector, PUBLISHED, rank + NOT_NORMALISED, text);
}

/*
 * Keeps an author's name. One of the same rank as those that are kept joins them when its
 * source is repeated for each author.
 */
static void keep_author(th_metadata_collector *collector, unsigned rank, bool is_listed,
                        th_view name)
{
    struct statement *best = &collector->best[AUTHOR];
    if (rank == best->rank && !is_listed)
        return;
    th_author_list list = { 0 };
    if (rank < best->rank && !th_author_list_add(&list, name))
        return;
    if (rank < best->rank)
        collector->authors = list;
    else
        th_author_list_add(&collector->authors, name);
    best->value = (th_view){ collector->authors.bytes, collector->authors.len };
    best->rank = (uint8_t)rank;
}

static void keep_canonical(th_metadata_collector *collector, unsigned which, th_view url)
{
    th_view *slot = &collector->canonical[which];
    url = th_ascii_trimmed(url);
    if (!slot->data && url.len > 0 && url.len <= MAX_URL)
        *slot = th_arena_copy(collector->arena, url);
}

/* Weighs one statement as the page makes it. */
static void state(th_metadata_collector *collector, enum field meaning, unsigned rank,
                  th_view value)
{
    if (!value.data)
        return;
    if (meaning == CANONICAL) {
        keep_canonical(collector, CANONICAL_OPEN_GRAPH, value);
        return;
    }
    const enum field field = meaning == AUTHORS ? AUTHOR : meaning;
    if (rank > collector->best[field].rank)
        return;
    char bytes[MAX_DESCRIPTION];
    const size_t len = th_tidy_text(value, TH_TIDY_PLAIN, bytes, max_of(field));
    const th_view tidy = { bytes, len };
    switch (field) {
    case LANGUAGE:
        keep_language(collector, rank, bytes, len);
        break;
    case PUBLISHED:
        keep_date(collector, rank, tidy);
        break;
    case AUTHOR:
        keep_author(collector, rank, meaning == AUTHORS, tidy);
        break;
    default:
        keep(collector, field, rank, tidy);
    }
}

/* ---- Tags ---- */

static void state_item(th_metadata_collector *collector, th_view properties,
                       th_view value)
{
    for (th_view word = next_word(&properties); word.len > 0;
         word = next_word(&properties)) {
        const struct name_row *row =
            find_name(word, item_names, sizeof item_names / sizeof item_names[0]);
        if (row)
            state(collector, row->field, row->rank, value);
    }
}

static void read_meta(th_metadata_collector *collector, const th_attribute *attrs,
                      size_t attr_count)
{
    static const th_view sources[] = { { "name", 4 },
                                       { "property", 8 },
                                       { "http-equiv", 10 } };
    const th_view value = attribute(attrs, attr_count, TH_VIEW("content"));
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        th_view names = attribute(attrs, attr_count, sources[i]);
        if (!names.data)
            continue;
        const struct name_row *row = find_name(th_ascii_trimmed(names), meta_names,
                                               sizeof meta_names / sizeof meta_names[0]);
        if (row)
            state(collector, row->field, row->rank, value);
    }
}

static void read_link(th_metadata_collector *collector, const th_attribute *attrs,
                      size_t attr_count)
{
    const th_view rel = attribute(attrs, attr_count, TH_VIEW("rel"));
    if (rel.data && has_word(rel, TH_VIEW("canonical")))
        keep_canonical(collector, CANONICAL_LINK,
                       attribute(attrs, attr_count, TH_VIEW("href")));
}

static void read_html(th_metadata_collector *collector, const th_attribute *attrs,
                      size_t attr_count)
{
    state(collector, LANGUAGE, RANK_LANGUAGE_HTML,
          attribute(attrs, attr_count, TH_VIEW("lang")));
    state(collector, LANGUAGE, RANK_LANGUAGE_XML,
          attribute(attrs, attr_count, TH_VIEW("xml:lang")));
}

static void read_time(th_metadata_collector *collector, const th_attribute *attrs,
                      size_t attr_count)
{
    if (attribute(attrs, attr_count, TH_VIEW("pubdate")).data)
        state(collector, PUBLISHED, RANK_PUBLISHED_TIME,
              attribute(attrs, attr_count, TH_VIEW("datetime")));
}

th_metadata_collector *th_metadata_begin(th_arena *arena)
{
    th_metadata_collector *collector = th_arena_calloc(arena, 1, sizeof *collector);
    if (!collector)
        return NULL;
    collector->arena = arena;
    collector->json_ld_left = MAX_JSON_LD;
    for (size_t i = 0; i < FIELD_COUNT; i++)
        collector->best[i].rank = NO_RANK;
    return collector;
}

void th_metadata_tag(th_metadata_collector *collector, th_tag tag,
                     const th_attribute *attrs, size_t attr_count)
{
    if (attr_count == 0)
        return;
    switch (tag) {
    case TH_TAG_HTML:
        read_html(collector, attrs, attr_count);
        return;
    case TH_TAG_META:
        read_meta(collector, attrs, attr_count);
        break;
    case TH_TAG_LINK:
        read_link(collector, attrs, attr_count);
        return;
    case TH_TAG_TIME:
        read_time(collector, attrs, attr_count);
        break;
    default:
        break;
    }
    const th_view properties = attribute(attrs, attr_count, TH_VIEW("itemprop"));
    if (!properties.data)
        return;
    th_view value = attribute(attrs, attr_count, TH_VIEW("content"));
    if (!value.data && tag == TH_TAG_TIME)
        value = attribute(attrs, attr_count, TH_VIEW("datetime"));
    state_item(collector, properties, value);
}

/* ---- Texts ---- */

static void take_article(th_metadata_collector *collector, const th_json_ld *object)
{
    state(collector, TITLE, RANK_TITLE_LD_ARTICLE, object->headline);
    state(collector, TITLE, RANK_TITLE_LD_ARTICLE, object->name);
    state(collector, DESCRIPTION, RANK_DESCRIPTION_LD_ARTICLE, object->description);
    state(collector, AUTHOR, RANK_AUTHOR_LD_ARTICLE, object->author);
    state(collector, PUBLISHED, RANK_PUBLISHED_LD_ARTICLE, object->published);
}

static void take_page(th_metadata_collector *collector, const th_json_ld *object)
{
    state(collector, TITLE, RANK_TITLE_LD_PAGE, object->headline);
    state(collector, TITLE, RANK_TITLE_LD_PAGE, object->name);
    state(collector, DESCRIPTION, RANK_DESCRIPTION_LD_PAGE, object->description);
    state(collector, AUTHOR, RANK_AUTHOR_LD_PAGE, object->author);
    state(collector, PUBLISHED, RANK_PUBLISHED_LD_PAGE, object->published);
}

static void take_object(void *context, const th_json_ld *object)
{
    th_metadata_collector *collector = context;
    switch (object->kind) {
    case TH_LD_ARTICLE:
        take_article(collector, object);
        break;
    case TH_LD_PAGE:
        take_page(collector, object);
        break;
    case TH_LD_SITE:
        state(collector, SITE_NAME, RANK_SITE_LD_SITE, object->name);
        break;
    case TH_LD_OTHER:
        return;
    }
    state(collector, LANGUAGE, RANK_LANGUAGE_LD, object->language);
    state(collector, SITE_NAME, RANK_SITE_LD_PUBLISHER, object->publisher);
}

void th_metadata_text(th_metadata_collector *collector, th_tag tag, th_view text)
{
    if (tag == TH_TAG_TITLE) {
        state(collector, TITLE, RANK_TITLE, text);
        return;
    }
    if (tag != TH_TAG_SCRIPT)
        return;
    if (text.len > collector->json_ld_left)
        text.len = collector->json_ld_left;
    collector->json_ld_left -= text.len;
    th_json_ld_read(text, collector->arena, &collector->json_memory, take_object,
                    collector);
}

bool th_metadata_wants_script(const th_attribute *attrs, size_t attr_count)
{
    th_view type = attribute(attrs, attr_count, TH_VIEW("type"));
    if (!type.data)
        return false;
    const char *parameters = memchr(type.data, ';', type.len);
    if (parameters)
        type.len = (size_t)(parameters - type.data);
    return th_ascii_is(th_ascii_trimmed(type), "application/ld+json");
}

static bool is_http(th_view url)
{
    const char *colon = url.data ? memchr(url.data, ':', url.len) : NULL;
    if (!colon)
        return false;
    const th_view scheme = { url.data, (size_t)(colon - url.data) };
    return th_ascii_is(scheme, "http") || th_ascii_is(scheme, "https");
}

void th_metadata_finish(th_metadata_collector *collector, th_view base, th_metadata *out)
{
    *out = (th_metadata){
        .title = collector->best[TITLE].value,
        .author = collector->best[AUTHOR].value,
        .published = collector->best[PUBLISHED].value,
        .description = collector->best[DESCRIPTION].value,
        .language = collector->best[LANGUAGE].value,
        .site_name = collector->best[SITE_NAME].value,
    };
    for (size_t i = 0; i < CANONICAL_COUNT && !out->canonical_url.data; i++) {
        if (!collector->canonical[i].data)
            continue;
        const th_view url =
            th_url_resolve(base, collector->canonical[i], collector->arena);
        if (is_http(url))
            out->canonical_url = url;
    }
}
