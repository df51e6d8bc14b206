/*
 * The words of a paragraph for the features: runs of letters and digits in lower case
 * (ASCII's), and every character of a script without spaces.
 */
#ifndef TH_ROW_WORDS_H
#define TH_ROW_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ascii_mask.h"
#include "content/key_table.h"
#include "thresher/view.h"

typedef struct th_row_word {
    uint32_t hash;
    uint32_t bytes;
    unsigned char first;
} th_row_word;

#pragma GCC visibility push(hidden)
/* The kind of each byte: 0, or TH_BYTE_... */
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

/**
 * Returns the hash of a word of ASCII letters and digits, as th_row_word_read does.
 * @param bytes  `len` of the word, followed by 8 readable bytes
 */
static inline uint32_t th_row_word_hash(const unsigned char *bytes, size_t len)
{
    uint64_t hash = 0;
    for (; len >= 8; bytes += 8, len -= 8)
        hash = th_key_mix(hash, __builtin_bswap64(th_ascii_load8(bytes) | TH_EACH(0x20)));
    const uint64_t lower = __builtin_bswap64(th_ascii_load8(bytes) | TH_EACH(0x20));
    const uint64_t letters = lower >> 8 >> (56 - 8 * len); /* 64 bits without a letter */
    return (uint32_t)(th_key_mix(hash, letters + 1) >> 32) | 1;
}

/**
 * Returns the top bits of those bytes, of eight, which are not a letter or digit of
 * ASCII.
 */
static inline uint64_t th_row_word_stops(uint64_t eight)
{
    const uint64_t letter = th_ascii_range(eight | TH_EACH(0x20), 'a', 'z');
    return ~((letter | th_ascii_range(eight, '0', '9')) & ~eight) & TH_EACH(0x80);
}

/**
 * The same as th_row_word_read for a word of ASCII, eight bytes at a time.
 * @return false if the word is not ASCII, and nothing is written
 */
static inline bool th_row_word_read_ascii(th_view text, size_t *at, th_row_word *word)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    uint64_t hash = 0, letters = 0;
    size_t i = *at;
    for (size_t left; (left = text.len - i) > 0;) {
        const uint64_t eight =
            left >= 8 ? th_ascii_load8(bytes + i) : th_ascii_load_few(bytes + i, left);
        /* The first letter highest; digits have the bit that makes letters small. */
        const uint64_t lower = __builtin_bswap64(eight | TH_EACH(0x20));
        const uint64_t stops = th_row_word_stops(eight);
        if (stops) {
            const unsigned bits = (unsigned)__builtin_ctzll(stops) & ~7u;
            letters = lower >> 8 >> (56 - bits); /* 64 if there is no letter */
            i += bits / 8;
            break;
        }
        hash = th_key_mix(hash, lower);
        i += 8;
    }
    if (i < text.len && (th_byte_kinds[bytes[i]] & TH_BYTE_PART))
        return false;
    hash = th_key_mix(hash, letters + 1);
    *word = (th_row_word){ .hash = (uint32_t)(hash >> 32) | 1,
                           .bytes = (uint32_t)(i - *at),
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
    } else {
        size_t full = i + 8;
        do {
            const unsigned kind = th_byte_kinds[bytes[i]];
            if (!(kind & TH_BYTE_WORD))
                break;
            const unsigned capital = kind >> 1 & 1;
            letters = letters << 8 | bytes[i] | capital << 5;
            if (++i == full) {
                hash = th_key_mix(hash, letters);
                letters = 0;
                full += 8;
            }
        } while (i < text.len);
    }
    hash = th_key_mix(hash, letters + 1);
    word->hash = (uint32_t)(hash >> 32) | 1;
    word->bytes = (uint32_t)(i - *at);
    *at = i;
}

/**
 * Reads the word that begins at text.data[*at], a byte of TH_BYTE_WORD or TH_BYTE_ALONE;
 * Moves *at to the end of the word.
 */
static inline void th_row_word_read(th_view text, size_t *at, th_row_word *word)
{
    if ((unsigned char)text.data[*at] >= 0x80 || !th_row_word_read_ascii(text, at, word))
        th_row_word_read_any(text, at, word);
}

/** Reads the next word, starting at *at. @return false if there is no word */
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
