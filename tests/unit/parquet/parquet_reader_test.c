/* src/parquet/parquet_reader.c, column_reader.c, thrift_reader.c: rows as they were
 * written, and damage at any byte. */
#include "parquet/parquet_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "packed_text.h"
#include "parquet/parquet_file.h"

static const th_parquet_field fields[] = {
    { 0, "id", TH_PARQUET_TEXT, false },   { 0, "number", TH_PARQUET_INT, false },
    { 0, "flag", TH_PARQUET_BOOL, false }, { 0, "small", TH_PARQUET_INT16, false },
    { 0, "big", TH_PARQUET_UINT, false },  { 0, "names", TH_PARQUET_TEXT, true },
    { 0, "list", TH_PARQUET_GROUP, true }, { 1, "real", TH_PARQUET_REAL, false },
    { 1, "deep", TH_PARQUET_TEXT, true },  { 0, "http", TH_PARQUET_GROUP, false },
    { 1, "status", TH_PARQUET_INT, false }
};
static const th_parquet_pair pairs[] = { { "a", "b" }, { "schema", "test/1" } };

/* Rows of every form: null, empty, nested. */
static const char *const forms[] = {
    "{}",
    "{\"id\":\"a\",\"number\":7,\"flag\":true,\"small\":301,\"big\":9,"
    "\"names\":[\"x\",\"\",\"yz\"],\"list\":[{\"real\":1.5,\"deep\":[\"p\",\"q\"]},{},"
    "{\"deep\":[]},{\"deep\":[\"r\"]}],\"http\":{\"status\":200}}",
    "{\"names\":[],\"list\":[],\"http\":{}}",
    "{\"id\":\"b\",\"flag\":false,\"names\":[\"only\"],\"list\":[{}]}",
};
enum { FORMS = sizeof forms / sizeof *forms, ROWS = 5000 };

static char path[] = "/tmp/thresher-parquet-reader-XXXXXX";
static th_buffer bytes; /* of the file */

/* Row i: mostly with a text that no other row has, so that there are dictionaries and
 * plain pages. */
static void text_of(unsigned i, char out[400])
{
    if (i % 5)
        (void)snprintf(out, 400, "{\"id\":\"id %u\",\"number\":%u}", i, i % 11);
    else
        (void)snprintf(out, 400, "%s", forms[i / 5 % FORMS]);
}

static void write_table(th_parquet_codec codec, unsigned rows, uint64_t row_group)
{
    const th_parquet_options options = { .fields = fields,
                                         .field_count = sizeof fields / sizeof *fields,
                                         .codec = codec,
                                         .row_group = row_group,
                                         .created_by = "test",
                                         .pairs = pairs,
                                         .pair_count = 2 };
    th_file_sink *sink = NULL;
    th_parquet_file *file = NULL;
    th_error err;
    assert_int_equal(th_file_sink_open(path, 0, &sink, &err), TH_OK);
    assert_int_equal(th_parquet_open(&options, sink, NULL, &file, &err), TH_OK);
    for (unsigned i = 0; i < rows; i++) {
        char text[400];
        th_buffer packed = { 0 };
        text_of(i, text);
        pack_text(text, &packed);
        assert_int_equal(th_parquet_add(file, th_buffer_view(&packed), &err), TH_OK);
        assert_int_equal(th_parquet_settle(file, &err), TH_OK);
        th_buffer_done(&packed);
    }
    assert_int_equal(th_parquet_finish(file, &err), TH_OK);
    assert_int_equal(th_file_sink_finish(sink, &err), TH_OK);
    th_parquet_free(file);
    th_file_sink_free(sink);
    FILE *in = fopen(path, "rbe");
    char piece[4096];
    size_t got;
    assert_non_null(in);
    th_buffer_reset(&bytes);
    while ((got = fread(piece, 1, sizeof piece, in)) > 0)
        th_buffer_append(&bytes, piece, got);
    assert_int_equal(fclose(in), 0);
}

static th_status read_bytes(void *context, uint64_t offset, char *out, size_t len,
                            th_error *err)
{
    const th_view *all = context;
    (void)err;
    assert_true(offset <= all->len && len <= all->len - offset);
    memcpy(out, all->data + offset, len);
    return TH_OK;
}

static th_status open_view(th_view *view, const char *const *wanted,
                           th_parquet_reader **reader, th_error *err)
{
    const th_parquet_source source = { view, view->len, read_bytes };
    return th_parquet_reader_open(&source, wanted, reader, err);
}

static void rows_are_read_as_written(void **state)
{
    static const th_parquet_codec codecs[] = { TH_PARQUET_ZSTD, TH_PARQUET_UNPACKED };
    static const uint64_t groups[] = { 1, 3000, 1 << 30 };
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        const unsigned rows = i % 3 ? ROWS : 50;
        th_parquet_reader *reader = NULL;
        th_view json;
        th_error err;
        write_table(codecs[i / 3], rows, groups[i % 3]);
        th_view view = th_buffer_view(&bytes);
        assert_int_equal(open_view(&view, NULL, &reader, &err), TH_OK);
        const th_view pair = th_parquet_reader_pair(reader, "schema");
        assert_int_equal(pair.len, 6);
        assert_memory_equal(pair.data, "test/1", 6);
        assert_null(th_parquet_reader_pair(reader, "other").data);
        for (unsigned row = 0; row < rows; row++) {
            char text[400];
            text_of(row, text);
            assert_int_equal(th_parquet_reader_next(reader, &json, &err), TH_OK);
            assert_int_equal(th_parquet_reader_row(reader), row + 1);
            assert_int_equal(json.len, strlen(text));
            assert_memory_equal(json.data, text, json.len);
        }
        assert_int_equal(th_parquet_reader_next(reader, &json, &err), TH_END);
        th_parquet_reader_free(reader);
    }
}

static void only_wanted_columns_are_read(void **state)
{
    static const char *const wanted[] = { "http", "id", NULL };
    static const char *const unknown[] = { "nothing", NULL };
    (void)state;
    th_parquet_reader *reader = NULL;
    th_view json;
    th_error err;
    write_table(TH_PARQUET_ZSTD, 6, 1 << 20);
    th_view view = th_buffer_view(&bytes);
    assert_int_equal(open_view(&view, wanted, &reader, &err), TH_OK);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(th_parquet_reader_next(reader, &json, &err), TH_OK);
    static const char row[] = "{\"id\":\"a\",\"http\":{\"status\":200}}";
    assert_int_equal(json.len, sizeof row - 1);
    assert_memory_equal(json.data, row, json.len);
    th_parquet_reader_free(reader);
    assert_int_equal(open_view(&view, unknown, &reader, &err), TH_OK);
    assert_int_equal(th_parquet_reader_next(reader, &json, &err), TH_END);
    th_parquet_reader_free(reader);
}

/* Counts the rows, up to the first error. */
static th_status count_rows(th_view *view, unsigned *rows, th_error *err)
{
    th_parquet_reader *reader = NULL;
    th_view json;
    *rows = 0;
    th_status status = open_view(view, NULL, &reader, err);
    while (status == TH_OK &&
           (status = th_parquet_reader_next(reader, &json, err)) == TH_OK)
        ++*rows;
    th_parquet_reader_free(reader);
    return status;
}

static void a_damaged_row_group_costs_its_rows(void **state)
{
    (void)state;
    th_error err = { .text = "" };
    unsigned all = 0, rows = 0;
    write_table(TH_PARQUET_ZSTD, 40, 100);
    th_view view = th_buffer_view(&bytes);
    assert_int_equal(count_rows(&view, &all, &err), TH_END);
    assert_int_equal(all, 40);
    bytes.data[40] ^= 1; /* in the first page */
    assert_int_equal(count_rows(&view, &rows, &err), TH_DAMAGED);
    assert_true(rows > 20 && rows < 40);
    assert_non_null(strstr(err.text, "row group 1: column 'id'"));
}

/* Adds an outcome to a digest. [FNV-1a] */
static void note_outcome(uint64_t *digest, th_status status, unsigned rows,
                         const th_error *err)
{
    char text[sizeof err->text + 64];
    (void)snprintf(text, sizeof text, "%d %u %s;", (int)status, rows,
                   status == TH_END ? "" : err->text);
    for (const char *at = text; *at; at++)
        *digest = (*digest ^ (unsigned char)*at) * UINT64_C(1099511628211);
}

/* Each changed byte, and each end, gives rows or an error, and nothing is read outside of
 * the file. All outcomes have a digest. It changes with the format of the file. */
static void any_damage_is_an_error_or_rows(void **state)
{
    (void)state;
    th_error err;
    unsigned rows, refused = 0;
    uint64_t outcomes = UINT64_C(14695981039346656037);
    write_table(TH_PARQUET_UNPACKED, 30, 200);
    for (size_t i = 0; i < bytes.len; i++) {
        th_view cut = { bytes.data, i };
        const th_status status = count_rows(&cut, &rows, &err);
        assert_true(status == TH_DAMAGED || status == TH_ABSENT);
        note_outcome(&outcomes, status, rows, &err);
        for (unsigned bit = 0; bit < 8; bit += 3) {
            th_view view = th_buffer_view(&bytes);
            bytes.data[i] ^= (char)(1u << bit);
            const th_status changed = count_rows(&view, &rows, &err);
            assert_true(changed != TH_NOMEM);
            refused += changed != TH_END;
            assert_true(rows <= 30 || i > 100);
            note_outcome(&outcomes, changed, rows, &err);
            bytes.data[i] ^= (char)(1u << bit);
        }
    }
    assert_true(refused > bytes.len);
    assert_int_equal(outcomes, UINT64_C(0x67B4DFF6E62C8608));
}

static int make_file(void **state)
{
    (void)state;
    const int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    th_buffer_done(&bytes);
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_read_as_written),
        cmocka_unit_test(only_wanted_columns_are_read),
        cmocka_unit_test(a_damaged_row_group_costs_its_rows),
        cmocka_unit_test(any_damage_is_an_error_or_rows),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
