/* Presets from names and back, and comparable presets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "thresher/minhash.h"

/* Names of a preset, its parameters, and its shortest name (NULL if the same). */
/* clang-format off */
static const struct row {
    const char *words, *scheme;
    uint32_t w, k, bits, bands, rows, seed;
    const char *shortest;
} rows[] = {
    { "paper", "bottom-xxh3_64", 6, 8, 64, 8, 1, 0, NULL },
    { "paper-slots", "affine64-xxh3_64", 6, 8, 64, 7, 2, 1, NULL },
    { "modern", "affine32-xxh3_64", 5, 128, 32, 16, 8, 1, NULL },
    { "modern:bands=32x4", "affine32-xxh3_64", 5, 128, 32, 32, 4, 1, NULL },
    { "crawl", "affine64-xxh3_64", 5, 112, 64, 14, 8, 1, NULL },
    { "crawl:bands=14x8", "affine64-xxh3_64", 5, 112, 64, 14, 8, 1, "crawl" },
    { "datasketch1", "legacy-sha1", 5, 128, 32, 16, 8, 1, NULL },
    { "datasketch1:k=256,w=3,seed=0", "legacy-sha1", 3, 256, 32, 32, 8, 0, NULL },
    { "datasketch1:k=4", "legacy-sha1", 5, 4, 32, 1, 4, 1, NULL },
    { "datasketch1:k=1024,bands=256x4", "legacy-sha1", 5, 1024, 32, 256, 4, 1, NULL },
    { "datasketch2", "affine32-sha1", 5, 128, 32, 16, 8, 1, NULL },
    { "datasketch2:bits=64", "affine64-sha1", 5, 128, 64, 16, 8, 1, NULL },
    { "datasketch2:hash=xxhash,bits=64", "affine64-xxh3_64", 5, 128, 64, 16, 8, 1,
      "datasketch2:bits=64,hash=xxhash" },
    { "datasketch2:seed=4294967295,k=100,w=32,bands=50x2,bits=32,hash=sha1", "affine32-sha1",
      32, 100, 32, 50, 2, 4294967295u, "datasketch2:k=100,w=32,seed=4294967295,bands=50x2" },
    { "datatrove", "datatrove64-xxh64", 5, 112, 64, 14, 8, 1, NULL },
    { "datatrove:bands=20x5", "datatrove64-xxh64", 5, 100, 64, 20, 5, 1, NULL },
    { "datatrove:bits=32", "datatrove32-xxh32", 5, 112, 32, 14, 8, 1, NULL },
    { "datatrove:bits=32,hash=sha1", "datatrove32-sha1", 5, 112, 32, 14, 8, 1, NULL },
    { "textdedup", "textdedup-xxh3_64", 5, 128, 32, 16, 8, 42, NULL },
    { "textdedup:k=250,hash=sha1,bands=25x10", "textdedup-sha1", 5, 250, 32, 25, 10, 42, NULL },
};

/* Words that name none, and a piece of the message. */
static const struct bad {
    const char *words, *why;
} bad[] = {
    { "", "unknown minhash preset ''" },
    { "minhash", "unknown minhash preset 'minhash'" },
    { "Modern", "unknown minhash preset 'Modern'" },
    { "modern ", "unknown minhash preset 'modern '" },
    { "none:k=8", "unknown minhash preset 'none'" },
    { "modern:", "is not a parameter (expected key=value)" },
    { "modern:k=64", "'modern': its k is fixed" },
    { "modern:seed=2", "its seed is fixed" },
    { "paper:bands=4x2", "its bands is fixed" },
    { "datatrove:k=100", "its k is fixed by its bands" },
    { "datasketch1:bits=64", "its bits is fixed" },
    { "datasketch1:k=0", "k is '0' (expected 1 to 1024)" },
    { "datasketch1:k=1025", "expected 1 to 1024" },
    { "datasketch1:k=-8", "expected 1 to 1024" },
    { "datasketch1:k=8x", "expected 1 to 1024" },
    { "datasketch1:k=18446744073709551624", "expected 1 to 1024" },
    { "datasketch1:w=33", "w is '33' (expected 1 to 32)" },
    { "datasketch1:seed=4294967296", "seed is '4294967296' (expected 0 to 4294967295)" },
    { "datasketch1:k=8,k=8", "k is given twice" },
    { "datasketch1:k=8,,w=5", "is not a parameter (expected key=value)" },
    { "datasketch1:k=8,", "is not a parameter (expected key=value)" },
    { "datasketch1:k", "'k' is not a parameter" },
    { "datasketch1:k=", "'k=' is not a parameter" },
    { "datasketch1:slots=8", "unknown parameter 'slots'; expected one of: k" },
    { "datasketch1:k=16,bands=3x8", "3 bands of 8 rows exceed the 16 slots of the preset" },
    { "datasketch1:bands=16", "expected NUMBERxROWS" },
    { "datasketch1:bands=16x", "expected NUMBERxROWS" },
    { "datasketch1:bands=257x1", "expected NUMBERxROWS, at most 256" },
    { "datasketch2:bits=48", "bits is '48' (expected 32 or 64)" },
    { "datasketch2:hash=md5", "hash is 'md5' (expected xxhash or sha1)" },
    { "datatrove:bands=256x8", "256 bands of 8 rows exceed 1024 slots" },
};
/* clang-format on */

static th_minhash_preset parse(const char *words)
{
    th_minhash_preset preset;
    th_error err = { .text = "" };
    if (th_minhash_parse(words, &preset, &err) != TH_OK)
        fail_msg("%s", err.text);
    return preset;
}

static void words_name_a_preset(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        const th_minhash_preset preset = parse(row->words);
        assert_string_equal(preset.scheme, row->scheme);
        assert_int_equal(preset.shingle, row->w);
        assert_int_equal(preset.slots, row->k);
        assert_int_equal(preset.slot_bits, row->bits);
        assert_int_equal(preset.bands, row->bands);
        assert_int_equal(preset.rows, row->rows);
        assert_int_equal(preset.seed, row->seed);
        assert_int_equal(preset.tokenizer, TH_TOKENIZER_VERSION);
        char words[TH_MINHASH_NAME_MAX];
        th_minhash_print(&preset, words);
        assert_string_equal(words, row->shortest ? row->shortest : row->words);
        const th_minhash_preset again = parse(words);
        assert_int_equal(again.bands, preset.bands);
        assert_int_equal(th_minhash_check_same(&preset, "a", &again, "b", NULL), TH_OK);
    }
}

static void other_words_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        th_minhash_preset preset = { .slots = 7 };
        th_error err = { .text = "" };
        assert_int_equal(th_minhash_parse(bad[i].words, &preset, &err), TH_USAGE);
        if (!strstr(err.text, bad[i].why))
            fail_msg("'%s': %s", bad[i].words, err.text);
        assert_int_equal(preset.slots, 7);
    }
    th_minhash_preset preset;
    assert_int_equal(th_minhash_parse("none", &preset, NULL), TH_NOT_WANTED);
}

static void every_preset_goes_by_its_name(void **state)
{
    (void)state;
    for (size_t i = 0; th_minhash_presets[i]; i++) {
        const th_minhash_preset *preset = th_minhash_presets[i];
        assert_ptr_equal(th_minhash_find(preset->name), preset);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(th_minhash_presets[k]->name, preset->name);
        const th_minhash_preset parsed = parse(preset->name);
        assert_string_equal(parsed.scheme, preset->scheme);
        assert_int_equal(parsed.keys, preset->keys);
        assert_int_equal(parsed.bands, preset->bands);
    }
}

static void the_same_by_another_name(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        { "modern", "modern:bands=32x4" },
        { "modern", "datasketch2:hash=xxhash" },
        { "crawl", "datasketch2:hash=xxhash,bits=64,k=112" },
        { "paper-slots", "datasketch2:hash=xxhash,bits=64,k=8,w=6" },
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const th_minhash_preset a = parse(same[i][0]), b = parse(same[i][1]);
        assert_int_equal(th_minhash_check_same(&a, "a", &b, "b", NULL), TH_OK);
    }
}

static void what_differs_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *why;
    } different[] = {
        { "modern", "datasketch2", "scheme affine32-xxh3_64 and affine32-sha1" },
        { "datasketch1", "datasketch1:seed=2", "seed 1 and 2" },
        { "datasketch1", "datasketch1:w=6", "w 5 and 6" },
        { "datasketch1", "datasketch1:k=64", "k 128 and 64" },
        { "datasketch1:k=64,seed=3", "datasketch1", "seed 3 and 1, k 64 and 128" },
        { "modern", "paper",
          "scheme affine32-xxh3_64 and bottom-xxh3_64, seed 1 and 0, w 5 and 6, k 128 "
          "and "
          "8, bits 32 and 64" },
    };
    for (size_t i = 0; i < sizeof different / sizeof *different; i++) {
        const th_minhash_preset a = parse(different[i].a), b = parse(different[i].b);
        th_error err = { .text = "" };
        assert_int_equal(th_minhash_check_same(&a, "index", &b, "a.jsonl", &err),
                         TH_USAGE);
        char want[256] = "signatures of 'index' and 'a.jsonl' cannot be compared: ";
        strcat(want, different[i].why);
        assert_string_equal(err.text, want);
    }
    const th_minhash_preset ours = parse("modern");
    th_minhash_preset old = ours;
    old.tokenizer = 0;
    th_error err = { .text = "" };
    assert_int_equal(th_minhash_check_same(&ours, "a", &old, "b", &err), TH_USAGE);
    assert_non_null(strstr(err.text, ": tokenizer 1 and 0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_name_a_preset),
        cmocka_unit_test(other_words_are_refused),
        cmocka_unit_test(every_preset_goes_by_its_name),
        cmocka_unit_test(the_same_by_another_name),
        cmocka_unit_test(what_differs_is_named),
    };
    return cmocka_run_group_tests_name("preset", tests, NULL, NULL);
}
