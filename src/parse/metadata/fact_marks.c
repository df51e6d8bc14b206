/*
 * Attributes that say what an element holds: itemprop and property (microdata, RDFa), rel,
 * and class names as content systems give them. Every start tag of a page comes by, so
 * classes are looked at near a headline only, and each value once.
 */
#include "parse/metadata/fact_marks.h"

#include <string.h>

#include <xxhash.h>

#include "base/ascii.h"
#include "parse/metadata/tidy_text.h"

enum {
    MAX_MARKS = 4096,
    MAX_VALUE = 512,
    MAX_CLASS = 512,
    /* Bytes of text in which classes are looked at: of a page without H1, and behind one. */
    FAR_WITHOUT_HEADLINE = 16384,
    FAR_BEHIND_HEADLINE = 4096,
};

struct role_word {
    const char *word;
    uint32_t roles;
};

static const struct role_word item_words[] = {
    { "author", TH_MARK_ITEM_AUTHOR },
    { "creator", TH_MARK_ITEM_AUTHOR },
    { "name", TH_MARK_ITEM_NAME },
    { "datepublished", TH_MARK_ITEM_PUBLISHED },
    { "datecreated", TH_MARK_ITEM_PUBLISHED },
    { "pubdate", TH_MARK_ITEM_PUBLISHED },
    { "datemodified", TH_MARK_ITEM_MODIFIED },
    { "headline", TH_MARK_ITEM_HEADLINE },
};

/* ---- words of attributes ---- */

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

/* The texts are short, most of them words. */
static bool has(th_view text, const char *part)
{
    const size_t len = strlen(part);
    for (size_t i = 0; i + len <= text.len; i++)
        if (text.data[i] == part[0] && memcmp(text.data + i, part, len) == 0)
            return true;
    return false;
}

static bool has_any(th_view text, const char *const *parts)
{
    for (; *parts; parts++)
        if (has(text, *parts))
            return true;
    return false;
}

/* The property without its vocabulary: "schema:author", "http://schema.org/author". */
static uint32_t item_roles(th_view words)
{
    uint32_t roles = 0;
    for (th_view word = next_word(&words); word.len > 0; word = next_word(&words)) {
        for (size_t i = word.len; i > 0; i--) {
            if (word.data[i - 1] == ':' || word.data[i - 1] == '/') {
                word = (th_view){ word.data + i, word.len - i };
                break;
            }
        }
        for (size_t i = 0; i < sizeof item_words / sizeof *item_words; i++)
            if (th_ascii_is(word, item_words[i].word))
                roles |= item_words[i].roles;
    }
    return roles;
}

static bool is_foreign_type(th_view type)
{
    static const char *const types[] = { "Comment",  "Answer",         "Review",
                                         "Product",  "Breadcrumb",     "Offer",
                                         "WPFooter", "SiteNavigation", "schema.org/Book",
                                         NULL };
    return has_any(type, types);
}

/* ---- classes ---- */

/* The syllables of which one is in each class that this file knows something about. */
enum { AUTH = 1, BYLI = 2, DATE = 4, TIME = 8, USER = 16, WRIT = 32 };

/* Which of them a byte begins, and in which it is the second. */
static const uint8_t firsts[256] = {
    ['a'] = AUTH, ['A'] = AUTH, ['b'] = BYLI, ['B'] = BYLI, ['d'] = DATE, ['D'] = DATE,
    ['t'] = TIME, ['T'] = TIME, ['u'] = USER, ['U'] = USER, ['w'] = WRIT, ['W'] = WRIT,
};
static const uint8_t seconds[256] = {
    ['u'] = AUTH, ['U'] = AUTH, ['y'] = BYLI, ['Y'] = BYLI, ['a'] = DATE, ['A'] = DATE,
    ['i'] = TIME, ['I'] = TIME, ['s'] = USER, ['S'] = USER, ['r'] = WRIT, ['R'] = WRIT,
};

/* Whether four bytes are one of the syllables whose bits are set. */
static bool is_syllable(const char *at, unsigned bits)
{
    switch (bits) {
    case AUTH:
        return th_ascii_equal(at, "auth", 4);
    case BYLI:
        return th_ascii_equal(at, (at[2] | 0x20) == 'l' ? "byli" : "by-l", 4);
    case DATE:
        return th_ascii_equal(at, "date", 4);
    case TIME:
        return th_ascii_equal(at, "time", 4);
    case USER:
        return th_ascii_equal(at, "user", 4);
    default:
        return th_ascii_equal(at, "writ", 4);
    }
}

static bool is_worth_a_look(th_view text)
{
    unsigned begun = 0; /* syllables that the byte before begins */
    for (size_t i = 0; i + 2 < text.len; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        const unsigned bits = begun & seconds[c];
        if (bits && is_syllable(text.data + i - 1, bits))
            return true;
        begun = firsts[c];
    }
    return false;
}

static bool is_edge(char c)
{
    return c == '-' || c == '_' || c == '\0';
}

/* Whether a part stands in a word by itself: "date" in "entry-date". */
static bool has_part(th_view word, const char *part)
{
    const size_t len = strlen(part);
    for (size_t i = 0; i + len <= word.len; i++)
        if (memcmp(word.data + i, part, len) == 0 &&
            (i == 0 || is_edge(word.data[i - 1])) &&
            (i + len == word.len || is_edge(word.data[i + len])))
            return true;
    return false;
}

/* "post-date", "published_time", "articleDate" */
static bool is_posted_date(th_view word)
{
    static const char *const starts[] = { "publish", "pub", "post", "entry", "article" };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        const char *found = memmem(word.data, word.len, starts[i], strlen(starts[i]));
        if (!found || (found > word.data && !is_edge(found[-1])))
            continue;
        const th_view rest = { found, word.len - (size_t)(found - word.data) };
        if (has(rest, "date") || has(rest, "time"))
            return true;
    }
    return false;
}

static uint32_t word_roles(th_view word)
{
    static const char *const published[] = { "publish", "entry-date", "posted",
                                             "pubdate", "dt-pub",     NULL };
    static const char *const modified[] = { "updat", "modif", "edited", "revis", NULL };
    uint32_t roles = 0;
    if (has(word, "dateline") || has(word, "datepublished") ||
        has(word, "date-published") || has(word, "byline") || has_part(word, "date") ||
        is_posted_date(word))
        roles |= TH_MARK_DATE_CLASS;
    if (has_any(word, published))
        roles |= TH_MARK_POSTED_CLASS;
    if (has_any(word, modified))
        roles |= TH_MARK_MODIFIED_CLASS;
    const bool has_author =
        has(word, "author") || has(word, "byline") || has(word, "by-line");
    if (th_ascii_is(word, "author") || th_ascii_is(word, "byline") ||
        th_ascii_is(word, "author-link") || th_ascii_is(word, "fn") ||
        th_ascii_is(word, "byline-link") || has(word, "username") ||
        has(word, "postauthor") || (has_author && th_ends_with(word, "name")))
        roles |= TH_MARK_NAME_CLASS;
    if (has_author || has(word, "writer"))
        roles |= TH_MARK_AUTHOR_CLASS;
    return roles;
}

static uint32_t class_roles(th_view classes)
{
    static const char *const not_names[] = { "bio",      "avatar",  "image",   "img",
                                             "date",     "time",    "comment", "social",
                                             "share",    "count",   "desc",    "role",
                                             "title",    "related", "follow",  "widget",
                                             "reviewer", "footer",  NULL };
    char lower[MAX_CLASS];
    if (classes.len > sizeof lower)
        classes.len = sizeof lower;
    for (size_t i = 0; i < classes.len; i++)
        lower[i] = th_lower(classes.data[i]);
    const th_view all = { lower, classes.len };
    th_view rest = all;
    uint32_t roles = 0;
    for (th_view word = next_word(&rest); word.len > 0; word = next_word(&rest))
        roles |= is_worth_a_look(word) || th_ascii_is(word, "fn") ? word_roles(word) : 0;
    if ((roles & (TH_MARK_NAME_CLASS | TH_MARK_AUTHOR_CLASS)) && has_any(all, not_names))
        roles &= ~(uint32_t)(TH_MARK_NAME_CLASS | TH_MARK_AUTHOR_CLASS);
    /* When something was updated matters only of what is a date. */
    return roles == TH_MARK_MODIFIED_CLASS || roles == TH_MARK_POSTED_CLASS ? 0 : roles;
}

static uint32_t rel_roles(th_view words)
{
    for (th_view word = next_word(&words); word.len > 0; word = next_word(&words))
        if (th_ascii_is(word, "author"))
            return TH_MARK_REL_AUTHOR;
    return 0;
}

void th_fact_marks_begin(th_fact_marks *marks, th_arena *arena)
{
    marks->arena = arena;
    marks->class_end = FAR_WITHOUT_HEADLINE;
}

/* What a class says, judged once in a page. */
static uint32_t known_class_roles(th_fact_marks *marks, th_view value)
{
    const uint64_t hash = XXH3_64bits(value.data, value.len) | 1;
    th_known_class *const known = &marks->classes[(hash >> 8) % TH_KNOWN_CLASSES];
    if (known->hash != hash)
        *known =
            (th_known_class){ hash, is_worth_a_look(value) || th_ascii_is(value, "fn")
                                        ? class_roles(value)
                                        : 0 };
    return known->roles;
}

/* What a tag may be; cheap, for nearly all are nothing. */
static uint32_t roles_of(th_fact_marks *marks, th_tag tag, const th_attribute *attrs,
                         size_t attr_count, uint32_t text_at)
{
    uint32_t roles = tag == TH_TAG_H1     ? TH_MARK_H1
                     : tag == TH_TAG_TIME ? TH_MARK_TIME
                                          : 0;
    const bool is_class_wanted = th_fact_asks_class(marks, tag, text_at);
    for (size_t i = 0; i < attr_count; i++) {
        const th_view name = attrs[i].name, value = attrs[i].value;
        switch (name.len) {
        case 3:
            if (memcmp(name.data, "rel", 3) == 0 && tag != TH_TAG_LINK)
                roles |= rel_roles(value);
            break;
        case 5:
            if (is_class_wanted && memcmp(name.data, "class", 5) == 0)
                roles |= known_class_roles(marks, value);
            break;
        case 7:
            if (tag == TH_TAG_TIME && memcmp(name.data, "pubdate", 7) == 0)
                roles |= TH_MARK_ITEM_PUBLISHED; /* HTML 5 of 2011 */
            break;
        case 8:
            if (memcmp(name.data, "itemprop", 8) == 0 ||
                (memcmp(name.data, "property", 8) == 0 && tag != TH_TAG_META))
                roles |= item_roles(value);
            else if (memcmp(name.data, "itemtype", 8) == 0 && is_foreign_type(value))
                roles |= TH_MARK_FOREIGN;
            break;
        default:
            break;
        }
    }
    return roles;
}

/* ---- the table ---- */

static bool has_room(th_fact_marks *marks)
{
    if (marks->count < marks->capacity)
        return true;
    if (marks->count >= MAX_MARKS)
        return false;
    const uint32_t capacity = marks->capacity ? marks->capacity * 2 : 32;
    th_fact_mark *rows = th_arena_alloc(marks->arena, capacity * sizeof *rows);
    if (!rows)
        return false;
    if (marks->count)
        memcpy(rows, marks->rows, marks->count * sizeof *rows);
    marks->rows = rows;
    marks->capacity = capacity;
    return true;
}

/* What the attributes state: content, or of a TIME its datetime. */
static th_view stated(th_fact_marks *marks, const th_attribute *attrs, size_t attr_count)
{
    const th_attribute *attribute =
        th_attribute_find(attrs, attr_count, TH_VIEW("content"));
    if (!attribute)
        attribute = th_attribute_find(attrs, attr_count, TH_VIEW("datetime"));
    if (!attribute)
        return (th_view){ NULL, 0 };
    char bytes[MAX_VALUE];
    const size_t len = th_tidy_text(attribute->value, TH_TIDY_PLAIN, bytes, sizeof bytes);
    return len ? th_arena_copy(marks->arena, (th_view){ bytes, len })
               : (th_view){ NULL, 0 };
}

uint32_t th_fact_marks_open(th_fact_marks *marks, th_tag tag, const th_attribute *attrs,
                            size_t attr_count, uint32_t text_at)
{
    const uint32_t roles = roles_of(marks, tag, attrs, attr_count, text_at);
    if (!roles || !has_room(marks))
        return 0;
    marks->rows[marks->count] =
        (th_fact_mark){ .roles = roles,
                        .start = text_at,
                        .end = text_at,
                        .last = marks->count,
                        .is_foreign =
                            marks->foreign_count > 0 || (roles & TH_MARK_FOREIGN),
                        .value = stated(marks, attrs, attr_count) };
    marks->foreign_count += (roles & TH_MARK_FOREIGN) != 0;
    if (roles & TH_MARK_H1)
        marks->class_end = text_at + FAR_BEHIND_HEADLINE;
    return ++marks->count;
}

void th_fact_marks_close(th_fact_marks *marks, uint32_t mark, uint32_t text_at)
{
    th_fact_mark *const row = &marks->rows[mark - 1];
    row->end = text_at;
    row->last = marks->count - 1;
    marks->foreign_count -= (row->roles & TH_MARK_FOREIGN) != 0;
}
