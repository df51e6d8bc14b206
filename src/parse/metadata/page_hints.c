/*
 * Hints from META, microdata and JSON-LD. JSON-LD is searched for keys, not parsed. A type counts at
 * any depth, since a page of reviews is a page about a product, wherever the product
 * occurs. A text that stops being JSON is read up to that point.
 */
#include "parse/metadata/page_hints.h"

#include "base/ascii.h"
#include "base/byte_scan.h"
#include "base/unicode.h"

enum {
    VALUE_MAX = 1024,   /* bytes of a value of META */
    TEXT_MAX = 1 << 20, /* bytes of a text in JSON-LD */
    TYPES_MAX = 256,    /* maximum examined in a SCRIPT */
};

th_page_hints *th_page_hints_begin(th_arena *arena, th_view url)
{
    th_page_hints *hints = th_arena_calloc(arena, 1, sizeof *hints);
    if (hints && url.len)
        hints->url = th_arena_copy(arena, url);
    return hints;
}

void th_page_hints_meta(th_page_hints *hints, th_arena *arena, const th_attribute *attrs,
                        size_t attr_count)
{
    static const char *const names[] = { "og:title", "og:type", "generator" };
    th_view *const slots[] = { &hints->og_title, &hints->og_type, &hints->generator };
    const th_attribute *name = th_attribute_find(attrs, attr_count, TH_VIEW("property"));
    if (!name)
        name = th_attribute_find(attrs, attr_count, TH_VIEW("name"));
    const th_attribute *content =
        th_attribute_find(attrs, attr_count, TH_VIEW("content"));
    if (!name || !content || !content->value.len || content->value.len > VALUE_MAX)
        return;
    for (size_t i = 0; i < sizeof slots / sizeof(void *); i++)
        if (!slots[i]->data && th_ascii_is(th_ascii_trimmed(name->value), names[i]))
            *slots[i] = th_arena_copy(arena, content->value);
}

/* ---- JSON-LD ------------------------------------------------------------------------ */

/* Ends of the names of types, and their kinds. */
static const struct {
    const char *end;
    unsigned type;
} types[] = {
    { "TechArticle", TH_LD_TYPE_BIT_TECH },
    { "APIReference", TH_LD_TYPE_BIT_TECH },
    { "SoftwareSourceCode", TH_LD_TYPE_BIT_TECH },
    { "DiscussionForumPosting", TH_LD_TYPE_BIT_FORUM },
    { "QAPage", TH_LD_TYPE_BIT_FORUM },
    { "FAQPage", TH_LD_TYPE_BIT_FAQ },
    { "JobPosting", TH_LD_TYPE_BIT_EVENT },
    { "Article", TH_LD_TYPE_BIT_ARTICLE },
    { "Posting", TH_LD_TYPE_BIT_ARTICLE },
    { "Report", TH_LD_TYPE_BIT_ARTICLE },
    { "Recipe", TH_LD_TYPE_BIT_RECIPE },
    { "Product", TH_LD_TYPE_BIT_PRODUCT },
    { "Offer", TH_LD_TYPE_BIT_PRODUCT },
    { "ProductGroup", TH_LD_TYPE_BIT_PRODUCT },
    { "Comment", TH_LD_TYPE_BIT_FORUM },
    { "ItemList", TH_LD_TYPE_BIT_LIST },
    { "CollectionPage", TH_LD_TYPE_BIT_LIST },
    { "SearchResultsPage", TH_LD_TYPE_BIT_LIST },
    { "OfferCatalog", TH_LD_TYPE_BIT_LIST },
    { "Business", TH_LD_TYPE_BIT_BUSINESS },
    { "Service", TH_LD_TYPE_BIT_BUSINESS },
    { "Store", TH_LD_TYPE_BIT_BUSINESS },
    { "Restaurant", TH_LD_TYPE_BIT_BUSINESS },
    { "Hotel", TH_LD_TYPE_BIT_BUSINESS },
    { "Event", TH_LD_TYPE_BIT_EVENT },
    { "Course", TH_LD_TYPE_BIT_EVENT },
    { "VideoObject", TH_LD_TYPE_BIT_MEDIA },
    { "PodcastEpisode", TH_LD_TYPE_BIT_MEDIA },
    { "Movie", TH_LD_TYPE_BIT_MEDIA },
    { "Book", TH_LD_TYPE_BIT_MEDIA },
    { "WebSite", TH_LD_TYPE_BIT_HOME },
};

static void take_type(th_page_hints *hints, th_view name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (th_ends_with(name, types[i].end)) {
            hints->ld_types |= 1u << types[i].type;
            return;
        }
    }
}

void th_page_hints_itemtype(th_page_hints *hints, th_view type)
{
    hints->has_recipe_item |= th_ends_with(th_ascii_trimmed(type), "Recipe");
}

static size_t skip_blanks(th_view text, size_t at)
{
    while (at < text.len && th_is_json_blank(text.data[at]))
        at++;
    return at;
}

/* Reads the string at `at`, with its escapes; `at` moves past its quote. @return false
 * if there is none */
static bool read_string(th_view text, size_t *at, th_view *out)
{
    if (*at >= text.len || text.data[*at] != '"')
        return false;
    const size_t start = ++*at;
    for (; *at < text.len; *at += text.data[*at] == '\\' ? 2 : 1) {
        *at += th_scan_json(text.data + *at, text.len - *at);
        if (*at == text.len || text.data[*at] == '"')
            break;
    }
    if (*at >= text.len)
        return false;
    *out = (th_view){ text.data + start, *at - start };
    (*at)++;
    return true;
}

/* Reads a value's string, or the strings of its array. */
static void read_types(th_page_hints *hints, th_view text, size_t at)
{
    th_view name;
    at = skip_blanks(text, at);
    if (at < text.len && text.data[at] != '[') {
        if (read_string(text, &at, &name))
            take_type(hints, name);
        return;
    }
    for (at = skip_blanks(text, at + 1); read_string(text, &at, &name);) {
        take_type(hints, name);
        at = skip_blanks(text, at);
        if (at >= text.len || text.data[at] != ',')
            return;
        at = skip_blanks(text, at + 1);
    }
}

/* Reads four hexadecimal digits. @return false if there are none */
static bool read_unit(th_view text, size_t at, uint32_t *unit)
{
    *unit = 0;
    if (text.len - at < 4)
        return false;
    for (size_t i = at; i < at + 4; i++) {
        const int digit = th_hex_value(text.data[i]);
        if (digit < 0)
            return false;
        *unit = *unit * 16 + (uint32_t)digit;
    }
    return true;
}

/* Reads "\u00e9" or a pair of them at `at`, after the backslash and u. @return bytes
 * used */
static size_t read_escape(th_view text, size_t at, uint32_t *c)
{
    uint32_t low;
    if (!read_unit(text, at, c)) {
        *c = 0xFFFD;
        return 0;
    }
    if (*c < 0xD800 || *c > 0xDFFF)
        return 4;
    if (*c < 0xDC00 && text.len - at >= 10 && text.data[at + 4] == '\\' &&
        text.data[at + 5] == 'u' && read_unit(text, at + 6, &low) && low >= 0xDC00 &&
        low <= 0xDFFF) {
        *c = 0x10000 + ((*c - 0xD800) << 10) + (low - 0xDC00);
        return 10;
    }
    *c = 0xFFFD;
    return 4;
}

/* Returns a string's text. @return data NULL without memory */
static th_view unescaped(th_arena *arena, th_view string)
{
    char *out = th_arena_alloc(arena, string.len + string.len / 2 + 4);
    size_t len = 0;
    for (size_t at = 0; out && at < string.len;) {
        char c = string.data[at++];
        if (c != '\\' || at == string.len) {
            out[len++] = c;
            continue;
        }
        c = string.data[at++];
        uint32_t code = 0;
        switch (c) {
        case 'n':
        case 'r':
            out[len++] = '\n';
            break;
        case 't':
        case 'b':
        case 'f':
            out[len++] = ' ';
            break;
        case 'u': /* six or more bytes become at most four, two alone three */
            at += read_escape(string, at, &code);
            len += th_utf8_put(code, out + len);
            break;
        default:
            out[len++] = c;
        }
    }
    return (th_view){ out, out ? len : 0 };
}

/* Keeps a string if it is longer than the one kept so far. */
static void keep_longest(th_view *kept, th_arena *arena, th_view string)
{
    if (string.len <= kept->len || string.len > TEXT_MAX)
        return;
    const th_view plain = unescaped(arena, string);
    if (plain.data && plain.len > kept->len &&
        th_utf8_valid(plain.data, plain.len) == plain.len)
        *kept = plain;
}

/* Keeps a value's string if it is longer than the one kept so far. */
static void read_text(th_view *kept, th_arena *arena, th_view text, size_t at)
{
    th_view string;
    at = skip_blanks(text, at);
    if (read_string(text, &at, &string))
        keep_longest(kept, arena, string);
}

/* The same of an array of strings, from the first to the last. */
static void read_list(th_view *kept, th_arena *arena, th_view text, size_t at)
{
    th_view string;
    at = skip_blanks(text, at);
    if (at < text.len && text.data[at] == '[')
        at++;
    const size_t start = at = skip_blanks(text, at);
    size_t end = start;
    while (read_string(text, &at, &string)) {
        end = at;
        at = skip_blanks(text, at);
        if (at >= text.len || text.data[at] != ',')
            break;
        at = skip_blanks(text, at + 1);
    }
    keep_longest(kept, arena, (th_view){ text.data + start, end - start });
}

static bool is_key(th_view key, const char *name)
{
    return key.len == strlen(name) && memcmp(key.data, name, key.len) == 0;
}

void th_page_hints_json(th_page_hints *hints, th_arena *arena, th_view text)
{
    unsigned type_count = 0;
    /* Every string before a colon is a key. */
    for (size_t at = 0; at < text.len;) {
        const char *quote = memchr(text.data + at, '"', text.len - at);
        th_view key;
        if (!quote)
            return;
        at = (size_t)(quote - text.data);
        if (!read_string(text, &at, &key))
            return;
        at = skip_blanks(text, at);
        if (at >= text.len || text.data[at] != ':')
            continue;
        at++;
        if (is_key(key, "@type") && type_count++ < TYPES_MAX)
            read_types(hints, text, at);
        else if (is_key(key, "articleBody") || is_key(key, "reviewBody"))
            read_text(&hints->body, arena, text, at);
        else if (is_key(key, "description"))
            read_text(&hints->about, arena, text, at);
        else if (is_key(key, "recipeIngredient") || is_key(key, "ingredients"))
            read_list(&hints->ingredients, arena, text, at);
    }
}
