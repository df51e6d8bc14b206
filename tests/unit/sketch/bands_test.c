/* Band keys. spec/neardup.md §1.3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "thresher/minhash.h"

enum { MOST_SLOTS = 128, MOST_BANDS = 16 };

/* Keys of made-up slots, computed with Python's struct and xxhash. */
static const struct row {
    const char *name, *preset;
    uint32_t band;
    uint8_t key[TH_BAND_KEY_LEN];
} rows[] = {
    { "modern, first",
      "modern",
      0,
      { 0, 0xEC, 0xA3, 0x5F, 0x1D, 0x66, 0x4E, 0x6E, 0xB7 } },
    { "modern, second",
      "modern",
      1,
      { 1, 0x92, 0xBA, 0xCE, 0x2D, 0xCA, 0xE1, 0x69, 0x0B } },
    { "modern, last",
      "modern",
      15,
      { 15, 0xD3, 0x06, 0x8A, 0x2D, 0xE4, 0xAD, 0x04, 0x81 } },
    { "crawl, first", "crawl", 0, { 0, 0x0A, 0xBF, 0x5F, 0x81, 0x0D, 0x3D, 0xA1, 0xE5 } },
    { "crawl, second",
      "crawl",
      1,
      { 1, 0x01, 0xA6, 0x8A, 0x8C, 0x73, 0x94, 0x90, 0x8D } },
    { "crawl, last",
      "crawl",
      13,
      { 13, 0xEC, 0x86, 0x9D, 0xD6, 0x88, 0x57, 0x9A, 0x11 } },
};

static void make_slots(const th_minhash_preset *preset, uint64_t *slots)
{
    for (uint64_t i = 0; i < preset->slots; i++)
        slots[i] = preset->slot_bits == 32 ? (uint32_t)(i * 2654435761u)
                                           : (i + 1) * 0x9E3779B97F4A7C15u;
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    const th_minhash_preset *preset = th_minhash_find(row->preset);
    uint64_t slots[MOST_SLOTS];
    uint8_t keys[MOST_BANDS * TH_BAND_KEY_LEN];
    make_slots(preset, slots);
    const th_signature signature = { slots, preset->slots, 1000 };
    th_minhash_bands(preset, &signature, keys);
    const uint8_t *key = keys + (size_t)row->band * TH_BAND_KEY_LEN;
    assert_memory_equal(key, row->key, TH_BAND_KEY_LEN);
}

static void a_slot_changes_its_band_alone(void **state)
{
    (void)state;
    for (size_t p = 0; th_minhash_presets[p]; p++) {
        const th_minhash_preset *preset = th_minhash_presets[p];
        uint64_t slots[MOST_SLOTS];
        uint8_t before[MOST_BANDS * TH_BAND_KEY_LEN], after[sizeof before];
        make_slots(preset, slots);
        const th_signature signature = { slots, preset->slots, 1000 };
        th_minhash_bands(preset, &signature, before);
        for (uint32_t i = 0; i < preset->bands * preset->rows; i++) {
            slots[i] ^= 1;
            th_minhash_bands(preset, &signature, after);
            slots[i] ^= 1;
            for (uint32_t band = 0; band < preset->bands; band++) {
                const size_t at = (size_t)band * TH_BAND_KEY_LEN;
                const int is_same = memcmp(before + at, after + at, TH_BAND_KEY_LEN) == 0;
                assert_int_equal(is_same, band != i / preset->rows);
            }
        }
    }
}

static void nothing_without_bands_or_signature(void **state)
{
    (void)state;
    uint64_t slots[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    uint8_t keys[MOST_BANDS * TH_BAND_KEY_LEN], untouched[sizeof keys];
    memset(keys, 0xAA, sizeof keys);
    memset(untouched, 0xAA, sizeof untouched);
    const th_signature whole = { slots, 8, 10 }, absent = { NULL, 0, 0 };
    th_minhash_bands(th_minhash_find("paper"), &whole, keys);
    th_minhash_bands(th_minhash_find("modern"), &absent, keys);
    assert_memory_equal(keys, untouched, sizeof keys);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(a_slot_changes_its_band_alone);
    tests[ROWS + 1] =
        (struct CMUnitTest)cmocka_unit_test(nothing_without_bands_or_signature);
    return cmocka_run_group_tests_name("bands", tests, NULL, NULL);
}
