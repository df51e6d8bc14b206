/* Classifies code points for the text model. ICU's tables, with a fast path for ASCII. */
#ifndef TH_UNICODE_H
#define TH_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

#include <unicode/uchar.h>

/** Whitespace by the White_Space property, which includes the no-break space. */
static inline bool th_is_space(uint32_t c)
{
    if (c < 0x80)
        return c == ' ' || (c >= '\t' && c <= '\r');
    return c == 0x85 || c == 0xA0 || (c >= 0x1680 && u_isUWhiteSpace((UChar32)c));
}

/** Returns whether a code point is a letter or a digit, of any script. */
static inline bool th_is_alnum(uint32_t c)
{
    if (c < 0x80)
        return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    return u_isalnum((UChar32)c);
}

/**
 * Returns whether a code point is a letter of a script that is written without spaces:
 * Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar. Uses ranges instead of properties,
 * because ranges change only when a block is added.
 */
bool th_is_unspaced_slow(uint32_t c);
static inline bool th_is_unspaced(uint32_t c)
{
    return c >= 0x0E00 && th_is_unspaced_slow(c);
}

/** Returns the columns of a code point on a line: 2 for East Asian wide and fullwidth,
 * else 1. */
uint32_t th_columns_slow(uint32_t c);
static inline uint32_t th_columns(uint32_t c)
{
    return c < 0x1100 ? 1 : th_columns_slow(c);
}

/** Returns the code point at bytes[*at] of valid UTF-8, and moves *at after it. */
static inline uint32_t th_utf8_next(const char *bytes, size_t *at)
{
    const unsigned char *p = (const unsigned char *)bytes + *at;
    if (p[0] < 0x80) {
        *at += 1;
        return p[0];
    }
    if (p[0] < 0xE0) {
        *at += 2;
        return ((p[0] & 0x1Fu) << 6) | (p[1] & 0x3Fu);
    }
    if (p[0] < 0xF0) {
        *at += 3;
        return ((p[0] & 0x0Fu) << 12) | ((p[1] & 0x3Fu) << 6) | (p[2] & 0x3Fu);
    }
    *at += 4;
    return ((p[0] & 0x07u) << 18) | ((p[1] & 0x3Fu) << 12) | ((p[2] & 0x3Fu) << 6) |
           (p[3] & 0x3Fu);
}

/**
 * Returns the number of bytes at the start of `bytes` that are valid UTF-8 (as in the
 * standard: no surrogates, no overlong forms), or `len` if all are. ASCII costs almost
 * nothing.
 */
size_t th_utf8_valid(const char *bytes, size_t len);

/**
 * Like th_utf8_valid, but also counts the valid code points that are not ASCII.
 * @param sequences  out: their number
 */
size_t th_utf8_survey(const char *bytes, size_t len, size_t *sequences);

/** Returns the number of code points in valid UTF-8. */
size_t th_utf8_count(const char *bytes, size_t len);

/** Writes a code point as UTF-8. @return bytes written, 1..4 */
size_t th_utf8_put(uint32_t c, char out[4]);

#endif
