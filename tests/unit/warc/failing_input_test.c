/* An input that fails: all records before that place are given, none is called damaged, and
 * the reader says WARC_IO and not WARC_END. */
#include "warc/warc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RECORDS = 12, READ_MAX = 1000 };

/* ---- archives ---- */

static const struct kind {
    const char *name;
    warc_packing packing;
} kinds[] = {
    { "plain", WARC_PACK_PLAIN },
    { "gzip", WARC_PACK_GZIP },
    { "zstd", WARC_PACK_ZSTD },
};

/* Records of 0 to 1,210 bytes; one has the beginning of a record in its block. */
static void make_archive(const struct kind *kind, warc_buffer *out)
{
    static char block[8000];
    warc_writer_options options;
    warc_writer *writer = NULL;
    const warc_output output = warc_output_to_buffer(out);
    uint32_t seed = 1;
    warc_writer_options_init(&options);
    options.packing = kind->packing;
    assert_int_equal(warc_writer_new(&output, &options, &writer, NULL), WARC_OK);
    for (unsigned i = 0; i < RECORDS; i++) {
        char id[64];
        const size_t len = (size_t)i * i * 10;
        for (size_t at = 0; at < len; at++) {
            seed = seed * 1664525u + 1013904223u;
            block[at] = (char)('a' + (seed >> 8) % 26);
        }
        static const char within[] = "\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n\r\n";
        if (len > 300)
            memcpy(block + len - 100, within, sizeof within - 1);
        const int id_len = snprintf(id, sizeof id, "<urn:uuid:%08u>", i);
        const warc_header_field fields[] = {
            { { "WARC-Type", 9 }, { "resource", 8 } },
            { { "WARC-Record-ID", 14 }, { id, (size_t)id_len } },
            { { "WARC-Date", 9 }, { "2026-01-01T00:00:00Z", 20 } },
        };
        assert_int_equal(
            warc_writer_record(writer, fields, 3, (warc_view){ block, len }, NULL),
            WARC_OK);
    }
    warc_writer_free(writer);
}

/* ---- the input ---- */

struct source {
    const char *bytes; /* a copy of exact size */
    size_t len, at, step;
    bool has_failed;
};

static warc_status read_source(void *context, char *buffer, size_t capacity, size_t *got)
{
    struct source *source = context;
    const size_t left = source->len - source->at;
    *got = capacity < source->step ? capacity : source->step;
    if (*got > left)
        *got = left;
    memcpy(buffer, source->bytes + source->at, *got);
    source->at += *got;
    source->has_failed |= *got == 0;
    return *got ? WARC_OK : WARC_IO;
}

/* Reads the complete records. */
static size_t read_records(const char *bytes, size_t len, size_t step, bool fails,
                           uint64_t *ends)
{
    char *copy = malloc(len ? len : 1);
    struct source source = { copy, len, 0, step, false };
    const warc_input input = { &source, read_source, NULL, NULL };
    warc_reader *reader = NULL;
    warc_record *record = NULL;
    warc_status status = WARC_OK;
    size_t count = 0;
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    const warc_status opened =
        fails ? warc_reader_open(&input, NULL, &reader, NULL)
              : warc_reader_open_memory((warc_view){ copy, len }, NULL, &reader, NULL);
    assert_int_equal(opened, WARC_OK);
    warc_error why = { .text = "" };
    while ((status = warc_reader_next(reader, &record, &why)) == WARC_OK) {
        uint64_t length = 0;
        char id[64];
        warc_view chunk;
        while ((status = warc_reader_chunk(reader, &chunk, &why)) == WARC_OK)
            ;
        if (status == WARC_END)
            status = warc_reader_finish(reader, &why);
        if (status != WARC_OK)
            break;
        (void)snprintf(id, sizeof id, "<urn:uuid:%08u>", (unsigned)count);
        const warc_view got = warc_record_get(record, WARC_FIELD_RECORD_ID);
        assert_int_equal(got.len, strlen(id));
        assert_memory_equal(got.data, id, got.len);
        assert_int_equal(warc_record_block_len(record), count * count * 10);
        assert_false(warc_record_is_damaged(record));
        assert_true(warc_record_length(record, &length));
        if (ends)
            ends[count] = warc_record_position(record).offset + length;
        count++;
    }
    assert_int_equal(status, fails ? WARC_IO : WARC_END);
    assert_string_equal(why.text, !fails     ? ""
                                  : len == 0 ? "cannot read the input"
                                             : "read or write failed");
    assert_int_equal(warc_reader_next(reader, &record, NULL), status);
    assert_int_equal(warc_reader_get_stats(reader)->damage_count, 0);
    assert_true(!fails || source.has_failed);
    warc_reader_free(reader);
    free(copy);
    return count;
}

/* Failing at each byte. */
static void gives_whole_records(void **state)
{
    const struct kind *kind = *state;
    warc_buffer archive = { 0 };
    uint64_t ends[RECORDS];
    make_archive(kind, &archive);
    assert_int_equal(read_records(archive.data, archive.len, 0, false, ends), RECORDS);
    assert_int_equal(ends[RECORDS - 1], archive.len);
    size_t whole = 0;
    for (size_t len = 0; len <= archive.len; len++) {
        whole += whole < RECORDS && ends[whole] <= len;
        const size_t step = len % 3 == 0 ? 1 + len % 50 : READ_MAX;
        assert_int_equal(read_records(archive.data, len, step, true, NULL), whole);
    }
    warc_buffer_done(&archive);
}

int main(void)
{
    enum { KINDS = sizeof kinds / sizeof *kinds };
    static struct CMUnitTest tests[KINDS];
    for (size_t i = 0; i < KINDS; i++)
        tests[i] = (struct CMUnitTest){ kinds[i].name, gives_whole_records, NULL, NULL,
                                        (void *)(uintptr_t)&kinds[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
