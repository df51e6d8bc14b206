/* Shards of signatures: the bytes that datatrove reads, for any memory limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "write/sig_shard.h"

enum { MOST_SLOTS = 112, MOST_FILE = 1 << 20 };

/* A shard with `count` pages, some without a signature, and few different values. */
static const struct row {
    const char *name, *preset;
    uint32_t pages, none_every, values;
    size_t memory; /* 0 means that all data fits */
} rows[] = {
    { "in memory", "datatrove", 300, 7, 1u << 30, 0 },
    { "many equal", "datatrove:bands=3x2", 1000, 5, 2, 0 },
    { "spills", "datatrove", 300, 7, 1u << 30, 100 * 1000 },
    { "spills, many equal", "datatrove:bands=3x2", 1000, 5, 2, 1000 },
    { "spills, one slot a band", "datatrove:bands=4x1", 1000, 3, 5, 4096 },
    { "a run for each page", "datatrove:bands=3x2", 120, 5, 3, 1 },
    { "ends with a full memory", "datatrove:bands=2x1", 64, 1000, 9, 16 * (24 + 4) },
    { "32 bits", "datatrove:bits=32,bands=5x3", 200, 4, 1u << 20, 3000 },
    { "one page", "datatrove", 1, 2, 9, 0 },
    { "no signature at all", "datatrove", 9, 1, 9, 0 },
    { "no page", "datatrove", 0, 1, 9, 0 },
};

struct folder {
    char path[64]; /* with a final '/' */
};

static struct folder make_folder(void)
{
    struct folder folder = { "/tmp/sig_shard.XXXXXX" };
    assert_non_null(mkdtemp(folder.path));
    strcat(folder.path, "/");
    return folder;
}

static void remove_folder(const struct folder *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder->path);
    assert_int_equal(system(command), 0);
}

/* Page's slots, always the same: by a generator that starts at the page's number. */
static void make_slots(const struct row *row, const th_minhash_preset *preset,
                       uint32_t page, uint64_t *slots)
{
    uint64_t state = page + 1;
    for (uint32_t i = 0; i < preset->slots; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        slots[i] = (state >> 33) % row->values;
        if (preset->slot_bits == 64 && row->values > 9)
            slots[i] |= (state & 0xFFFFFFF) << 32;
    }
}

static bool has_signature(const struct row *row, uint32_t page)
{
    return page % row->none_every != row->none_every - 1;
}

static void put_rows(const struct row *row, const th_minhash_preset *preset,
                     uint32_t first, uint32_t end, th_buffer *out)
{
    for (uint32_t page = first; page < end; page++) {
        uint64_t slots[MOST_SLOTS];
        make_slots(row, preset, page, slots);
        /* Absent and short ones in turn. */
        const bool is_short = !has_signature(row, page) && page % 2;
        const th_signature signature = { has_signature(row, page) || is_short ? slots
                                                                              : NULL,
                                         preset->slots, 100, is_short };
        th_sig_row_put(preset, &signature, out);
    }
}

static void write_shard(const struct row *row, const th_minhash_preset *preset,
                        const struct folder *folder)
{
    const th_sig_shard_options options = { folder->path, preset, 42, row->memory };
    th_sig_shard *shard = NULL;
    th_error err = { .text = "" };
    assert_int_equal(th_sig_shard_open(&options, &shard, &err), TH_OK);
    th_buffer batch = { 0 };
    for (uint32_t first = 0; first < row->pages; first += 11) {
        const uint32_t end = first + 11 < row->pages ? first + 11 : row->pages;
        th_buffer_reset(&batch);
        put_rows(row, preset, first, end, &batch);
        assert_int_equal(th_sig_shard_add(shard, th_buffer_view(&batch), &err), TH_OK);
    }
    if (th_sig_shard_finish(shard, &err) != TH_OK)
        fail_msg("%s", err.text);
    th_sig_shard_free(shard);
    th_buffer_done(&batch);
}

static uint64_t take_number(const uint8_t **at, uint32_t bytes)
{
    uint64_t number = 0;
    for (uint32_t i = bytes; i-- > 0;)
        number = number << 8 | (*at)[i];
    *at += bytes;
    return number;
}

/* A file's records: in order, each of its page, every page with a signature once. */
static void assert_band(const struct row *row, const th_minhash_preset *preset,
                        const struct folder *folder, uint32_t band)
{
    char path[128];
    snprintf(path, sizeof path, "%sbucket_%03u/00042.minhash.sig", folder->path, band);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    uint8_t *bytes = malloc(MOST_FILE);
    bool *is_seen = calloc(row->pages + 1, sizeof *is_seen);
    assert_true(bytes && is_seen);
    const size_t len = fread(bytes, 1, MOST_FILE, file);
    fclose(file);
    uint64_t last[MOST_SLOTS + 1] = { 0 };
    uint32_t count = 0;
    const uint8_t *at = bytes;
    while (at < bytes + len) {
        uint64_t record[MOST_SLOTS + 1], slots[MOST_SLOTS];
        for (uint32_t i = 0; i < preset->rows; i++)
            record[i] = take_number(&at, preset->slot_bits / 8);
        const uint32_t page = (uint32_t)take_number(&at, 4);
        record[preset->rows] = page;
        assert_true(page < row->pages && has_signature(row, page) && !is_seen[page]);
        is_seen[page] = true;
        make_slots(row, preset, page, slots);
        assert_memory_equal(record, slots + (size_t)band * preset->rows,
                            preset->rows * sizeof *slots);
        int order = 0;
        for (uint32_t i = 0; i <= preset->rows && !order; i++)
            order = (last[i] > record[i]) - (last[i] < record[i]);
        assert_true(count == 0 || order < 0);
        memcpy(last, record, sizeof last);
        count++;
    }
    assert_true(at == bytes + len);
    uint32_t want = 0;
    for (uint32_t page = 0; page < row->pages; page++)
        want += has_signature(row, page);
    assert_int_equal(count, want);
    free(is_seen);
    free(bytes);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_minhash_preset preset;
    assert_int_equal(th_minhash_parse(row->preset, &preset, NULL), TH_OK);
    const struct folder folder = make_folder();
    for (int round = 0; round < 2; round++) { /* a second run replaces the first */
        write_shard(row, &preset, &folder);
        for (uint32_t band = 0; band < preset.bands; band++)
            assert_band(row, &preset, &folder, band);
    }
    char command[192];
    snprintf(command, sizeof command, "test $(find '%s' -type f | wc -l) = %u",
             folder.path, preset.bands);
    assert_int_equal(system(command), 0); /* nothing temporary is left */
    remove_folder(&folder);
}

static void an_unfinished_shard_leaves_no_file(void **state)
{
    (void)state;
    const struct row row = { "", "datatrove", 200, 7, 1u << 30, 1000 };
    const struct folder folder = make_folder();
    const th_minhash_preset *preset = th_minhash_find("datatrove");
    const th_sig_shard_options options = { folder.path, preset, 0, row.memory };
    th_sig_shard *shard = NULL;
    th_buffer batch = { 0 };
    assert_int_equal(th_sig_shard_open(&options, &shard, NULL), TH_OK);
    put_rows(&row, preset, 0, row.pages, &batch);
    assert_int_equal(th_sig_shard_add(shard, th_buffer_view(&batch), NULL), TH_OK);
    th_sig_shard_free(shard);
    char command[128];
    snprintf(command, sizeof command, "test -z \"$(find '%s' -type f)\"", folder.path);
    assert_int_equal(system(command), 0);
    th_buffer_done(&batch);
    remove_folder(&folder);
}

static void a_missing_folder_is_named(void **state)
{
    (void)state;
    const th_sig_shard_options options = { "/nowhere/at/all/",
                                           th_minhash_find("datatrove"), 0, 0 };
    th_sig_shard *shard = NULL;
    th_error err = { .text = "" };
    assert_int_equal(th_sig_shard_open(&options, &shard, &err), TH_IO);
    assert_non_null(strstr(err.text, "'/nowhere/at/all/bucket_000'"));
    assert_null(shard);
}

/* A resumed run finds a finished shard with its length, and no shard if one of its files is
 * missing. */
static void a_finished_shard_is_found(void **state)
{
    (void)state;
    const struct row row = { "", "datatrove:bands=3x2", 20, 7, 1u << 30, 0 };
    const th_minhash_preset *preset = th_minhash_find("datatrove:bands=3x2");
    th_minhash_preset parsed;
    if (!preset) {
        assert_int_equal(th_minhash_parse(row.preset, &parsed, NULL), TH_OK);
        preset = &parsed;
    }
    const struct folder folder = make_folder();
    const th_sig_shard_options options = { folder.path, preset, 42, 0 };
    uint64_t len = 1;
    assert_false(th_sig_shard_find(&options, &len));
    write_shard(&row, preset, &folder);
    assert_true(th_sig_shard_find(&options, &len));
    /* 2 slots of 64 bits, and a page of 32 bits, in 3 files */
    assert_int_equal(len, (20 - 20 / 7) * 3 * (2 * 8 + 4));
    for (unsigned band = 0; band < 3; band++) {
        char path[128], kept[140];
        snprintf(path, sizeof path, "%sbucket_%03u/00042.minhash.sig", folder.path, band);
        snprintf(kept, sizeof kept, "%s.kept", path);
        assert_int_equal(rename(path, kept), 0);
        assert_false(th_sig_shard_find(&options, &len));
        assert_int_equal(rename(kept, path), 0);
    }
    assert_true(th_sig_shard_find(&options, &len));
    remove_folder(&folder);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 3];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(an_unfinished_shard_leaves_no_file);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(a_missing_folder_is_named);
    tests[ROWS + 2] = (struct CMUnitTest)cmocka_unit_test(a_finished_shard_is_found);
    return cmocka_run_group_tests_name("sig_shard", tests, NULL, NULL);
}
