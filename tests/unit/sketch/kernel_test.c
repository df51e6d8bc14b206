/* Kernels: the fast kernels, the portable kernels and the formula agree in every bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sketch/kernel_affine.h"
#include "sketch/kernel_bottom.h"
#include "sketch/kernel_modular.h"

/* Canaries on both sides of the slots. */
enum { CANARIES = 2, MOST_SLOTS = 130 };
static const uint64_t canary = 0xC0FFEE;

struct slots {
    uint64_t values[MOST_SLOTS + 2 * CANARIES];
    uint32_t filled;
};

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed ^ (*seed >> 29);
}

/* Random hashes with the ends of the range and repeats among them, in exact-size memory.
 */
static uint64_t *random_hashes(uint64_t *seed, size_t count)
{
    static const uint64_t ends[] = { 0,          1,
                                     UINT32_MAX, (uint64_t)UINT32_MAX + 1,
                                     INT64_MAX,  (uint64_t)INT64_MAX + 1,
                                     UINT64_MAX };
    uint64_t *hashes = malloc(count ? count * sizeof *hashes : 1);
    assert_non_null(hashes);
    for (size_t i = 0; i < count; i++) {
        const uint64_t dice = next_random(seed) >> 40;
        hashes[i] = next_random(seed);
        if (dice % 16 == 0)
            hashes[i] = ends[dice / 16 % (sizeof ends / sizeof *ends)];
        else if (dice % 16 == 1 && i)
            hashes[i] = hashes[dice / 16 % i];
    }
    return hashes;
}

/* In calls of at most `step` hashes. */
static struct slots run(th_kernel *kernel, const th_permutations *table,
                        uint32_t capacity, const uint64_t *hashes, size_t count,
                        size_t step)
{
    struct slots out;
    for (size_t i = 0; i < sizeof out.values / sizeof *out.values; i++)
        out.values[i] = canary;
    th_sketch sketch = { .table = table,
                         .slots = out.values + CANARIES,
                         .capacity = capacity };
    size_t at = 0;
    do {
        const size_t n = count - at < step ? count - at : step;
        kernel(&sketch, hashes + at, n);
        at += n;
    } while (at < count);
    out.filled = sketch.filled;
    for (uint32_t i = 0; i < CANARIES; i++) {
        assert_true(out.values[i] == canary);
        assert_true(out.values[CANARIES + capacity + i] == canary);
    }
    return out;
}

static void assert_same(const struct slots *a, const struct slots *b, uint32_t capacity)
{
    assert_int_equal(a->filled, b->filled);
    assert_memory_equal(a->values, b->values, (capacity + CANARIES) * sizeof *a->values);
}

static uint64_t affine32_value(uint64_t a, uint64_t b, uint64_t hash)
{
    uint32_t h = (uint32_t)hash;
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    h = (h ^ h >> 13) * 0xC2B2AE35u;
    h ^= h >> 16;
    return (a * h + b) & UINT32_MAX;
}

static uint64_t affine64_value(uint64_t a, uint64_t b, uint64_t h)
{
    h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDu;
    h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53u;
    h ^= h >> 33;
    return a * h + b;
}

/* By division, as numpy has it. */
static uint64_t modular64_value(uint64_t a, uint64_t b, uint64_t hash)
{
    return (a * hash + b) % (((uint64_t)1 << 61) - 1);
}

static uint64_t modular32_value(uint64_t a, uint64_t b, uint64_t hash)
{
    return modular64_value(a, b, hash & UINT32_MAX) & UINT32_MAX;
}

/* Not only what numpy draws: P - 1, P, 2^64 - 1 and so on, so that v is at every
 * border. */
static void draw_borders(th_permutations *table, uint32_t seed, uint32_t count)
{
    static const uint64_t borders[] = { 0,
                                        1,
                                        2,
                                        7,
                                        8,
                                        ((uint64_t)1 << 61) - 2,
                                        ((uint64_t)1 << 61) - 1,
                                        (uint64_t)1 << 61,
                                        ((uint64_t)1 << 62) - 2,
                                        ((uint64_t)1 << 62) - 1,
                                        UINT64_MAX - 8,
                                        UINT64_MAX - 7,
                                        UINT64_MAX - 6,
                                        UINT64_MAX };
    uint64_t state = seed;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t dice = next_random(&state) >> 32;
        table->a[i] = borders[dice % (sizeof borders / sizeof *borders)];
        table->b[i] = borders[dice / 64 % (sizeof borders / sizeof *borders)];
    }
}

/* clang-format off */
static const struct row {
    const char *name;
    th_kernel *fast, *portable;
    th_permutation_draw *draw;
    uint64_t (*value)(uint64_t a, uint64_t b, uint64_t hash);
    uint64_t largest;
} rows[] = {
    { "affine32", th_affine32, th_affine32_portable, th_permutations_affine32, affine32_value, UINT32_MAX },
    { "affine64", th_affine64, th_affine64_portable, th_permutations_affine64, affine64_value, UINT64_MAX },
    { "modular32", th_modular32, th_modular32_portable, th_permutations_interleaved, modular32_value, UINT32_MAX },
    { "modular64", th_modular64, th_modular64_portable, th_permutations_sequential, modular64_value,
      ((uint64_t)1 << 61) - 1 },
    { "modular32, borders", th_modular32, th_modular32_portable, draw_borders, modular32_value, UINT32_MAX },
    { "modular64, borders", th_modular64, th_modular64_portable, draw_borders, modular64_value,
      ((uint64_t)1 << 61) - 1 },
};
/* clang-format on */

static struct slots by_formula(const struct row *row, const th_permutations *table,
                               uint32_t capacity, const uint64_t *hashes, size_t count)
{
    struct slots out = { .filled = capacity };
    for (size_t i = 0; i < sizeof out.values / sizeof *out.values; i++)
        out.values[i] = canary;
    for (uint32_t s = 0; s < capacity; s++) {
        uint64_t low = row->largest;
        for (size_t i = 0; i < count; i++) {
            const uint64_t value = row->value(table->a[s], table->b[s], hashes[i]);
            low = value < low ? value : low;
        }
        out.values[CANARIES + s] = low;
    }
    return out;
}

static void twins_agree(const struct row *row, uint32_t capacity, size_t count,
                        uint64_t *seed)
{
    th_permutations table;
    row->draw(&table, (uint32_t)next_random(seed), capacity);
    uint64_t *hashes = random_hashes(seed, count);
    const struct slots want = by_formula(row, &table, capacity, hashes, count);
    const struct slots fast = run(row->fast, &table, capacity, hashes, count, count + 1);
    const struct slots plain =
        run(row->portable, &table, capacity, hashes, count, count + 1);
    const struct slots parts = run(row->fast, &table, capacity, hashes, count, 7);
    assert_same(&fast, &want, capacity);
    assert_same(&plain, &want, capacity);
    assert_same(&parts, &want, capacity);
    free(hashes);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    uint64_t seed = 1;
    for (uint32_t capacity = 1; capacity <= MOST_SLOTS;
         capacity++) /* all lengths, modulo any group */
        twins_agree(row, capacity, capacity % 37, &seed);
    for (size_t count = 0; count <= 70; count++)
        twins_agree(row, 112, count, &seed);
    static const size_t counts[] = { 511, 512, 513, 1023, 1024, 1025, 3000 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        twins_agree(row, 128, counts[i], &seed);
}

static int order(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void bottom_k_is_the_start_of_the_sorted_set(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t count = 0; count < 300; count++) {
        const uint32_t capacity = 1 + (uint32_t)(count % 16);
        uint64_t *hashes = random_hashes(&seed, count);
        const struct slots whole =
            run(th_bottom_k, NULL, capacity, hashes, count, count + 1);
        const struct slots parts = run(th_bottom_k, NULL, capacity, hashes, count, 3);
        assert_same(&whole, &parts, capacity);
        if (count)
            qsort(hashes, count, sizeof *hashes, order);
        uint32_t distinct = 0;
        for (size_t i = 0; i < count && distinct < capacity; i++)
            if (i == 0 || hashes[i] != hashes[i - 1])
                assert_true(whole.values[CANARIES + distinct++] == hashes[i]);
        assert_int_equal(whole.filled, distinct);
        free(hashes);
    }
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    tests[ROWS] =
        (struct CMUnitTest)cmocka_unit_test(bottom_k_is_the_start_of_the_sorted_set);
    return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
