/*
 * Template fingerprints: a digest that segments share when they differ only in what a
 * template fills in. [K11 §4.3.3], spec/algorithms.md §3
 *
 * The text is lower-cased; months, weekdays, am, pm and URLs go; every run of what is no
 * letter becomes one blank, none at the ends. Where a date word or a URL went, $DATE$ or
 * $URL$ follows as a last token of its own, so that "May" alone is not nothing. The paper
 * keeps Latin letters only; we keep every script's, or all of a Russian site were one
 * template. The names are the paper's: English, in full or cut to three letters.
 */
#include <openssl/evp.h>
#include <stdbool.h>
#include <string.h>

#include "base/unicode.h"
#include "thresher/minhash.h"

static const char *const date_words[] = {
    "january",  "february",  "march",   "april",    "may",       "june",     "july",
    "august",   "september", "october", "november", "december",  "jan",      "feb",
    "mar",      "apr",       "jun",     "jul",      "aug",       "sep",      "oct",
    "nov",      "dec",       "monday",  "tuesday",  "wednesday", "thursday", "friday",
    "saturday", "sunday",    "mon",     "tue",      "wed",       "thu",      "fri",
    "sat",      "sun",       "am",      "pm",
};

static const char *const url_starts[] = { "http://", "https://", "ftp://", "www." };

/* The text as it is hashed; `bytes` has room for all of the segment and the markers. */
struct template
{
    char *bytes;
    size_t len;
    size_t word_start; /* of the word under way, which ends at len */
    bool has_date;
    bool has_url;
};

static bool is_date_word(const char *word, size_t len)
{
    for (size_t i = 0; i < sizeof date_words / sizeof *date_words; i++) {
        if (strlen(date_words[i]) == len && memcmp(date_words[i], word, len) == 0)
            return true;
    }
    return false;
}

/* Takes the word under way back when it is a date's, else puts a blank behind it. */
static void end_word(struct template *template)
{
    if (template->len == template->word_start)
        return;
    if (is_date_word(template->bytes + template->word_start,
                     template->len - template->word_start)) {
        template->has_date = true;
        template->len = template->word_start;
    } else {
        template->bytes[template->len++] = ' ';
        template->word_start = template->len;
    }
}

static void put_marker(struct template *template, const char *marker)
{
    const size_t len = strlen(marker);
    memcpy(template->bytes + template->len, marker, len);
    template->len += len;
    end_word(template);
}

static char ascii_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool starts_with(const char *bytes, size_t left, const char *prefix)
{
    size_t same = 0;
    while (same < left && prefix[same] && ascii_lower(bytes[same]) == prefix[same])
        same++;
    return !prefix[same];
}

static bool is_url_start(const char *bytes, size_t left)
{
    for (size_t i = 0; i < sizeof url_starts / sizeof *url_starts; i++) {
        if (starts_with(bytes, left, url_starts[i]))
            return true;
    }
    return false;
}

/* A URL ends at white space or at a character that none may hold. */
static size_t skip_url(th_view text, size_t at)
{
    while (at < text.len) {
        size_t behind = at;
        const uint32_t c = th_utf8_next(text.data, &behind);
        if (th_is_space(c) || c == '<' || c == '>' || c == '"')
            break;
        at = behind;
    }
    return at;
}

static void put_text(struct template *template, th_view text)
{
    bool is_inside = false; /* a word of letters or digits: no URL starts in one */
    for (size_t at = 0; at < text.len;) {
        if (!is_inside && is_url_start(text.data + at, text.len - at)) {
            at = skip_url(text, at);
            end_word(template);
            template->has_url = true;
            continue;
        }
        const uint32_t c = th_utf8_next(text.data, &at);
        is_inside = th_is_alnum(c);
        if (u_isalpha((UChar32)c))
            template->len += th_utf8_put((uint32_t)u_tolower((UChar32)c),
                                         template->bytes + template->len);
        else
            end_word(template);
    }
    end_word(template);
}

static size_t text_len(const th_page *page, uint32_t segment)
{
    size_t len = 0;
    const th_segment *row = &page->segments[segment];
    for (uint32_t i = row->first_block, left = row->block_count; left; i++) {
        if (page->segment_of[i] == segment) {
            len += page->blocks[i].text_len;
            left--;
        }
    }
    return len;
}

th_status th_template_fingerprint(const th_page *page, uint32_t segment,
                                  th_arena *scratch, uint8_t out[TH_FINGERPRINT_LEN])
{
    static const char markers[] = "$DATE$ $URL$ ";
    /*
     * A letter of two bytes may have a lower case of three, no other grows; and every
     * block ends with at most one blank more than it has bytes.
     */
    const size_t most = text_len(page, segment) * 2 + sizeof markers;
    struct template template = { .bytes = th_arena_alloc(scratch, most) };
    if (!template.bytes)
        return TH_NOMEM;
    const th_segment *row = &page->segments[segment];
    for (uint32_t i = row->first_block, left = row->block_count; left; i++) {
        if (page->segment_of[i] == segment) {
            put_text(&template, th_block_text(page, i));
            left--;
        }
    }
    if (template.has_date)
        put_marker(&template, "$DATE$");
    if (template.has_url)
        put_marker(&template, "$URL$");
    const size_t len = template.len ? template.len - 1 : 0; /* no blank at the end */
    /* SHA-1 itself cannot fail; libcrypto's set-up can, for want of memory. */
    if (!EVP_Digest(template.bytes, len, out, NULL, EVP_sha1(), NULL))
        return TH_NOMEM;
    return TH_OK;
}
