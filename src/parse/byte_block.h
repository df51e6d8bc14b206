/*
 * Blocks of bytes that are compared at once, for html_scan.h. Who includes this says how
 * wide, by TH_BLOCK_WIDTH: 32 is AVX2, 16 is SSE2 or NEON, 8 is plain C. All answer alike.
 *
 *   block       bytes, loaded from anywhere
 *   block_mask  of a block: a group of bits for each byte, the first byte's lowest
 *
 * A comparison gives a block whose bytes are 0xFF (plain C: 0x80) where it holds.
 */
#include <stdint.h>
#include <string.h>

#if TH_BLOCK_WIDTH == 32

#include <immintrin.h>
#define BLOCK_FN static inline __attribute__((target("avx2,bmi")))
typedef __m256i block;
typedef uint32_t block_mask;
enum { BLOCK = 32, BITS_PER_BYTE = 1 };

BLOCK_FN block block_load(const char *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

BLOCK_FN block block_is(block b, char c)
{
    return _mm256_cmpeq_epi8(b, _mm256_set1_epi8(c));
}

/* @param c  below 0x80 */
BLOCK_FN block block_is_up_to(block b, char c)
{
    return _mm256_cmpeq_epi8(_mm256_min_epu8(b, _mm256_set1_epi8(c)), b);
}

BLOCK_FN block block_is_capital(block b)
{
    return block_is_up_to(_mm256_sub_epi8(b, _mm256_set1_epi8('A')), 'Z' - 'A');
}

BLOCK_FN block block_or(block a, block b)
{
    return _mm256_or_si256(a, b);
}

BLOCK_FN block_mask block_mask_of(block b)
{
    return (block_mask)_mm256_movemask_epi8(b);
}

#elif TH_BLOCK_WIDTH == 16 && defined(__x86_64__)

#include <emmintrin.h>
#define BLOCK_FN static inline
typedef __m128i block;
typedef uint32_t block_mask;
enum { BLOCK = 16, BITS_PER_BYTE = 1 };

BLOCK_FN block block_load(const char *at)
{
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

BLOCK_FN block block_is(block b, char c)
{
    return _mm_cmpeq_epi8(b, _mm_set1_epi8(c));
}

BLOCK_FN block block_is_up_to(block b, char c)
{
    return _mm_cmpeq_epi8(_mm_min_epu8(b, _mm_set1_epi8(c)), b);
}

BLOCK_FN block block_is_capital(block b)
{
    return block_is_up_to(_mm_sub_epi8(b, _mm_set1_epi8('A')), 'Z' - 'A');
}

BLOCK_FN block block_or(block a, block b)
{
    return _mm_or_si128(a, b);
}

BLOCK_FN block_mask block_mask_of(block b)
{
    return (block_mask)_mm_movemask_epi8(b);
}

#elif TH_BLOCK_WIDTH == 16 && defined(__aarch64__)

#include <arm_neon.h>
#define BLOCK_FN static inline
typedef uint8x16_t block;
typedef uint64_t block_mask;
enum { BLOCK = 16, BITS_PER_BYTE = 4 };

BLOCK_FN block block_load(const char *at)
{
    return vld1q_u8((const uint8_t *)at);
}

BLOCK_FN block block_is(block b, char c)
{
    return vceqq_u8(b, vdupq_n_u8((uint8_t)c));
}

BLOCK_FN block block_is_up_to(block b, char c)
{
    return vcleq_u8(b, vdupq_n_u8((uint8_t)c));
}

BLOCK_FN block block_is_capital(block b)
{
    return block_is_up_to(vsubq_u8(b, vdupq_n_u8('A')), 'Z' - 'A');
}

BLOCK_FN block block_or(block a, block b)
{
    return vorrq_u8(a, b);
}

/* NEON has no movemask: narrowing leaves four bits of each byte. */
BLOCK_FN block_mask block_mask_of(block b)
{
    const uint8x8_t narrow = vshrn_n_u16(vreinterpretq_u16_u8(b), 4);
    return vget_lane_u64(vreinterpret_u64_u8(narrow), 0);
}

#else

#define BLOCK_FN static inline
typedef uint64_t block;
typedef uint64_t block_mask;
enum { BLOCK = 8, BITS_PER_BYTE = 8 };

#define BLOCK_ONES UINT64_C(0x0101010101010101)
#define BLOCK_TOPS UINT64_C(0x8080808080808080)

BLOCK_FN block block_load(const char *at)
{
    block b;
    memcpy(&b, at, sizeof b);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    b = __builtin_bswap64(b);
#endif
    return b;
}

/* Exact for every byte: no carry leaves one. */
BLOCK_FN block block_is_up_to(block b, char c)
{
    const block sum = (b & ~BLOCK_TOPS) + BLOCK_ONES * (0x7Fu - (unsigned char)c);
    return ~(sum | b) & BLOCK_TOPS;
}

BLOCK_FN block block_is(block b, char c)
{
    return block_is_up_to(b ^ BLOCK_ONES * (unsigned char)c, 0);
}

BLOCK_FN block block_is_capital(block b)
{
    return block_is_up_to(b, 'Z') & ~block_is_up_to(b, 'A' - 1);
}

BLOCK_FN block block_or(block a, block b)
{
    return a | b;
}

BLOCK_FN block_mask block_mask_of(block b)
{
    return b;
}

#endif

/* Where the first byte of a mask stands that is not 0. */
BLOCK_FN size_t block_first(block_mask mask)
{
    return (size_t)(sizeof mask == 8 ? __builtin_ctzll(mask)
                                     : __builtin_ctz((uint32_t)mask)) /
           BITS_PER_BYTE;
}

/* Whether `mask` holds for a byte before the first of `stop`; all bytes if `stop` is 0. */
BLOCK_FN int block_is_before(block_mask mask, block_mask stop)
{
    return (mask & (block_mask)((stop & (block_mask)(0 - stop)) - 1)) != 0;
}
