/* The permutation tables of numpy's RandomState(1), as corpora/minhash has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/sha.h>

#include "sketch/permutations.h"

/* clang-format off */
static const struct row {
    const char *name;
    th_permutation_draw *draw;
    uint32_t count;
    uint64_t a[4], b[4];
    const char *a_sha256, *b_sha256; /* of the table as little-endian u64 */
} rows[] = {
    { "affine32, 16", th_permutations_affine32, 16,
      { 3582191691, 4270784983, 1892572953, 3715639441 },
      { 1704103302, 4018109721, 2314200242, 3634877716 },
      "fefae0135a3b1b69511205d48b2128f82f43466b4c6734af4bbbc0b6990dfb39",
      "27fe4f91c7c3b11079f0c2fc18b86d61c526ead6dc5322368475500991443b52" },
    { "affine32, 128", th_permutations_affine32, 128,
      { 3582191691, 4270784983, 1892572953, 3715639441 },
      { 214548472, 3287733501, 2301657549, 194758406 },
      "7455437e092f9a55b135ed0be698f73ade8d21edb3184c4a4ae92881e997aff9",
      "956c1d089722d4f496716f05382c36ff7fb5c0471a5ecc96a12ab2f4d2208df3" },
    { "affine64, 16", th_permutations_affine64, 16,
      { 15385396165118722519u, 8128538942144784529u, 4219918138050323u, 11154103013428313355u },
      { 7697914927906512855u, 10306008263233258225u, 2589681901302885854u, 3654327366131680342u },
      "2b3d69a4d170460b4556271dd0e1fce5ae051aafa487827d792269d7ec722f99",
      "a021f7c194d38e51747907428636d06a8b2dfeab2746da9111d2b537045ecce5" },
    { "affine64, 128", th_permutations_affine64, 128,
      { 15385396165118722519u, 8128538942144784529u, 4219918138050323u, 11154103013428313355u },
      { 2290593402415132572u, 5150029907034652205u, 10805351306377552756u, 17885884577155464142u },
      "8ba846e5a41f94e1a22c9ccd9eb7ce971a29dfbf9814e78f2226792859983c22",
      "2513f56a605a814beab6b7e915ce73d3eb7eb42ba8ee920defc6ae944d33de86" },
};
/* clang-format on */

static void assert_sha256(const uint64_t *numbers, uint32_t count, const char *want)
{
    unsigned char bytes[TH_SLOTS_MAX * 8], hash[SHA256_DIGEST_LENGTH];
    char hex[2 * SHA256_DIGEST_LENGTH + 1];
    for (uint32_t i = 0; i < count * 8; i++)
        bytes[i] = (unsigned char)(numbers[i / 8] >> (i % 8 * 8));
    SHA256(bytes, (size_t)count * 8, hash);
    for (size_t i = 0; i < sizeof hash; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    assert_string_equal(hex, want);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_permutations table;
    memset(&table, 0xEE, sizeof table);
    row->draw(&table, 1, row->count);
    assert_memory_equal(table.a, row->a, sizeof row->a);
    assert_memory_equal(table.b, row->b, sizeof row->b);
    assert_sha256(table.a, row->count, row->a_sha256);
    assert_sha256(table.b, row->count, row->b_sha256);
    for (uint32_t i = 0; i < row->count; i++)
        assert_true(table.a[i] & 1);
    for (uint32_t i = row->count; i < TH_SLOTS_MAX; i++)
        assert_true(table.a[i] == 0xEEEEEEEEEEEEEEEEu);
}

static void seeds_differ(void **state)
{
    (void)state;
    th_permutations one, two;
    th_permutations_affine32(&one, 1, 8);
    th_permutations_affine32(&two, 2, 8);
    assert_memory_not_equal(one.a, two.a, 8 * sizeof *one.a);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(seeds_differ);
    return cmocka_run_group_tests_name("permutations", tests, NULL, NULL);
}
