/*
 * Evaluates symmetric trees: in plain C for any ensemble, with AVX2 for 32 rows of trees
 * of six levels and one output, as the model of paragraphs has them.
 */
#include "content/ensemble.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define TH_HAS_AVX2_CODE
#include <immintrin.h>
#endif

static int32_t leaf_value(uint8_t low, uint8_t high)
{
    const int32_t value = low | high << 8;
    return value - ((high & 0x80) << 9);
}

/* Scores one row. Where it is inlined with numbers, its loops are unrolled. */
static inline __attribute__((always_inline)) void
score_one(const th_ensemble *ensemble, const uint8_t *value, uint32_t depth,
          uint32_t count, int32_t *score)
{
    const uint32_t leaves = 1u << depth;
    const uint8_t *level = ensemble->levels;
    const uint8_t *low = ensemble->leaf_low, *high = ensemble->leaf_high;
    /* The bytes of the leaves' values are summed apart: a sum has one addition less. */
    int32_t lows[TH_ENSEMBLE_OUTPUTS] = { 0 }, highs[TH_ENSEMBLE_OUTPUTS] = { 0 };
    for (uint32_t tree = 0; tree < ensemble->tree_count; tree++) {
        uint32_t leaf = 0;
        for (uint32_t l = 0; l < depth; l++, level += 2)
            leaf |= (uint32_t)(value[level[0]] > level[1]) << l;
        for (uint32_t i = 0; i < count; i++, low += leaves, high += leaves) {
            lows[i] += low[leaf];
            highs[i] += (int8_t)high[leaf];
        }
    }
    for (uint32_t i = 0; i < count; i++)
        score[i] = ensemble->bias[i] + lows[i] + 256 * highs[i];
}

void th_ensemble_score_one(const th_ensemble *ensemble, const uint8_t *value,
                           int32_t *score)
{
    enum { TYPE_DEPTH = 4, TYPE_OUTPUTS = 7 }; /* of the model of page types */
    if (ensemble->depth == TYPE_DEPTH && ensemble->output_count == TYPE_OUTPUTS)
        score_one(ensemble, value, TYPE_DEPTH, TYPE_OUTPUTS, score);
    else
        score_one(ensemble, value, ensemble->depth, ensemble->output_count, score);
}

/* ---- many rows, plain ---- */

/* Small loops with `restrict`: compilers vectorize them for the build's target. */
static void add_bits(const uint8_t *restrict value, uint8_t threshold, uint8_t bit,
                     uint8_t *restrict leaf)
{
    for (uint32_t i = 0; i < TH_ENSEMBLE_ROWS; i++) {
        const uint8_t is_over = value[i] > threshold ? 0xFF : 0;
        leaf[i] = (uint8_t)(leaf[i] | (is_over & bit));
    }
}

static void add_leaves(const uint8_t *restrict low, const uint8_t *restrict high,
                       uint32_t leaves, const uint8_t *restrict leaf,
                       int32_t *restrict sum)
{
    int32_t value[1 << TH_ENSEMBLE_DEPTH];
    for (uint32_t i = 0; i < leaves; i++)
        value[i] = leaf_value(low[i], high[i]);
    for (uint32_t i = 0; i < TH_ENSEMBLE_ROWS; i++)
        sum[i] += value[leaf[i]];
}

void th_ensemble_score_portable(const th_ensemble *ensemble, const uint8_t *const *column,
                                uint32_t rows, int32_t *score)
{
    const uint32_t leaves = 1u << ensemble->depth;
    for (uint32_t row = 0; row < rows; row += TH_ENSEMBLE_ROWS) {
        const uint8_t *level = ensemble->levels;
        int32_t sum[TH_ENSEMBLE_ROWS];
        for (uint32_t i = 0; i < TH_ENSEMBLE_ROWS; i++)
            sum[i] = ensemble->bias[0];
        for (uint32_t tree = 0; tree < ensemble->tree_count; tree++) {
            uint8_t leaf[TH_ENSEMBLE_ROWS] = { 0 };
            for (uint32_t l = 0; l < ensemble->depth; l++, level += 2)
                add_bits(column[level[0]] + row, level[1], (uint8_t)(1u << l), leaf);
            add_leaves(ensemble->leaf_low + (size_t)tree * leaves,
                       ensemble->leaf_high + (size_t)tree * leaves, leaves, leaf, sum);
        }
        memcpy(score + row, sum, sizeof sum);
    }
}

/* ---- 32 rows in a vector ---- */

#ifdef TH_HAS_AVX2_CODE

#define AVX2 __attribute__((target("avx2")))

/* So many trees' bytes are summed in 16 bits: 255 of at most 255 stay below 2^16. */
enum { RUN = 255 };

/* Sums of 32 bytes in 16 bits; within the halves of a vector, 0..7 and 8..15 apart. */
struct sums {
    __m256i first, second;
};

AVX2 static inline void add_bytes(struct sums *sums, __m256i bytes)
{
    const __m256i zero = _mm256_setzero_si256();
    sums->first = _mm256_add_epi16(sums->first, _mm256_unpacklo_epi8(bytes, zero));
    sums->second = _mm256_add_epi16(sums->second, _mm256_unpackhi_epi8(bytes, zero));
}

/* What 32 rows answer to the questions of a tree. */
struct answers {
    __m256i leaf;       /* the lowest four bits of its number */
    __m256i not4, not5; /* all ones for each row without that bit */
};

AVX2 static inline void ask(struct answers *answers, unsigned level, const uint8_t *value,
                            __m256i threshold)
{
    const __m256i values = _mm256_loadu_si256((const __m256i *)(const void *)value);
    const __m256i is_not_over =
        _mm256_cmpeq_epi8(_mm256_max_epu8(values, threshold), threshold);
    if (level == 5)
        answers->not5 = is_not_over;
    else if (level == 4)
        answers->not4 = is_not_over;
    else
        answers->leaf = _mm256_or_si256(
            answers->leaf,
            _mm256_andnot_si256(is_not_over, _mm256_set1_epi8((char)(1 << level))));
}

AVX2 static inline __m256i load_part(const uint8_t *part)
{
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128((const __m128i *)(const void *)part));
}

AVX2 static inline __m256i look_up(const uint8_t *table, const struct answers *answers)
{
    const __m256i leaf = answers->leaf;
    const __m256i first =
        _mm256_blendv_epi8(_mm256_shuffle_epi8(load_part(table + 16), leaf),
                           _mm256_shuffle_epi8(load_part(table), leaf), answers->not4);
    const __m256i second = _mm256_blendv_epi8(
        _mm256_shuffle_epi8(load_part(table + 48), leaf),
        _mm256_shuffle_epi8(load_part(table + 32), leaf), answers->not4);
    return _mm256_blendv_epi8(second, first, answers->not5);
}

/* Adds the sums of eight rows to their scores. Arrays of the sums would be simpler, but
 * gcc 12 places them wrongly on the stack of AddressSanitizer (GCC bug 110027). */
AVX2 static void add_sums(int32_t *score, __m128i low, __m128i high, int32_t surplus)
{
    __m256i sum = _mm256_loadu_si256((const __m256i *)(const void *)score);
    sum = _mm256_add_epi32(sum, _mm256_cvtepu16_epi32(low));
    sum = _mm256_add_epi32(sum, _mm256_slli_epi32(_mm256_cvtepu16_epi32(high), 8));
    sum = _mm256_sub_epi32(sum, _mm256_set1_epi32(surplus));
    _mm256_storeu_si256((__m256i *)(void *)score, sum);
}

/* low + 256 * (high - 128 * trees) of each row, added to the scores. */
AVX2 static void flush(const struct sums *low, const struct sums *high, uint32_t trees,
                       int32_t *score)
{
    const int32_t surplus = 256 * 128 * (int32_t)trees;
    add_sums(score, _mm256_castsi256_si128(low->first),
             _mm256_castsi256_si128(high->first), surplus);
    add_sums(score + 8, _mm256_castsi256_si128(low->second),
             _mm256_castsi256_si128(high->second), surplus);
    add_sums(score + 16, _mm256_extracti128_si256(low->first, 1),
             _mm256_extracti128_si256(high->first, 1), surplus);
    add_sums(score + 24, _mm256_extracti128_si256(low->second, 1),
             _mm256_extracti128_si256(high->second, 1), surplus);
}

/* The sums of 32 rows: of the low and the high bytes of their leaves. */
struct row_sums {
    struct sums low, high;
};

AVX2 static inline void add_leaves_of(struct row_sums *sums,
                                      const struct answers *answers, const uint8_t *low,
                                      const uint8_t *high)
{
    add_bytes(&sums->low, look_up(low, answers));
    /* the sign's bit turned, a byte is 128 more than its value */
    add_bytes(&sums->high,
              _mm256_xor_si256(look_up(high, answers), _mm256_set1_epi8((char)0x80)));
}

/* Scores 32 rows, or 64: they share what is read of a tree. */
AVX2 static inline __attribute__((always_inline)) void
score_six_levels(const th_ensemble *ensemble, const uint8_t *const *column, uint32_t row,
                 bool has_second, int32_t *score)
{
    const __m256i zero = _mm256_setzero_si256();
    const struct row_sums none = { { zero, zero }, { zero, zero } };
    struct row_sums first = none, second = none;
    uint32_t run = 0;
    for (uint32_t i = 0; i < (has_second ? 2u : 1u) * TH_ENSEMBLE_ROWS; i++)
        score[i] = ensemble->bias[0];
    for (uint32_t tree = 0; tree < ensemble->tree_count; tree++) {
        const uint8_t *level = ensemble->levels + (size_t)tree * 12;
        const uint8_t *low = ensemble->leaf_low + (size_t)tree * 64;
        const uint8_t *high = ensemble->leaf_high + (size_t)tree * 64;
        struct answers one = { zero, zero, zero }, two = one;
#pragma GCC unroll 6
        for (unsigned l = 0; l < 6; l++) {
            const uint8_t *value = column[level[(size_t)2 * l]] + row;
            const __m256i threshold = _mm256_set1_epi8((char)level[(size_t)2 * l + 1]);
            ask(&one, l, value, threshold);
            if (has_second)
                ask(&two, l, value + TH_ENSEMBLE_ROWS, threshold);
        }
        add_leaves_of(&first, &one, low, high);
        if (has_second)
            add_leaves_of(&second, &two, low, high);
        if (++run == RUN || tree + 1 == ensemble->tree_count) {
            flush(&first.low, &first.high, run, score);
            if (has_second)
                flush(&second.low, &second.high, run, score + TH_ENSEMBLE_ROWS);
            first = second = none;
            run = 0;
        }
    }
}

AVX2 static void score_with_avx2(const th_ensemble *ensemble,
                                 const uint8_t *const *column, uint32_t row,
                                 uint32_t rows, int32_t *score)
{
    for (; row + TH_ENSEMBLE_ROWS < rows; row += 2 * TH_ENSEMBLE_ROWS)
        score_six_levels(ensemble, column, row, true, score + row);
    if (row < rows)
        score_six_levels(ensemble, column, row, false, score + row);
}

/* ---- 64 rows in a vector: a table of 64 leaves is one permutation ---- */

#define VBMI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

/* The 16 rows of a lane: their bytes were unpacked in halves of eight. */
#define ADD_LANE(lane)                                                                   \
    do {                                                                                 \
        add_sums(score + (size_t)16 * (lane), _mm512_extracti32x4_epi32(low0, lane),     \
                 _mm512_extracti32x4_epi32(high0, lane), surplus);                       \
        add_sums(score + (size_t)16 * (lane) + 8, _mm512_extracti32x4_epi32(low1, lane), \
                 _mm512_extracti32x4_epi32(high1, lane), surplus);                       \
    } while (0)

VBMI static void score_six_levels_64(const th_ensemble *ensemble,
                                     const uint8_t *const *column, uint32_t row,
                                     int32_t *score)
{
    const __m512i sign = _mm512_set1_epi8((char)0x80), zero = _mm512_setzero_si512();
    __m512i low0 = zero, low1 = zero, high0 = zero, high1 = zero;
    uint32_t run = 0;
    for (uint32_t i = 0; i < 64; i++)
        score[i] = ensemble->bias[0];
    for (uint32_t tree = 0; tree < ensemble->tree_count; tree++) {
        const uint8_t *level = ensemble->levels + (size_t)tree * 12;
        __m512i leaf = zero;
#pragma GCC unroll 6
        for (size_t l = 0; l < 6; l++) {
            const __mmask64 is_over =
                _mm512_cmpgt_epu8_mask(_mm512_loadu_si512(column[level[2 * l]] + row),
                                       _mm512_set1_epi8((char)level[2 * l + 1]));
            leaf = _mm512_mask_add_epi8(leaf, is_over, leaf,
                                        _mm512_set1_epi8((char)(1 << l)));
        }
        const __m512i low = _mm512_permutexvar_epi8(
            leaf, _mm512_loadu_si512(ensemble->leaf_low + (size_t)tree * 64));
        const __m512i high = _mm512_xor_si512(
            sign, _mm512_permutexvar_epi8(
                      leaf, _mm512_loadu_si512(ensemble->leaf_high + (size_t)tree * 64)));
        low0 = _mm512_add_epi16(low0, _mm512_unpacklo_epi8(low, zero));
        low1 = _mm512_add_epi16(low1, _mm512_unpackhi_epi8(low, zero));
        high0 = _mm512_add_epi16(high0, _mm512_unpacklo_epi8(high, zero));
        high1 = _mm512_add_epi16(high1, _mm512_unpackhi_epi8(high, zero));
        if (++run == RUN || tree + 1 == ensemble->tree_count) {
            const int32_t surplus = 256 * 128 * (int32_t)run;
            ADD_LANE(0);
            ADD_LANE(1);
            ADD_LANE(2);
            ADD_LANE(3);
            low0 = low1 = high0 = high1 = zero;
            run = 0;
        }
    }
}

#endif

bool th_ensemble_score_avx2(const th_ensemble *ensemble, const uint8_t *const *column,
                            uint32_t rows, int32_t *score)
{
#ifdef TH_HAS_AVX2_CODE
    if (ensemble->depth == 6 && __builtin_cpu_supports("avx2")) {
        score_with_avx2(ensemble, column, 0, rows, score);
        return true;
    }
#endif
    (void)ensemble, (void)column, (void)rows, (void)score;
    return false;
}

void th_ensemble_score(const th_ensemble *ensemble, const uint8_t *const *column,
                       uint32_t rows, int32_t *score)
{
#ifdef TH_HAS_AVX2_CODE
    if (ensemble->depth == 6 && __builtin_cpu_supports("avx512vbmi")) {
        uint32_t row = 0;
        for (; row + TH_ENSEMBLE_ROWS < rows; row += 64)
            score_six_levels_64(ensemble, column, row, score + row);
        score_with_avx2(ensemble, column, row, rows, score);
        return;
    }
#endif
    if (!th_ensemble_score_avx2(ensemble, column, rows, score))
        th_ensemble_score_portable(ensemble, column, rows, score);
}

/* ---- why ---- */

/* Sums over the leaves that share their lowest bits, from all bits down to none. */
static void put_means(const th_ensemble *ensemble, size_t tree, int32_t *mean)
{
    const uint32_t leaves = 1u << ensemble->depth;
    const size_t at = tree * ensemble->output_count * leaves;
    for (uint32_t i = 0; i < leaves; i++)
        mean[leaves + i] =
            leaf_value(ensemble->leaf_low[at + i], ensemble->leaf_high[at + i]);
    for (uint32_t first = leaves / 2; first > 0; first /= 2)
        for (uint32_t i = 0; i < first; i++)
            mean[first + i] = mean[2 * first + i] + mean[3 * first + i];
    for (uint32_t first = leaves / 2; first > 0; first /= 2)
        for (uint32_t i = 0; i < first; i++)
            mean[first + i] /= (int32_t)(leaves / first);
}

th_status th_ensemble_means_make(const th_ensemble *ensemble, th_arena *arena,
                                 th_ensemble_means *out)
{
    const size_t of_tree = (size_t)2 << ensemble->depth;
    int32_t *mean =
        th_arena_calloc(arena, (ensemble->tree_count + 1) * of_tree, sizeof *mean);
    if (!mean)
        return TH_NOMEM;
    *out = (th_ensemble_means){ ensemble, ensemble->bias[0], mean };
    for (size_t tree = 0; tree < ensemble->tree_count; tree++) {
        put_means(ensemble, tree, mean + tree * of_tree);
        out->base += mean[tree * of_tree + 1];
    }
    return TH_OK;
}

void th_ensemble_explain(const th_ensemble_means *means, const uint8_t *value,
                         const uint8_t *group_of, int32_t *by_group)
{
    const uint32_t depth = means->ensemble->depth;
    const uint8_t *level = means->ensemble->levels;
    const int32_t *mean = means->mean;
    for (uint32_t tree = 0; tree < means->ensemble->tree_count; tree++) {
        uint32_t leaf = 0;
        int32_t before = mean[1];
        for (uint32_t l = 0; l < depth; l++, level += 2) {
            leaf |= (uint32_t)(value[level[0]] > level[1]) << l;
            const int32_t now = mean[(2u << l) + leaf];
            by_group[group_of[level[0]]] += now - before;
            before = now;
        }
        mean += (size_t)2 << depth;
    }
}
