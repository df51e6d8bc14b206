/*
 * Weighs a page's statements about itself in META, LINK, HTML, JSON-LD, microdata and its
 * text.
 *
 * The builder reports tags as they come. Every statement has a rank, and for each field
 * the best is kept, the first among equals. So a page costs a few small texts, regardless
 * of the number of its statements. Title, author and dates are decided at the end, when
 * the text is complete. The orders of trust, best first:
 *
 *   title        see headline.c
 *   description  description, og:, JSON-LD, twitter:, libraries', microdata.
 *   canonical    LINK rel=canonical, og:url; the first that is an http(s) URL.
 *   language     HTML lang, xml:lang, content-language, og:locale, others. og:locale
 *                is late: many content systems never change its default of en_US.
 *   author       JSON-LD, which distinguishes a person from a site. Then
 *                citation_author, author and dc.creator, newsletter services' names,
 *                article:author, and the results of visible_facts.c. A link is not a
 *                name, nor is the site's. Names of a source that is repeated for each
 *                author are joined by "; ".
 *   published    JSON-LD, article:published_time, libraries' dates of issue, the
 *                names of publishers' systems, the results of visible_facts.c, and
 *                finally dates without a stated event. Dates that cannot be normalised
 *                come after all that can.
 *   modified     JSON-LD, article:modified_time and its like, microdata.
 *   site name    og:site_name, JSON-LD's site, its publisher, application names.
 *
 * A date in the head of a page that is not an article does not count as a date of
 * publication, because content systems write it for a product and for a front page as
 * well. It counts if the page is marked as an article, or shows the date. docs/facts.md
 * has each source's precision.
 *
 * Sources: ogp.me, schema.org, Dublin Core's names in HTML, Highwire Press's citation
 * tags as Google Scholar reads them, and the names met in our corpora.
 */
#include "parse/metadata/metadata.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/date_words.h"
#include "base/iso_date.h"
#include "parse/metadata/author_list.h"
#include "parse/metadata/author_name.h"
#include "parse/metadata/headline.h"
#include "parse/metadata/json_ld.h"
#include "parse/metadata/page_address.h"
#include "parse/metadata/tidy_text.h"
#include "parse/metadata/visible_facts.h"
#include "parse/url/url.h"

enum field {
    TITLE,       /* the element's */
    TITLE_GRAPH, /* og:title */
    TITLE_TWITTER,
    TITLE_NEWS,    /* headline of a NewsArticle */
    TITLE_ARTICLE, /* headline or name of another article */
    TITLE_OTHER,
    DESCRIPTION,
    LANGUAGE,
    AUTHOR,
    PUBLISHED,
    MODIFIED,
    SITE_NAME,
    KIND, /* og:type */
    FIELD_COUNT,
    /* Other meanings of a name in the tables below. */
    AUTHORS = FIELD_COUNT, /* AUTHOR, and repeated once for each of several */
    CANONICAL,
};

enum {
    MAX_TITLE = 1024,
    MAX_DESCRIPTION = 4096,
    MAX_VALUE = 512, /* of the other fields, bytes */
    MAX_URL = 8192,
    MAX_NAME = 40,             /* longer names of META are not in the tables */
    MAX_DATE = 64,             /* of a date that stays unchanged */
    MAX_JSON_LD = 1024 * 1024, /* of a page, bytes */
    NO_RANK = 255,
    /* Added to the rank of a date that could not be normalised. */
    NOT_NORMALISED = 100,
};

/*
 * Ranks, the lower the better: the orders above in numbers. Ranks of names are in the
 * tables below. These are for sources without a name.
 */
enum {
    RANK_TITLE_LD_PAGE = 60,
    RANK_DESCRIPTION_LD_ARTICLE = 20,
    RANK_DESCRIPTION_LD_PAGE = 60,
    RANK_LANGUAGE_HTML = 0,
    RANK_LANGUAGE_XML = 1,
    RANK_LANGUAGE_LD = 50,
    RANK_AUTHOR_LD_ARTICLE = 0,
    RANK_AUTHOR_LD_PAGE = 60,
    RANK_PUBLISHED_LD_ARTICLE = 0,
    RANK_PUBLISHED_LD_PAGE = 60,
    RANK_PUBLISHED_VAGUE = 70, /* from here: names of META that do not state the event */
    RANK_META_FIRST = 10,      /* ranks of authors and dates in META */
    RANK_SITE_LD_SITE = 20,
    RANK_SITE_LD_PUBLISHER = 30,
};

/* A canonical URL as in the page. It is resolved at the end, when the base is known. */
enum { CANONICAL_LINK, CANONICAL_OPEN_GRAPH, CANONICAL_COUNT };

struct statement {
    th_view value; /* in the arena, tidy */
    uint8_t rank;
};

struct th_metadata_collector {
    th_arena *arena;
    struct statement best[FIELD_COUNT];
    th_view canonical[CANONICAL_COUNT]; /* in the arena */
    th_view sites[TH_HEADLINE_SITES];   /* the site's name for itself, in the arena */
    uint32_t site_count;
    bool is_product; /* JSON-LD states that the page sells something */
    th_fact_marks marks;
    th_author_list authors; /* data of best[AUTHOR].value */
    size_t json_ld_left;    /* bytes that may still be read */
    th_json_ld_memory json_memory;
};

/* The meaning of a name of META or of an item property. */
struct name_row {
    const char *name; /* lower case */
    enum field field;
    uint8_t rank;
};

/* Names in META's name, property and http-equiv; sorted. */
static const struct name_row meta_names[] = {
    { "apple-mobile-web-app-title", SITE_NAME, 50 },
    { "application-name", SITE_NAME, 40 },
    { "article.author", AUTHORS, 26 },
    { "article.published", PUBLISHED, 31 },
    { "article:author", AUTHORS, 30 },
    { "article:author:name", AUTHORS, 26 },
    { "article:modified", MODIFIED, 11 },
    { "article:modified_time", MODIFIED, 10 },
    { "article:published", PUBLISHED, 11 },
    { "article:published_time", PUBLISHED, 10 },
    { "article_date_original", PUBLISHED, 31 },
    { "author", AUTHORS, 20 },
    { "author_name", AUTHORS, 26 },
    { "authors", AUTHORS, 26 },
    { "byl", AUTHOR, 25 },
    { "citation_author", AUTHORS, 10 },
    { "citation_date", PUBLISHED, 21 },
    { "citation_online_date", PUBLISHED, 21 },
    { "citation_publication_date", PUBLISHED, 20 },
    { "citation_title", TITLE_OTHER, 0 },
    { "content-language", LANGUAGE, 10 },
    { "created", PUBLISHED, 70 },
    { "creator", AUTHORS, 27 },
    { "cxenseparse:author", AUTHORS, 25 },
    { "cxenseparse:publishtime", PUBLISHED, 30 },
    { "cxenseparse:recs:publishtime", PUBLISHED, 30 },
    { "date", PUBLISHED, 70 },
    { "date.available", PUBLISHED, 31 },
    { "date.created", PUBLISHED, 31 },
    { "date.modified", MODIFIED, 20 },
    { "datemodified", MODIFIED, 30 },
    { "datepublished", PUBLISHED, 30 },
    { "dc.creator", AUTHORS, 21 },
    { "dc.date", PUBLISHED, 70 },
    { "dc.date.created", PUBLISHED, 22 },
    { "dc.date.issued", PUBLISHED, 20 },
    { "dc.date.modified", MODIFIED, 20 },
    { "dc.description", DESCRIPTION, 40 },
    { "dc.language", LANGUAGE, 40 },
    { "dc.title", TITLE_OTHER, 40 },
    { "dcterms.abstract", DESCRIPTION, 41 },
    { "dcterms.available", PUBLISHED, 23 },
    { "dcterms.created", PUBLISHED, 22 },
    { "dcterms.creator", AUTHORS, 21 },
    { "dcterms.date", PUBLISHED, 70 },
    { "dcterms.description", DESCRIPTION, 40 },
    { "dcterms.issued", PUBLISHED, 20 },
    { "dcterms.language", LANGUAGE, 40 },
    { "dcterms.modified", MODIFIED, 20 },
    { "dcterms.title", TITLE_OTHER, 40 },
    { "description", DESCRIPTION, 0 },
    { "displaydate", PUBLISHED, 71 },
    { "headline", TITLE_OTHER, 50 },
    { "language", LANGUAGE, 40 },
    { "last-modified", MODIFIED, 60 },
    { "og:article:author", AUTHORS, 30 },
    { "og:article:published_time", PUBLISHED, 10 },
    { "og:author", AUTHORS, 26 },
    { "og:description", DESCRIPTION, 10 },
    { "og:locale", LANGUAGE, 20 },
    { "og:pubdate", PUBLISHED, 31 },
    { "og:published_time", PUBLISHED, 11 },
    { "og:site_name", SITE_NAME, 0 },
    { "og:title", TITLE_GRAPH, 10 },
    { "og:type", KIND, 0 },
    { "og:updated_time", MODIFIED, 20 },
    { "og:url", CANONICAL, 0 },
    { "originalpublicationdate", PUBLISHED, 30 },
    { "parsely-author", AUTHOR, 25 },
    { "parsely-pub-date", PUBLISHED, 30 },
    { "pub_date", PUBLISHED, 31 },
    { "pubdate", PUBLISHED, 30 },
    { "publication_date", PUBLISHED, 30 },
    { "publicationdate", PUBLISHED, 30 },
    { "publish-date", PUBLISHED, 30 },
    { "publish_date", PUBLISHED, 30 },
    { "publishdate", PUBLISHED, 30 },
    { "published", PUBLISHED, 31 },
    { "published_at", PUBLISHED, 31 },
    { "published_time", PUBLISHED, 30 },
    { "release_date", PUBLISHED, 31 },
    { "revised", MODIFIED, 60 },
    { "rnews:datepublished", PUBLISHED, 30 },
    { "sailthru.author", AUTHOR, 25 },
    { "sailthru.date", PUBLISHED, 30 },
    { "sailthru.description", DESCRIPTION, 45 },
    { "sailthru.title", TITLE_OTHER, 45 },
    { "shareaholic:article_author_name", AUTHORS, 26 },
    { "shareaholic:article_published_time", PUBLISHED, 31 },
    { "title", TITLE_OTHER, 50 },
    { "twitter:description", DESCRIPTION, 30 },
    { "twitter:title", TITLE_TWITTER, 30 },
};

/* Names in itemprop; sorted. On a page of many items the first is probably the page's. */
static const struct name_row item_names[] = {
    { "description", DESCRIPTION, 50 },
    { "headline", TITLE_OTHER, 55 },
    { "inlanguage", LANGUAGE, 45 },
};

static size_t max_of(enum field field)
{
    switch (field) {
    case TITLE:
    case TITLE_GRAPH:
    case TITLE_TWITTER:
    case TITLE_NEWS:
    case TITLE_ARTICLE:
    case TITLE_OTHER:
        return MAX_TITLE;
    case DESCRIPTION:
        return MAX_DESCRIPTION;
    default:
        return MAX_VALUE;
    }
}

/* ---- Names and attributes ---- */

static int compare_names(const void *name, const void *row)
{
    return strcmp(name, ((const struct name_row *)row)->name);
}

/* Returns the row of a name, ASCII case ignored, or NULL. */
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

/* Keeps an unparsed date if it can be a date at all. */
static void keep_date(th_metadata_collector *collector, enum field field, unsigned rank,
                      th_view text)
{
    char bytes[TH_ISO_DATE_MAX];
    th_view date = { bytes, 0 };
    switch (th_iso_date(text, bytes, &date.len)) {
    case TH_DATE_ISO:
        keep(collector, field, rank, date);
        return;
    case TH_DATE_UNSET:
        return;
    case TH_DATE_OTHER:
        break;
    }
    th_date_words words;
    if (text.len <= MAX_DATE &&
        th_date_words_find(text, 0, collector->best[LANGUAGE].value, &words)) {
        keep(collector, field, rank, (th_view){ words.day, TH_DAY_LEN });
        return;
    }
    size_t digit_count = 0;
    for (size_t i = 0; i < text.len; i++)
        digit_count += th_is_digit(text.data[i]);
    if (digit_count >= 3 && text.len <= MAX_DATE)
        keep(collector, field, rank + NOT_NORMALISED, text);
}

/*
 * Keeps an author's name. A name of the same rank joins the earlier names if its source
 * is repeated for each author.
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

/* Keeps a name of the site. Each name helps to remove the site from the title. */
static void keep_site(th_metadata_collector *collector, th_view name)
{
    if (collector->site_count == TH_HEADLINE_SITES || name.len == 0)
        return;
    for (uint32_t i = 0; i < collector->site_count; i++)
        if (th_ascii_same(collector->sites[i], name))
            return;
    const th_view copy = th_arena_copy(collector->arena, name);
    if (copy.data)
        collector->sites[collector->site_count++] = copy;
}

/* Weighs one statement. */
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
    if (rank > collector->best[field].rank && field != SITE_NAME)
        return;
    char bytes[MAX_DESCRIPTION];
    const size_t len = th_tidy_text(value, TH_TIDY_PLAIN, bytes, max_of(field));
    const th_view tidy = { bytes, len };
    switch (field) {
    case LANGUAGE:
        keep_language(collector, rank, bytes, len);
        break;
    case PUBLISHED:
    case MODIFIED:
        keep_date(collector, field, rank, tidy);
        break;
    case SITE_NAME:
        keep_site(collector, tidy);
        keep(collector, field, rank, tidy);
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
    for (th_view word = th_ascii_next_word(&properties); word.len > 0;
         word = th_ascii_next_word(&properties)) {
        const struct name_row *row =
            find_name(word, item_names, sizeof item_names / sizeof item_names[0]);
        if (row)
            state(collector, row->field, row->rank, value);
    }
}

static void read_meta(th_metadata_collector *collector, const th_attribute *attrs,
                      size_t attr_count)
{
    static const char *const sources[] = { "name", "property", "http-equiv" };
    const th_view value = th_attribute_value(attrs, attr_count, "content");
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        th_view names = th_attribute_value(attrs, attr_count, sources[i]);
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
    const th_view rel = th_attribute_value(attrs, attr_count, "rel");
    if (rel.data && th_ascii_has_word(rel, "canonical"))
        keep_canonical(collector, CANONICAL_LINK,
                       th_attribute_value(attrs, attr_count, "href"));
}

static void read_html(th_metadata_collector *collector, const th_attribute *attrs,
                      size_t attr_count)
{
    state(collector, LANGUAGE, RANK_LANGUAGE_HTML,
          th_attribute_value(attrs, attr_count, "lang"));
    state(collector, LANGUAGE, RANK_LANGUAGE_XML,
          th_attribute_value(attrs, attr_count, "xml:lang"));
}

th_metadata_collector *th_metadata_begin(th_arena *arena)
{
    th_metadata_collector *collector = th_arena_calloc(arena, 1, sizeof *collector);
    if (!collector)
        return NULL;
    collector->arena = arena;
    th_fact_marks_begin(&collector->marks, arena);
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
    default:
        break;
    }
    const th_view properties = th_attribute_value(attrs, attr_count, "itemprop");
    if (!properties.data)
        return;
    state_item(collector, properties, th_attribute_value(attrs, attr_count, "content"));
}

th_fact_marks *th_metadata_marks(th_metadata_collector *collector)
{
    return &collector->marks;
}

/* ---- Texts ---- */

static void take_article(th_metadata_collector *collector, const th_json_ld *object)
{
    state(collector, object->is_news ? TITLE_NEWS : TITLE_ARTICLE, 0, object->headline);
    state(collector, TITLE_ARTICLE, 1, object->name);
    state(collector, DESCRIPTION, RANK_DESCRIPTION_LD_ARTICLE, object->description);
    state(collector, AUTHOR, RANK_AUTHOR_LD_ARTICLE, object->author);
    state(collector, PUBLISHED, RANK_PUBLISHED_LD_ARTICLE, object->published);
    state(collector, MODIFIED, RANK_PUBLISHED_LD_ARTICLE, object->modified);
}

static void take_page(th_metadata_collector *collector, const th_json_ld *object)
{
    state(collector, TITLE_OTHER, RANK_TITLE_LD_PAGE, object->headline);
    state(collector, TITLE_OTHER, RANK_TITLE_LD_PAGE, object->name);
    state(collector, DESCRIPTION, RANK_DESCRIPTION_LD_PAGE, object->description);
    state(collector, AUTHOR, RANK_AUTHOR_LD_PAGE, object->author);
    state(collector, PUBLISHED, RANK_PUBLISHED_LD_PAGE, object->published);
    state(collector, MODIFIED, RANK_PUBLISHED_LD_PAGE, object->modified);
}

static void take_object(void *context, const th_json_ld *object)
{
    th_metadata_collector *collector = context;
    collector->is_product |= object->is_product;
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
        state(collector, TITLE, 0, text);
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
    th_view type = th_attribute_value(attrs, attr_count, "type");
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

/* ---- What is decided at the end ---- */

/* Copies a text so that it lasts as long as the page. */
static th_view lasting(th_metadata_collector *collector, th_view text)
{
    return text.len ? th_arena_copy(collector->arena, text) : (th_view){ NULL, 0 };
}

/* Takes the headings of the first level that are shown, without duplicates. */
static void take_headings(th_metadata_collector *collector, th_view text,
                          th_headline_sources *sources)
{
    for (uint32_t i = 0; i < collector->marks.count && sources->h1_count < TH_HEADLINE_H1;
         i++) {
        const th_fact_mark *const mark = &collector->marks.rows[i];
        if (!(mark->roles & TH_MARK_H1) || mark->start >= mark->end ||
            mark->end > text.len)
            continue;
        char bytes[MAX_TITLE];
        const size_t len =
            th_tidy_text((th_view){ text.data + mark->start, mark->end - mark->start },
                         TH_TIDY_PLAIN, bytes, sizeof bytes);
        const th_view copy = lasting(collector, (th_view){ bytes, len });
        if (copy.data)
            sources->h1[sources->h1_count++] = copy;
    }
}

static void decide_title(th_metadata_collector *collector, const th_metadata_page *page,
                         th_metadata *out)
{
    th_headline_sources sources = {
        .news = collector->best[TITLE_NEWS].value,
        .article = collector->best[TITLE_ARTICLE].value,
        .open_graph = collector->best[TITLE_GRAPH].value,
        .twitter = collector->best[TITLE_TWITTER].value,
        .title = collector->best[TITLE].value,
        .other = collector->best[TITLE_OTHER].value,
        .url = page->url,
    };
    for (uint32_t i = 0; i < collector->site_count; i++)
        sources.sites[i] = collector->sites[i];
    take_headings(collector, page->text, &sources);
    const char *from = NULL;
    out->title = th_headline_choose(&sources, &from);
    if (out->title.data)
        out->title_from = (th_view){ from, strlen(from) };
    out->page_title = sources.title;
}

static const char *structured_source(const struct statement *statement)
{
    const unsigned rank = statement->rank % NOT_NORMALISED;
    return rank >= RANK_META_FIRST && rank != RANK_PUBLISHED_LD_PAGE ? "meta" : "json-ld";
}

static void set(th_view *value, th_view *from, th_view text, const char *source)
{
    if (!text.len)
        return;
    *value = text;
    *from = (th_view){ source, strlen(source) };
}

/* Whether the author is only the site's name, the default of a field that was not
 * filled. */
static bool is_site_name(const th_metadata_collector *collector, th_view author)
{
    for (uint32_t i = 0; i < collector->site_count; i++)
        if (th_headline_same(collector->sites[i], author))
            return true;
    return false;
}

static void decide_author(th_metadata_collector *collector, const th_metadata_page *page,
                          const th_visible_facts *seen, th_metadata *out)
{
    const struct statement *const stated = &collector->best[AUTHOR];
    const th_view visible = { seen->authors.bytes, seen->authors.len };
    const char *const source = structured_source(stated);
    const bool is_stated = stated->value.data &&
                           (page->keeps_weak || !th_author_is_no_person(stated->value));
    const bool is_person = is_stated && !is_site_name(collector, stated->value);
    if (!page->keeps_weak && th_address_is_no_article(page->url))
        return;
    if (is_person)
        set(&out->author, &out->author_from, lasting(collector, stated->value), source);
    else if (seen->author_from &&
             (page->keeps_weak || /* a front page shows facts of its articles */
              (!th_url_is_front(page->url) && !is_site_name(collector, visible) &&
               !th_author_is_no_person(visible) && !th_author_is_sentence(visible))))
        set(&out->author, &out->author_from, lasting(collector, visible),
            seen->author_from);
    else if (is_stated && (page->keeps_weak || strcmp(source, "json-ld") == 0))
        set(&out->author, &out->author_from, lasting(collector, stated->value), source);
}

static bool is_same_day(th_view a, th_view b)
{
    return a.len >= TH_DAY_LEN && b.len >= TH_DAY_LEN &&
           memcmp(a.data, b.data, TH_DAY_LEN) == 0;
}

/* Whether the page shows the date near its headline, in any format. */
static bool is_shown(const th_visible_facts *seen, th_view date)
{
    for (uint32_t i = 0; i < seen->date_count; i++)
        if (seen->dates[i].how != TH_SEEN_URL && seen->dates[i].how != TH_SEEN_ITEM &&
            is_same_day((th_view){ seen->dates[i].iso, seen->dates[i].len }, date))
            return true;
    return false;
}

/* Whether to trust the date in the head. See the head of this file. */
static bool is_believed(const th_metadata_collector *collector,
                        const th_metadata_page *page, const th_visible_facts *seen)
{
    const struct statement *const stated = &collector->best[PUBLISHED];
    const th_view kind = collector->best[KIND].value;
    if (!stated->value.data)
        return false;
    if (page->keeps_weak || is_shown(seen, stated->value))
        return true;
    const bool is_article =
        !th_ascii_is(kind, "website") && !th_ascii_is(kind, "product") &&
        !th_ascii_is(kind, "og:product") && !th_ascii_is(kind, "product.group");
    return is_article && !collector->is_product && !th_url_is_front(page->url) &&
           stated->rank != RANK_PUBLISHED_LD_PAGE;
}

static const char *seen_source(th_seen how)
{
    switch (how) {
    case TH_SEEN_ITEM:
        return "microdata";
    case TH_SEEN_POSTED:
    case TH_SEEN_TIME:
        return "time";
    case TH_SEEN_CLASS:
        return "byline";
    case TH_SEEN_URL:
        return "url";
    case TH_SEEN_TEXT:
    case TH_SEEN_LOOSE:
    case TH_SEEN_UPDATED:
    default:
        return "text";
    }
}

static void decide_dates(th_metadata_collector *collector, const th_metadata_page *page,
                         const th_visible_facts *seen, th_metadata *out)
{
    const struct statement *const stated = &collector->best[PUBLISHED];
    if (!page->keeps_weak && th_address_is_no_article(page->url)) {
        /* The date of a product or of one of many articles is not the page's. */
    } else if (is_believed(collector, page, seen)) {
        set(&out->published, &out->published_from, stated->value,
            structured_source(stated));
    } else if (seen->date_count > 0 && !th_url_is_front(page->url)) {
        const th_seen_date *const date = &seen->dates[0];
        if (page->keeps_weak || date->how < TH_SEEN_UPDATED)
            set(&out->published, &out->published_from,
                lasting(collector, (th_view){ date->iso, date->len }),
                seen_source(date->how));
    }
    set(&out->modified, &out->modified_from, collector->best[MODIFIED].value,
        structured_source(&collector->best[MODIFIED]));
}

void th_metadata_finish(th_metadata_collector *collector, const th_metadata_page *page,
                        th_metadata *out)
{
    *out = (th_metadata){
        .description = collector->best[DESCRIPTION].value,
        .language = collector->best[LANGUAGE].value,
        .site_name = collector->best[SITE_NAME].value,
    };
    decide_title(collector, page, out);
    const th_visible_page visible = { .text = page->text,
                                      .paragraphs = page->paragraphs,
                                      .paragraph_count = page->paragraph_count,
                                      .marks = &collector->marks,
                                      .headline = out->title,
                                      .language = out->language,
                                      .url = page->url,
                                      .is_product = collector->is_product };
    th_visible_facts seen;
    th_visible_facts_read(&visible, &seen);
    decide_author(collector, page, &seen, out);
    decide_dates(collector, page, &seen, out);
    for (size_t i = 0; i < CANONICAL_COUNT && !out->canonical_url.data; i++) {
        if (!collector->canonical[i].data)
            continue;
        const th_view url =
            th_url_resolve(page->base, collector->canonical[i], collector->arena);
        if (is_http(url))
            out->canonical_url = url;
    }
}
