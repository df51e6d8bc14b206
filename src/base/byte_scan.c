/*
 * Searches for the first relevant byte in texts that hardly have any. The check of UTF-8
 * searches for non-ASCII bytes, the writer of JSON for bytes to escape.
 *
 * With SSE2, which every x86-64 has, it reads sixteen bytes at a time, and 128 at a time
 * in long texts, or 256 with AVX2. The portable versions read eight.
 */
#include "base/byte_scan.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { LONG = 128, LONGER = 256 }; /* bytes of a long text that are checked at once */

static bool is_escaped(unsigned char c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

size_t th_scan_ascii_portable(const char *bytes, size_t len)
{
    size_t at = 0;
    for (; len - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        if (word & UINT64_C(0x8080808080808080))
            break;
    }
    while (at < len && (unsigned char)bytes[at] < 0x80)
        at++;
    return at;
}

size_t th_scan_json_portable(const char *bytes, size_t len)
{
    size_t at = 0;
    while (at < len && !is_escaped((unsigned char)bytes[at]))
        at++;
    return at;
}

#if defined(__SSE2__)

static inline __m128i load(const char *bytes)
{
    return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

/* Returns the top bit of each byte that must be escaped. */
static inline __m128i escaped(__m128i bytes)
{
    const __m128i last = _mm_set1_epi8(0x1F);
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, last), bytes);
    const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    return _mm_or_si128(control, _mm_or_si128(quote, backslash));
}

/* Returns the index of the first byte with a set top bit; 16 if there is none. */
static inline unsigned first(__m128i bytes)
{
    return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(bytes) | 1u << 16);
}

/* Returns a text of 128 bytes as 16, in which a top bit is that of any of eight bytes. */
static inline __m128i joined(const char *bytes)
{
    __m128i all = load(bytes);
    for (size_t at = 16; at < LONG; at += 16)
        all = _mm_or_si128(all, load(bytes + at));
    return all;
}

/* Like pass_ascii. */
__attribute__((target("avx2"))) static size_t pass_ascii_avx2(const char *bytes,
                                                              size_t len)
{
    size_t at = 0;
    for (; len - at >= LONGER; at += LONGER) {
        __m256i all = _mm256_setzero_si256();
        for (size_t i = at; i < at + LONGER; i += 32)
            all = _mm256_or_si256(
                all, _mm256_loadu_si256((const __m256i *)(const void *)(bytes + i)));
        if (_mm256_movemask_epi8(all))
            break;
    }
    return at;
}

/* Passes whole pieces of a long text that are ASCII. @return their bytes */
static size_t pass_ascii(const char *bytes, size_t len)
{
    size_t at = 0;
    if (__builtin_cpu_supports("avx2"))
        return pass_ascii_avx2(bytes, len);
    while (len - at >= LONG && !_mm_movemask_epi8(joined(bytes + at)))
        at += LONG;
    return at;
}

size_t th_scan_ascii(const char *bytes, size_t len)
{
    size_t at = 0;
    for (; len - at >= 16; at += 16) {
        const unsigned found = first(load(bytes + at));
        if (found < 16)
            return at + found;
        const size_t next = at + 16;
        if (len - next >= LONG && !_mm_movemask_epi8(joined(bytes + next)))
            at += LONG + pass_ascii(bytes + next + LONG, len - next - LONG);
    }
    return at + th_scan_ascii_portable(bytes + at, len - at);
}

size_t th_scan_json(const char *bytes, size_t len)
{
    size_t at = 0;
    for (; len - at >= 16; at += 16) {
        const unsigned found = first(escaped(load(bytes + at)));
        if (found < 16)
            return at + found;
    }
    return at + th_scan_json_portable(bytes + at, len - at);
}

#else

size_t th_scan_ascii(const char *bytes, size_t len)
{
    return th_scan_ascii_portable(bytes, len);
}

size_t th_scan_json(const char *bytes, size_t len)
{
    return th_scan_json_portable(bytes, len);
}

#endif
