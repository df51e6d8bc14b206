/* The permutation tables of numpy's RandomState(1), equal to corpora/minhash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/sha.h>

#include "sketch/permutations.h"

static const uint64_t prime = ((uint64_t)1 << 61) - 1;

/* clang-format off */
static const struct row {
    const char *name;
    th_permutation_draw *draw;
    uint32_t count;
    uint64_t a[4], b[4];
    const char *a_sha256, *b_sha256; /* of the table as little-endian u64 */
    int is_modular;                  /* else every a is odd */
} rows[] = {
    { "affine32, 16", th_permutations_affine32, 16,
      { 3582191691, 4270784983, 1892572953, 3715639441 },
      { 1704103302, 4018109721, 2314200242, 3634877716 },
      "fefae0135a3b1b69511205d48b2128f82f43466b4c6734af4bbbc0b6990dfb39",
      "27fe4f91c7c3b11079f0c2fc18b86d61c526ead6dc5322368475500991443b52", 0 },
    { "affine32, 128", th_permutations_affine32, 128,
      { 3582191691, 4270784983, 1892572953, 3715639441 },
      { 214548472, 3287733501, 2301657549, 194758406 },
      "7455437e092f9a55b135ed0be698f73ade8d21edb3184c4a4ae92881e997aff9",
      "956c1d089722d4f496716f05382c36ff7fb5c0471a5ecc96a12ab2f4d2208df3", 0 },
    { "affine64, 16", th_permutations_affine64, 16,
      { 15385396165118722519u, 8128538942144784529u, 4219918138050323u, 11154103013428313355u },
      { 7697914927906512855u, 10306008263233258225u, 2589681901302885854u, 3654327366131680342u },
      "2b3d69a4d170460b4556271dd0e1fce5ae051aafa487827d792269d7ec722f99",
      "a021f7c194d38e51747907428636d06a8b2dfeab2746da9111d2b537045ecce5", 0 },
    { "affine64, 128", th_permutations_affine64, 128,
      { 15385396165118722519u, 8128538942144784529u, 4219918138050323u, 11154103013428313355u },
      { 2290593402415132572u, 5150029907034652205u, 10805351306377552756u, 17885884577155464142u },
      "8ba846e5a41f94e1a22c9ccd9eb7ce971a29dfbf9814e78f2226792859983c22",
      "2513f56a605a814beab6b7e915ce73d3eb7eb42ba8ee920defc6ae944d33de86", 0 },
    { "legacy, 16", th_permutations_interleaved, 16,
      { 775169054918279404u, 2109959069025162u, 401325382989534145u, 1130051441076870728u },
      { 1758426461858698312u, 965365488286768773u, 1703346441743126657u, 1762784241922636284u },
      "f9c5c14dc2ee87cf268810449559c8baff6d6e6eace1a3ddfd3d9c229c8d16a6",
      "7a1cfc6272c1f95f3f068ff262d8c168448ce90daf760ca74d597dd919ec484d", 1 },
    { "legacy, 128", th_permutations_interleaved, 128,
      { 775169054918279404u, 2109959069025162u, 401325382989534145u, 1130051441076870728u },
      { 1758426461858698312u, 965365488286768773u, 1703346441743126657u, 1762784241922636284u },
      "0f1a6d14928f7c6bd903cc80a6532738853861e32e58b3227c2e1d4d2370519b",
      "f78a7d883b04f1332b2416789e29849f4b1252a1111b5fc85da68e49e82a2839", 1 },
    { "datatrove, 112", th_permutations_sequential, 112,
      { 775169054918279404u, 1758426461858698313u, 2109959069025162u, 965365488286768774u },
      { 1062448801025099917u, 1324811268927594100u, 1217488311597731462u, 100775521383383736u },
      "646f7c43faa49e0426999bc921979e88d751a279eabdb2d5e2dfb1c1a70a7212",
      "f81eeb8337743ed94fa76566ebdc77b3f4e1bfea5e2365fcecdf81d24b9b1583", 1 },
};
/* clang-format on */

static void assert_sha256(const uint64_t *numbers, uint32_t count, const char *want)
{
    unsigned char bytes[128 * 8], hash[SHA256_DIGEST_LENGTH];
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
        assert_true(row->is_modular
                        ? table.a[i] && table.a[i] < prime && table.b[i] < prime
                        : table.a[i] & 1);
    for (uint32_t i = row->count; i < TH_SLOTS_MAX; i++)
        assert_true(table.a[i] == 0xEEEEEEEEEEEEEEEEu);
}

/* 8 is the start of 128 where a and b take turns, and only there. */
static void only_interleaved_tables_grow(void **state)
{
    (void)state;
    static const struct {
        th_permutation_draw *draw;
        int grows;
    } tables[] = { { th_permutations_interleaved, 1 },
                   { th_permutations_sequential, 0 },
                   { th_permutations_affine32, 0 },
                   { th_permutations_affine64, 0 } };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        th_permutations few, many;
        tables[i].draw(&few, 1, 8);
        tables[i].draw(&many, 1, 128);
        assert_memory_equal(few.a, many.a, sizeof *few.a);
        assert_int_equal(memcmp(few.b, many.b, 8 * sizeof *few.b) == 0, tables[i].grows);
    }
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
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(seeds_differ);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(only_interleaved_tables_grow);
    return cmocka_run_group_tests_name("permutations", tests, NULL, NULL);
}
