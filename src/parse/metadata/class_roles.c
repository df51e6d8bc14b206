/* Finds the roles in class names of content systems: "entry-date", "byline__author". */
#include "parse/metadata/class_roles.h"

#include <string.h>

#include "base/ascii.h"
#include "base/letter_pairs.h"
#include "parse/metadata/fact_marks.h"

enum { MAX_CLASS = 512 };

/* ---- classes to examine ---- */

/* Four letters as a number. */
#define FOUR(a, b, c, d)                                                                 \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

/* Whether four bytes are a syllable. Each class that has a role contains one. The match
 * of a dash is loose. */
static bool is_syllable(const char *at)
{
    const unsigned char *const p = (const unsigned char *)at;
    switch (FOUR(p[0], p[1], p[2], p[3]) | 0x20202020) {
    case FOUR('a', 'u', 't', 'h'):
    case FOUR('b', 'y', 'l', 'i'):
    case FOUR('b', 'y', '-', 'l'):
    case FOUR('d', 'a', 't', 'e'):
    case FOUR('t', 'i', 'm', 'e'):
    case FOUR('u', 's', 'e', 'r'):
    case FOUR('w', 'r', 'i', 't'):
        return true;
    default:
        return false;
    }
}

bool th_class_may_have_roles(th_view classes)
{
    th_pair_search search = { .text = classes };
    for (size_t at = 0; th_pair_next(&search, TH_VIEW("aubydatiuswr"), &at);)
        if (at + 4 <= classes.len && is_syllable(classes.data + at))
            return true;
    return th_ascii_is(classes, "fn");
}

/* ---- what they say ---- */

static bool has_any(th_view text, const char *const *parts)
{
    for (; *parts; parts++)
        if (th_ascii_has(text, *parts))
            return true;
    return false;
}

static bool is_edge(char c)
{
    return c == '-' || c == '_' || c == '\0';
}

/* Whether a part is a separate word: "date" in "entry-date". */
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
        const char *found = th_ascii_find(word, starts[i]);
        if (!found || (found > word.data && !is_edge(found[-1])))
            continue;
        const th_view rest = { found, word.len - (size_t)(found - word.data) };
        if (th_ascii_has(rest, "date") || th_ascii_has(rest, "time"))
            return true;
    }
    return false;
}

static uint32_t word_roles(th_view word)
{
    static const char *const published[] = { "publish", "entry-date", "posted",
                                             "pubdate", "dt-pub",     NULL };
    static const char *const modified[] = { "updat", "modif", "edited", "revis", NULL };
    const bool has_date = th_ascii_has(word, "date");
    const bool has_byline = th_ascii_has(word, "byline");
    const bool has_author =
        has_byline || th_ascii_has(word, "author") || th_ascii_has(word, "by-line");
    uint32_t roles = 0;
    if (has_byline ||
        (has_date &&
         (th_ascii_has(word, "dateline") || th_ascii_has(word, "datepublished") ||
          th_ascii_has(word, "date-published") || has_part(word, "date"))) ||
        ((has_date || th_ascii_has(word, "time")) && is_posted_date(word)))
        roles |= TH_MARK_DATE_CLASS;
    if (has_any(word, published))
        roles |= TH_MARK_POSTED_CLASS;
    if (has_any(word, modified))
        roles |= TH_MARK_MODIFIED_CLASS;
    if (th_ascii_is(word, "author") || th_ascii_is(word, "byline") ||
        th_ascii_is(word, "author-link") || th_ascii_is(word, "fn") ||
        th_ascii_is(word, "byline-link") || th_ascii_has(word, "username") ||
        (has_author && (th_ascii_has(word, "postauthor") || th_ends_with(word, "name"))))
        roles |= TH_MARK_NAME_CLASS;
    if (has_author || th_ascii_has(word, "writer"))
        roles |= TH_MARK_AUTHOR_CLASS;
    return roles;
}

uint32_t th_class_roles(th_view classes)
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
    for (th_view word = th_ascii_next_word(&rest); word.len > 0;
         word = th_ascii_next_word(&rest))
        roles |= th_class_may_have_roles(word) ? word_roles(word) : 0;
    if ((roles & (TH_MARK_NAME_CLASS | TH_MARK_AUTHOR_CLASS)) && has_any(all, not_names))
        roles &= ~(uint32_t)(TH_MARK_NAME_CLASS | TH_MARK_AUTHOR_CLASS);
    /* The time of an update matters only if the value is a date. */
    return roles == TH_MARK_MODIFIED_CLASS || roles == TH_MARK_POSTED_CLASS ? 0 : roles;
}
