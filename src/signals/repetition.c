/*
 * Counts repeated lines, paragraphs and n-grams like datatrove's GopherRepetitionFilter.
 * Its top n-grams are words separated by a space. Its duplicate n-grams are words without
 * a separator, and after a duplicate it continues with the word that follows the
 * duplicate.
 *
 * The hash of an n-gram's bytes is computed from polynomial hashes of the text's
 * prefixes, so the cost does not depend on n. Equal hashes count as equal texts. With
 * 2^61 values, two of a million texts have the same hash by chance once in four million
 * pages.
 */
#include "signals/repetition.h"

#include <string.h>
#include <xxhash.h>

#include "base/unicode.h"

#define PRIME ((1ull << 61) - 1)
#define BASE 0x0F2A51C6E8D3B795ull /* arbitrary, below the prime */

static uint64_t times(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)a * b;
    const uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);
    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    const uint64_t sum = a + b;
    return sum >= PRIME ? sum - PRIME : sum;
}

/* ---- a set of hashes ---- */

static size_t room_for(size_t count)
{
    size_t capacity = 16;
    while (capacity < count * 2)
        capacity *= 2;
    return capacity;
}

bool th_text_set_begin(th_text_set *set, size_t max, th_arena *arena)
{
    const size_t capacity = room_for(max);
    set->slots = th_arena_calloc(arena, capacity, sizeof *set->slots);
    set->mask = capacity - 1;
    return set->slots != NULL;
}

static void empty_set(th_text_set *set)
{
    memset(set->slots, 0, (set->mask + 1) * sizeof *set->slots);
}

static bool add_hash(th_text_set *set, uint64_t hash)
{
    hash += !hash;
    size_t at = (hash ^ hash >> 32) & set->mask;
    for (; set->slots[at]; at = (at + 1) & set->mask)
        if (set->slots[at] == hash)
            return true;
    set->slots[at] = hash;
    return false;
}

bool th_text_set_add(th_text_set *set, th_view text)
{
    return add_hash(set, XXH3_64bits(text.data, text.len));
}

/* ---- lines and paragraphs ---- */

static th_view stripped(th_view text)
{
    size_t start = 0, end = text.len;
    for (size_t at = 0;
         at < text.len && th_signal_is_blank(th_utf8_next(text.data, &at));)
        start = at;
    while (end > start) {
        size_t before = end - 1;
        while (((unsigned char)text.data[before] & 0xC0) == 0x80)
            before--;
        size_t at = before;
        if (!th_signal_is_blank(th_utf8_next(text.data, &at)))
            break;
        end = before;
    }
    return (th_view){ text.data + start, end - start };
}

/* Counts the repeated parts of a text between runs of at least `ends` line ends. */
static th_status count_parts(th_view text, size_t ends, uint32_t chars, th_arena *arena,
                             double *share, double *char_share)
{
    size_t max = 1, parts = 0, again = 0, again_chars = 0;
    th_text_set set;
    for (size_t i = 0; i < text.len; i++)
        max += text.data[i] == '\n';
    if (!th_text_set_begin(&set, max, arena))
        return TH_NOMEM;
    for (size_t start = 0, at = 0; at <= text.len; at++) {
        size_t stop = at;
        while (at < text.len && text.data[at] == '\n')
            at++;
        if (at < text.len && at - stop < ends)
            continue;
        if (at == text.len && at - stop < ends)
            stop = at; /* the last part keeps line ends that are too few */
        const th_view part = { text.data + start, stop - start };
        parts++;
        if (th_text_set_add(&set, part)) {
            again++;
            again_chars += th_utf8_count(part.data, part.len);
        }
        if (at == text.len && at - stop >= ends && stop < at) { /* "a\n" ends with "" */
            parts++;
            again += th_text_set_add(&set, (th_view){ text.data, 0 });
        }
        start = at;
    }
    *share = (double)again / (double)parts;
    *char_share = (double)again_chars / chars;
    return TH_OK;
}

/* ---- n-grams ---- */

/* Prefix sums over the words: entry i covers the words before i. */
struct prefixes {
    uint64_t *hash;   /* of their bytes, without separators */
    uint64_t *spaced; /* with a space after each */
    uint32_t *bytes, *chars;
    uint64_t *power; /* of BASE, for the number of bytes after one word */
};

static th_status sum_up(th_view text, const th_signal_word *words, size_t count,
                        th_arena *arena, struct prefixes *sums)
{
    sums->hash = th_arena_calloc(arena, count + 1, sizeof *sums->hash);
    sums->spaced = th_arena_calloc(arena, count + 1, sizeof *sums->spaced);
    sums->bytes = th_arena_calloc(arena, count + 1, sizeof *sums->bytes);
    sums->chars = th_arena_calloc(arena, count + 1, sizeof *sums->chars);
    sums->power = th_arena_calloc(arena, text.len + count + 1, sizeof *sums->power);
    if (!sums->hash || !sums->spaced || !sums->bytes || !sums->chars || !sums->power)
        return TH_NOMEM;
    sums->power[0] = 1;
    for (size_t i = 1; i <= text.len + count; i++)
        sums->power[i] = times(sums->power[i - 1], BASE);
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = sums->hash[i], spaced = sums->spaced[i];
        for (uint32_t k = 0; k < words[i].len; k++) {
            const uint64_t byte = (unsigned char)text.data[words[i].start + k] + 1u;
            hash = plus(times(hash, BASE), byte);
            spaced = plus(times(spaced, BASE), byte);
        }
        sums->hash[i + 1] = hash;
        sums->spaced[i + 1] = plus(times(spaced, BASE), ' ' + 1u);
        sums->bytes[i + 1] = sums->bytes[i] + words[i].len;
        sums->chars[i + 1] = sums->chars[i] + words[i].chars;
    }
    return TH_OK;
}

/* The hash of words [i, i + n). */
static uint64_t hash_of(const uint64_t *prefix, const uint64_t *power, size_t len,
                        size_t i, size_t n)
{
    return plus(prefix[i + n], PRIME - times(prefix[i], power[len]));
}

/* Returns the characters in all occurrences of the most frequent n-gram. In a tie, the
 * first n-gram in the text wins. */
static double top_ngram(const struct prefixes *sums, size_t count, size_t n,
                        th_text_set *set, uint32_t *times_of, uint32_t *first_of)
{
    uint32_t max = 0, first = 0;
    empty_set(set);
    memset(times_of, 0, (set->mask + 1) * sizeof *times_of);
    for (size_t i = 0; i + n <= count; i++) {
        const size_t len = sums->bytes[i + n] - sums->bytes[i] + n;
        uint64_t hash = hash_of(sums->spaced, sums->power, len, i, n);
        hash += !hash;
        size_t at = (hash ^ hash >> 32) & set->mask;
        while (set->slots[at] && set->slots[at] != hash)
            at = (at + 1) & set->mask;
        if (!set->slots[at]) {
            set->slots[at] = hash;
            first_of[at] = (uint32_t)i;
        }
        times_of[at]++;
        if (times_of[at] > max || (times_of[at] == max && first_of[at] < first)) {
            max = times_of[at];
            first = first_of[at];
        }
    }
    if (!max) /* the text has fewer words */
        return 0;
    const double chars = (double)(sums->chars[first + n] - sums->chars[first] + n - 1);
    return chars * max;
}

/* Returns the characters of the n-grams that occurred before. */
static double duplicate_ngrams(const struct prefixes *sums, size_t count, size_t n,
                               th_text_set *set)
{
    double chars = 0;
    empty_set(set);
    for (size_t i = 0; i + n <= count;) {
        const size_t len = sums->bytes[i + n] - sums->bytes[i];
        if (add_hash(set, hash_of(sums->hash, sums->power, len, i, n))) {
            chars += sums->chars[i + n] - sums->chars[i];
            i += n;
        } else {
            i++;
        }
    }
    return chars;
}

static th_status count_ngrams(th_view text, uint32_t chars, const th_signal_word *words,
                              size_t count, th_arena *arena, th_quality_signals *signals)
{
    struct prefixes sums;
    th_text_set set;
    if (!th_text_set_begin(&set, count, arena))
        return TH_NOMEM;
    uint32_t *times_of = th_arena_alloc(arena, (set.mask + 1) * sizeof *times_of);
    uint32_t *first_of = th_arena_alloc(arena, (set.mask + 1) * sizeof *first_of);
    if (!times_of || !first_of)
        return TH_NOMEM;
    const th_status status = sum_up(text, words, count, arena, &sums);
    if (status != TH_OK)
        return status;
    for (size_t i = 0; i < TH_TOP_NGRAMS; i++)
        signals->top_ngrams[i] =
            top_ngram(&sums, count, TH_TOP_NGRAM_FIRST + i, &set, times_of, first_of) /
            chars;
    for (size_t i = 0; i < TH_DUPLICATE_NGRAMS; i++)
        signals->duplicate_ngrams[i] =
            duplicate_ngrams(&sums, count, TH_DUPLICATE_NGRAM_FIRST + i, &set) / chars;
    return TH_OK;
}

th_status th_repetition(th_view text, uint32_t chars, const th_signal_word *words,
                        size_t word_count, th_arena *arena, th_quality_signals *signals)
{
    th_status status =
        count_parts(stripped(text), 2, chars, arena, &signals->duplicate_paragraphs,
                    &signals->duplicate_paragraph_chars);
    if (status == TH_OK)
        status = count_parts(text, 1, chars, arena, &signals->duplicate_lines,
                             &signals->duplicate_line_chars);
    if (status == TH_OK)
        status = count_ngrams(text, chars, words, word_count, arena, signals);
    return status;
}
