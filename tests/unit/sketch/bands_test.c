/* Band keys. docs/near-duplicates.md#band-keys */
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
    const th_signature signature = { slots, preset->slots, 1000, 0 };
    th_minhash_bands(preset, &signature, keys);
    const uint8_t *key = keys + (size_t)row->band * TH_BAND_KEY_LEN;
    assert_memory_equal(key, row->key, TH_BAND_KEY_LEN);
}

/* Whether the slot is in the band: in rows that follow one another, or in a pair. */
static int is_in_band(const th_minhash_preset *preset, uint32_t slot, uint32_t band)
{
    static const char *const pairs[] = { "01", "02", "12", "34", "35", "45", "67" };
    return preset->keys == TH_KEYS_PAIRS ? strchr(pairs[band], (int)('0' + slot)) != NULL
                                         : band == slot / preset->rows;
}

static void a_slot_changes_its_bands_alone(void **state)
{
    (void)state;
    for (size_t p = 0; th_minhash_presets[p]; p++) {
        const th_minhash_preset *preset = th_minhash_presets[p];
        uint64_t slots[MOST_SLOTS];
        uint8_t before[MOST_BANDS * TH_BAND_KEY_LEN], after[sizeof before];
        make_slots(preset, slots);
        const th_signature signature = { slots, preset->slots, 1000, 0 };
        assert_int_equal(th_minhash_bands(preset, &signature, before), preset->bands);
        for (uint32_t i = 0; i < preset->slots; i++) {
            slots[i] ^= 1;
            th_minhash_bands(preset, &signature, after);
            slots[i] ^= 1;
            for (uint32_t band = 0; band < preset->bands; band++) {
                const size_t at = (size_t)band * TH_BAND_KEY_LEN;
                const int is_same = memcmp(before + at, after + at, TH_BAND_KEY_LEN) == 0;
                assert_int_equal(is_same, !is_in_band(preset, i, band));
            }
        }
    }
}

static int share_a_key(const th_minhash_preset *preset, const th_signature *a,
                       const th_signature *b)
{
    uint8_t a_keys[MOST_BANDS * TH_BAND_KEY_LEN], b_keys[sizeof a_keys];
    const uint32_t a_count = th_minhash_bands(preset, a, a_keys);
    const uint32_t b_count = th_minhash_bands(preset, b, b_keys);
    for (uint32_t i = 0; i < a_count; i++)
        for (uint32_t k = 0; k < b_count; k++)
            if (memcmp(a_keys + i * TH_BAND_KEY_LEN, b_keys + k * TH_BAND_KEY_LEN,
                       TH_BAND_KEY_LEN) == 0)
                return 1;
    return 0;
}

/* All 256 ways in which slots of two signatures can agree. */
static void four_equal_slots_share_a_key_of_paper_slots(void **state)
{
    (void)state;
    const th_minhash_preset *preset = th_minhash_find("paper-slots");
    uint32_t missed = 0;
    for (unsigned equal = 0; equal < 256; equal++) {
        uint64_t a[8], b[8];
        for (unsigned i = 0; i < 8; i++) {
            a[i] = i;
            b[i] = equal >> i & 1 ? i : 100 + i;
        }
        const th_signature x = { a, 8, 50, 0 }, y = { b, 8, 50, 0 };
        const int is_found = share_a_key(preset, &x, &y);
        assert_true(is_found || __builtin_popcount(equal) < 4);
        missed += !is_found && __builtin_popcount(equal) == 3;
    }
    assert_true(missed > 0); /* three equal slots are not a duplicate and may be missed */
}

/* For any position of the value in both. */
static void one_common_value_is_a_key_of_paper(void **state)
{
    (void)state;
    const th_minhash_preset *preset = th_minhash_find("paper");
    const uint64_t a[] = { 1, 3, 5, 7, 9, 11, 13, 15 };
    for (unsigned at = 0; at < 8; at++) {
        uint64_t b[] = { 0, 2, 4, 6, 8, 10, 12, 14 };
        const th_signature x = { a, 8, 50, 0 }, y = { b, 8, 50, 0 };
        const th_signature fewer = { b, at + 1, at + 1, 0 };
        assert_false(share_a_key(preset, &x, &y));
        b[at] = 7;
        assert_true(share_a_key(preset, &x, &y));
        assert_true(share_a_key(preset, &x, &fewer));
        uint8_t keys[MOST_BANDS * TH_BAND_KEY_LEN];
        assert_int_equal(th_minhash_bands(preset, &fewer, keys), at + 1);
    }
}

static void none_for_what_is_absent_or_short(void **state)
{
    (void)state;
    uint64_t slots[MOST_SLOTS] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    uint8_t keys[MOST_BANDS * TH_BAND_KEY_LEN], untouched[sizeof keys];
    memset(keys, 0xAA, sizeof keys);
    memset(untouched, 0xAA, sizeof untouched);
    for (size_t p = 0; th_minhash_presets[p]; p++) {
        const th_signature absent = { NULL, 0, 0, 0 };
        const th_signature brief = { slots, th_minhash_presets[p]->slots, 1, 1 };
        assert_int_equal(th_minhash_bands(th_minhash_presets[p], &absent, keys), 0);
        assert_int_equal(th_minhash_bands(th_minhash_presets[p], &brief, keys), 0);
    }
    assert_memory_equal(keys, untouched, sizeof keys);
}

static void low_bits_of_slots(void **state)
{
    (void)state;
    static const uint64_t slots[] = { 0xABCDEF12, 0x34, 0xFFFFFFFFFFFFFFF0u, 0x87, 0x9 };
    const th_signature signature = { slots, 5, 100, 0 };
    static const uint8_t eight[] = { 0x12, 0x34, 0xF0, 0x87, 0x09 };
    static const uint8_t four[] = { 0x24, 0x07, 0x90 };
    uint8_t out[8];
    assert_int_equal(TH_LOW_BITS_LEN(5, 8), sizeof eight);
    th_minhash_low_bits(&signature, 8, out);
    assert_memory_equal(out, eight, sizeof eight);
    assert_int_equal(TH_LOW_BITS_LEN(5, 4), sizeof four);
    memset(out, 0xEE, sizeof out);
    th_minhash_low_bits(&signature, 4, out);
    assert_memory_equal(out, four, sizeof four);
    assert_int_equal(out[sizeof four], 0xEE);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    const struct CMUnitTest properties[] = {
        cmocka_unit_test(a_slot_changes_its_bands_alone),
        cmocka_unit_test(four_equal_slots_share_a_key_of_paper_slots),
        cmocka_unit_test(one_common_value_is_a_key_of_paper),
        cmocka_unit_test(low_bits_of_slots),
        cmocka_unit_test(none_for_what_is_absent_or_short),
    };
    enum { PROPERTIES = sizeof properties / sizeof *properties };
    struct CMUnitTest tests[PROPERTIES + ROWS];
    memcpy(tests, properties, sizeof properties);
    for (size_t i = 0; i < ROWS; i++)
        tests[PROPERTIES + i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    return cmocka_run_group_tests_name("bands", tests, NULL, NULL);
}
