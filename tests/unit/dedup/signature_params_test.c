/* src/dedup/signature_params.c: records that are comparable, their common keys, and duplicates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dedup/signature_params.h"

/* A signing with a preset, as the first record of that preset makes it. */
static th_signature_params signed_with(const char *preset, th_compared compared,
                                       double threshold)
{
    th_signature_params params;
    th_record_line record = { .text = { 0 } };
    (void)snprintf(record.words.preset, sizeof record.words.preset, "%s", preset);
    (void)snprintf(record.params, sizeof record.params, "preset=%s", preset);
    th_signature_init(&params, compared, threshold);
    assert_int_equal(th_signature_agree(&params, &record, "a: line 1", NULL), TH_OK);
    return params;
}

static th_signed_row row_of(uint64_t *slots, uint32_t count)
{
    th_signed_row row = { .slots = slots };
    row.head.slot_counts[0] = count;
    row.signatures[0] = (th_signature){ .slots = slots, .slot_count = count };
    return row;
}

/* clang-format off */
static const struct row {
    const char *name, *preset;
    double threshold;
    uint32_t first, second, common; /* values of each and of both */
    bool is_duplicate;
} rows[] = {
    { "paper 4 of 8",            "paper",  0,    8, 8, 4,     true },
    { "paper 3 of 8",            "paper",  0,    8, 8, 3,     false },
    { "paper, both short",       "paper",  0,    3, 3, 2,     true },
    { "paper, one in a long one","paper",  0,    1, 8, 1,     false },
    { "paper, the same one",     "paper",  0,    1, 1, 1,     true },
    { "paper at .75",            "paper",  0.75, 8, 8, 6,     true },
    { "paper under .75",         "paper",  0.75, 8, 8, 5,     false },
    { "modern 103 of 128",       "modern", 0,    128, 128, 103, true },
    { "modern 102 of 128",       "modern", 0,    128, 128, 102, false },
    { "modern at .5",            "modern", 0.5,  128, 128, 64, true },
    { "modern under .5",         "modern", 0.5,  128, 128, 63, false },
};
/* clang-format on */

static void rule_holds(void **state)
{
    const struct row *row = *state;
    const th_signature_params params =
        signed_with(row->preset, TH_COMPARE_MAIN, row->threshold);
    uint64_t a[128], b[128];
    for (uint32_t i = 0; i < 128; i++) {
        a[i] = i + 1;
        b[i] = i < row->common ? i + 1 : i + 1001;
    }
    const th_signed_row left = row_of(a, row->first), right = row_of(b, row->second);
    const th_likeness found = th_signature_compare(&params, &left, &right);
    assert_int_equal(found.is_duplicate, row->is_duplicate);
    const th_likeness turned = th_signature_compare(&params, &right, &left);
    assert_int_equal(turned.is_duplicate, row->is_duplicate);
    assert_true(turned.jaccard == found.jaccard);
}

/* A row depends on its record alone, not on the bytes that were there before. */
static void a_row_has_nothing_of_the_one_before(void **state)
{
    (void)state;
    static const char digits[] = "0000000100000002000000030000000400000005";
    const th_signature_params params = signed_with("paper", TH_COMPARE_EITHER, 0);
    const size_t width = (size_t)2 * params.width, len = th_signature_row_len(&params);
    unsigned char *rows_of[2] = { malloc(len), malloc(len) };
    for (size_t slots = 0; slots <= 2; slots++) { /* of main; nothing of page */
        uint64_t scratch[TH_SLOTS_MAX];
        th_record_line record = { .has_digest = true, .digest = { 3, 4 } };
        record.signatures[TH_SIGN_MAIN] =
            (th_view){ slots ? digits : NULL, slots * width };
        for (int i = 0; i < 2; i++) {
            assert_non_null(rows_of[i]);
            memset(rows_of[i], i ? 0xFF : 0, len);
            assert_int_equal(th_signature_pack(&params, &record, scratch, rows_of[i]),
                             TH_RECORD_NONE);
        }
        assert_memory_equal(rows_of[0], rows_of[1], len);
    }
    free(rows_of[0]);
    free(rows_of[1]);
}

/* Main and page of two records: alike or not; with equal digests or not. */
static void both_and_either(void **state)
{
    (void)state;
    for (unsigned mask = 0; mask < 8; mask++) {
        const bool main_alike = mask & 1, page_alike = mask & 2, is_exact = mask & 4;
        uint64_t a[256], b[256];
        for (unsigned i = 0; i < 256; i++) {
            a[i] = i;
            b[i] = (i < 128 ? main_alike : page_alike) ? i : i + 1000;
        }
        const bool want[] = { [TH_COMPARE_MAIN] = main_alike || is_exact,
                              [TH_COMPARE_BOTH] = (main_alike || is_exact) && page_alike,
                              [TH_COMPARE_EITHER] =
                                  main_alike || page_alike || is_exact };
        static const th_compared compared[] = { TH_COMPARE_MAIN, TH_COMPARE_BOTH,
                                                TH_COMPARE_EITHER };
        for (int i = 0; i < 3; i++) {
            const th_signature_params params = signed_with("modern", compared[i], 0);
            th_signed_row left = row_of(a, 128), right = row_of(b, 128);
            left.signatures[1] = (th_signature){ .slots = a + 128, .slot_count = 128 };
            right.signatures[1] = (th_signature){ .slots = b + 128, .slot_count = 128 };
            left.head.has_digest = right.head.has_digest = is_exact;
            assert_int_equal(th_signature_compare(&params, &left, &right).is_duplicate,
                             want[compared[i]]);
        }
    }
}

/* Known templates, and equality of `distinct` and main. Main counts only if one of the two
 * templates is unknown. */
static void main_counts_where_a_template_is_not_known(void **state)
{
    (void)state;
    for (unsigned mask = 0; mask < 16; mask++) {
        const bool own_alike = mask & 1, main_alike = mask & 2;
        const bool knows_a = mask & 4, knows_b = mask & 8;
        uint64_t a[256], b[256], keys_a[64], keys_b[64];
        th_signature_params params = signed_with("modern", TH_COMPARE_OWN, 0);
        const th_record_line record = {
            .params = "preset=modern",
            .signatures = { [TH_SIGN_DISTINCT] = { "0", 1 } },
        };
        assert_int_equal(th_signature_agree(&params, &record, "a: line 2", NULL), TH_OK);
        assert_int_equal(params.text_count, 2);
        for (unsigned i = 0; i < 256; i++) {
            a[i] = i;
            b[i] = (i < 128 ? own_alike : main_alike) ? i : i + 1000;
        }
        th_signed_row left = row_of(a, 128), right = row_of(b, 128);
        left.signatures[1] = (th_signature){ .slots = a + 128, .slot_count = 128 };
        right.signatures[1] = (th_signature){ .slots = b + 128, .slot_count = 128 };
        left.head.knows_template = knows_a;
        right.head.knows_template = knows_b;
        const bool want = own_alike || (main_alike && !(knows_a && knows_b));
        assert_int_equal(th_signature_compare(&params, &left, &right).is_duplicate, want);
        assert_int_equal(th_signature_compare(&params, &right, &left).is_duplicate, want);
        /* They meet under a key of either text. */
        const size_t count = th_signature_keys(&params, &left, keys_a);
        assert_int_equal(count, 32);
        assert_int_equal(th_signature_keys(&params, &right, keys_b), count);
        bool meet = false;
        for (size_t i = 0; i < count; i++)
            meet |= keys_a[i] == keys_b[i];
        assert_int_equal(meet, own_alike || main_alike);

        /* A record that was made without sites has a main text alone. */
        th_signed_row plain = row_of(b + 128, 128);
        assert_int_equal(th_signature_compare(&params, &left, &plain).is_duplicate,
                         main_alike);
    }
}

static void short_texts_join_by_digest_alone(void **state)
{
    (void)state;
    const th_signature_params params = signed_with("modern", TH_COMPARE_MAIN, 0);
    uint64_t slots[128] = { 0 }, keys[32];
    th_signed_row a = row_of(slots, 128), b = a;
    a.signatures[0].is_short = 1;
    assert_false(th_signature_compare(&params, &a, &b).is_duplicate);
    assert_int_equal(th_signature_keys(&params, &a, keys), 0);
    a.head.has_digest = b.head.has_digest = 1;
    assert_true(th_signature_compare(&params, &a, &b).is_duplicate);
    assert_int_equal(th_signature_keys(&params, &a, keys), 1);
    b.head.digest[1] = 1;
    assert_false(th_signature_compare(&params, &a, &b).is_duplicate);
}

/* Records that agree in one band share a key; in no other case do they. */
static void bands_are_keys(void **state)
{
    (void)state;
    const th_signature_params params = signed_with("modern", TH_COMPARE_MAIN, 0);
    for (uint32_t band = 0; band < 16; band++) {
        uint64_t a[128], b[128], keys_a[32], keys_b[32];
        for (uint32_t i = 0; i < 128; i++) {
            a[i] = i;
            b[i] = i / 8 == band ? i : i + 5000;
        }
        const th_signed_row left = row_of(a, 128), right = row_of(b, 128);
        assert_int_equal(th_signature_keys(&params, &left, keys_a), 16);
        assert_int_equal(th_signature_keys(&params, &right, keys_b), 16);
        for (uint32_t i = 0; i < 16; i++)
            assert_int_equal(keys_a[i] == keys_b[i], i == band);
    }
}

static void packs_and_unpacks(void **state)
{
    (void)state;
    static const struct {
        const char *preset;
        uint32_t slots, width;
    } presets[] = { { "modern", 128, 4 }, { "crawl", 112, 8 }, { "paper", 5, 8 } };
    for (size_t p = 0; p < 3; p++) {
        const th_signature_params params =
            signed_with(presets[p].preset, TH_COMPARE_BOTH, 0);
        char digits[128 * 16 + 1] = "";
        for (uint32_t i = 0; i < presets[p].slots; i++)
            (void)snprintf(digits + strlen(digits), sizeof digits - strlen(digits),
                           "%0*x", (int)presets[p].width * 2, i * 7 + 1);
        th_record_line record = { .has_digest = true, .digest = { 1, 2 } };
        record.signatures[TH_SIGN_PAGE] = (th_view){ digits, strlen(digits) };
        unsigned char *bytes = malloc(th_signature_row_len(&params));
        uint64_t scratch[128], slots[256];
        assert_int_equal(th_signature_pack(&params, &record, scratch, bytes),
                         TH_RECORD_NONE);
        th_signed_row row = { .slots = slots };
        th_signature_unpack(&params, bytes, &row);
        assert_null(row.signatures[0].slots); /* main is not signed */
        assert_int_equal(row.signatures[1].slot_count, presets[p].slots);
        for (uint32_t i = 0; i < presets[p].slots; i++)
            assert_true(row.signatures[1].slots[i] == i * 7 + 1);
        assert_true(row.head.has_digest && row.head.digest[1] == 2);
        row.head.short_texts = 2; /* the second text */
        memcpy(bytes, &row.head, sizeof row.head);
        th_signature_unpack(&params, bytes, &row);
        assert_false(row.signatures[0].is_short);
        assert_true(row.signatures[1].is_short);
        record.signatures[TH_SIGN_PAGE].len -= 2; /* not a whole number of slots */
        assert_int_equal(th_signature_pack(&params, &record, scratch, bytes),
                         TH_RECORD_BAD_MINHASH);
        free(bytes);
    }
}

static void mixing_is_refused_by_name(void **state)
{
    (void)state;
    th_signature_params params = signed_with("modern", TH_COMPARE_MAIN, 0);
    th_record_line other = { .params = "preset=crawl", .words = { .preset = "crawl" } };
    th_record_line seeded = { .params = "preset=modern seed=2",
                              .words = { .preset = "modern",
                                         .numbers = { [TH_SIGNING_SEED] = 2 },
                                         .has_numbers = 1 << TH_SIGNING_SEED } };
    th_record_line same = { .params = "preset=modern w=5 k=128",
                            .words = {
                                .preset = "modern",
                                .numbers = { [TH_SIGNING_W] = 5, [TH_SIGNING_K] = 128 },
                                .has_numbers = 1 << TH_SIGNING_W | 1 << TH_SIGNING_K } };
    th_record_line none = { .text = { 0 } };
    th_error err = { .text = "" };
    assert_int_equal(th_signature_agree(&params, &none, "b: line 1", &err), TH_OK);
    assert_int_equal(th_signature_agree(&params, &same, "b: line 1", &err), TH_OK);
    assert_int_equal(th_signature_agree(&params, &other, "b: line 2", &err), TH_USAGE);
    assert_non_null(strstr(err.text, "a: line 1"));
    assert_non_null(strstr(err.text, "b: line 2"));
    assert_non_null(strstr(err.text, "k 128 and 112"));
    assert_int_equal(th_signature_agree(&params, &seeded, "b: line 3", &err), TH_USAGE);
    assert_non_null(strstr(err.text, "seed 1 and 2"));
    /* The first record itself must mean what its preset means here. */
    th_signature_init(&params, TH_COMPARE_MAIN, 0);
    assert_int_equal(th_signature_agree(&params, &seeded, "c", &err), TH_USAGE);
    th_record_line unknown = { .params = "preset=magic", .words = { .preset = "magic" } };
    assert_int_equal(th_signature_agree(&params, &unknown, "c", &err), TH_USAGE);
    assert_non_null(strstr(err.text, "magic"));
}

/* clang-format off */
static const struct bands_row {
    const char *first, *second;
    th_status want;
    const char *words; /* in the refusal */
} bands_rows[] = {
    { "modern:bands=8x16", "modern:bands=64x2", TH_USAGE, "bands 8x16 and 64x2" },
    { "modern:bands=64x2", "modern:bands=8x16", TH_USAGE, "bands 64x2 and 8x16" },
    { "modern", "modern:bands=16x4", TH_USAGE, "bands 16x8 and 16x4" },
    { "paper-slots", "datasketch2:k=8,w=6,bits=64,hash=xxhash", TH_USAGE, "bands 7x2 and 1x8" },
    { "modern", "modern:bands=16x8", TH_OK, "" },
    { "modern", "datasketch2:hash=xxhash", TH_OK, "" },
};
/* clang-format on */

static void other_bands_are_refused_in_any_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bands_rows / sizeof *bands_rows; i++) {
        const struct bands_row *row = &bands_rows[i];
        th_signature_params params = signed_with(row->first, TH_COMPARE_MAIN, 0);
        th_record_line other = { .params = "another" };
        th_error err = { .text = "" };
        (void)snprintf(other.words.preset, sizeof other.words.preset, "%s", row->second);
        assert_int_equal(th_signature_agree(&params, &other, "b: line 2", &err),
                         row->want);
        assert_non_null(strstr(err.text, row->words));
        assert_true(row->want == TH_OK ||
                    strstr(err.text, "'a: line 1' and 'b: line 2'"));
    }
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 8];
    size_t count = 0;
    for (; count < ROWS; count++)
        tests[count] = (struct CMUnitTest){ rows[count].name, rule_holds, NULL, NULL,
                                            (void *)(uintptr_t)&rows[count] };
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(both_and_either);
    tests[count++] =
        (struct CMUnitTest)cmocka_unit_test(main_counts_where_a_template_is_not_known);
    tests[count++] =
        (struct CMUnitTest)cmocka_unit_test(short_texts_join_by_digest_alone);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(bands_are_keys);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(packs_and_unpacks);
    tests[count++] =
        (struct CMUnitTest)cmocka_unit_test(a_row_has_nothing_of_the_one_before);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(mixing_is_refused_by_name);
    tests[count++] =
        (struct CMUnitTest)cmocka_unit_test(other_bands_are_refused_in_any_order);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
