/*
 * The words of a paragraph as the features see them: runs of letters and digits in lower
 * case (ASCII's), and every character of a script without blanks.
 */
#ifndef TH_ROW_WORDS_H
#define TH_ROW_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ascii_mask.h"
#include "thresher/view.h"

typedef struct th_row_word {
    uint32_t hash;
    uint32_t bytes;
    uint32_t digits;
    uint32_t capitals;
    uint32_t high; /* bytes that are not ASCII */
    unsigned char first;
} th_row_word;

#pragma GCC visibility push(hidden)
/* Of a byte: 0, or TH_BYTE_... */
extern const uint8_t th_byte_kinds[256];
#pragma GCC visibility pop

enum {
    TH_BYTE_SMALL = 1,
    TH_BYTE_CAPITAL = 2,
    TH_BYTE_DIGIT = 4,
    TH_BYTE_PART = 8,   /* of a letter that is not ASCII */
    TH_BYTE_ALONE = 16, /* begins a letter that is a word */
    TH_BYTE_WORD = TH_BYTE_SMALL | TH_BYTE_CAPITAL | TH_BYTE_DIGIT | TH_BYTE_PART,
};

/** Whether a byte of TH_BYTE_ALONE begins a sign: U+3000 to U+303F. */
static inline bool th_is_high_sign(th_view text, size_t at)
{
    const unsigned char *bytes = (const unsigned char *)text.data + at;
    return bytes[0] == 0xE3 && text.len - at >= 3 && bytes[1] == 0x80;
}

/** The hash of a word of which eight letters at a time were taken. */
static inline uint64_t th_row_word_mix(uint64_t hash, uint64_t letters)
{
    hash = (hash ^ letters) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/** The bytes of eight of which the top bits are set: how many. */
static inline uint32_t th_count_tops(uint64_t tops)
{
    return (uint32_t)((tops >> 7) * TH_EACH(1) >> 56);
}

/**
 * The same as th_row_word_read for a word of ASCII, eight bytes at a time.
 * @return false: the word is none; nothing is written
 */
static inline bool th_row_word_read_ascii(th_view text, size_t *at, th_row_word *word)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    const uint64_t top = TH_EACH(0x80);
    uint64_t hash = 0, letters = 0;
    uint32_t digits = 0, capitals = 0;
    size_t i = *at, count = 8;
    while (count == 8) {
        const size_t left = text.len - i;
        if (!left)
            break;
        const uint64_t eight =
            left >= 8 ? th_ascii_load8(bytes + i) : th_ascii_load_few(bytes + i, left);
        const uint64_t lower = eight | TH_EACH(0x20); /* digits have that bit */
        const uint64_t digit = th_ascii_range(eight, '0', '9') & ~eight & top;
        const uint64_t stop =
            (digit | (th_ascii_range(lower, 'a', 'z') & ~eight & top)) ^ top;
        count = stop ? (size_t)__builtin_ctzll(stop) / 8 : 8;
        const uint64_t keep = stop ? (stop & -stop) - 1 : UINT64_MAX;
        digits += th_count_tops(digit & keep);
        capitals += th_count_tops(th_ascii_range(eight, 'A', 'Z') & ~eight & top & keep);
        i += count;
        letters = count ? __builtin_bswap64(lower) >> (64 - 8 * count) : 0;
        if (count == 8) {
            hash = th_row_word_mix(hash, letters);
            letters = 0;
        }
    }
    if (i < text.len && (th_byte_kinds[bytes[i]] & TH_BYTE_PART))
        return false;
    hash = th_row_word_mix(hash, letters + 1);
    *word = (th_row_word){ .hash = (uint32_t)(hash >> 32) | 1,
                           .bytes = (uint32_t)(i - *at),
                           .digits = digits,
                           .capitals = capitals,
                           .first = bytes[*at] };
    *at = i;
    return true;
}

/** The same for any word, byte by byte. */
static inline void th_row_word_read_any(th_view text, size_t *at, th_row_word *word)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    size_t i = *at;
    uint64_t hash = 0, letters = 0;
    *word = (th_row_word){ .first = bytes[i] };
    if (th_byte_kinds[bytes[i]] & TH_BYTE_ALONE) { /* three bytes, of valid UTF-8 */
        const size_t end = i + 3 < text.len ? i + 3 : text.len;
        for (; i < end; i++)
            letters = letters << 8 | bytes[i];
        word->high = 3;
    } else {
        size_t full = i + 8;
        do {
            const unsigned kind = th_byte_kinds[bytes[i]];
            if (!(kind & TH_BYTE_WORD))
                break;
            const unsigned capital = kind >> 1 & 1;
            word->capitals += capital;
            word->digits += kind >> 2 & 1;
            word->high += kind >> 3 & 1;
            letters = letters << 8 | bytes[i] | capital << 5;
            if (++i == full) {
                hash = th_row_word_mix(hash, letters);
                letters = 0;
                full += 8;
            }
        } while (i < text.len);
    }
    hash = th_row_word_mix(hash, letters + 1);
    word->hash = (uint32_t)(hash >> 32) | 1;
    word->bytes = (uint32_t)(i - *at);
    *at = i;
}

/** Reads the word that begins at text.data[*at], a byte of TH_BYTE_WORD or TH_BYTE_ALONE;
 * *at is then behind it. */
static inline void th_row_word_read(th_view text, size_t *at, th_row_word *word)
{
    if ((unsigned char)text.data[*at] >= 0x80 || !th_row_word_read_ascii(text, at, word))
        th_row_word_read_any(text, at, word);
}

/** The next word at or behind *at. @return false: there is none */
static inline bool th_row_word_next(th_view text, size_t *at, th_row_word *word)
{
    while (*at < text.len) {
        const unsigned char c = (unsigned char)text.data[*at];
        if (th_byte_kinds[c] && !th_is_high_sign(text, *at))
            break;
        *at += c < 0x80 ? 1 : c < 0xE0 ? 2 : 3;
    }
    if (*at >= text.len)
        return false;
    th_row_word_read(text, at, word);
    return true;
}

#endif
