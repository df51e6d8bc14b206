/*
 * Blocks of bytes that are compared at once, for html_scan.h. The including file defines
 * TH_BLOCK_WIDTH: 32 is AVX2, 16 is SSE2 or NEON, 8 is plain C. All give the same
 * answers.
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
#define BLOCK_TARGET __attribute__((target("avx2,bmi,bmi2")))
#define BLOCK_FN static inline BLOCK_TARGET
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

BLOCK_FN block block_or(block a, block b)
{
    return _mm256_or_si256(a, b);
}

BLOCK_FN block_mask block_mask_of(block b)
{
    return (block_mask)_mm256_movemask_epi8(b);
}

/* A shuffle looks up each byte's low nibble, so up to 16 bytes with different ones are
 * compared at once. A table's other entries equal no byte that looks them up. */
#define BLOCK_TABLE(...) _mm256_setr_epi8(__VA_ARGS__, __VA_ARGS__)

BLOCK_FN block block_is_markup(block b)
{
    const block table =
        BLOCK_TABLE('\0', 0, 0, 0, 0, 0, '&', 0, 0, 0, 0, 0, '<', '\r', 0, 0);
    return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, b), b);
}

BLOCK_FN block block_is_value_end(block b, char quote)
{
    const block doubles =
        BLOCK_TABLE('\0', 0, '"', 0, 0, 0, '&', 0, 0, 0, 0, 0, 0, '\r', 0, 0);
    const block singles =
        BLOCK_TABLE('\0', 0, 0, 0, 0, 0, '&', '\'', 0, 0, 0, 0, 0, '\r', 0, 0);
    const block table = quote == '"' ? doubles : singles;
    return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, b), b);
}

/* Looks up both nibbles. Each high nibble with stops has a bit. The entry of a low nibble
 * has the bits of the high nibbles with which it is a stop. */
BLOCK_FN block block_is_name_stop(block b)
{
    enum { UP_TO_1F = 1, H2 = 2, H3 = 4, H4 = 8, H5 = 16, A_TO_O = H4 | UP_TO_1F };
    const block high =
        BLOCK_TABLE(UP_TO_1F, UP_TO_1F, H2, H3, H4, H5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const block low = BLOCK_TABLE(UP_TO_1F | H2 | H5, A_TO_O | H5, A_TO_O | H5,
                                  A_TO_O | H5, A_TO_O | H5, A_TO_O | H5, A_TO_O | H5,
                                  A_TO_O | H5, A_TO_O | H5, A_TO_O | H5, A_TO_O | H5,
                                  A_TO_O, A_TO_O, A_TO_O | H3, A_TO_O | H3, A_TO_O | H2);
    const block nibble = _mm256_and_si256(_mm256_srli_epi16(b, 4), _mm256_set1_epi8(15));
    const block bits =
        _mm256_and_si256(_mm256_shuffle_epi8(low, b), _mm256_shuffle_epi8(high, nibble));
    return _mm256_cmpgt_epi8(bits, _mm256_setzero_si256());
}

#elif TH_BLOCK_WIDTH == 16 && defined(__x86_64__)

#include <emmintrin.h>
#define BLOCK_TARGET
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
#define BLOCK_TARGET
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

#define BLOCK_TARGET
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

#if TH_BLOCK_WIDTH != 32
/* '<', '&', NUL, CR: the bytes that end a run of text. */
BLOCK_FN block block_is_markup(block b)
{
    return block_or(block_or(block_is(b, '<'), block_is(b, '&')),
                    block_or(block_is(b, '\0'), block_is(b, '\r')));
}

/* The quote, '&', NUL, CR: the bytes that end a run of a quoted value. */
BLOCK_FN block block_is_value_end(block b, char quote)
{
    return block_or(block_or(block_is(b, quote), block_is(b, '&')),
                    block_or(block_is(b, '\0'), block_is(b, '\r')));
}

/* Matches whitespace, controls, '/', '>', '=' and capitals: the bytes that end a name or
 * need special handling. */
BLOCK_FN block block_is_name_stop(block b)
{
    return block_or(
        block_or(block_is_up_to(b, ' '), block_is_capital(b)),
        block_or(block_is(b, '='), block_or(block_is(b, '/'), block_is(b, '>'))));
}
#endif

/* Returns the position of the first byte of a mask that is not 0. */
BLOCK_FN size_t block_first(block_mask mask)
{
    return (size_t)(sizeof mask == 8 ? __builtin_ctzll(mask)
                                     : __builtin_ctz((uint32_t)mask)) /
           BITS_PER_BYTE;
}
