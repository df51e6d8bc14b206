/* src/dedup/pairing_table.c: pairs are found once; and forgetting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dedup/pairing_table.h"
#include "sketch/digest_key.h"

enum { SLOTS = 128, DAY_S = 86400, DAY_MS = DAY_S * 1000 };

#define SCHEMA "\"schema\":\"thresher-band/1\","

/* A record as its sender has it: a line, and its keys. */
struct record {
    char line[2048];
    uint8_t keys[TH_BANDS_MAX + 1][TH_BAND_KEY_LEN];
    uint32_t key_count;
    uint32_t slots[SLOTS];
};

/* The pairs found. */
struct found {
    char lines[4096];
    uint32_t count;
};

static th_status keep_line(void *context, th_view older, th_view line)
{
    struct found *found = context;
    char start[128];
    (void)snprintf(start, sizeof start, "{\"id_a\":\"%.*s\"", (int)older.len, older.data);
    assert_memory_equal(line.data, start, strlen(start));
    assert_int_equal(line.data[line.len - 1], '\n');
    if (strlen(found->lines) + line.len < sizeof found->lines)
        strncat(found->lines, line.data, line.len);
    found->count++;
    return TH_OK;
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* A signed record. The first `changed` slots differ from the slots of `seed`. */
static void sign(struct record *record, const char *id, const char *date, uint32_t seed,
                 uint32_t changed, const char *preset)
{
    th_minhash_preset as;
    uint64_t slots[SLOTS];
    uint32_t state = seed;
    assert_int_equal(th_minhash_parse(preset, &as, NULL), TH_OK);
    char *at = record->line;
    at += sprintf(
        at,
        "{" SCHEMA
        "\"id\":\"%s\",\"date\":\"%s\",\"minhash\":{\"preset\":\"%s\",\"main\":\"",
        id, date, preset);
    for (uint32_t i = 0; i < SLOTS; i++) {
        const uint32_t number = next_random(&state);
        slots[i] = record->slots[i] =
            i < changed ? ~number - (uint32_t)strlen(id) : number;
        at += sprintf(at, "%08x", (unsigned)slots[i]);
    }
    (void)sprintf(at, "\"}}");
    record->key_count = th_minhash_bands(
        &as, &(th_signature){ .slots = slots, .slot_count = SLOTS }, record->keys[0]);
}

static void digest(struct record *record, const char *id, uint64_t high, uint64_t low)
{
    (void)snprintf(
        record->line, sizeof record->line,
        "{" SCHEMA
        "\"id\":\"%s\",\"url\":\"http://%s/\",\"digest\":{\"text\":\"%016llx%016llx\"}}",
        id, id, (unsigned long long)high, (unsigned long long)low);
    th_digest_key(high, record->keys[0]);
    record->key_count = 1;
}

static th_pairing_table *new_table(uint32_t fan_out, uint32_t epochs)
{
    const th_pairing_options options = { .compared = TH_COMPARE_MAIN,
                                         .fan_out = fan_out,
                                         .epoch_s = DAY_S,
                                         .epochs = epochs };
    th_pairing_table *table = th_pairing_table_new(&options);
    assert_non_null(table);
    return table;
}

static th_pairing_fault take_key(th_pairing_table *table, const struct record *record,
                                 const uint8_t *key, int64_t time_ms, struct found *found)
{
    /* Exact-size copies, so that a read beyond them is seen. */
    const size_t len = strlen(record->line);
    char *value = malloc(len), *bytes = malloc(TH_BAND_KEY_LEN);
    memcpy(value, record->line, len);
    memcpy(bytes, key, TH_BAND_KEY_LEN);
    const th_pairing_message message = { { bytes, TH_BAND_KEY_LEN },
                                         { value, len },
                                         time_ms };
    th_pairing_fault fault = TH_PAIRING_FAULT_COUNT;
    assert_int_equal(
        th_pairing_take(table, &message, found ? keep_line : NULL, found, &fault, NULL),
        TH_OK);
    free(value);
    free(bytes);
    return fault;
}

static void take_all(th_pairing_table *table, const struct record *record,
                     int64_t time_ms, struct found *found)
{
    for (uint32_t i = 0; i < record->key_count; i++)
        assert_int_equal(take_key(table, record, record->keys[i], time_ms, found),
                         TH_PAIRING_NONE);
}

static void one_pair_for_all_keys(void **state)
{
    (void)state;
    struct record old, young;
    sign(&old, "b", "2026-01-01", 7, 0, "modern");
    sign(&young, "a", "2026-01-02", 7, 16, "modern");
    for (int turned = 0; turned < 2; turned++) {
        th_pairing_table *table = new_table(64, 30);
        struct found found = { .count = 0 };
        take_all(table, turned ? &young : &old, 0, &found);
        assert_int_equal(found.count, 0);
        take_all(table, turned ? &old : &young, 0, &found);
        assert_string_equal(found.lines,
                            "{\"id_a\":\"b\",\"id_b\":\"a\",\"jaccard\":0.875}\n");
        assert_int_equal(th_pairing_table_counts(table)->compared, 14); /* bands alike */
        assert_int_equal(th_pairing_table_counts(table)->records, 2);
        take_key(table, &old, old.keys[15], 0, &found);
        assert_int_equal(found.count, 1);
        assert_int_equal(th_pairing_table_counts(table)->faults[TH_PAIRING_REPEATED], 1);
        th_pairing_table_free(table);
    }
}

/* Keys of one record in two tables: one of them alone writes the pair. */
static void one_pair_in_two_partitions(void **state)
{
    (void)state;
    struct record a, b;
    struct found found = { .count = 0 };
    th_pairing_table *tables[2] = { new_table(64, 30), new_table(64, 30) };
    sign(&a, "a", "2026", 9, 0, "modern");
    sign(&b, "b", "2026", 9, 20, "modern");
    const struct record *const both[] = { &a, &b };
    for (int r = 0; r < 2; r++)
        for (uint32_t i = 0; i < both[r]->key_count; i++)
            take_key(tables[i % 2], both[r], both[r]->keys[i], 0, &found);
    assert_int_equal(found.count, 1);
    th_pairing_table_free(tables[0]);
    th_pairing_table_free(tables[1]);
}

static void not_alike(void **state)
{
    (void)state;
    struct record a, b;
    struct found found = { .count = 0 };
    th_pairing_table *table = new_table(64, 30);
    sign(&a, "a", "2026", 9, 0, "modern");
    sign(&b, "b", "2026", 9, 26, "modern"); /* 102 of 128: .797 */
    take_all(table, &a, 0, &found);
    take_all(table, &b, 0, &found);
    assert_int_equal(found.count, 0);
    assert_true(th_pairing_table_counts(table)->compared > 0);
    th_pairing_table_free(table);
}

static void by_digest(void **state)
{
    (void)state;
    struct record a, b, c;
    struct found found = { .count = 0 };
    th_pairing_table *table = new_table(64, 30);
    digest(&a, "a", 5, 6);
    digest(&b, "b", 5, 6);
    digest(&c, "c", 5, 7); /* the same key, another digest */
    take_all(table, &b, 0, &found);
    take_all(table, &c, 0, &found);
    take_all(table, &a, 0, &found);
    assert_string_equal(
        found.lines, "{\"id_a\":\"a\",\"url_a\":\"http://a/\",\"id_b\":\"b\",\"url_b\":"
                     "\"http://b/\",\"jaccard\":1,\"exact\":true}\n");
    th_pairing_table_free(table);
}

/* A second table from the same messages, without looking for pairs, is equal. */
static void made_anew(void **state)
{
    (void)state;
    struct record records[3];
    struct found found = { .count = 0 };
    th_pairing_table *table = new_table(64, 30);
    for (int i = 0; i < 3; i++)
        digest(&records[i], (const char *[]){ "a", "b", "c" }[i], 5, 6);
    take_all(table, &records[0], 0, NULL);
    take_all(table, &records[1], 0, NULL);
    take_all(table, &records[2], 0, &found);
    assert_int_equal(found.count, 2);
    th_pairing_table_free(table);
}

static void epochs(void **state)
{
    (void)state;
    struct record a, b, c;
    struct found found = { .count = 0 };
    th_pairing_table *table = new_table(64, 2);
    digest(&a, "a", 5, 6);
    digest(&b, "b", 5, 6);
    digest(&c, "c", 8, 8);
    take_all(table, &a, (int64_t)100 * DAY_MS, &found);
    take_all(table, &b, (int64_t)101 * DAY_MS, &found);
    assert_int_equal(found.count, 1);
    take_all(table, &c, (int64_t)102 * DAY_MS, &found); /* the first one's goes */
    digest(&c, "d", 5, 6);
    take_all(table, &c, (int64_t)102 * DAY_MS, &found);
    assert_int_equal(found.count, 2);
    digest(&c, "e", 5, 6); /* of an epoch that is gone: compared, not kept */
    take_all(table, &c, (int64_t)99 * DAY_MS, &found);
    assert_int_equal(found.count, 4);
    assert_int_equal(th_pairing_table_counts(table)->late, 1);
    assert_int_equal(th_pairing_table_counts(table)->records, 3);
    while (th_pairing_drop_epoch(table))
        ;
    assert_int_equal(th_pairing_table_counts(table)->records, 0);
    assert_int_equal(th_pairing_table_counts(table)->bytes, 0);
    th_pairing_table_free(table);
}

static void wrong_clocks(void **state)
{
    (void)state;
    struct record record;
    char id[16];
    struct found found = { .count = 0 };
    th_pairing_table *table = new_table(1024, 3);
    digest(&record, "far", 1, 1);
    take_all(table, &record, (int64_t)100 * DAY_MS, &found);
    take_all(table, &(struct record){ .key_count = 0 }, 0, &found);
    digest(&record, "ahead", 5, 6);
    take_all(table, &record, (int64_t)90000 * DAY_MS, &found); /* is of the next epoch */
    digest(&record, "now", 1, 1);
    take_all(table, &record, (int64_t)100 * DAY_MS, &found);
    assert_int_equal(found.count, 1);
    th_pairing_table_free(table);

    table = new_table(1024, 3);
    found.count = 0;
    digest(&record, "far", 1, 1);
    take_all(table, &record, (int64_t)90000 * DAY_MS, &found);
    for (int i = 0; i < 1001; i++) {
        (void)snprintf(id, sizeof id, "n%d", i);
        digest(&record, id, 2000 + (uint64_t)i, 1);
        take_all(table, &record, (int64_t)100 * DAY_MS, &found);
    }
    digest(&record, "last", 3000, 1);
    take_all(table, &record, (int64_t)100 * DAY_MS, &found);
    assert_int_equal(found.count, 1);
    th_pairing_table_free(table);
}

static void first_of_many(void **state)
{
    (void)state;
    struct record record;
    char id[16];
    struct found found = { .count = 0 };
    th_pairing_table *table = new_table(2, 30);
    for (int i = 0; i < 5; i++) {
        (void)snprintf(id, sizeof id, "%d", i);
        digest(&record, id, 5, 6);
        take_all(table, &record, 0, &found);
    }
    assert_int_equal(found.count, 0 + 1 + 2 + 2 + 2);
    assert_int_equal(th_pairing_table_counts(table)->full, 3);
    assert_int_equal(th_pairing_table_counts(table)->records, 2);
    th_pairing_table_free(table);
}

static void faults(void **state)
{
    (void)state;
    struct record good, other;
    struct found found = { .count = 0 };
    th_pairing_table *table = new_table(64, 30);
    sign(&good, "a", "2026", 3, 0, "modern");
    take_all(table, &good, 0, &found);
    sign(&other, "b", "2026", 4, 0, "modern");
    assert_int_equal(take_key(table, &other, good.keys[0], 0, &found), TH_PAIRING_KEY);
    (void)snprintf(other.line, sizeof other.line, "{" SCHEMA "\"id\":\"c\"");
    assert_int_equal(take_key(table, &other, good.keys[0], 0, &found), TH_PAIRING_RECORD);
    (void)snprintf(other.line, sizeof other.line,
                   "{" SCHEMA
                   "\"id\":\"c\",\"minhash\":{\"preset\":\"crawl\",\"main\":\"00\"}}");
    assert_int_equal(take_key(table, &other, good.keys[0], 0, &found),
                     TH_PAIRING_SIGNING);
    (void)snprintf(other.line, sizeof other.line,
                   "{" SCHEMA
                   "\"id\":\"c\",\"minhash\":{\"preset\":\"modern\",\"main\":\"00\"}}");
    assert_int_equal(take_key(table, &other, good.keys[0], 0, &found), TH_PAIRING_RECORD);
    (void)snprintf(other.line, sizeof other.line,
                   "{\"schema\":\"thresher-band/2\",\"id\":\"d\"}");
    assert_int_equal(take_key(table, &other, good.keys[0], 0, &found),
                     TH_PAIRING_VERSION);
    (void)snprintf(other.line, sizeof other.line, "{\"id\":\"d\"}");
    assert_int_equal(take_key(table, &other, good.keys[0], 0, &found),
                     TH_PAIRING_VERSION);
    const th_pairing_message without_key = { { NULL, 0 },
                                             { good.line, strlen(good.line) },
                                             0 };
    th_pairing_fault fault;
    assert_int_equal(th_pairing_take(table, &without_key, NULL, NULL, &fault, NULL),
                     TH_OK);
    assert_int_equal(fault, TH_PAIRING_RECORD);
    assert_int_equal(found.count, 0);
    assert_int_equal(th_pairing_table_counts(table)->records, 1);
    th_pairing_table_free(table);
}

/* Against a search of all pairs, for records in 20 families, over 4 partitions. */
static void as_a_search_of_all(void **state)
{
    (void)state;
    enum { RECORDS = 200, PARTS = 4 };
    static struct record records[RECORDS];
    struct found found = { .count = 0 };
    th_pairing_table *tables[PARTS];
    uint32_t want = 0, random = 5;
    char id[16];
    for (int i = 0; i < PARTS; i++)
        tables[i] = new_table(64, 30);
    for (uint32_t i = 0; i < RECORDS; i++) {
        (void)snprintf(id, sizeof id, "r%u", (unsigned)i);
        sign(&records[i], id, "2026", 100 + i % 20, next_random(&random) % 40, "modern");
        for (uint32_t k = 0; k < records[i].key_count; k++)
            take_key(tables[records[i].keys[k][8] % PARTS], &records[i],
                     records[i].keys[k], 0, &found);
    }
    for (uint32_t i = 0; i < RECORDS; i++)
        for (uint32_t j = 0; j < i; j++) {
            uint32_t equal = 0, bands = 0;
            for (int s = 0; s < SLOTS; s++)
                equal += records[i].slots[s] == records[j].slots[s];
            for (uint32_t k = 0; k < records[i].key_count; k++)
                bands +=
                    memcmp(records[i].keys[k], records[j].keys[k], TH_BAND_KEY_LEN) == 0;
            want += bands > 0 && equal >= 103; /* .8 of 128 */
        }
    assert_true(want > 50);
    assert_int_equal(found.count, want);
    for (int i = 0; i < PARTS; i++)
        th_pairing_table_free(tables[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pair_for_all_keys),
        cmocka_unit_test(one_pair_in_two_partitions),
        cmocka_unit_test(not_alike),
        cmocka_unit_test(by_digest),
        cmocka_unit_test(made_anew),
        cmocka_unit_test(epochs),
        cmocka_unit_test(wrong_clocks),
        cmocka_unit_test(first_of_many),
        cmocka_unit_test(faults),
        cmocka_unit_test(as_a_search_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
