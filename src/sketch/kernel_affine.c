/*
 * The affine kernels. Every base hash is mixed and permuted by every permutation. The
 * minimum of each permutation is a slot. datasketch 2's schemes affine32 and affine64;
 * docs/near-duplicates.md#presets. A sketch spends most of its time here.
 *
 * Hashes are mixed once, in chunks that remain in the first-level cache. Then a group of
 * slots at a time walks the chunk, so the group's constants and minima remain in
 * registers. Only the group exists twice: for AVX2, chosen at run time, and in plain C,
 * which compilers vectorise for the build target (SSE2, NEON).
 */
#include "sketch/kernel_affine.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define TH_HAS_AVX2_CODE 1
#endif

enum {
    CHUNK = 512,  /* mixed hashes per chunk; a multiple of STEP32 */
    STEP32 = 4,   /* hashes that a loop over 32-bit slots takes at once */
    GROUP32 = 32, /* slots per group: four vectors */
    GROUP64 = 8,  /* two vectors: a product takes more registers */
};

/* Constants and minima of one group; missing slots are zero. */
typedef struct group32 {
    uint32_t a[GROUP32], b[GROUP32], low[GROUP32];
} group32;

typedef struct group64 {
    uint64_t a[GROUP64], b[GROUP64], low[GROUP64];
} group64;

/* Reads as many hashes as the next multiple of STEP32. */
typedef void lower32(group32 *group, const uint32_t *mixed, size_t count);
typedef void lower64(group64 *group, const uint64_t *mixed, size_t count);

/* The finalisers of MurmurHash3. Without them nearby hashes would keep their order. */
static uint32_t fmix32(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x85EBCA6Bu;
    h ^= h >> 13;
    h *= 0xC2B2AE35u;
    return h ^ (h >> 16);
}

static uint64_t fmix64(uint64_t h)
{
    h ^= h >> 33;
    h *= 0xFF51AFD7ED558CCDu;
    h ^= h >> 33;
    h *= 0xC4CEB9FE1A85EC53u;
    return h ^ (h >> 33);
}

static void lower32_portable(group32 *group, const uint32_t *mixed, size_t count)
{
    group32 g = *group; /* a local without an escaping address can be in registers */
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < GROUP32; s++) {
            const uint32_t value = g.a[s] * mixed[i] + g.b[s];
            g.low[s] = value < g.low[s] ? value : g.low[s];
        }
    *group = g;
}

static void lower64_portable(group64 *group, const uint64_t *mixed, size_t count)
{
    group64 g = *group;
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < GROUP64; s++) {
            const uint64_t value = g.a[s] * mixed[i] + g.b[s];
            g.low[s] = value < g.low[s] ? value : g.low[s];
        }
    *group = g;
}

#ifdef TH_HAS_AVX2_CODE

#define AVX2 __attribute__((target("avx2")))
/* Without this, gcc below -O3 keeps the vectors of a group in memory. */
#define UNROLL _Pragma("GCC unroll 4")

AVX2 static void lower32_avx2(group32 *group, const uint32_t *mixed, size_t count)
{
    enum { VECTORS = GROUP32 / 8 };
    __m256i a[VECTORS], b[VECTORS], low[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        a[v] = _mm256_loadu_si256((const __m256i *)group->a + v);
        b[v] = _mm256_loadu_si256((const __m256i *)group->b + v);
        low[v] = _mm256_loadu_si256((const __m256i *)group->low + v);
    }
    for (const uint32_t *end = mixed + count; mixed < end; mixed += STEP32) {
        UNROLL
        for (int i = 0; i < STEP32; i++) {
            const __m256i h = _mm256_set1_epi32((int)mixed[i]);
            UNROLL
            for (int v = 0; v < VECTORS; v++) {
                const __m256i value = _mm256_add_epi32(_mm256_mullo_epi32(a[v], h), b[v]);
                low[v] = _mm256_min_epu32(low[v], value);
            }
        }
    }
    for (int v = 0; v < VECTORS; v++)
        _mm256_storeu_si256((__m256i *)group->low + v, low[v]);
}

/*
 * AVX2 has neither a 64-bit product nor an unsigned comparison. The product is three of
 * 32 x 32 bits. Adding 2^63 to b and to the minima converts unsigned order to signed.
 */
AVX2 static void lower64_avx2(group64 *group, const uint64_t *mixed, size_t count)
{
    enum { VECTORS = GROUP64 / 4 };
    const __m256i bias = _mm256_set1_epi64x(INT64_MIN);
    __m256i a[VECTORS], a_high[VECTORS], b[VECTORS], low[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        a[v] = _mm256_loadu_si256((const __m256i *)group->a + v);
        a_high[v] = _mm256_srli_epi64(a[v], 32);
        b[v] = _mm256_loadu_si256((const __m256i *)group->b + v);
        b[v] = _mm256_xor_si256(b[v], bias);
        low[v] = _mm256_loadu_si256((const __m256i *)group->low + v);
        low[v] = _mm256_xor_si256(low[v], bias);
    }
    for (size_t i = 0; i < count; i++) {
        const __m256i h = _mm256_set1_epi64x((int64_t)mixed[i]);
        const __m256i h_high = _mm256_srli_epi64(h, 32);
        UNROLL
        for (int v = 0; v < VECTORS; v++) {
            const __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(a_high[v], h),
                                                   _mm256_mul_epu32(a[v], h_high));
            __m256i value = _mm256_add_epi64(_mm256_mul_epu32(a[v], h), b[v]);
            value = _mm256_add_epi64(value, _mm256_slli_epi64(cross, 32));
            low[v] = _mm256_blendv_epi8(low[v], value, _mm256_cmpgt_epi64(low[v], value));
        }
    }
    for (int v = 0; v < VECTORS; v++)
        _mm256_storeu_si256((__m256i *)group->low + v, _mm256_xor_si256(low[v], bias));
}

#endif

/* Before the first hash every minimum is the largest value of the scheme. */
static void start(th_sketch *sketch, uint64_t largest)
{
    for (; sketch->filled < sketch->capacity; sketch->filled++)
        sketch->slots[sketch->filled] = largest;
}

static uint32_t slots_left(const th_sketch *sketch, uint32_t first, uint32_t group)
{
    const uint32_t left = sketch->capacity - first;
    return left < group ? left : group;
}

static void fold32(th_sketch *sketch, const uint64_t *hashes, size_t count,
                   lower32 *lower)
{
    uint32_t mixed[CHUNK];
    for (size_t i = 0; i < count; i++)
        mixed[i] = fmix32((uint32_t)hashes[i]);
    for (size_t i = count; i % STEP32; i++) /* a repeat changes no minimum */
        mixed[i] = mixed[count - 1];
    for (uint32_t first = 0; first < sketch->capacity; first += GROUP32) {
        const uint32_t width = slots_left(sketch, first, GROUP32);
        group32 group = { { 0 }, { 0 }, { 0 } };
        for (uint32_t s = 0; s < width; s++) {
            group.a[s] = (uint32_t)sketch->table->a[first + s];
            group.b[s] = (uint32_t)sketch->table->b[first + s];
            group.low[s] = (uint32_t)sketch->slots[first + s];
        }
        lower(&group, mixed, count);
        for (uint32_t s = 0; s < width; s++)
            sketch->slots[first + s] = group.low[s];
    }
}

static void fold64(th_sketch *sketch, const uint64_t *hashes, size_t count,
                   lower64 *lower)
{
    uint64_t mixed[CHUNK];
    for (size_t i = 0; i < count; i++)
        mixed[i] = fmix64(hashes[i]);
    for (uint32_t first = 0; first < sketch->capacity; first += GROUP64) {
        const uint32_t width = slots_left(sketch, first, GROUP64);
        group64 group = { { 0 }, { 0 }, { 0 } };
        for (uint32_t s = 0; s < width; s++) {
            group.a[s] = sketch->table->a[first + s];
            group.b[s] = sketch->table->b[first + s];
            group.low[s] = sketch->slots[first + s];
        }
        lower(&group, mixed, count);
        for (uint32_t s = 0; s < width; s++)
            sketch->slots[first + s] = group.low[s];
    }
}

static void affine32(th_sketch *sketch, const uint64_t *hashes, size_t count,
                     lower32 *lower)
{
    start(sketch, UINT32_MAX);
    for (size_t at = 0; at < count; at += CHUNK)
        fold32(sketch, hashes + at, count - at < CHUNK ? count - at : CHUNK, lower);
}

static void affine64(th_sketch *sketch, const uint64_t *hashes, size_t count,
                     lower64 *lower)
{
    start(sketch, UINT64_MAX);
    for (size_t at = 0; at < count; at += CHUNK)
        fold64(sketch, hashes + at, count - at < CHUNK ? count - at : CHUNK, lower);
}

void th_affine32_portable(th_sketch *sketch, const uint64_t *hashes, size_t count)
{
    affine32(sketch, hashes, count, lower32_portable);
}

void th_affine64_portable(th_sketch *sketch, const uint64_t *hashes, size_t count)
{
    affine64(sketch, hashes, count, lower64_portable);
}

void th_affine32(th_sketch *sketch, const uint64_t *hashes, size_t count)
{
#ifdef TH_HAS_AVX2_CODE
    if (__builtin_cpu_supports("avx2")) {
        affine32(sketch, hashes, count, lower32_avx2);
        return;
    }
#endif
    affine32(sketch, hashes, count, lower32_portable);
}

void th_affine64(th_sketch *sketch, const uint64_t *hashes, size_t count)
{
#ifdef TH_HAS_AVX2_CODE
    if (__builtin_cpu_supports("avx2")) {
        affine64(sketch, hashes, count, lower64_avx2);
        return;
    }
#endif
    affine64(sketch, hashes, count, lower64_portable);
}
