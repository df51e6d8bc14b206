/*
 * Returns, as bits, the class of each of up to 64 bytes. The text model's fast path also
 * copies them; the features of a text count some of them. Also finds the first byte that
 * is not whitespace and the spaces between tokens.
 *
 * A word of bits replaces a branch for each byte. The end of a word, or the first byte
 * that is not ASCII, is then a count of zeros. SSE2, which every x86-64 has, takes
 * sixteen bytes at once. The portable version takes eight, in a 64-bit number. If both
 * can be compiled, both are, so a test can compare them.
 */
#ifndef TH_ASCII_MASK_H
#define TH_ASCII_MASK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    TH_MASK_BYTES = 64,   /* described by one mask */
    TH_MASK_OVERRUN = 16, /* bytes that follow and may be read or overwritten */
};

/** Bit i describes byte i; bits of bytes beyond the input are 0. */
typedef struct th_ascii_mask {
    uint64_t high;  /* over 0x7F: not ASCII */
    uint64_t space; /* ASCII whitespace: space and 0x09 to 0x0D */
    uint64_t alnum; /* ASCII letters and digits */
} th_ascii_mask;

static inline void th_ascii_mask_join(th_ascii_mask *mask, th_ascii_mask part, size_t at)
{
    mask->high |= part.high << at;
    mask->space |= part.space << at;
    mask->alnum |= part.alnum << at;
}

/* ---- eight bytes in a number, the first one lowest ---- */

#define TH_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t th_ascii_order(uint64_t bytes)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(bytes);
#else
    return bytes;
#endif
}

static inline uint64_t th_ascii_load8(const unsigned char *p)
{
    uint64_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    return th_ascii_order(bytes);
}

static inline void th_ascii_store8(char *to, uint64_t bytes)
{
    bytes = th_ascii_order(bytes);
    memcpy(to, &bytes, sizeof bytes);
}

/** Loads 1 to 7 bytes, and reads no byte beyond them; the others are zero. */
static inline uint64_t th_ascii_load_few(const unsigned char *p, size_t len)
{
    if (len < 4) {
        const size_t middle = len / 2;
        return (uint64_t)p[0] | (uint64_t)p[middle] << 8 * middle |
               (uint64_t)p[len - 1] << 8 * (len - 1);
    }
    const unsigned char *last = p + len - 4; /* two overlapping fours */
    const uint64_t low = (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
                         (uint64_t)p[3] << 24;
    const uint64_t high = (uint64_t)last[0] | (uint64_t)last[1] << 8 |
                          (uint64_t)last[2] << 16 | (uint64_t)last[3] << 24;
    return low | high << 8 * (len - 4);
}

/* Returns the top bit of each byte that is `first` to `last`; undefined for bytes over
 * 0x7F. */
static inline uint64_t th_ascii_range(uint64_t bytes, unsigned first, unsigned last)
{
    const uint64_t with_top = bytes | TH_EACH(0x80);
    return (with_top - TH_EACH(first)) & ~(with_top - TH_EACH(last + 1));
}

/** Returns the top bit of each byte that is ASCII whitespace. */
static inline uint64_t th_ascii_spaces(uint64_t bytes)
{
    return (th_ascii_range(bytes, '\t', '\r') | th_ascii_range(bytes, ' ', ' ')) &
           ~bytes & TH_EACH(0x80);
}

/** Returns the bytes of ASCII whitespace that a text begins with. */
static inline size_t th_ascii_blank_len_portable(const unsigned char *p, size_t len)
{
    const uint64_t all = TH_EACH(0x80);
    uint64_t other;
    if (len < 8) {
        size_t at = 0;
        while (at < len && (p[at] == ' ' || (p[at] >= '\t' && p[at] <= '\r')))
            at++;
        return at;
    }
    for (size_t at = 0; len - at >= 8; at += 8) {
        other = th_ascii_spaces(th_ascii_load8(p + at)) ^ all;
        if (other)
            return at + (size_t)__builtin_ctzll(other) / 8;
    }
    other = th_ascii_spaces(th_ascii_load8(p + len - 8)) ^ all;
    return other ? len - 8 + (size_t)__builtin_ctzll(other) / 8 : len;
}

/* Gathers the top bits of eight bytes into the low eight bits. */
static inline uint64_t th_ascii_gather(uint64_t tops)
{
    return (tops >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/** Returns a bit for each of sixteen bytes that is `c`, an ASCII character. */
static inline unsigned th_ascii_find16_portable(const char *bytes, char c)
{
    unsigned found = 0;
    for (unsigned at = 0; at < 16; at += 8) {
        const uint64_t eight = th_ascii_load8((const unsigned char *)bytes + at);
        const uint64_t equal = th_ascii_range(eight, (unsigned char)c, (unsigned char)c) &
                               ~eight & TH_EACH(0x80);
        found |= (unsigned)th_ascii_gather(equal) << at;
    }
    return found;
}

static inline th_ascii_mask th_ascii_copy8(char *to, uint64_t bytes)
{
    const uint64_t top = TH_EACH(0x80);
    const uint64_t spaces = th_ascii_spaces(bytes);
    const uint64_t alnum = (th_ascii_range(bytes, '0', '9') |
                            th_ascii_range(bytes | TH_EACH(0x20), 'a', 'z')) &
                           ~bytes & top;
    const uint64_t whole = (spaces >> 7) * 0xFF; /* all ones for each whitespace byte */
    th_ascii_store8(to, (bytes & ~whole) | (TH_EACH(' ') & whole));
    return (th_ascii_mask){ .high = th_ascii_gather(bytes & top),
                            .space = th_ascii_gather(spaces),
                            .alnum = th_ascii_gather(alnum) };
}

/**
 * Copies bytes and replaces each ASCII whitespace byte by a space.
 * @param from  `len` bytes, 1 to TH_MASK_BYTES; no other byte is read
 * @param to    gets them; up to TH_MASK_OVERRUN bytes after them are overwritten
 * @return their classes
 */
static inline th_ascii_mask th_ascii_copy_portable(char *to, const unsigned char *from,
                                                   size_t len)
{
    th_ascii_mask mask = { 0 };
    size_t at = 0;
    for (; len - at >= 8; at += 8)
        th_ascii_mask_join(&mask, th_ascii_copy8(to + at, th_ascii_load8(from + at)), at);
    if (at < len)
        th_ascii_mask_join(
            &mask, th_ascii_copy8(to + at, th_ascii_load_few(from + at, len - at)), at);
    return mask;
}

/** Bit i describes byte i; bits of bytes beyond the input are 0. */
typedef struct th_ascii_kinds {
    uint64_t high;             /* over 0x7F: not ASCII */
    uint64_t alnum;            /* ASCII letters and digits */
    uint64_t sign;             /* other ASCII after the space */
    uint32_t capitals, digits; /* their number */
} th_ascii_kinds;

/* Returns the sum of eight bytes, at most 255 each. */
static inline uint32_t th_ascii_sum(uint64_t bytes)
{
    const uint64_t even = UINT64_C(0x00FF00FF00FF00FF);
    const uint64_t pairs = (bytes & even) + (bytes >> 8 & even);
    return (uint32_t)(pairs * UINT64_C(0x0001000100010001) >> 48);
}

/**
 * Classifies bytes.
 * @param from  `len` bytes, 0 to TH_MASK_BYTES, and TH_MASK_OVERRUN readable ones
 */
static inline th_ascii_kinds th_ascii_classify_portable(const unsigned char *from,
                                                        size_t len)
{
    const uint64_t top = TH_EACH(0x80);
    th_ascii_kinds kinds = { 0 };
    uint64_t capitals = 0, digits = 0;
    for (size_t at = 0; at < len; at += 8) {
        const size_t left = len - at;
        uint64_t bytes = th_ascii_load8(from + at);
        if (left < 8)
            bytes &= (UINT64_C(1) << 8 * left) - 1;
        const uint64_t ascii = ~bytes & top;
        const uint64_t digit = th_ascii_range(bytes, '0', '9') & ascii;
        const uint64_t letter = th_ascii_range(bytes | TH_EACH(0x20), 'a', 'z') & ascii;
        const uint64_t shown = th_ascii_range(bytes, '!', 0x7F) & ascii;
        digits += digit >> 7;
        capitals += (letter & ~(bytes << 2)) >> 7; /* small letters have 0x20 */
        kinds.high |= th_ascii_gather(bytes & top) << at;
        kinds.alnum |= th_ascii_gather(digit | letter) << at;
        kinds.sign |= th_ascii_gather(shown & ~(digit | letter)) << at;
    }
    kinds.capitals = th_ascii_sum(capitals);
    kinds.digits = th_ascii_sum(digits);
    return kinds;
}

/* ---- sixteen bytes in a vector ---- */

#if defined(__SSE2__)

/* Sets all bits of each byte that is `first` to `last`. */
static inline __m128i th_ascii_range_sse2(__m128i bytes, char first, char last)
{
    const __m128i distance = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
    const __m128i max = _mm_set1_epi8((char)(last - first));
    return _mm_cmpeq_epi8(_mm_min_epu8(distance, max), distance);
}

static inline uint64_t th_ascii_bits_sse2(__m128i bytes)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(bytes);
}

static inline th_ascii_mask th_ascii_copy16(char *to, __m128i bytes)
{
    const __m128i blank = _mm_set1_epi8(' ');
    const __m128i space = _mm_or_si128(th_ascii_range_sse2(bytes, '\t', '\r'),
                                       _mm_cmpeq_epi8(bytes, blank));
    const __m128i lower = _mm_or_si128(bytes, blank); /* lower-cases letters */
    const __m128i alnum = _mm_or_si128(th_ascii_range_sse2(bytes, '0', '9'),
                                       th_ascii_range_sse2(lower, 'a', 'z'));
    const __m128i shown =
        _mm_or_si128(_mm_andnot_si128(space, bytes), _mm_and_si128(space, blank));
    _mm_storeu_si128((__m128i *)(void *)to, shown);
    return (th_ascii_mask){ .high = th_ascii_bits_sse2(bytes),
                            .space = th_ascii_bits_sse2(space),
                            .alnum = th_ascii_bits_sse2(alnum) };
}

static inline __m128i th_ascii_load16(const unsigned char *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* Loads 1 to 15 bytes, and reads no byte beyond them; the others are zero. */
static inline __m128i th_ascii_load_some(const unsigned char *p, size_t len)
{
    if (len < 8)
        return _mm_cvtsi64_si128((long long)th_ascii_load_few(p, len));
    const uint64_t last = th_ascii_load8(p + len - 8); /* two overlapping eights */
    return _mm_set_epi64x((long long)(last >> 1 >> (8 * (16 - len) - 1)),
                          (long long)th_ascii_load8(p));
}

/** Like th_ascii_find16_portable. */
static inline unsigned th_ascii_find16_sse2(const char *bytes, char c)
{
    const __m128i sixteen = th_ascii_load16((const unsigned char *)bytes);
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, _mm_set1_epi8(c)));
}

/* Returns a bit for each of sixteen bytes that is not ASCII whitespace. */
static inline unsigned th_ascii_others16(const unsigned char *p)
{
    const __m128i bytes = th_ascii_load16(p);
    const __m128i space = _mm_or_si128(th_ascii_range_sse2(bytes, '\t', '\r'),
                                       _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
    return (unsigned)_mm_movemask_epi8(space) ^ 0xFFFF;
}

/** Like th_ascii_blank_len_portable. */
static inline size_t th_ascii_blank_len_sse2(const unsigned char *p, size_t len)
{
    if (len < 16)
        return th_ascii_blank_len_portable(p, len);
    for (size_t at = 0;; at += 16) {
        at = at < len - 16 ? at : len - 16; /* the last two may overlap */
        const unsigned others = th_ascii_others16(p + at);
        if (others)
            return at + (size_t)__builtin_ctz(others);
        if (at == len - 16)
            return len;
    }
}

/** Like th_ascii_copy_portable. */
static inline th_ascii_mask th_ascii_copy_sse2(char *to, const unsigned char *from,
                                               size_t len)
{
    if (len < 16)
        return th_ascii_copy16(to, th_ascii_load_some(from, len));
    th_ascii_mask mask = th_ascii_copy16(to, th_ascii_load16(from));
    for (size_t at = 16; at < len; at += 16) {
        const size_t place = at < len - 16 ? at : len - 16; /* the last two may overlap */
        th_ascii_mask_join(
            &mask, th_ascii_copy16(to + place, th_ascii_load16(from + place)), place);
    }
    return mask;
}

static inline uint32_t th_ascii_sum_sse2(__m128i bytes)
{
    const __m128i sums = _mm_sad_epu8(bytes, _mm_setzero_si128());
    return (uint32_t)(_mm_cvtsi128_si32(sums) +
                      _mm_cvtsi128_si32(_mm_unpackhi_epi64(sums, sums)));
}

/* Loads sixteen readable bytes. The bytes beyond `len` become zero. */
static inline __m128i th_ascii_load_first(const unsigned char *p, size_t len)
{
    static const unsigned char kept[32] = { 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                            0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                            0xFF, 0xFF, 0xFF, 0xFF };
    return len < 16 ? _mm_and_si128(th_ascii_load16(p), th_ascii_load16(kept + 16 - len))
                    : th_ascii_load16(p);
}

/** Like th_ascii_classify_portable. */
static inline th_ascii_kinds th_ascii_classify_sse2(const unsigned char *from, size_t len)
{
    const __m128i blank = _mm_set1_epi8(' ');
    th_ascii_kinds kinds = { 0 };
    __m128i capitals = _mm_setzero_si128(), digits = capitals;
    for (size_t at = 0; at < len; at += 16) {
        const __m128i bytes = th_ascii_load_first(from + at, len - at);
        const __m128i lower = _mm_or_si128(bytes, blank); /* lower-cases letters */
        const __m128i digit = th_ascii_range_sse2(bytes, '0', '9');
        const __m128i letter = th_ascii_range_sse2(lower, 'a', 'z');
        const __m128i alnum = _mm_or_si128(digit, letter);
        const __m128i is_same = _mm_cmpeq_epi8(lower, bytes);
        /* subtracting all ones adds one */
        capitals = _mm_sub_epi8(capitals, _mm_andnot_si128(is_same, letter));
        digits = _mm_sub_epi8(digits, digit);
        kinds.high |= th_ascii_bits_sse2(bytes) << at;
        kinds.alnum |= th_ascii_bits_sse2(alnum) << at;
        kinds.sign |=
            th_ascii_bits_sse2(_mm_andnot_si128(alnum, _mm_cmpgt_epi8(bytes, blank)))
            << at;
    }
    kinds.capitals = th_ascii_sum_sse2(capitals);
    kinds.digits = th_ascii_sum_sse2(digits);
    return kinds;
}

#define th_ascii_blank_len th_ascii_blank_len_sse2
#define th_ascii_find16 th_ascii_find16_sse2
#define th_ascii_copy th_ascii_copy_sse2
#define th_ascii_classify th_ascii_classify_sse2
#else
#define th_ascii_blank_len th_ascii_blank_len_portable
#define th_ascii_find16 th_ascii_find16_portable
#define th_ascii_copy th_ascii_copy_portable
#define th_ascii_classify th_ascii_classify_portable
#endif

#endif
