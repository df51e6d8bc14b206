/* Alignment: the length equals a textbook table, and the pairs increase and have equal
 * words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/segmentation/alignment.h"
#include "outcomes.h"

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Length of a longest common subsequence, by the table. */
static uint32_t longest(const uint64_t *a, uint32_t count_a, const uint64_t *b,
                        uint32_t count_b)
{
    uint32_t *row = calloc((size_t)count_b + 1, sizeof *row);
    for (uint32_t i = 0; i < count_a; i++) {
        uint32_t corner = 0;
        for (uint32_t j = 0; j < count_b; j++) {
            const uint32_t above = row[j + 1];
            const uint32_t best = above > row[j] ? above : row[j];
            row[j + 1] = a[i] == b[j] ? corner + 1 : best;
            corner = above;
        }
    }
    const uint32_t length = row[count_b];
    free(row);
    return length;
}

static uint32_t check(const uint64_t *a, uint32_t count_a, const uint64_t *b,
                      uint32_t count_b)
{
    uint32_t *partner = malloc((count_a + 1) * sizeof *partner);
    uint32_t found = 0, behind = 0;
    assert_int_equal(th_align(a, count_a, b, count_b, partner), TH_OK);
    for (uint32_t i = 0; i < count_a; i++) {
        if (partner[i] == TH_UNALIGNED)
            continue;
        assert_true(partner[i] >= behind && partner[i] < count_b);
        assert_true(a[i] == b[partner[i]]);
        behind = partner[i] + 1;
        found++;
    }
    free(partner);
    return found;
}

static void random_lists(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (int round = 0; round < 300; round++) {
        const uint32_t count_a = (uint32_t)(next_random(&seed) % 200);
        const uint32_t count_b = (uint32_t)(next_random(&seed) % 200);
        const uint64_t alphabet = 1 + next_random(&seed) % 30;
        uint64_t a[200], b[200];
        for (uint32_t i = 0; i < count_a; i++)
            a[i] = next_random(&seed) % alphabet;
        for (uint32_t i = 0; i < count_b; i++)
            b[i] = next_random(&seed) % alphabet;
        assert_int_equal(check(a, count_a, b, count_b), longest(a, count_a, b, count_b));
    }
}

/* Over the table's limit: cut at anchors, or in the middle without anchors. */
static void long_lists(void **state)
{
    enum { COUNT = 24000 };
    uint64_t *a = calloc(COUNT, sizeof *a), *b = calloc(COUNT, sizeof *b);
    uint64_t seed = 3;
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        a[i] = i % 3 ? i : next_random(&seed) % 50;
        b[i] = i % 100 == 17 ? 1u << 30 : a[i]; /* one word of a hundred differs */
    }
    a[0] = 1u << 29; /* nothing to trim */
    a[COUNT - 1] = 1u << 28;
    const uint32_t found = check(a, COUNT, b, COUNT);
    assert_true(found >= COUNT - COUNT / 100 - 4);
    for (uint32_t i = 0; i < COUNT; i++) /* 2,900 words are missing: halves do not fit */
        b[i] = a[i < 100 || i >= COUNT - 2900 ? i : i + 2900];
    b[COUNT - 2901] = 1u << 27; /* no equal end */
    assert_true(check(a, COUNT, b, COUNT - 2900) >= COUNT - 2900 - 10);
    for (uint32_t i = 0; i < COUNT; i++) { /* every word is repeated */
        a[i] = i / 2 % 2;
        b[i] = (i + 1) / 2 % 2;
    }
    assert_true(check(a, COUNT, b, COUNT) >= COUNT / 2);
    free(a);
    free(b);
}

/* Parts of a long page in another order: the longest chain of words that occur once cuts
 * it. */
static void moved_parts(void **state)
{
    enum { COUNT = 24000, PARTS = 60, PART = COUNT / PARTS };
    uint64_t *a = calloc(COUNT, sizeof *a), *b = calloc(COUNT, sizeof *b);
    uint32_t *partner = calloc(COUNT, sizeof *partner);
    struct outcomes all = { .chance = 9 };
    (void)state;
    for (int round = 0; round < 4; round++) {
        uint32_t order[PARTS];
        for (uint32_t i = 0; i < COUNT; i++)
            a[i] = below(&all, 3) ? i + 100 : below(&all, 50);
        for (uint32_t i = 0; i < PARTS; i++)
            order[i] = i;
        for (int swaps = round * 6; swaps > 0; swaps--) {
            const uint32_t one = below(&all, PARTS);
            const uint32_t two = below(&all, PARTS);
            const uint32_t kept = order[one];
            order[one] = order[two];
            order[two] = kept;
        }
        for (uint32_t i = 0; i < COUNT; i++)
            b[i] = a[order[i / PART] * PART + i % PART];
        b[0] = 1u << 30; /* nothing to trim */
        b[COUNT - 1] = 1u << 29;
        (void)check(a, COUNT, b, COUNT);
        assert_int_equal(th_align(a, COUNT, b, COUNT, partner), TH_OK);
        for (uint32_t i = 0; i < COUNT; i++)
            note_number(&all, partner[i]);
    }
    free(a);
    free(b);
    free(partner);
    expect_digest(&all, UINT64_C(0x9EF3197E7319C869));
}

static void edges(void **state)
{
    const uint64_t words[] = { 1, 2, 3 };
    (void)state;
    assert_int_equal(check(words, 0, words, 3), 0);
    assert_int_equal(check(words, 3, words, 0), 0);
    assert_int_equal(check(words, 3, words, 3), 3);
    assert_int_equal(check(words, 1, words + 1, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges),
        cmocka_unit_test(random_lists),
        cmocka_unit_test(long_lists),
        cmocka_unit_test(moved_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
