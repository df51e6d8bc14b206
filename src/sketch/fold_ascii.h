/*
 * Folds ASCII, sixteen bytes at a time, for th_normalise: letters and digits are words,
 * and all other bytes become spaces. The two versions return the same.
 */
#ifndef TH_FOLD_ASCII_H
#define TH_FOLD_ASCII_H

#include "base/ascii_mask.h"

enum { TH_FOLD_BYTES = 16 };

/** Up to sixteen bytes, the first one lowest. Those beyond the input are spaces. */
typedef struct th_folded {
    uint64_t text[2]; /* letters in lower case, digits, spaces; undefined if not ASCII */
    unsigned word;    /* bit i: byte i is a letter or digit */
    unsigned high;    /* bit i: byte i is not ASCII */
} th_folded;

/** @param from  `len` bytes, 1 to TH_FOLD_BYTES; no other byte is read */
static inline th_folded th_fold_ascii_portable(const unsigned char *from, size_t len)
{
    const uint64_t top = TH_EACH(0x80);
    th_folded out = { .text = { TH_EACH(' '), TH_EACH(' ') } };
    for (size_t at = 0; at < len; at += 8) {
        const uint64_t bytes = len - at >= 8 ? th_ascii_load8(from + at)
                                             : th_ascii_load_few(from + at, len - at);
        const uint64_t lower = bytes | TH_EACH(0x20);
        const uint64_t word =
            (th_ascii_range(bytes, '0', '9') | th_ascii_range(lower, 'a', 'z')) & ~bytes &
            top;
        const uint64_t whole = (word >> 7) * 0xFF; /* all ones for each byte of a word */
        out.text[at / 8] = (lower & whole) | (TH_EACH(' ') & ~whole);
        out.word |= (unsigned)th_ascii_gather(word) << at;
        out.high |= (unsigned)th_ascii_gather(bytes & top) << at;
    }
    return out;
}

#if defined(__SSE2__)

/** Like th_fold_ascii_portable. */
static inline th_folded th_fold_ascii_sse2(const unsigned char *from, size_t len)
{
    const __m128i blank = _mm_set1_epi8(' ');
    const __m128i bytes =
        len == TH_FOLD_BYTES ? th_ascii_load16(from) : th_ascii_load_some(from, len);
    const __m128i lower = _mm_or_si128(bytes, blank);
    const __m128i word = _mm_or_si128(th_ascii_range_sse2(bytes, '0', '9'),
                                      th_ascii_range_sse2(lower, 'a', 'z'));
    const __m128i text =
        _mm_or_si128(_mm_and_si128(word, lower), _mm_andnot_si128(word, blank));
    return (th_folded){ .text = { (uint64_t)_mm_cvtsi128_si64(text),
                                  (uint64_t)_mm_cvtsi128_si64(
                                      _mm_unpackhi_epi64(text, text)) },
                        .word = (unsigned)_mm_movemask_epi8(word),
                        .high = (unsigned)_mm_movemask_epi8(bytes) };
}

#define th_fold_ascii th_fold_ascii_sse2
#else
#define th_fold_ascii th_fold_ascii_portable
#endif

#endif
