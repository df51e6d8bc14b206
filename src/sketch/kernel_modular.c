/*
 * The modular kernels: permutations modulo the Mersenne prime P = 2^61-1, as in
 * datasketch before 2.0 and in current datatrove and text-dedup.
 * docs/near-duplicates.md#presets
 *
 * The product wraps modulo 2^64 before it is reduced modulo P, because numpy's does. The
 * result is not a permutation, but it is the value that they compute (datasketch#239,
 * datatrove#198). No division is needed. With v = high * 2^61 + low, v is congruent to r
 * = low + high, which is below P + 8. One more carry, from r + 1, subtracts P if r is at
 * least P.
 *
 * As in kernel_affine.c a group of slots walks the hashes, so its constants and minima
 * remain in registers. Only the walk exists twice: for AVX2, chosen at run time, and in
 * plain C.
 */
#include "sketch/kernel_modular.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define TH_HAS_AVX2_CODE 1
#endif

enum {
    PRIME_BITS = 61,
    GROUP = 8, /* slots per group: two vectors */
};

static const uint64_t prime = ((uint64_t)1 << PRIME_BITS) - 1;

/* Constants and minima of one group; missing slots are zero. */
typedef struct group {
    uint64_t a[GROUP], b[GROUP], low[GROUP];
} group;

typedef void lower(group *group, const uint64_t *hashes, size_t count);

/* Returns a value congruent to v. It is below P after one more carry is added: see
 * `carry`. */
static uint64_t reduce(uint64_t v)
{
    return (v & prime) + (v >> PRIME_BITS);
}

/* For r below 2 P, the low PRIME_BITS bits of the result are r modulo P. */
static uint64_t carry(uint64_t r)
{
    return r + ((r + 1) >> PRIME_BITS);
}

static void lower32_portable(group *g, const uint64_t *hashes, size_t count)
{
    group now = *g; /* a local without an escaping address can be in registers */
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < GROUP; s++) {
            const uint64_t r = reduce(now.a[s] * (uint32_t)hashes[i] + now.b[s]);
            const uint32_t value = (uint32_t)carry(r);
            now.low[s] = value < now.low[s] ? value : now.low[s];
        }
    *g = now;
}

static void lower64_portable(group *g, const uint64_t *hashes, size_t count)
{
    group now = *g;
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < GROUP; s++) {
            const uint64_t value = carry(reduce(now.a[s] * hashes[i] + now.b[s])) & prime;
            now.low[s] = value < now.low[s] ? value : now.low[s];
        }
    *g = now;
}

#ifdef TH_HAS_AVX2_CODE

#define AVX2 __attribute__((target("avx2")))
/* Without this, gcc below -O3 keeps the vectors of a group in memory. */
#define UNROLL _Pragma("GCC unroll 2")

enum { VECTORS = GROUP / 4 };

typedef struct vectors {
    __m256i a[VECTORS], a_high[VECTORS], b[VECTORS], low[VECTORS];
} vectors;

AVX2 static inline vectors load(const group *g)
{
    vectors out;
    for (int v = 0; v < VECTORS; v++) {
        out.a[v] = _mm256_loadu_si256((const __m256i *)g->a + v);
        out.a_high[v] = _mm256_srli_epi64(out.a[v], 32);
        out.b[v] = _mm256_loadu_si256((const __m256i *)g->b + v);
        out.low[v] = _mm256_loadu_si256((const __m256i *)g->low + v);
    }
    return out;
}

/* Returns r + the carry of r + 1, for r = v reduced. */
AVX2 static inline __m256i reduce_and_carry(__m256i v)
{
    const __m256i mask = _mm256_set1_epi64x((int64_t)prime);
    const __m256i one = _mm256_set1_epi64x(1);
    const __m256i r =
        _mm256_add_epi64(_mm256_and_si256(v, mask), _mm256_srli_epi64(v, PRIME_BITS));
    return _mm256_add_epi64(r, _mm256_srli_epi64(_mm256_add_epi64(r, one), PRIME_BITS));
}

/* The high halves of `low` and of the values are ignored. */
AVX2 static void lower32_avx2(group *g, const uint64_t *hashes, size_t count)
{
    vectors now = load(g);
    for (size_t i = 0; i < count; i++) {
        const __m256i h = _mm256_set1_epi64x((int64_t)(uint32_t)hashes[i]);
        UNROLL
        for (int v = 0; v < VECTORS; v++) {
            const __m256i high =
                _mm256_slli_epi64(_mm256_mul_epu32(now.a_high[v], h), 32);
            __m256i value = _mm256_add_epi64(_mm256_mul_epu32(now.a[v], h), now.b[v]);
            value = reduce_and_carry(_mm256_add_epi64(value, high));
            now.low[v] = _mm256_min_epu32(now.low[v], value);
        }
    }
    const __m256i low_half = _mm256_set1_epi64x(UINT32_MAX);
    for (int v = 0; v < VECTORS; v++)
        _mm256_storeu_si256((__m256i *)g->low + v,
                            _mm256_and_si256(now.low[v], low_half));
}

/* Values are below 2^61, so signed comparison works. */
AVX2 static void lower64_avx2(group *g, const uint64_t *hashes, size_t count)
{
    const __m256i mask = _mm256_set1_epi64x((int64_t)prime);
    vectors now = load(g);
    for (size_t i = 0; i < count; i++) {
        const __m256i h = _mm256_set1_epi64x((int64_t)hashes[i]);
        const __m256i h_high = _mm256_srli_epi64(h, 32);
        UNROLL
        for (int v = 0; v < VECTORS; v++) {
            const __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(now.a_high[v], h),
                                                   _mm256_mul_epu32(now.a[v], h_high));
            __m256i value = _mm256_add_epi64(_mm256_mul_epu32(now.a[v], h), now.b[v]);
            value = _mm256_add_epi64(value, _mm256_slli_epi64(cross, 32));
            value = _mm256_and_si256(reduce_and_carry(value), mask);
            now.low[v] = _mm256_blendv_epi8(now.low[v], value,
                                            _mm256_cmpgt_epi64(now.low[v], value));
        }
    }
    for (int v = 0; v < VECTORS; v++)
        _mm256_storeu_si256((__m256i *)g->low + v, now.low[v]);
}

#endif

static void fold(th_sketch *sketch, const uint64_t *hashes, size_t count, lower *walk)
{
    for (uint32_t first = 0; first < sketch->capacity; first += GROUP) {
        const uint32_t left = sketch->capacity - first;
        const uint32_t width = left < GROUP ? left : GROUP;
        group g = { { 0 }, { 0 }, { 0 } };
        for (uint32_t s = 0; s < width; s++) {
            g.a[s] = sketch->table->a[first + s];
            g.b[s] = sketch->table->b[first + s];
            g.low[s] = sketch->slots[first + s];
        }
        walk(&g, hashes, count);
        for (uint32_t s = 0; s < width; s++)
            sketch->slots[first + s] = g.low[s];
    }
}

/* Before the first hash every minimum is at least the largest possible value. */
static void start(th_sketch *sketch, uint64_t largest)
{
    for (; sketch->filled < sketch->capacity; sketch->filled++)
        sketch->slots[sketch->filled] = largest;
}

void th_modular32_portable(th_sketch *sketch, const uint64_t *hashes, size_t count)
{
    start(sketch, UINT32_MAX);
    fold(sketch, hashes, count, lower32_portable);
}

void th_modular64_portable(th_sketch *sketch, const uint64_t *hashes, size_t count)
{
    start(sketch, prime);
    fold(sketch, hashes, count, lower64_portable);
}

void th_modular32(th_sketch *sketch, const uint64_t *hashes, size_t count)
{
#ifdef TH_HAS_AVX2_CODE
    if (__builtin_cpu_supports("avx2")) {
        start(sketch, UINT32_MAX);
        fold(sketch, hashes, count, lower32_avx2);
        return;
    }
#endif
    th_modular32_portable(sketch, hashes, count);
}

void th_modular64(th_sketch *sketch, const uint64_t *hashes, size_t count)
{
#ifdef TH_HAS_AVX2_CODE
    if (__builtin_cpu_supports("avx2")) {
        start(sketch, prime);
        fold(sketch, hashes, count, lower64_avx2);
        return;
    }
#endif
    th_modular64_portable(sketch, hashes, count);
}
