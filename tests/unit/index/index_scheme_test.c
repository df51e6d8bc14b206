/*
 * src/index/index_scheme.c: schemes of all presets, the comparison with a stored scheme,
 * and the similarity of random signatures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "index/index_scheme.h"
#include "outcomes.h"

enum { ROUNDS = 200, BYTES_MAX = TH_SLOTS_MAX * 8 };

static const uint32_t kept[] = { 0, 8, 16, 32, 64 };

/* The kept bits, sizes and printed lines of a scheme. */
static void each_preset_gives_its_scheme(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 1 };
    for (size_t i = 0; th_minhash_presets[i]; i++)
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            for (uint32_t other = TH_SIGN_MAIN; other <= TH_SIGN_COUNT; other++) {
                th_index_scheme scheme;
                th_buffer text = { 0 };
                th_error err = { 0 };
                const th_status status = th_index_scheme_init(
                    &scheme, th_minhash_presets[i], TH_SIGN_MAIN, other, kept[k], &err);
                note_line(&all, "%d %s", (int)status, err.text);
                if (status != TH_OK)
                    continue;
                th_index_scheme_print(&scheme, &text);
                note_view(&all, th_buffer_view(&text));
                note_line(&all, "%u texts, %u keys, %zu bytes, digest %" PRIx64,
                          scheme.text_count, scheme.key_count, scheme.signature_len,
                          th_index_scheme_digest(&scheme));
                assert_int_equal(
                    th_index_scheme_check(&scheme, th_buffer_view(&text), &err), TH_OK);
                th_buffer_done(&text);
            }
    expect_digest(&all, UINT64_C(0x1D51B72A0AB50AD5));
}

static void a_set_keeps_its_complete_values(void **state)
{
    (void)state;
    th_index_scheme scheme;
    assert_int_equal(th_index_scheme_init(&scheme, th_minhash_find("paper"), TH_SIGN_MAIN,
                                          TH_SIGN_COUNT, 8, NULL),
                     TH_OK);
    assert_int_equal(scheme.kept_bits, 64);
    assert_int_equal(scheme.signature_len, 8 * 8);
}

static void a_preset_without_bands_is_refused(void **state)
{
    (void)state;
    th_minhash_preset preset = *th_minhash_find("modern");
    th_index_scheme scheme;
    th_error err = { 0 };
    preset.bands = 0;
    assert_int_equal(
        th_index_scheme_init(&scheme, &preset, TH_SIGN_MAIN, TH_SIGN_COUNT, 0, &err),
        TH_USAGE);
    assert_string_equal(err.text,
                        "minhash preset 'modern' has no band keys, which an index needs");
    assert_int_equal(
        th_index_scheme_init(&scheme, NULL, TH_SIGN_MAIN, TH_SIGN_COUNT, 0, &err),
        TH_USAGE);
    assert_string_equal(err.text,
                        "minhash preset 'none' has no band keys, which an index needs");
}

/* One line of a stored scheme is cut, changed, missing or doubled. */
static void a_changed_scheme_is_refused(void **state)
{
    (void)state;
    struct outcomes all = { .chance = 2 };
    th_index_scheme scheme;
    th_buffer text = { 0 };
    assert_int_equal(th_index_scheme_init(&scheme, th_minhash_find("crawl"), TH_SIGN_MAIN,
                                          TH_SIGN_CONTENT, 16, NULL),
                     TH_OK);
    th_index_scheme_print(&scheme, &text);
    for (size_t at = 0; at < text.len; at++) {
        th_error err = { 0 };
        const th_view cut = { text.data, at };
        note_line(&all, "cut %d %s", (int)th_index_scheme_check(&scheme, cut, &err),
                  err.text);
        const char before = text.data[at];
        text.data[at] = before == 'x' ? 'y' : 'x';
        assert_int_equal(th_index_scheme_check(&scheme, th_buffer_view(&text), &err),
                         TH_USAGE);
        note_line(&all, "changed %s", err.text);
        text.data[at] = before;
    }
    th_buffer_printf(&text, "more = 1\n");
    th_error err = { 0 };
    assert_int_equal(th_index_scheme_check(&scheme, th_buffer_view(&text), &err),
                     TH_USAGE);
    note_text(&all, err.text);
    th_buffer_done(&text);
    expect_digest(&all, UINT64_C(0xF10BB7B2093053B1));
}

/* Sorted values, some of them common to both sets; bytes of few values for slots. */
static void fill(struct outcomes *all, const th_index_scheme *scheme, uint64_t *a,
                 uint64_t *b)
{
    uint8_t *const left = (uint8_t *)a, *const right = (uint8_t *)b;
    for (size_t i = 0; i < scheme->signature_len; i++) {
        left[i] = (uint8_t)below(all, 2);
        right[i] = below(all, 3) ? left[i] : (uint8_t)below(all, 2);
    }
    if (!scheme->preset.is_bottom_k)
        return;
    uint64_t x = 0, y = 0;
    for (uint32_t i = 0; i < scheme->preset.slots; i++) {
        x += 1 + below(all, 3);
        y += 1 + below(all, 3);
        a[i] = x;
        b[i] = y;
    }
}

static void similarity_is_the_same_as_before(void **state)
{
    (void)state;
    static uint64_t a[BYTES_MAX / 8], b[BYTES_MAX / 8];
    struct outcomes all = { .chance = 3 };
    for (size_t i = 0; th_minhash_presets[i]; i++)
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
            th_index_scheme scheme;
            if (th_index_scheme_init(&scheme, th_minhash_presets[i], TH_SIGN_MAIN,
                                     TH_SIGN_COUNT, kept[k], NULL) != TH_OK)
                continue;
            for (int round = 0; round < ROUNDS; round++) {
                const uint32_t slots = scheme.preset.slots;
                fill(&all, &scheme, a, b);
                const uint32_t in_a =
                    scheme.preset.is_bottom_k ? below(&all, slots + 1) : slots;
                const uint32_t in_b =
                    scheme.preset.is_bottom_k ? below(&all, slots + 1) : slots;
                const th_index_likeness like = th_index_compare(
                    &scheme, (const uint8_t *)a, in_a, (const uint8_t *)b, in_b);
                note_line(&all, "%s %u: %u %.9f %.9f", scheme.preset.name, kept[k],
                          like.equal, like.share, like.jaccard);
            }
        }
    expect_digest(&all, UINT64_C(0x61D7697EE2B9B8C0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_preset_gives_its_scheme),
        cmocka_unit_test(a_set_keeps_its_complete_values),
        cmocka_unit_test(a_preset_without_bands_is_refused),
        cmocka_unit_test(a_changed_scheme_is_refused),
        cmocka_unit_test(similarity_is_the_same_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
