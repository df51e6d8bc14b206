/*
 * Attributes that state an element's role: itemprop and property (microdata, RDFa), rel,
 * and class names of content systems (class_roles.h). Nearly every start tag of a page is
 * checked, so classes are examined only near a headline.
 */
#include "parse/metadata/fact_marks.h"

#include <string.h>

#include "base/ascii.h"
#include "parse/metadata/tidy_text.h"

enum {
    MAX_MARKS = 4096,
    MAX_VALUE = 512,
    /* Bytes of text in which classes are examined: in a page without H1, and after
     * one. */
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

/* ---- values of attributes ---- */

/* Returns the property without its vocabulary: "schema:author",
 * "http://schema.org/author". */
static uint32_t item_roles(th_view words)
{
    uint32_t roles = 0;
    for (th_view word = th_ascii_next_word(&words); word.len > 0;
         word = th_ascii_next_word(&words)) {
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
    for (const char *const *part = types; *part; part++)
        if (th_ascii_has(type, *part))
            return true;
    return false;
}

static uint32_t rel_roles(th_view words)
{
    for (th_view word = th_ascii_next_word(&words); word.len > 0;
         word = th_ascii_next_word(&words))
        if (th_ascii_is(word, "author"))
            return TH_MARK_REL_AUTHOR;
    return 0;
}

void th_fact_marks_begin(th_fact_marks *marks, th_arena *arena)
{
    marks->arena = arena;
    marks->class_end = FAR_WITHOUT_HEADLINE;
}

/* Returns a tag's roles by its name and its attributes other than class. Nearly all have
 * none. */
static uint32_t roles_of(th_tag tag, const th_attribute *attrs, size_t attr_count)
{
    uint32_t roles = tag == TH_TAG_H1     ? TH_MARK_H1
                     : tag == TH_TAG_TIME ? TH_MARK_TIME
                                          : 0;
    for (size_t i = 0; i < attr_count; i++) {
        const th_view name = attrs[i].name, value = attrs[i].value;
        switch (name.len) {
        case 3:
            if (memcmp(name.data, "rel", 3) == 0 && tag != TH_TAG_LINK)
                roles |= rel_roles(value);
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

static bool has_capacity(th_fact_marks *marks)
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

/* Returns the value in the attributes: content, of a TIME its datetime, or of an ABBR its
 * title (Blogger, microformats). */
static th_view stated(th_fact_marks *marks, th_tag tag, const th_attribute *attrs,
                      size_t attr_count)
{
    const th_attribute *attribute =
        th_attribute_find(attrs, attr_count, TH_VIEW("content"));
    if (!attribute)
        attribute = th_attribute_find(attrs, attr_count, TH_VIEW("datetime"));
    if (!attribute && tag == TH_TAG_ABBR)
        attribute = th_attribute_find(attrs, attr_count, TH_VIEW("title"));
    if (!attribute)
        return (th_view){ NULL, 0 };
    char bytes[MAX_VALUE];
    const size_t len = th_tidy_text(attribute->value, TH_TIDY_PLAIN, bytes, sizeof bytes);
    return len ? th_arena_copy(marks->arena, (th_view){ bytes, len })
               : (th_view){ NULL, 0 };
}

/* Notes an element. @return its number + 1; 0 if there is no room */
static uint32_t note(th_fact_marks *marks, th_tag tag, uint32_t roles,
                     const th_attribute *attrs, size_t attr_count, uint32_t text_at)
{
    if (!has_capacity(marks))
        return 0;
    marks->rows[marks->count] =
        (th_fact_mark){ .roles = roles,
                        .start = text_at,
                        .end = text_at,
                        .last = marks->count,
                        .is_foreign =
                            marks->foreign_count > 0 || (roles & TH_MARK_FOREIGN),
                        .value = stated(marks, tag, attrs, attr_count) };
    marks->foreign_count += (roles & TH_MARK_FOREIGN) != 0;
    if (roles & TH_MARK_H1)
        marks->class_end = text_at + FAR_BEHIND_HEADLINE;
    return ++marks->count;
}

uint32_t th_fact_marks_open(th_fact_marks *marks, th_tag tag, const th_attribute *attrs,
                            size_t attr_count, uint32_t class_roles, uint32_t text_at)
{
    const uint32_t roles = roles_of(tag, attrs, attr_count) | class_roles;
    return roles ? note(marks, tag, roles, attrs, attr_count, text_at) : 0;
}

void th_fact_marks_close(th_fact_marks *marks, uint32_t mark, uint32_t text_at)
{
    th_fact_mark *const row = &marks->rows[mark - 1];
    row->end = text_at;
    row->last = marks->count - 1;
    marks->foreign_count -= (row->roles & TH_MARK_FOREIGN) != 0;
}
