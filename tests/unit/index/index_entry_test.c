/* src/index/index_entry.c: damaged entries are recognized, and dates are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "index/index_entry.h"

enum { SLOTS = 128, KINDS = 5 };

/* clang-format off */
static const struct date {
    const char *text;
    int64_t seconds;
} dates[] = {
    { "2024-05-06T07:08:09Z", 1714979289 }, { "2024-05-06T07:08:09.123Z", 1714979289 },
    { "2024-05-06T07:08", 1714979280 },     { "2024-05-06T07", 1714978800 },
    { "2024-05-06", 1714953600 },           { "2024-05-06Txx:08:09Z", 1714954089 },
    { "1970-01-01", 0 },                    { "2024-12-31T23:59:59Z", 1735689599 },
    { "1969-12-31", TH_DATE_UNKNOWN },      { "2024-00-06", TH_DATE_UNKNOWN },
    { "2024-13-06", TH_DATE_UNKNOWN },      { "2024-05-00", TH_DATE_UNKNOWN },
    { "2024-05-32", TH_DATE_UNKNOWN },      { "2024-05-0", TH_DATE_UNKNOWN },
    { "2024-05", TH_DATE_UNKNOWN },         { "2024", TH_DATE_UNKNOWN },
    { "", TH_DATE_UNKNOWN },                { "2O24-05-06", TH_DATE_UNKNOWN },
    { "2024-:5-06", TH_DATE_UNKNOWN },      { "2024-05-/6", TH_DATE_UNKNOWN },
};
/* clang-format on */

static void dates_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        const int64_t have =
            th_index_date((th_view){ dates[i].text, strlen(dates[i].text) });
        if (have != dates[i].seconds)
            fail_msg("'%s': %lld", dates[i].text, (long long)have);
    }
}

static void init_scheme(th_index_scheme *scheme, uint32_t other)
{
    assert_int_equal(th_index_scheme_init(scheme, th_minhash_find("modern"), TH_SIGN_MAIN,
                                          other, 8, NULL),
                     TH_OK);
}

/* Entries of all kinds: one text, two, a guess, a short one, and one without data. */
static void append_kind(const th_index_scheme *scheme, int kind, th_buffer *out)
{
    static const uint64_t digest[2] = { 5, 6 };
    uint64_t slots[TH_INDEX_TEXTS][SLOTS];
    th_signature signatures[TH_INDEX_TEXTS];
    char id[] = "id-of-it"; /* with the URL, no bytes are left to fill 8 */
    for (uint64_t text = 0; text < TH_INDEX_TEXTS; text++) {
        for (uint64_t i = 0; i < SLOTS; i++)
            slots[text][i] = (i * 2654435761u + text * 40503u) & 0xFFFFFFFF;
        signatures[text] = (th_signature){ .slots = slots[text],
                                           .slot_count = SLOTS,
                                           .shingle_count = 500 };
    }
    signatures[0].is_short = kind == 3;
    const th_index_page page = {
        .id = { id, 8 },
        .url = TH_VIEW("http://a"),
        .date = 7,
        .signatures = { kind < 4 ? &signatures[0] : NULL,
                        kind == 1 || kind == 2 ? &signatures[1] : NULL },
        .is_guess = kind == 2,
        .digest = kind < 4 ? digest : NULL,
    };
    assert_int_equal(th_index_entry_append(scheme, &page, out), TH_OK);
}

static bool fits(const th_index_scheme *scheme, const th_buffer *bytes)
{
    return th_index_entries_fit(scheme, th_buffer_view(bytes), 1);
}

/* Any other number in the head of an entry makes it incomplete. */
static void heads_are_checked(void **state)
{
    (void)state;
    th_index_scheme scheme;
    init_scheme(&scheme, TH_SIGN_DISTINCT);
    for (int kind = 0; kind < KINDS; kind++) {
        th_buffer bytes = { 0 };
        append_kind(&scheme, kind, &bytes);
        th_index_entry *entry = (void *)bytes.data;
        const th_index_entry good = *entry;
        static const uint16_t flags[] = { 0, TH_ENTRY_SHORT, TH_ENTRY_GUESS,
                                          TH_ENTRY_NONE, TH_ENTRY_GUESS };
        assert_int_equal(good.len, bytes.len);
        assert_true(fits(&scheme, &bytes));
        assert_int_equal(th_index_entry_fits(&scheme, entry, bytes.len), kind != 4);
        assert_false(th_index_entry_fits(&scheme, entry, bytes.len - 1));
        assert_false(th_index_entry_fits(&scheme, entry, sizeof *entry - 1));
        assert_int_equal(entry->flags, kind == 2   ? TH_ENTRY_GUESS
                                       : kind == 3 ? TH_ENTRY_SHORT
                                       : kind == 4 ? TH_ENTRY_NONE
                                                   : 0);
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
            /* Whether it is a guess changes no length, if there is a second text. */
            const bool is_either =
                (kind == 1 || kind == 2) && (flags[i] == 0 || flags[i] == TH_ENTRY_GUESS);
            entry->flags = flags[i];
            assert_int_equal(fits(&scheme, &bytes), flags[i] == good.flags || is_either);
        }
        *entry = good;
        entry->flags |= 8;
        assert_false(fits(&scheme, &bytes));
        for (int change = -1; change <= 1; change += 2) {
            *entry = good;
            entry->key_count = (uint16_t)(entry->key_count + change);
            assert_false(fits(&scheme, &bytes));
            *entry = good;
            entry->len = (uint32_t)((int)entry->len + change * 8);
            assert_false(fits(&scheme, &bytes));
            *entry = good;
            entry->id_len = (uint16_t)(entry->id_len + change * 8);
            assert_false(fits(&scheme, &bytes));
            *entry = good;
            entry->url_len = (uint16_t)(entry->url_len + change * 8);
            assert_false(fits(&scheme, &bytes));
        }
        for (int text = 0; text < TH_INDEX_TEXTS; text++) {
            *entry = good;
            entry->slots[text] = SLOTS + 1;
            assert_false(fits(&scheme, &bytes));
            entry->slots[text] = good.slots[text] ? 0 : SLOTS;
            assert_false(fits(&scheme, &bytes));
        }
        *entry = good;
        assert_false(th_index_entries_fit(&scheme, th_buffer_view(&bytes), 0));
        assert_false(th_index_entries_fit(&scheme, th_buffer_view(&bytes), 2));
        append_kind(&scheme, (kind + 1) % KINDS, &bytes);
        assert_false(th_index_entries_fit(&scheme, th_buffer_view(&bytes), 1));
        assert_true(th_index_entries_fit(&scheme, th_buffer_view(&bytes), 2));
        th_buffer_done(&bytes);
    }
}

static void keys_are_compared_by_text(void **state)
{
    (void)state;
    th_index_scheme scheme;
    th_buffer kinds[KINDS] = { { 0 } };
    init_scheme(&scheme, TH_SIGN_DISTINCT);
    for (int kind = 0; kind < KINDS; kind++)
        append_kind(&scheme, kind, &kinds[kind]);
#define ENTRY(kind) ((const th_index_entry *)(const void *)kinds[kind].data)
    const uint32_t bands = scheme.preset.bands;
    assert_int_equal(ENTRY(0)->key_count, bands);
    assert_int_equal(ENTRY(1)->key_count, 2 * bands);
    assert_int_equal(ENTRY(3)->key_count, 1);
    assert_int_equal(th_index_keys_in_common(&scheme, ENTRY(0), ENTRY(1), 0), bands);
    assert_int_equal(th_index_keys_in_common(&scheme, ENTRY(0), ENTRY(1), 1), 0);
    assert_int_equal(th_index_keys_in_common(&scheme, ENTRY(1), ENTRY(2), 1), bands);
    assert_int_equal(th_index_keys_in_common(&scheme, ENTRY(3), ENTRY(3), 0), 1);
    assert_int_equal(th_index_keys_in_common(&scheme, ENTRY(3), ENTRY(3), 1), 0);
    assert_int_equal(th_index_keys_in_common(&scheme, ENTRY(0), ENTRY(3), 0), 0);
    /* The same signature as another text of a page has other keys. */
    for (uint32_t i = 0; i < bands; i++)
        assert_int_not_equal(th_entry_keys(&scheme, ENTRY(1))[i],
                             th_entry_keys(&scheme, ENTRY(1))[bands + i]);
    for (int kind = 0; kind < KINDS; kind++) {
        const th_view id = th_entry_id(&scheme, ENTRY(kind)),
                      url = th_entry_url(&scheme, ENTRY(kind));
        assert_int_equal(id.len, 8);
        assert_memory_equal(id.data, "id-of-it", 8);
        assert_int_equal(url.len, 8);
        assert_memory_equal(url.data, "http://a", 8);
        th_buffer_done(&kinds[kind]);
    }
#undef ENTRY
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_read),
        cmocka_unit_test(heads_are_checked),
        cmocka_unit_test(keys_are_compared_by_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
