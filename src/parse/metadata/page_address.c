/*
 * Words of sections in English, as found in addresses of the corpora. Measured in
 * docs/facts.md.
 */
#include "parse/metadata/page_address.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/ascii.h"

enum { SEGMENTS = 32, SLUG_HYPHENS = 2 };

/* Sections that count with all their contents. */
static const char *const deep[] = { "docs",    "documentation", "services",
                                    "product", "products",      "shop",
                                    "store",   "manual",        "reference" };
/* Sections that count themselves, and with a part that has a short name. */
static const char *const shallow[] = { "topic",  "topics",   "category", "categories",
                                       "genre",  "section",  "sections", "tag",
                                       "tags",   "news",     "event",    "events",
                                       "issues", "schedule", "list",     "compare",
                                       "page",   "archive" };
/* Parts of a section's part. */
static const char *const recent[] = { "recent", "latest", "new", "all" };
static const char *const articles[] = { "blog", "blogs", "article", "articles" };

static bool is_one_of(th_view word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (th_ascii_is(word, words[i]))
            return true;
    return false;
}
#define IS_ONE_OF(word, words) is_one_of(word, words, sizeof(words) / sizeof *(words))

/* Whether letters of either case contain a word. */
static bool has_word(th_view text, const char *word)
{
    const size_t len = strlen(word);
    for (size_t i = 0; i + len <= text.len; i++)
        if (th_ascii_equal(text.data + i, word, len))
            return true;
    return false;
}

/* Whether a name has few words and no number: "cloud", not "best-shoes-for-2024". */
static bool is_short(th_view segment)
{
    unsigned hyphens = 0;
    for (size_t i = 0; i < segment.len; i++) {
        if (segment.data[i] == '%') { /* a byte in hexadecimal */
            i += 2;
            continue;
        }
        if (th_is_digit(segment.data[i]))
            return false;
        hyphens += segment.data[i] == '-';
    }
    return hyphens < SLUG_HYPHENS;
}

/* @return number of segments; only the last SEGMENTS are kept */
static uint32_t cut_path(th_view path, th_view segments[SEGMENTS])
{
    uint32_t count = 0;
    for (size_t at = 0; at < path.len && path.data[at] != '?' && path.data[at] != '#';) {
        size_t end = at;
        // NOLINTNEXTLINE(bugprone-not-null-terminated-result): a set of characters
        while (end < path.len && !memchr("/?#", path.data[end], 3))
            end++;
        if (end > at && count == SEGMENTS) {
            memmove(segments, segments + 1, (SEGMENTS - 1) * sizeof *segments);
            count--;
        }
        if (end > at)
            segments[count++] = (th_view){ path.data + at, end - at };
        at = end + (end < path.len && path.data[end] == '/');
    }
    return count;
}

bool th_address_is_no_article(th_view url)
{
    const char *start = url.data ? memmem(url.data, url.len, "://", 3) : NULL;
    if (!start || has_word(url, "forum"))
        return false;
    const th_view rest = { start + 3, url.len - (size_t)(start + 3 - url.data) };
    if (th_ascii_starts_with(rest, "docs."))
        return true;
    const char *slash = memchr(rest.data, '/', rest.len);
    if (!slash)
        return false;
    th_view segments[SEGMENTS];
    const uint32_t count =
        cut_path((th_view){ slash, rest.len - (size_t)(slash - rest.data) }, segments);
    bool is_deep = false;
    for (uint32_t i = 0; i < count; i++) {
        if (IS_ONE_OF(segments[i], articles))
            return false;
        is_deep |= IS_ONE_OF(segments[i], deep);
    }
    if (is_deep || !count)
        return is_deep;
    const th_view last = segments[count - 1];
    return IS_ONE_OF(last, shallow) ||
           (count > 1 && IS_ONE_OF(segments[count - 2], shallow) && is_short(last)) ||
           (count > 2 && IS_ONE_OF(segments[count - 3], shallow) &&
            IS_ONE_OF(last, recent));
}
