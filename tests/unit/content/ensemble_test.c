/* Ensembles: all implementations give the same score, and reasons add up to the score. */
#include "content/ensemble.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/segment/split_mix.h"

enum { COLUMNS = 40, ROWS = 96 };

/* An ensemble of random questions and answers, on the heap to the byte. */
struct sample {
    th_ensemble ensemble;
    uint8_t *levels, *low, *high;
    uint8_t *planes;
    const uint8_t *column[COLUMNS];
};

static uint8_t *random_bytes(uint64_t *state, size_t count)
{
    uint8_t *bytes = malloc(count ? count : 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)th_split_mix_next(state);
    return bytes;
}

static void make(struct sample *sample, uint64_t seed, uint32_t trees, uint32_t depth,
                 uint32_t outputs)
{
    uint64_t state = seed;
    const size_t leaves = ((size_t)trees * outputs) << depth;
    sample->levels = random_bytes(&state, (size_t)2 * trees * depth);
    for (size_t i = 0; i < (size_t)trees * depth; i++)
        sample->levels[2 * i] %= COLUMNS;
    sample->low = random_bytes(&state, leaves);
    sample->high = random_bytes(&state, leaves);
    sample->planes = random_bytes(&state, (size_t)COLUMNS * ROWS);
    for (int i = 0; i < COLUMNS; i++)
        sample->column[i] = sample->planes + (size_t)i * ROWS;
    sample->ensemble = (th_ensemble){
        .tree_count = trees,
        .depth = depth,
        .output_count = outputs,
        .shift = 12,
        .levels = sample->levels,
        .leaf_low = sample->low,
        .leaf_high = sample->high,
    };
    for (uint32_t i = 0; i < outputs; i++)
        sample->ensemble.bias[i] = (int32_t)(th_split_mix_next(&state) % 100000) - 50000;
}

static void drop(struct sample *sample)
{
    free(sample->levels);
    free(sample->low);
    free(sample->high);
    free(sample->planes);
}

static void row_of(const struct sample *sample, uint32_t row, uint8_t *value)
{
    for (int i = 0; i < COLUMNS; i++)
        value[i] = sample->column[i][row];
}

static const struct row {
    const char *name;
    uint32_t trees, depth;
} rows[] = {
    { "no tree", 0, 6 },       { "one tree", 1, 6 },        { "one level", 9, 1 },
    { "five levels", 90, 5 },  { "one run short", 254, 6 }, { "one run", 255, 6 },
    { "run and one", 256, 6 }, { "several runs", 800, 6 },
};

static void every_way_is_the_same(void **state)
{
    const struct row *row = *state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct sample sample;
        int32_t fast[ROWS], plain[ROWS];
        make(&sample, seed, row->trees, row->depth, 1);
        th_ensemble_score(&sample.ensemble, sample.column, ROWS, fast);
        th_ensemble_score_portable(&sample.ensemble, sample.column, ROWS, plain);
        assert_memory_equal(fast, plain, sizeof fast);
        for (uint32_t count = TH_ENSEMBLE_ROWS; count <= ROWS;
             count += TH_ENSEMBLE_ROWS) {
            memset(fast, 0, sizeof fast);
            if (th_ensemble_score_avx2(&sample.ensemble, sample.column, count, fast))
                assert_memory_equal(fast, plain, count * sizeof *fast);
        }
        for (uint32_t i = 0; i < ROWS; i++) {
            uint8_t value[COLUMNS];
            int32_t one = 0;
            row_of(&sample, i, value);
            th_ensemble_score_one(&sample.ensemble, value, &one);
            assert_int_equal(one, plain[i]);
        }
        drop(&sample);
    }
}

/* The leaves of a tree with the lowest bits of `leaf`, one by one. */
static int32_t mean_of(const th_ensemble *ensemble, uint32_t tree, uint32_t bits,
                       uint32_t leaf)
{
    const uint32_t leaves = 1u << ensemble->depth, mask = (1u << bits) - 1;
    int32_t sum = 0, count = 0;
    for (uint32_t i = 0; i < leaves; i++) {
        if ((i & mask) != (leaf & mask))
            continue;
        const uint32_t at = tree * leaves + i;
        sum += (int16_t)(ensemble->leaf_low[at] | ensemble->leaf_high[at] << 8);
        count++;
    }
    return sum / count;
}

static void explain_slowly(const th_ensemble *ensemble, const uint8_t *value,
                           const uint8_t *group_of, int32_t *by_group)
{
    for (uint32_t tree = 0; tree < ensemble->tree_count; tree++) {
        const uint8_t *level = ensemble->levels + (size_t)2 * tree * ensemble->depth;
        uint32_t leaf = 0;
        for (uint32_t l = 0; l < ensemble->depth; l++) {
            const int32_t before = mean_of(ensemble, tree, l, leaf);
            leaf |= (uint32_t)(value[level[2 * l]] > level[2 * l + 1]) << l;
            by_group[group_of[level[2 * l]]] +=
                mean_of(ensemble, tree, l + 1, leaf) - before;
        }
    }
}

static void reasons_add_up(void **state)
{
    const struct row *row = *state;
    struct sample sample;
    uint8_t group_of[COLUMNS];
    th_ensemble_means means;
    th_arena *arena = th_arena_new(0);
    make(&sample, 7, row->trees, row->depth, 1);
    assert_int_equal(th_ensemble_means_make(&sample.ensemble, arena, &means), TH_OK);
    for (int i = 0; i < COLUMNS; i++)
        group_of[i] = (uint8_t)(i % 5);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint8_t value[COLUMNS];
        int32_t score = 0, by_group[5] = { 0 }, slow[5] = { 0 };
        row_of(&sample, i, value);
        explain_slowly(&sample.ensemble, value, group_of, slow);
        th_ensemble_score_one(&sample.ensemble, value, &score);
        th_ensemble_explain(&means, value, group_of, by_group);
        assert_memory_equal(by_group, slow, sizeof slow);
        int32_t sum = means.base;
        for (int group = 0; group < 5; group++)
            sum += by_group[group];
        assert_int_equal(sum, score);
    }
    th_arena_free(arena);
    drop(&sample);
}

static void leaves_of_the_ends(void **state)
{
    (void)state;
    /* one tree: leaf 0 is -32768, leaf 63 is 32767; thresholds 0 part 0 from 1 */
    uint8_t levels[12] = { 0 }, low[64] = { 0 }, high[64] = { 0 };
    uint8_t plane[TH_ENSEMBLE_ROWS] = { 0 };
    const uint8_t *column[] = { plane };
    int32_t score[TH_ENSEMBLE_ROWS];
    high[0] = 0x80;
    low[63] = 0xFF;
    high[63] = 0x7F;
    plane[1] = 1;
    const th_ensemble ensemble = { .tree_count = 1,
                                   .depth = 6,
                                   .output_count = 1,
                                   .bias = { 10 },
                                   .levels = levels,
                                   .leaf_low = low,
                                   .leaf_high = high };
    th_ensemble_score(&ensemble, column, TH_ENSEMBLE_ROWS, score);
    assert_int_equal(score[0], 10 - 32768);
    assert_int_equal(score[1], 10 + 32767);
    for (int l = 0; l < 6; l++)
        levels[2 * l + 1] = 255; /* never exceeded */
    plane[1] = 255;
    th_ensemble_score(&ensemble, column, TH_ENSEMBLE_ROWS, score);
    assert_int_equal(score[1], 10 - 32768);
}

static void an_explanation_names_the_column(void **state)
{
    (void)state;
    /* one level asks column 1: 100 below or at 9, 300 above */
    const uint8_t levels[2] = { 1, 9 }, low[2] = { 100, 44 }, high[2] = { 0, 1 };
    const uint8_t group_of[] = { 0, 1 };
    const th_ensemble ensemble = { .tree_count = 1,
                                   .depth = 1,
                                   .output_count = 1,
                                   .bias = { 5 },
                                   .levels = levels,
                                   .leaf_low = low,
                                   .leaf_high = high };
    int32_t by_group[2] = { 0, 0 };
    th_ensemble_means means;
    th_arena *arena = th_arena_new(0);
    assert_int_equal(th_ensemble_means_make(&ensemble, arena, &means), TH_OK);
    assert_int_equal(means.base, 205);
    th_ensemble_explain(&means, (const uint8_t[]){ 0, 10 }, group_of, by_group);
    assert_int_equal(by_group[0], 0);
    assert_int_equal(by_group[1], 100);
    th_ensemble_explain(&means, (const uint8_t[]){ 0, 9 }, group_of, by_group);
    assert_int_equal(by_group[1], 0); /* 100 less 100 */
    th_arena_free(arena);
}

static void several_outputs_share_the_questions(void **state)
{
    (void)state;
    struct sample sample;
    make(&sample, 3, 30, 4, 7);
    for (uint32_t i = 0; i < 7; i++) {
        /* the i-th output alone, its leaves gathered */
        uint8_t low[30 * 16], high[30 * 16];
        for (uint32_t tree = 0; tree < 30; tree++) {
            memcpy(low + (size_t)16 * tree,
                   sample.low + (size_t)16 * (7 * (size_t)tree + i), 16);
            memcpy(high + (size_t)16 * tree,
                   sample.high + (size_t)16 * (7 * (size_t)tree + i), 16);
        }
        th_ensemble alone = sample.ensemble;
        alone.output_count = 1;
        alone.bias[0] = sample.ensemble.bias[i];
        alone.leaf_low = low;
        alone.leaf_high = high;
        for (uint32_t row = 0; row < ROWS; row++) {
            uint8_t value[COLUMNS];
            int32_t all[7], one = 0;
            row_of(&sample, row, value);
            th_ensemble_score_one(&sample.ensemble, value, all);
            th_ensemble_score_one(&alone, value, &one);
            assert_int_equal(all[i], one);
        }
    }
    drop(&sample);
}

int main(void)
{
    enum { ROW_COUNT = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[2 * ROW_COUNT + 3];
    size_t count = 0;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        tests[count++] = (struct CMUnitTest){ rows[i].name, every_way_is_the_same, NULL,
                                              NULL, (void *)(uintptr_t)&rows[i] };
        tests[count++] = (struct CMUnitTest){ rows[i].name, reasons_add_up, NULL, NULL,
                                              (void *)(uintptr_t)&rows[i] };
    }
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(leaves_of_the_ends);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(an_explanation_names_the_column);
    tests[count++] =
        (struct CMUnitTest)cmocka_unit_test(several_outputs_share_the_questions);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
