/* src/dedup/record_input.c, line_reader.c, decompressed_input.c: every container, every
 * cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dedup/input_file.h"
#include "dedup/record_input.h"
#include "parse/http/member_row.h"
#include "write/format.h"

/* Result for a file. */
struct outcome {
    unsigned good, faults[TH_RECORD_FAULT_COUNT];
    th_status end;
    char place[TH_PLACE_MAX]; /* of the last record */
    char ids[16];             /* first letters of the ids of valid records */
    th_error err;
};

static struct outcome read_file(size_t max_line)
{
    struct outcome outcome = { .good = 0 };
    th_record_input *input = NULL;
    th_record_line record = { .text = { 0 } };
    th_record_fault fault = TH_RECORD_NONE;
    const th_record_input_options options = { .use = TH_RECORD_SIGNATURES,
                                              .max_line = max_line };
    assert_int_equal(th_record_input_open(input_file_path, &options, &input, NULL),
                     TH_OK);
    while ((outcome.end = th_record_input_next(input, &record, &fault, &outcome.err)) ==
           TH_OK) {
        if (fault == TH_RECORD_NONE && outcome.good < sizeof outcome.ids - 1)
            outcome.ids[outcome.good] = record.id.data[0];
        outcome.good += fault == TH_RECORD_NONE;
        outcome.faults[fault]++;
        th_record_input_place(input, outcome.place);
    }
    th_record_input_free(input);
    th_record_line_done(&record);
    return outcome;
}

/* clang-format off */
static const struct row {
    const char *name, *in;
    unsigned good, bad_json;
    const char *place;
} rows[] = {
    { "empty file",           "",                                     0, 0, "" },
    { "no line end",          "{\"id\":\"a\"}",                       1, 0, "line 1" },
    { "carriage returns",     "{\"id\":\"a\"}\r\n{\"id\":\"b\"}\r\n", 2, 0, "line 2" },
    { "blank lines",          "\n{\"id\":\"a\"}\n \n\n{\"id\":\"b\"}\n", 2, 0, "line 5" },
    { "a bad line between",   "{\"id\":\"a\"}\n{\"id\":\"b\"\n{\"id\":\"c\"}\n", 2, 1, "line 3" },
};
/* clang-format on */

static void lines_hold(void **state)
{
    const struct row *row = *state;
    static const th_compression packings[] = { TH_PLAIN, TH_GZIP, TH_ZSTD };
    for (int i = 0; i < 3; i++) {
        th_buffer packed = { 0 };
        const th_view bytes = { row->in, strlen(row->in) };
        assert_int_equal(th_compress(packings[i], bytes, &packed), TH_OK);
        input_file_write(packed.data ? packed.data : "", packed.len);
        const struct outcome seen = read_file(1024);
        assert_int_equal(seen.end, TH_END);
        assert_int_equal(seen.good, row->good);
        assert_int_equal(seen.faults[TH_RECORD_BAD_JSON], row->bad_json);
        assert_string_equal(seen.place, row->place);
        th_buffer_done(&packed);
    }
}

/* Lines of every length around the pieces in which the file is read. */
static void long_lines(void **state)
{
    (void)state;
    enum { LIMIT = 300 * 1024 };
    const size_t lens[] = { 10,    100,       256 * 1024 - 20, 256 * 1024,
                            LIMIT, LIMIT + 1, 700 * 1024,      12 };
    th_buffer file = { 0 };
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        static const char start[] = "{\"id\":\"", end[] = "\"}\n";
        th_buffer_append_text(&file, start);
        for (size_t n = strlen(start) + strlen(end) - 1; n < lens[i]; n++)
            th_buffer_append_char(&file, 'x');
        th_buffer_append_text(&file, end);
    }
    static const th_compression packings[] = { TH_PLAIN, TH_GZIP, TH_ZSTD };
    for (int i = 0; i < 3; i++) {
        th_buffer packed = { 0 };
        assert_int_equal(th_compress(packings[i], th_buffer_view(&file), &packed), TH_OK);
        input_file_write(packed.data, packed.len);
        const struct outcome seen = read_file(LIMIT);
        assert_int_equal(seen.end, TH_END);
        assert_int_equal(seen.good, 6);
        assert_int_equal(seen.faults[TH_RECORD_TOO_LONG], 2);
        assert_string_equal(seen.place, "line 8");
        th_buffer_done(&packed);
    }
    th_buffer_done(&file);
}

/* Members in a row, truncated anywhere: complete lines before the cut are read, then the
 * damage is reported. */
static void cut_files(void **state)
{
    (void)state;
    static const th_compression packings[] = { TH_GZIP, TH_ZSTD };
    for (int i = 0; i < 2; i++) {
        th_buffer packed = { 0 };
        size_t first = 0;
        for (int n = 0; n < 3; n++) {
            assert_int_equal(th_compress(packings[i],
                                         TH_VIEW("{\"id\":\"a\"}\n{\"id\":\"b\"}\n"),
                                         &packed),
                             TH_OK);
            first = n ? first : packed.len;
        }
        for (size_t cut = first; cut <= packed.len; cut++) {
            input_file_write(packed.data, cut);
            const struct outcome seen = read_file(1024);
            /* A few bytes of a mark say no more than a cut between two members does. */
            assert_int_equal(seen.end,
                             cut % first >= TH_MEMBER_MARK_LEN ? TH_BAD_CODING : TH_END);
            assert_true(seen.good >= cut / first * 2);
        }
        th_buffer_append_text(&packed, "junk");
        input_file_write(packed.data, packed.len);
        const struct outcome seen = read_file(1024);
        assert_int_equal(seen.end, TH_BAD_CODING);
        assert_int_equal(seen.good, 6);
        th_buffer_done(&packed);
    }
}

static const char archive[] =
    "WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <urn:w>\r\n"
    "WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: application/warc-fields\r\n"
    "Content-Length: 0\r\n\r\n\r\n\r\n"
    "WARC/1.1\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:c>\r\n"
    "WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: text/plain\r\n"
    "Content-Length: 3\r\n\r\n{}x\r\n\r\n"
    "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:m>\r\n"
    "WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: application/json\r\n"
    "Content-Length: 11\r\n\r\n{\"id\":\"a\"}\n\r\n\r\n"
    "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:n>\r\n"
    "WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: application/json\r\n"
    "Content-Length: 4\r\n\r\nnono\r\n\r\n";

static void metadata_records_of_a_warc(void **state)
{
    (void)state;
    static const th_compression packings[] = { TH_PLAIN, TH_GZIP, TH_ZSTD };
    const th_view bytes = { archive, sizeof archive - 1 };
    for (int i = 0; i < 3; i++) {
        th_buffer packed = { 0 };
        assert_int_equal(th_compress(packings[i], bytes, &packed), TH_OK);
        input_file_write(packed.data, packed.len);
        const struct outcome seen = read_file(1024);
        assert_int_equal(seen.end, TH_END);
        assert_int_equal(seen.good, 1);
        assert_int_equal(seen.faults[TH_RECORD_BAD_JSON], 1);
        assert_memory_equal(seen.place, "offset ", 7);
        th_buffer_done(&packed);
    }
    input_file_write(archive, sizeof archive - 1 - 6); /* the last block is cut */
    assert_int_equal(read_file(1024).end, TH_BAD_CODING);
    input_file_write(archive, sizeof archive - 1);
    assert_int_equal(read_file(8).faults[TH_RECORD_TOO_LONG], 1);
}

/* A record of this type in a separate gzip member. */
static void append_member(th_buffer *file, const char *type, const char *json)
{
    th_buffer record = { 0 };
    th_buffer_printf(
        &record,
        "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:m>\r\n"
        "WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: application/json\r\n"
        "Content-Length: %zu\r\n\r\n%s\r\n\r\n",
        type, strlen(json), json);
    assert_int_equal(th_compress(TH_GZIP, th_buffer_view(&record), file), TH_OK);
    th_buffer_done(&record);
}

/* A bit of each byte of the middle member: the others are read, and the offset is reported.
 * A few bits change nothing, or only the end of the record's terminator. */
static void damage_costs_one_member(void **state)
{
    (void)state;
    enum { HEAD = 10 }; /* of a gzip member */
    th_buffer file = { 0 };
    unsigned refused = 0;
    append_member(&file, "metadata", "{\"id\":\"a\"}");
    const size_t start = file.len;
    append_member(&file, "metadata", "{\"id\":\"b\"}");
    const size_t end = file.len;
    append_member(&file, "metadata", "{\"id\":\"c\"}");
    char words[32];
    (void)snprintf(words, sizeof words, "offset %zu: ", start);
    for (size_t at = start + HEAD; at < end; at++) {
        file.data[at] ^= 16;
        input_file_write(file.data, file.len);
        file.data[at] ^= 16;
        const struct outcome seen = read_file(1024);
        assert_in_range(seen.good, 2, 3);
        assert_int_equal(seen.ids[0], 'a');
        assert_int_equal(seen.ids[seen.good - 1], 'c');
        assert_true(seen.end == TH_BAD_CODING || (seen.end == TH_END && seen.good == 3));
        if (seen.end == TH_BAD_CODING)
            assert_memory_equal(seen.err.text, words, strlen(words));
        refused += seen.good == 2;
    }
    assert_true(refused > (end - start - HEAD) * 9 / 10);
    /* Damage that only the checksum detects. */
    file.data[end - 8] ^= 16;
    input_file_write(file.data, file.len);
    const struct outcome seen = read_file(1024);
    assert_string_equal(seen.ids, "ac");
    assert_int_equal(seen.faults[TH_RECORD_DAMAGED], 1);
    th_buffer_done(&file);
}

static void archives_of_other_records(void **state)
{
    (void)state;
    th_buffer file = { 0 };
    append_member(&file, "warcinfo", "{}");
    input_file_write(file.data, file.len);
    assert_int_equal(read_file(1024).end, TH_END);
    append_member(&file, "response", "{\"id\":\"a\"}");
    input_file_write(file.data, file.len);
    const struct outcome seen = read_file(1024);
    assert_int_equal(seen.end, TH_ABSENT);
    assert_non_null(strstr(seen.err.text, "not one of its 1 WARC records"));
    append_member(&file, "metadata", "{\"id\":\"a\"}");
    input_file_write(file.data, file.len);
    assert_int_equal(read_file(1024).end, TH_END);
    th_buffer_done(&file);
}

static void a_missing_file_is_told(void **state)
{
    (void)state;
    th_record_input *input = NULL;
    th_error err = { .text = "" };
    const th_record_input_options options = { .max_line = 1024 };
    assert_int_equal(th_record_input_open("/no/such/file", &options, &input, &err),
                     TH_IO);
    assert_non_null(strstr(err.text, "/no/such/file"));
    assert_int_equal(th_record_input_open("/tmp", &options, &input, &err), TH_IO);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 6];
    size_t count = 0;
    for (; count < ROWS; count++)
        tests[count] = (struct CMUnitTest){ rows[count].name, lines_hold, NULL, NULL,
                                            (void *)(uintptr_t)&rows[count] };
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(long_lines);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(cut_files);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(metadata_records_of_a_warc);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(damage_costs_one_member);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(archives_of_other_records);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(a_missing_file_is_told);
    return cmocka_run_group_tests(tests, input_file_make, input_file_remove);
}
