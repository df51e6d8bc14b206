/* The writer: the reader reads the written records, in each compression. Values that would
 * break a record are refused. */
#include "warc/warc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static warc_view text(const char *string)
{
    return (warc_view){ string, strlen(string) };
}

static void assert_view(warc_view got, warc_view want)
{
    assert_int_equal(got.len, want.len);
    assert_memory_equal(got.data, want.data, want.len);
}

enum { SIZE = sizeof(warc_writer_options) };

static const struct packing_row {
    const char *name;
    warc_writer_options options;
    const char *magic;
} packing_rows[] = {
    { "plain", { SIZE, WARC_PACK_PLAIN, 0, false }, "WARC/1.1" },
    { "plain 1.0", { SIZE, WARC_PACK_PLAIN, 0, true }, "WARC/1.0" },
    { "gzip", { SIZE, WARC_PACK_GZIP, 0, false }, "\x1f\x8b\x08" },
    { "gzip 9", { SIZE, WARC_PACK_GZIP, 9, false }, "\x1f\x8b\x08" },
    { "zstd", { SIZE, WARC_PACK_ZSTD, 0, false }, "\x28\xb5\x2f\xfd" },
    { "zstd 19", { SIZE, WARC_PACK_ZSTD, 19, false }, "\x28\xb5\x2f\xfd" },
};

static warc_writer *open_writer(warc_buffer *buffer, const warc_writer_options *options)
{
    const warc_output output = warc_output_to_buffer(buffer);
    warc_writer *writer = NULL;
    assert_int_equal(warc_writer_new(&output, options, &writer, NULL), WARC_OK);
    return writer;
}

/* A number that looks random, the same everywhere. */
static uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

enum { RECORDS = 40, FIELDS_MAX = 6, BLOCK_MAX = 200000 };

static size_t make_fields(uint32_t *seed, warc_header_field *fields, char (*values)[32])
{
    const size_t count = 1 + draw(seed) % FIELDS_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t len = draw(seed) % 30;
        for (size_t k = 0; k < len; k++) {
            const char c = (char)(1 + draw(seed) % 255);
            const int is_edge =
                k == 0 || k + 1 == len; /* these spaces do not belong to a value */
            values[i][k] =
                c == '\r' || c == '\n' || (is_edge && (c == ' ' || c == '\t')) ? 'x' : c;
        }
        fields[i] = (warc_header_field){ text("X-Any"), { values[i], len } };
    }
    return count;
}

static void reads_back(void **state)
{
    const struct packing_row *row = *state;
    warc_buffer buffer = { 0 };
    warc_writer *writer = open_writer(&buffer, &row->options);
    char *block = malloc(BLOCK_MAX);
    assert_non_null(block);
    uint32_t seed = 1;
    for (size_t i = 0; i < BLOCK_MAX; i++)
        block[i] = (char)(draw(&seed) % 7);
    warc_header_field fields[FIELDS_MAX];
    char values[FIELDS_MAX][32];
    seed = 2;
    for (int n = 0; n < RECORDS; n++) {
        const size_t count = make_fields(&seed, fields, values);
        const size_t len = draw(&seed) % (n % 8 == 0 ? BLOCK_MAX : 300);
        assert_int_equal(
            warc_writer_record(writer, fields, count, (warc_view){ block, len }, NULL),
            WARC_OK);
    }
    warc_writer_free(writer);
    assert_memory_equal(buffer.data, row->magic, strlen(row->magic));
    if (row->options.packing == WARC_PACK_GZIP) { /* no time, and no system */
        assert_memory_equal((const char *)buffer.data + 3, "\0\0\0\0\0", 5);
        assert_int_equal(((const unsigned char *)buffer.data)[9], 255);
    }

    warc_reader *reader = NULL;
    assert_int_equal(warc_reader_open_memory((warc_view){ buffer.data, buffer.len }, NULL,
                                             &reader, NULL),
                     WARC_OK);
    seed = 2;
    uint64_t offset = 0;
    for (int n = 0; n < RECORDS; n++) {
        warc_record *record = NULL;
        assert_int_equal(warc_reader_next(reader, &record, NULL), WARC_OK);
        const size_t count = make_fields(&seed, fields, values);
        const size_t len = draw(&seed) % (n % 8 == 0 ? BLOCK_MAX : 300);
        assert_int_equal(warc_record_field_count(record), count + 1);
        for (size_t i = 0; i < count; i++)
            assert_view(warc_record_field_at(record, i).value, fields[i].value);
        size_t at = 0;
        warc_view chunk;
        while (warc_reader_chunk(reader, &chunk, NULL) == WARC_OK) {
            assert_true(chunk.len <= len - at);
            assert_memory_equal(chunk.data, block + at, chunk.len);
            at += chunk.len;
        }
        assert_int_equal(at, len);
        assert_int_equal(warc_reader_finish(reader, NULL), WARC_OK);
        uint64_t length = 0; /* records are contiguous */
        assert_int_equal(warc_record_position(record).offset, offset);
        assert_true(warc_record_length(record, &length));
        offset += length;
    }
    assert_int_equal(offset, buffer.len);
    assert_int_equal(warc_reader_get_stats(reader)->damage_count, 0);
    warc_reader_free(reader);
    warc_buffer_done(&buffer);
    free(block);
}

static const struct refused_row {
    const char *name;
    warc_view field, value;
} refused_rows[] = {
    // clang-format off
    { "LF in a value",    { "A", 1 },              { "b\nC: d", 6 } },
    { "CR in a value",    { "A", 1 },              { "b\rc", 3 } },
    { "NUL in a value",   { "A", 1 },              { "b\0c", 3 } },
    { "no name",          { "", 0 },               { "b", 1 } },
    { "colon in a name",  { "A:B", 3 },            { "b", 1 } },
    { "blank in a name",  { "A B", 3 },            { "b", 1 } },
    { "LF in a name",     { "A\n", 2 },            { "b", 1 } },
    { "content length",   { "content-LENGTH", 14 },{ "7", 1 } },
    // clang-format on
};

static void is_refused(void **state)
{
    const struct refused_row *row = *state;
    warc_buffer buffer = { 0 };
    warc_writer *writer = open_writer(&buffer, NULL);
    const warc_header_field field = { row->field, row->value };
    warc_error error;
    assert_int_equal(warc_writer_record(writer, &field, 1, text("block"), &error),
                     WARC_REFUSED_FIELD);
    assert_int_equal(error.status, WARC_REFUSED_FIELD);
    assert_int_equal(buffer.len, 0);
    const warc_header_field good = { text("A"),
                                     text("b") }; /* and the writer continues */
    assert_int_equal(warc_writer_record(writer, &good, 1, text(""), NULL), WARC_OK);
    warc_writer_free(writer);
    warc_buffer_done(&buffer);
}

static void conversion_is_as_in_wet(void **state)
{
    (void)state;
    warc_buffer buffer = { 0 };
    const warc_writer_options options = { SIZE, .version_1_0 = true };
    warc_writer *writer = open_writer(&buffer, &options);
    const warc_derived about = {
        .target_uri = { "http://example.org/\r\n\0x", 23 },
        .date = text("2020-01-01T00:00:00Z"),
        .warcinfo_id = text("<urn:uuid:00000000-0000-0000-0000-000000000002>"),
        .refers_to = text("<urn:uuid:00000000-0000-0000-0000-000000000001>"),
        .languages = text("eng"),
    };
    assert_int_equal(warc_writer_conversion(writer, &about, text("abc"), NULL), WARC_OK);
    assert_view(
        (warc_view){ buffer.data, buffer.len },
        text("WARC/1.0\r\n"
             "WARC-Type: conversion\r\n"
             "WARC-Target-URI: http://example.org/%0D%0A%00x\r\n"
             "WARC-Date: 2020-01-01T00:00:00Z\r\n"
             "WARC-Record-ID: <urn:uuid:06671494-eb56-5ae5-b971-3f7bc31573b5>\r\n"
             "WARC-Warcinfo-ID: <urn:uuid:00000000-0000-0000-0000-000000000002>\r\n"
             "WARC-Refers-To: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n"
             "WARC-Block-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n"
             "WARC-Identified-Content-Language: eng\r\n"
             "Content-Type: text/plain\r\n"
             "Content-Length: 3\r\n\r\nabc\r\n\r\n"));
    const warc_derived nothing = { 0 };
    assert_int_equal(warc_writer_metadata(writer, &nothing, text("{}"), NULL),
                     WARC_BAD_ARGUMENT);
    warc_writer_free(writer);
    warc_buffer_done(&buffer);
}

static void warcinfo_opens_a_file(void **state)
{
    (void)state;
    warc_buffer buffer = { 0 };
    warc_writer *writer = open_writer(&buffer, NULL);
    const warc_header_field lines[] = { { text("software"), text("test/1.0") },
                                        { text("format"),
                                          text("WARC File Format 1.1") } };
    assert_int_equal(warc_writer_warcinfo(writer, text("x.warc"),
                                          text("2020-01-01T00:00:00Z"), text("<urn:x>"),
                                          lines, 2, NULL),
                     WARC_OK);
    assert_view(
        (warc_view){ buffer.data, buffer.len },
        text("WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
             "WARC-Record-ID: <urn:x>\r\nWARC-Filename: x.warc\r\n"
             "Content-Type: application/warc-fields\r\nContent-Length: 50\r\n\r\n"
             "software: test/1.0\r\nformat: WARC File Format 1.1\r\n\r\n\r\n"));
    warc_writer_free(writer);
    warc_buffer_done(&buffer);
}

/* Python: uuid.uuid5(uuid.NAMESPACE_URL, 'http://example.org/ conversion') */
static void id_follows_from_name(void **state)
{
    (void)state;
    char id[WARC_ID_SIZE];
    assert_int_equal(warc_derive_id(text("http://example.org/"), "conversion", id),
                     WARC_OK);
    assert_string_equal(id, "<urn:uuid:ed8c0ea2-0824-5c62-98b9-37e71a488e4e>");
}

static warc_status failing_write(void *context, warc_view bytes)
{
    size_t *left = context;
    if (bytes.len > *left)
        return WARC_IO;
    *left -= bytes.len;
    return WARC_OK;
}

static void a_failed_output_stays_failed(void **state)
{
    (void)state;
    size_t left = 20;
    const warc_output output = { &left, failing_write };
    warc_writer *writer = NULL;
    assert_int_equal(warc_writer_new(&output, NULL, &writer, NULL), WARC_OK);
    const warc_header_field field = { text("A"), text("b") };
    assert_int_equal(warc_writer_record(writer, &field, 1, text("block"), NULL), WARC_IO);
    left = 1000;
    assert_int_equal(warc_writer_record(writer, &field, 1, text("block"), NULL), WARC_IO);
    warc_writer_free(writer);
}

/* Level 0 is the standard of the compression; each other level is used as it is. */
static void levels_differ(void **state)
{
    enum { LEN = 100000, LEVELS = 4 };
    static const struct {
        warc_packing packing;
        int levels[LEVELS];
    } rows[] = { { WARC_PACK_GZIP, { 0, 1, 2, 9 } },
                 { WARC_PACK_ZSTD, { 0, 1, 2, 19 } } };
    char *block = malloc(LEN);
    uint32_t seed = 3;
    (void)state;
    assert_non_null(block);
    for (size_t i = 0; i < LEN; i++) {
        const uint32_t most = 1 + draw(&seed) % 20;
        block[i] = (char)('a' + draw(&seed) % most);
    }
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        size_t sizes[LEVELS];
        for (int i = 0; i < LEVELS; i++) {
            const warc_writer_options options = { SIZE, .packing = rows[row].packing,
                                                  .level = rows[row].levels[i] };
            warc_buffer buffer = { 0 };
            warc_writer *writer = open_writer(&buffer, &options);
            const warc_header_field field = { text("X-Any"), text("value") };
            assert_int_equal(
                warc_writer_record(writer, &field, 1, (warc_view){ block, LEN }, NULL),
                WARC_OK);
            warc_writer_free(writer);
            sizes[i] = buffer.len;
            warc_buffer_done(&buffer);
            for (int k = 0; k < i; k++)
                assert_true(sizes[k] != sizes[i]);
        }
    }
    free(block);
}

static void bad_levels_are_refused(void **state)
{
    (void)state;
    warc_buffer buffer = { 0 };
    const warc_output output = warc_output_to_buffer(&buffer);
    const warc_writer_options gzip = { SIZE, .packing = WARC_PACK_GZIP, .level = 10 };
    const warc_writer_options zstd = { SIZE, .packing = WARC_PACK_ZSTD, .level = 23 };
    warc_writer *writer = NULL;
    assert_int_equal(warc_writer_new(&output, &gzip, &writer, NULL), WARC_BAD_ARGUMENT);
    assert_int_equal(warc_writer_new(&output, &zstd, &writer, NULL), WARC_BAD_ARGUMENT);
    assert_null(writer);
}

static void options_of_other_sizes(void **state)
{
    (void)state;
    warc_buffer buffer = { 0 };
    const warc_output output = warc_output_to_buffer(&buffer);
    warc_writer *writer = NULL;
    struct {
        warc_writer_options now;
        char later[8];
    } options;
    memset(&options, 0x55, sizeof options);
    warc_writer_options_init_sized(&options.now, sizeof options); /* a newer program */
    assert_int_equal(options.now.size, sizeof options);
    assert_int_equal(options.now.level, 0);
    assert_int_equal(options.later[7], 0);
    assert_int_equal(warc_writer_new(&output, &options.now, &writer, NULL),
                     WARC_BAD_ARGUMENT);
    options.now.size = 0; /* as without a call */
    assert_int_equal(warc_writer_new(&output, &options.now, &writer, NULL),
                     WARC_BAD_ARGUMENT);
    assert_null(writer);
    options.now.size = SIZE;
    assert_int_equal(warc_writer_new(&output, &options.now, &writer, NULL), WARC_OK);
    warc_writer_free(writer);
}

static void *state_of(const void *constant)
{
    union {
        const void *constant;
        void *state;
    } view = { .constant = constant };
    return view.state;
}

enum {
    PACKINGS = sizeof packing_rows / sizeof *packing_rows,
    REFUSALS = sizeof refused_rows / sizeof *refused_rows,
};

int main(void)
{
    const struct CMUnitTest claims[] = {
        cmocka_unit_test(conversion_is_as_in_wet),
        cmocka_unit_test(warcinfo_opens_a_file),
        cmocka_unit_test(id_follows_from_name),
        cmocka_unit_test(a_failed_output_stays_failed),
        cmocka_unit_test(levels_differ),
        cmocka_unit_test(bad_levels_are_refused),
        cmocka_unit_test(options_of_other_sizes),
    };
    struct CMUnitTest tests[PACKINGS + REFUSALS];
    size_t n = 0;
    for (size_t i = 0; i < PACKINGS; i++)
        tests[n++] = (struct CMUnitTest){ packing_rows[i].name, reads_back, NULL, NULL,
                                          state_of(&packing_rows[i]) };
    for (size_t i = 0; i < REFUSALS; i++)
        tests[n++] = (struct CMUnitTest){ refused_rows[i].name, is_refused, NULL, NULL,
                                          state_of(&refused_rows[i]) };
    const int failed = cmocka_run_group_tests_name("rows", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("claims", claims, NULL, NULL);
}
