/* src/dedup/record_store.c: the order by age, repeated ids, rows before and after
 * the first signature. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dedup/record_store.h"

static th_signature_params params;

static th_record_store *new_store(uint64_t memory)
{
    th_record_store *store = NULL;
    th_signature_init(&params, TH_COMPARE_MAIN, 0);
    assert_int_equal(th_record_store_new("", memory, &store, NULL), TH_OK);
    return store;
}

static th_view view_of(const char *text)
{
    return text ? (th_view){ text, strlen(text) } : (th_view){ NULL, 0 };
}

static th_status add_record(th_record_store *store, th_record_line *record,
                            const char *digits)
{
    th_record_fault fault = TH_RECORD_FAULT_COUNT;
    if (digits) {
        record->signatures[TH_SIGN_MAIN] = view_of(digits);
        memcpy(record->words.preset, "paper", sizeof "paper");
        memcpy(record->params, "preset=paper", sizeof "preset=paper");
    }
    assert_int_equal(th_signature_agree(&params, record, "x", NULL), TH_OK);
    const th_status status = th_record_store_add(store, &params, record, &fault, NULL);
    if (status == TH_OK)
        assert_int_equal(fault, TH_RECORD_NONE);
    return status;
}

static th_status add(th_record_store *store, const char *id, const char *date,
                     const char *digits)
{
    th_record_line record = { .id = view_of(id), .date = view_of(date) };
    return add_record(store, &record, digits);
}

static void assert_id(th_record_store *store, uint32_t rank, const char *want)
{
    th_record_name name = { .bytes = { 0 } };
    assert_int_equal(th_record_store_name(store, rank, &name, NULL), TH_OK);
    assert_int_equal(name.id.len, strlen(want));
    assert_memory_equal(name.id.data, want, name.id.len);
    th_buffer_done(&name.bytes);
}

/* Oldest first; equal ones by id. Each is added in turn from every starting point. */
static const struct {
    const char *id, *date;
} in_order[] = {
    { "j", "2019" },
    { "i", "2019-12-31T23:59:59.9999999Z" },
    { "h", "2020-01-01T00:00:00Z" },
    { "urn:long-beginning-0001", "2020-01-01T00:00:00.0000001Z" },
    { "urn:long-beginning-0002", "2020-01-01T00:00:00.0000001Z" },
    { "urn:long-beginning-00021", "2020-01-01T00:00:00.0000001Z" },
    { "g", "2020-01-01T00:00:00.5Z" },
    { "f", "2020-01-01T00:00:01Z" },
    { "e", "2020-01-02T00:00:00Z" },
    { "d", "2020-02-01T00:00:00Z" },
    { "a", NULL },
    { "b", "yesterday" },
    { "c", "2020-01-01T00:00:00+01:00" },
};
enum { ORDERED = sizeof in_order / sizeof *in_order };

static void orders_by_age(void **state)
{
    (void)state;
    for (size_t start = 0; start < ORDERED; start++) {
        th_record_store *store = new_store(1 << 20);
        uint64_t repeated = 9;
        for (size_t i = 0; i < ORDERED; i++) {
            const size_t at = (start + i * 5) % ORDERED; /* 5 and 13 have no divisor */
            assert_int_equal(add(store, in_order[at].id, in_order[at].date, NULL), TH_OK);
        }
        assert_int_equal(th_record_store_rank(store, &params, &repeated, NULL), TH_OK);
        assert_int_equal(repeated, 0);
        assert_int_equal(th_record_store_count(store), ORDERED);
        for (uint32_t rank = 0; rank < ORDERED; rank++) {
            assert_id(store, rank, in_order[rank].id);
            const uint32_t number = th_record_store_number_of(store, rank);
            assert_int_equal(th_record_store_rank_of(store, number), rank);
        }
        th_record_store_free(store);
    }
}

static void an_id_stays_once(void **state)
{
    (void)state;
    th_record_store *store = new_store(1 << 20);
    uint64_t repeated = 0;
    assert_int_equal(add(store, "x", "2021", NULL), TH_OK);
    assert_int_equal(add(store, "y", "2022", NULL), TH_OK);
    assert_int_equal(add(store, "x", "2020", NULL), TH_OK); /* the oldest x */
    assert_int_equal(add(store, "x", "2020", NULL), TH_OK);
    assert_int_equal(add(store, "y", "2022", NULL), TH_OK);
    assert_int_equal(th_record_store_rank(store, &params, &repeated, NULL), TH_OK);
    assert_int_equal(repeated, 3);
    assert_int_equal(th_record_store_count(store), 2);
    assert_int_equal(th_record_store_number_of(store, 0), 2);
    assert_int_equal(th_record_store_number_of(store, 1), 1);
    assert_int_equal(th_record_store_rank_of(store, 0), UINT32_MAX);
    th_record_store_free(store);
}

#define SLOT(digit) "000000000000000" digit

/* One id, equally old: the first of any of these stays, in whatever order they come. */
static const struct same {
    const char *date, *url, *digits;
    bool has_digest;
    uint64_t digest[2];
} preferred[] = {
    { "2020-01-01T00:00:00Z", NULL, SLOT("5") SLOT("6"), false, { 0 } }, /* more slots */
    { "2020-01-01T00:00:00Z", NULL, SLOT("5"), true, { 0, 5 } },         /* a digest */
    { "2020-01-01T00:00:00Z", NULL, SLOT("5"), true, { 1, 4 } },
    { "2020-01-01T00:00:00Z", NULL, SLOT("5"), true, { 1, 5 } },
    { "2020-01-01T00:00:00Z", "http://b/", SLOT("2"), false, { 0 } },
    { "2020-01-01T00:00:00Z", "http://a/", SLOT("3"), false, { 0 } },
    { "2020-01-01T00:00:00Z", "http://b/", SLOT("3"), false, { 0 } },
    { "2020-01-01T00:00:00Z", NULL, SLOT("3"), false, { 0 } }, /* a URL before none */
    { "2020-01-01T00:00:00Z", NULL, NULL, true, { 0, 5 } },
    { "2020-01-01T00:00:00.0Z", "http://a/", NULL, false, { 0 } },
    { "2020-01-01T00:00:00Z", "http://a/", NULL, false, { 0 } },
};
enum { PREFERRED = sizeof preferred / sizeof *preferred };

static void add_same(th_record_store *store, const struct same *same)
{
    th_record_line record = { .id = view_of("x"),
                              .url = view_of(same->url),
                              .date = view_of(same->date),
                              .has_digest = same->has_digest,
                              .digest = { same->digest[0], same->digest[1] } };
    assert_int_equal(add_record(store, &record, same->digits), TH_OK);
}

/* Which of some records of one id stays, counted from 0 in the order they were added. */
static uint32_t kept_of(const size_t *which, uint32_t count)
{
    th_record_store *store = new_store(1 << 20);
    uint64_t repeated = 0;
    for (uint32_t i = 0; i < count; i++)
        add_same(store, &preferred[which[i]]);
    assert_int_equal(th_record_store_rank(store, &params, &repeated, NULL), TH_OK);
    assert_int_equal(repeated, count - 1);
    assert_int_equal(th_record_store_count(store), 1);
    const uint32_t kept = th_record_store_number_of(store, 0);
    th_record_store_free(store);
    return kept;
}

static void who_stays_does_not_depend_on_the_order(void **state)
{
    (void)state;
    for (size_t a = 0; a < PREFERRED; a++) {
        for (size_t b = a + 1; b < PREFERRED; b++) {
            assert_int_equal(kept_of((const size_t[]){ a, b }, 2), 0);
            assert_int_equal(kept_of((const size_t[]){ b, a }, 2), 1);
        }
    }
    for (uint32_t start = 0; start < PREFERRED; start++) {
        size_t which[PREFERRED];
        for (uint32_t i = 0; i < PREFERRED; i++)
            which[i] = (start + i) % PREFERRED;
        assert_int_equal(which[kept_of(which, PREFERRED)], 0);
    }
}

/* Rows without slots, with one text, and with two, in this order and read in any. */
static void rows_grow_with_the_second_text(void **state)
{
    (void)state;
    th_record_store *store = new_store(1 << 20);
    uint64_t repeated = 0, slots[17];
    unsigned char bytes[sizeof(th_signed_head) + 2 * 8 * sizeof(uint64_t)];
    th_signed_row row = { .slots = slots };
    th_signature_init(&params, TH_COMPARE_OWN, 0);
    assert_int_equal(add(store, "a", NULL, NULL), TH_OK);
    assert_int_equal(add(store, "b", NULL, SLOT("1")), TH_OK);
    assert_int_equal(add(store, "c", NULL, SLOT("2")), TH_OK);
    th_record_line both = { .id = view_of("d"), .knows_template = true };
    both.signatures[TH_SIGN_DISTINCT] = view_of(SLOT("4"));
    assert_int_equal(add_record(store, &both, SLOT("3")), TH_OK);
    assert_int_equal(add(store, "e", NULL, SLOT("5")), TH_OK);
    assert_int_equal(th_record_store_rank(store, &params, &repeated, NULL), TH_OK);
    static const uint64_t first[] = { 0, 1, 2, 4, 5 }, second[] = { 0, 0, 0, 3, 0 };
    for (uint32_t i = 5; i-- > 0;) {
        assert_int_equal(th_record_store_row(store, &params, i, bytes, &row, NULL),
                         TH_OK);
        assert_int_equal(row.signatures[0].slot_count, first[i] != 0);
        assert_int_equal(row.signatures[1].slot_count, second[i] != 0);
        assert_true(!first[i] || row.signatures[0].slots[0] == first[i]);
        assert_true(!second[i] || row.signatures[1].slots[0] == second[i]);
        assert_int_equal(row.head.knows_template, i == 3);
    }
    th_record_store_free(store);
}

static void rows_before_the_first_signature(void **state)
{
    (void)state;
    th_record_store *store = new_store(1 << 20);
    uint64_t repeated = 0, slots[17];
    assert_int_equal(add(store, "a", NULL, NULL), TH_OK);
    assert_int_equal(add(store, "b", NULL, NULL), TH_OK);
    assert_int_equal(add(store, "c", NULL,
                         "0000000000000001"
                         "0000000000000007"),
                     TH_OK);
    assert_int_equal(add(store, "d", NULL, NULL), TH_OK);
    assert_int_equal(add(store, "e", NULL, "0000000000000009"), TH_OK);
    assert_int_equal(th_record_store_rank(store, &params, &repeated, NULL), TH_OK);
    static const uint32_t counts[] = { 0, 0, 2, 0, 1 };
    static const uint64_t last[] = { 0, 0, 7, 0, 9 };
    unsigned char *bytes = malloc(th_signature_row_len(&params));
    for (uint32_t rank = 0; rank < 5; rank++) {
        th_signed_row row = { .slots = slots };
        assert_int_equal(th_record_store_row(store, &params, rank, bytes, &row, NULL),
                         TH_OK);
        assert_int_equal(row.head.slot_counts[0], counts[rank]);
        if (counts[rank])
            assert_true(row.signatures[0].slots[counts[rank] - 1] == last[rank]);
    }
    free(bytes);
    th_record_store_free(store);
}

static void memory_is_bounded(void **state)
{
    (void)state;
    th_record_store *store = new_store(10 * TH_RECORD_COST);
    char id[16];
    for (int i = 0; i < 10; i++) {
        (void)snprintf(id, sizeof id, "%d", i);
        assert_int_equal(add(store, id, NULL, NULL), TH_OK);
    }
    assert_int_equal(add(store, "one more", NULL, NULL), TH_TOO_LARGE);
    th_record_store_free(store);
    th_record_store_free(NULL);
}

static void an_empty_store_has_an_order(void **state)
{
    (void)state;
    th_record_store *store = new_store(1 << 20);
    uint64_t repeated = 9;
    assert_int_equal(th_record_store_rank(store, &params, &repeated, NULL), TH_OK);
    assert_int_equal(repeated, 0);
    assert_int_equal(th_record_store_count(store), 0);
    th_record_store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_by_age),
        cmocka_unit_test(an_id_stays_once),
        cmocka_unit_test(who_stays_does_not_depend_on_the_order),
        cmocka_unit_test(rows_before_the_first_signature),
        cmocka_unit_test(rows_grow_with_the_second_text),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(an_empty_store_has_an_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
