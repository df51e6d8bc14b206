/*
 * Chooses a headline. The order follows the measured precision of the sources
 * (docs/facts.md):
 *
 * 1. The headline of a news article in JSON-LD, because newsrooms fill it from the same
 * field.
 *
 * 2. A heading of the first level with the same words as TITLE, og:title, twitter:title
 * or an article's headline, without the site's name.
 *
 * 3. The heading of the first level most of whose words occur in one of these or in the
 * URL.
 *
 * 4. og:title, twitter:title, other META, TITLE without the site's name, cut at the first
 * bar. If a page's heading differs from them, it is a slogan.
 *
 * 5. Any remaining source.
 *
 * The site's name comes from its metadata, or is the name of its host.
 */
#include "parse/metadata/headline.h"

#include <stdbool.h>
#include <string.h>

#include <xxhash.h>

#include "base/ascii.h"
#include "base/unicode.h"

enum { MAX_WORDS = 96, MAX_KEY = 128, MAX_SEGMENTS = 12, MAX_REFERENCES = 6 };

/* Words of a text, by hash. */
struct words {
    uint64_t hashes[MAX_WORDS];
    size_t count, letters;
};

/* Letters and digits of a text in lower case, without other characters. */
struct key {
    char bytes[MAX_KEY];
    size_t len;
    bool is_long; /* it did not fit, so it is not a site's name */
};

/* A part of a title between two separators. */
struct part {
    size_t start, end;
    bool is_behind_bar; /* the separator before it is a bar or similar */
};

struct chooser {
    const th_headline_sources *sources;
    struct key sites[TH_HEADLINE_SITES];
    size_t site_count;
    th_view host;
    th_view path;
};

/* ---- words ---- */

static size_t put_folded(uint32_t c, char out[4])
{
    if (c >= 0x80)
        return th_utf8_put((uint32_t)u_foldCase((UChar32)c, U_FOLD_CASE_DEFAULT), out);
    out[0] = th_lower((char)c);
    return 1;
}

/* Reads the next word of a text for comparison. @param hash  gets it; 0 if there is none
 * @return its letters and digits */
static size_t next_word(th_view text, size_t *at, uint64_t *hash)
{
    char word[64];
    size_t len = 0, letters = 0;
    while (*at < text.len) {
        const uint32_t c = th_utf8_next(text.data, at);
        if (c == 0xAD) /* a soft hyphen does not divide a word */
            continue;
        if (!c || !th_is_alnum(c)) {
            if (!c)
                *at = text.len;
            if (len)
                break;
            continue;
        }
        letters++;
        if (len + 4 <= sizeof word)
            len += put_folded(c, word + len);
    }
    *hash = len ? XXH3_64bits(word, len) : 0;
    return letters;
}

static void take_words(struct words *words, th_view text)
{
    uint64_t hash = 0;
    for (size_t at = 0; at < text.len;) {
        words->letters += next_word(text, &at, &hash);
        if (hash && words->count < MAX_WORDS)
            words->hashes[words->count++] = hash;
    }
}

static struct words words_of(th_view text)
{
    struct words words;
    words.count = words.letters = 0;
    if (text.data)
        take_words(&words, text);
    return words;
}

static bool same_words(const struct words *a, const struct words *b)
{
    return a->count == b->count && a->count > 0 &&
           memcmp(a->hashes, b->hashes, a->count * sizeof *a->hashes) == 0;
}

int th_headline_same(th_view a, th_view b)
{
    size_t in_a = 0, in_b = 0;
    for (size_t count = 0; count < MAX_WORDS; count++) {
        uint64_t first = 0, second = 0;
        (void)next_word(a, &in_a, &first);
        (void)next_word(b, &in_b, &second);
        if (first != second || !first)
            return first == second && count > 0;
    }
    return true;
}

static bool has_word(const struct words *words, uint64_t hash)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->hashes[i] == hash)
            return true;
    return false;
}

/* ---- the site's name ---- */

static struct key key_of(th_view text)
{
    struct key key = { .len = 0 };
    for (size_t at = 0; at < text.len;) {
        const uint32_t c = th_utf8_next(text.data, &at);
        if (!th_is_alnum(c))
            continue;
        if (key.len + 4 > sizeof key.bytes) {
            key.is_long = true;
            break;
        }
        key.len += put_folded(c, key.bytes + key.len);
    }
    return key;
}

static bool holds(const struct key *key, const char *bytes, size_t len)
{
    return len <= key->len && memmem(key->bytes, key->len, bytes, len) != NULL;
}

static bool names_site(const struct key *key, const struct key *site)
{
    if (key->len == site->len && memcmp(key->bytes, site->bytes, key->len) == 0)
        return true;
    return (site->len >= 4 && key->len <= 2 * site->len &&
            holds(key, site->bytes, site->len)) ||
           (key->len >= 4 && holds(site, key->bytes, key->len));
}

/* Whether the name is a label of the host, or the host has it: "Le Monde", lemonde.fr. */
static bool names_host(const struct key *key, th_view host)
{
    char all[256];
    size_t all_len = 0;
    for (size_t start = 0; start < host.len;) {
        char label[64];
        size_t len = 0, end = start;
        for (; end < host.len && host.data[end] != '.'; end++)
            if (host.data[end] != '-' && len < sizeof label)
                label[len++] = th_lower(host.data[end]);
        const bool is_last = end == host.len;
        if (!is_last && len >= 3 && !(len == 3 && memcmp(label, "www", 3) == 0) &&
            holds(key, label, len) && (key->len == len || key->len * 10 < len * 22))
            return true;
        if (all_len + len <= sizeof all) {
            memcpy(all + all_len, label, len);
            all_len += len;
        }
        start = end + 1;
    }
    return key->len >= 4 && key->len <= all_len &&
           memmem(all, all_len, key->bytes, key->len);
}

static bool is_site(const struct chooser *chooser, th_view text)
{
    const struct key key = key_of(text);
    if (key.len == 0)
        return true;
    if (key.is_long)
        return false;
    for (size_t i = 0; i < chooser->site_count; i++)
        if (names_site(&key, &chooser->sites[i]))
            return true;
    return names_host(&key, chooser->host);
}

/* ---- parts of a title ---- */

static bool is_bar(uint32_t c)
{
    return c == '|' || c == 0xBB || c == 0x203A || c == 0xFF5C;
}

/* Whether a character separates parts of a title if spaces surround it. */
static bool is_dash(uint32_t c)
{
    return c == '-' || c == 0xB7 || c == 0x2022 || c == 0xAB || c == 0x2013 ||
           c == 0x2014 || c == ':' || c == '/' || c == '~';
}

/* Cuts a title at its separators. @return the number of parts */
static size_t cut(th_view text, struct part parts[MAX_SEGMENTS])
{
    size_t count = 1;
    parts[0] = (struct part){ 0, text.len, false };
    for (size_t at = 0; at < text.len && count < MAX_SEGMENTS;) {
        const size_t mark = at;
        uint32_t c = th_utf8_next(text.data, &at);
        const bool is_spaced = mark > 0 && text.data[mark - 1] == ' ';
        bool divides = is_bar(c);
        bool is_strong = divides || c == 0xB7 || c == 0x2022 || c == 0xAB;
        if (!divides && (is_dash(c) && is_spaced)) {
            while (at < text.len && text.data[at] != ' ') { /* "::", "--" */
                const uint32_t next = th_utf8_next(text.data, &at);
                if (!is_dash(next))
                    break;
                is_strong |= next == ':';
            }
            divides = at < text.len && text.data[at] == ' ';
        } else if (c == ':' && mark > 0 && at < text.len && text.data[at] == ' ') {
            divides = true;
        }
        if (!divides)
            continue;
        while (at < text.len && text.data[at] == ' ')
            at++;
        size_t end = mark;
        while (end > parts[count - 1].start && text.data[end - 1] == ' ')
            end--;
        parts[count - 1].end = end;
        parts[count++] = (struct part){ at, text.len, is_strong };
    }
    return count;
}

static th_view slice(th_view text, size_t start, size_t end)
{
    return th_ascii_trimmed((th_view){ text.data + start, end - start });
}

/* Returns a text without the site's name at the start and the end. */
static th_view without_site(const struct chooser *chooser, th_view text)
{
    struct part parts[MAX_SEGMENTS];
    if (!text.data)
        return text;
    size_t count = cut(text, parts), first = 0;
    while (count > 1 &&
           is_site(chooser, slice(text, parts[count - 1].start, parts[count - 1].end)))
        count--;
    while (count - first > 1 &&
           is_site(chooser, slice(text, parts[first].start, parts[first].end)))
        first++;
    return slice(text, parts[first].start, parts[count - 1].end);
}

static th_view up_to_bar(th_view text)
{
    struct part parts[MAX_SEGMENTS];
    const size_t count = cut(text, parts);
    for (size_t i = 1; i < count; i++)
        if (parts[i].is_behind_bar)
            return slice(text, 0, parts[i - 1].end);
    return text;
}

/* ---- the choice ---- */

static struct chooser begin(const th_headline_sources *sources)
{
    struct chooser chooser = { .sources = sources };
    for (size_t i = 0; i < TH_HEADLINE_SITES; i++) {
        if (!sources->sites[i].len)
            continue;
        const struct key key = key_of(sources->sites[i]);
        if (key.len && !key.is_long)
            chooser.sites[chooser.site_count++] = key;
    }
    const th_view url = sources->url;
    const char *start = url.data ? memmem(url.data, url.len, "://", 3) : NULL;
    if (!start)
        return chooser;
    start += 3;
    const char *const end = url.data + url.len;
    const char *stop = start;
    while (stop < end && *stop != '/' && *stop != '?' && *stop != '#' && *stop != ':')
        stop++;
    chooser.host = (th_view){ start, (size_t)(stop - start) };
    const char *const path = memchr(stop, '/', (size_t)(end - stop));
    const char *query = path ? memchr(path, '?', (size_t)(end - path)) : NULL;
    if (path)
        chooser.path = (th_view){ path, (size_t)((query ? query : end) - path) };
    return chooser;
}

/* Returns the index of the first text that equals texts[number]. Usually all are
 * equal. */
static size_t first_equal(const th_view *texts, size_t number)
{
    const th_view text = texts[number];
    size_t i = 0;
    while (i < number && !(texts[i].len == text.len && texts[i].data && text.data &&
                           memcmp(texts[i].data, text.data, text.len) == 0))
        i++;
    return i;
}

/* Returns the text after a word with a colon ("Thread: ..." of vBulletin), or absent. */
static th_view after_label(th_view text)
{
    enum { LABEL_MAX = 30 }; /* bytes */
    const char *const colon =
        text.len ? memchr(text.data, ':', text.len < LABEL_MAX ? text.len : LABEL_MAX)
                 : NULL;
    const size_t len = colon ? (size_t)(colon - text.data) : 0;
    if (!len || len + 2 >= text.len || colon[1] != ' ' || memchr(text.data, ' ', len))
        return (th_view){ NULL, 0 };
    return slice(text, len + 1, text.len);
}

/* Returns the heading that equals one of the references, alone or after a label. */
static th_view agreed_heading(const struct chooser *chooser, const th_view *references,
                              size_t count)
{
    const th_headline_sources *const sources = chooser->sources;
    struct words words[MAX_REFERENCES];
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++)
        if (references[i].data && first_equal(references, i) == i)
            words[distinct++] = words_of(references[i]);
    for (int without_label = 0; without_label < 2; without_label++)
        for (uint32_t h = 0; h < sources->h1_count; h++) {
            const th_view h1 = sources->h1[h];
            const th_view text = without_label ? after_label(h1) : h1;
            const struct words heading = words_of(text);
            if (heading.letters < 3 || is_site(chooser, text))
                continue;
            for (size_t i = 0; i < distinct; i++)
                if (same_words(&heading, &words[i]))
                    return text;
        }
    return (th_view){ NULL, 0 };
}

/* Returns the heading with most words in other sources: at least half of them. */
static th_view likely_heading(const struct chooser *chooser)
{
    const th_headline_sources *const sources = chooser->sources;
    struct words known = { .count = 0 };
    const th_view said[] = { sources->open_graph, sources->title, sources->article,
                             sources->twitter, chooser->path };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i].data)
            take_words(&known, said[i]);
    th_view best = { NULL, 0 };
    size_t best_share = 499; /* thousandths */
    for (uint32_t h = 0; h < sources->h1_count; h++) {
        const struct words heading = words_of(sources->h1[h]);
        size_t hits = 0;
        for (size_t i = 0; i < heading.count; i++)
            hits += has_word(&known, heading.hashes[i]);
        const size_t share = heading.count ? hits * 1000 / heading.count : 0;
        if (share > best_share && !is_site(chooser, sources->h1[h])) {
            best = sources->h1[h];
            best_share = share;
        }
    }
    return best;
}

th_view th_headline_choose(const th_headline_sources *sources, const char **from)
{
    const struct chooser chooser = begin(sources);
    const th_view stated[] = { sources->open_graph, sources->twitter, sources->other,
                               sources->title, sources->article };
    static const char *const froms[] = { "meta", "meta", "meta", "title", "json-ld" };
    enum { STATED = sizeof stated / sizeof *stated };
    if (sources->news.data) {
        *from = "json-ld";
        return without_site(&chooser, sources->news);
    }
    th_view clean[STATED];
    size_t count = 0;
    for (size_t i = 0; i < STATED; i++) {
        const size_t first = first_equal(stated, i);
        clean[i] = first < i ? clean[first] : without_site(&chooser, stated[i]);
        if (first == i && clean[i].data && is_site(&chooser, clean[i]))
            clean[i] = (th_view){ NULL, 0 };
        count += clean[i].data != NULL;
    }
    *from = "h1";
    th_view heading =
        count ? agreed_heading(&chooser, clean, STATED) : (th_view){ NULL, 0 };
    if (!heading.data)
        heading = likely_heading(&chooser);
    if (heading.data)
        return without_site(&chooser, heading);
    for (size_t i = 0; i < STATED; i++) {
        if (!clean[i].data)
            continue;
        *from = froms[i];
        return up_to_bar(clean[i]);
    }
    if (sources->h1_count)
        return sources->h1[0];
    for (size_t i = 0; i < STATED; i++) {
        *from = froms[i];
        if (stated[i].data)
            return stated[i];
    }
    *from = NULL;
    return (th_view){ NULL, 0 };
}
