/*
 * Template fingerprints: a digest that segments share when they differ only in dates,
 * numbers and URLs, which a template fills in. [K11 §4.3.3],
 * docs/methods.md#template-fingerprint
 *
 * The text is lower-cased. Names of months and weekdays, am, pm and URLs are removed.
 * Every run of characters other than letters becomes one space, with none at the ends. If
 * a date word or a URL was removed, $DATE$ or $URL$ follows as a separate last token, so
 * a segment of only "May" is not empty. The paper keeps Latin letters only. We keep every
 * script's, because otherwise all segments of a Russian site would have one fingerprint.
 * The names are the paper's: English, in full or cut to three letters.
 */
#include <openssl/evp.h>
#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "base/unicode.h"
#include "thresher/minhash.h"

/* clang-format off */
#define DATE_WORDS(X)                                                                    \
    X(january) X(february) X(march) X(april) X(may) X(june) X(july) X(august)            \
    X(september) X(october) X(november) X(december)                                      \
    X(jan) X(feb) X(mar) X(apr) X(jun) X(jul) X(aug) X(sep) X(oct) X(nov) X(dec)         \
    X(monday) X(tuesday) X(wednesday) X(thursday) X(friday) X(saturday) X(sunday)        \
    X(mon) X(tue) X(wed) X(thu) X(fri) X(sat) X(sun)                                     \
    X(am) X(pm)
/* clang-format on */

enum { LONGEST_DATE_WORD = 9 };

static const struct {
    char word[LONGEST_DATE_WORD + 1];
    uint8_t len;
} date_words[] = {
#define DATE_WORD(word) { #word, sizeof #word - 1 },
    DATE_WORDS(DATE_WORD)
#undef DATE_WORD
};

static const char *const url_starts[] = { "http://", "https://", "ftp://", "www." };

/* The text to be hashed; `bytes` has space for all of the segment and the markers. */
struct skeleton {
    char *bytes;
    size_t len;
    size_t word_start; /* of the current word, which ends at len */
    bool has_date;
    bool has_url;
};

static bool is_date_word(const char *word, size_t len)
{
    if (len > LONGEST_DATE_WORD)
        return false;
    for (size_t i = 0; i < sizeof date_words / sizeof *date_words; i++) {
        if (date_words[i].len == len && memcmp(date_words[i].word, word, len) == 0)
            return true;
    }
    return false;
}

/* Removes the current word if it is part of a date, else appends a space. */
static void end_word(struct skeleton *skeleton)
{
    if (skeleton->len == skeleton->word_start)
        return;
    if (is_date_word(skeleton->bytes + skeleton->word_start,
                     skeleton->len - skeleton->word_start)) {
        skeleton->has_date = true;
        skeleton->len = skeleton->word_start;
    } else {
        skeleton->bytes[skeleton->len++] = ' ';
        skeleton->word_start = skeleton->len;
    }
}

static void put_marker(struct skeleton *skeleton, const char *marker)
{
    const size_t len = strlen(marker);
    memcpy(skeleton->bytes + skeleton->len, marker, len);
    skeleton->len += len;
    end_word(skeleton);
}

static bool starts_with(const char *bytes, size_t left, const char *prefix)
{
    size_t same = 0;
    while (same < left && prefix[same] && th_lower(bytes[same]) == prefix[same])
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

/* Returns the end of a URL: the next whitespace, or a character that no URL may
 * contain. */
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

static void put_text(struct skeleton *skeleton, th_view text)
{
    bool is_inside = false; /* in a word of letters or digits; URLs do not start there */
    for (size_t at = 0; at < text.len;) {
        if (!is_inside && is_url_start(text.data + at, text.len - at)) {
            at = skip_url(text, at);
            end_word(skeleton);
            skeleton->has_url = true;
            continue;
        }
        const uint32_t c = th_utf8_next(text.data, &at);
        is_inside = th_is_alnum(c);
        if (u_isalpha((UChar32)c))
            skeleton->len += th_utf8_put((uint32_t)u_tolower((UChar32)c),
                                         skeleton->bytes + skeleton->len);
        else
            end_word(skeleton);
    }
    end_word(skeleton);
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
     * A letter of two bytes may have a lower case of three; no other letter grows. Every
     * block ends with at most one space more than it has bytes.
     */
    const size_t max = text_len(page, segment) * 2 + sizeof markers;
    struct skeleton skeleton = { .bytes = th_arena_alloc(scratch, max) };
    if (!skeleton.bytes)
        return TH_NOMEM;
    const th_segment *row = &page->segments[segment];
    for (uint32_t i = row->first_block, left = row->block_count; left; i++) {
        if (page->segment_of[i] == segment) {
            put_text(&skeleton, th_block_text(page, i));
            left--;
        }
    }
    if (skeleton.has_date)
        put_marker(&skeleton, "$DATE$");
    if (skeleton.has_url)
        put_marker(&skeleton, "$URL$");
    const size_t len = skeleton.len ? skeleton.len - 1 : 0; /* drops the last space */
    /* SHA-1 itself cannot fail; libcrypto's set-up can, if out of memory. */
    if (!EVP_Digest(skeleton.bytes, len, out, NULL, EVP_sha1(), NULL))
        return TH_NOMEM;
    return TH_OK;
}
