/* The n-th allocation fails, for n = 1, 2, ...: a table is written and read again
 * unchanged, or the status is TH_NOMEM. */
#include "parquet/parquet_file.h"
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

#include "failing_allocation.h"
#include "packed_text.h"

static const th_parquet_field fields[] = {
    { 0, "id", TH_PARQUET_TEXT, false },   { 0, "number", TH_PARQUET_INT, false },
    { 0, "names", TH_PARQUET_TEXT, true }, { 0, "list", TH_PARQUET_GROUP, true },
    { 1, "real", TH_PARQUET_REAL, false }, { 1, "deep", TH_PARQUET_TEXT, true },
};
static const th_parquet_pair pairs[] = { { "schema", "test/1" } };

enum { ROWS = 400, ALLOCATIONS_MOST = 5000 };

static char path[] = "/tmp/thresher-parquet-nomem-XXXXXX";
static th_buffer rows;        /* packed */
static th_buffer table, json; /* as without a failure */
static th_buffer file;        /* of the last try */

static void make_rows(void)
{
    for (unsigned i = 0; i < ROWS; i++) {
        char text[400];
        (void)snprintf(text, sizeof text,
                       i % 3 ? "{\"id\":\"id of row %u\",\"number\":%u}"
                             : "{\"id\":\"%u\",\"names\":[\"a\",\"b%u\"],\"list\":"
                               "[{\"real\":1.5,\"deep\":[\"p\",\"q\"]},{}]}",
                       i, i * 7919);
        pack_text(text, &rows);
    }
}

/* Writes the rows in pieces that end within tokens. */
static th_status add_all(th_parquet_file *out)
{
    static const size_t piece = 777;
    th_status status = TH_OK;
    for (size_t at = 0; at < rows.len && status == TH_OK; at += piece) {
        const size_t left = rows.len - at;
        status = th_parquet_add(
            out, (th_view){ rows.data + at, left < piece ? left : piece }, NULL);
        if (status == TH_OK)
            status = th_parquet_settle(out, NULL);
    }
    return status == TH_OK ? th_parquet_finish(out, NULL) : status;
}

static th_status write_table(uint64_t row_group)
{
    const th_parquet_options options = { .fields = fields,
                                         .field_count = sizeof fields / sizeof *fields,
                                         .codec = TH_PARQUET_ZSTD,
                                         .row_group = row_group,
                                         .created_by = "test",
                                         .pairs = pairs,
                                         .pair_count = 1 };
    th_file_sink *sink = NULL;
    th_parquet_file *out = NULL;
    th_status status = th_file_sink_open(path, 0, &sink, NULL);
    if (status == TH_OK)
        status = th_parquet_open(&options, sink, NULL, &out, NULL);
    if (status == TH_OK)
        status = add_all(out);
    if (status == TH_OK)
        status = th_file_sink_finish(sink, NULL);
    th_parquet_free(out);
    th_file_sink_free(sink);
    return status;
}

static void load_table(void)
{
    char piece[4096];
    size_t got;
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    th_buffer_reset(&file);
    while ((got = fread(piece, 1, sizeof piece, in)) > 0)
        th_buffer_append(&file, piece, got);
    assert_int_equal(fclose(in), 0);
}

static th_status read_bytes(void *context, uint64_t offset, char *out, size_t len,
                            th_error *err)
{
    const th_buffer *all = context;
    (void)err;
    assert_true(offset <= all->len && len <= all->len - offset);
    memcpy(out, all->data + offset, len);
    return TH_OK;
}

static char row_text[1 << 16];
static size_t row_len;

static th_status read_table(void)
{
    static const char *const wanted[] = { "id", "list", "names", NULL };
    const th_parquet_source source = { &table, table.len, read_bytes };
    th_parquet_reader *reader = NULL;
    th_view row;
    row_len = 0;
    th_status status = th_parquet_reader_open(&source, wanted, &reader, NULL);
    while (status == TH_OK) {
        status = th_parquet_reader_next(reader, &row, NULL);
        if (status != TH_OK)
            break;
        assert_true(row.len < sizeof row_text - row_len);
        memcpy(row_text + row_len, row.data, row.len);
        row_len += row.len;
    }
    th_parquet_reader_free(reader);
    return status == TH_END ? TH_OK : status;
}

static void writing_survives(void **state)
{
    static const uint64_t groups[] = { 1 << 20, 3000 };
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        size_t n = 0;
        bool is_met = true;
        assert_int_equal(write_table(groups[i]), TH_OK);
        load_table();
        th_buffer_reset(&table);
        th_buffer_append_view(&table, th_buffer_view(&file));
        while (is_met && n < ALLOCATIONS_MOST) {
            fail_allocation(++n);
            const th_status status = write_table(groups[i]);
            is_met = is_failure_met();
            fail_allocation(0);
            if (status == TH_OK) {
                load_table();
                assert_int_equal(file.len, table.len);
                assert_memory_equal(file.data, table.data, table.len);
            } else {
                assert_true(status == TH_NOMEM && is_met);
            }
        }
        assert_true(n > 20 && n < ALLOCATIONS_MOST);
    }
}

static void reading_survives(void **state)
{
    size_t n = 0;
    bool is_met = true;
    (void)state;
    assert_int_equal(read_table(), TH_OK);
    th_buffer_reset(&json);
    th_buffer_append(&json, row_text, row_len);
    assert_true(json.len > ROWS);
    while (is_met && n < ALLOCATIONS_MOST) {
        fail_allocation(++n);
        const th_status status = read_table();
        is_met = is_failure_met();
        fail_allocation(0);
        if (status == TH_OK) {
            assert_int_equal(row_len, json.len);
            assert_memory_equal(row_text, json.data, json.len);
        } else {
            assert_true(status == TH_NOMEM && is_met);
        }
    }
    assert_true(n > 10 && n < ALLOCATIONS_MOST);
}

static int set_up(void **state)
{
    (void)state;
    const int fd = mkstemp(path);
    make_rows();
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    th_buffer_done(&rows);
    th_buffer_done(&table);
    th_buffer_done(&json);
    th_buffer_done(&file);
    (void)unlink(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing_survives),
        cmocka_unit_test(reading_survives), /* the last table */
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
