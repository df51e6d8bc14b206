/* src/parquet/parquet_file.c: the end of a file, resuming, the same bytes for any
 * batches of rows, and a page byte by byte. */
#include "parquet/parquet_file.h"
#include "parquet/thrift.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "outcomes.h"
#include "packed_text.h"

static const th_parquet_field fields[] = {
    { 0, "number", TH_PARQUET_INT, false },
    { 0, "text", TH_PARQUET_TEXT, false },
    { 0, "list", TH_PARQUET_GROUP, true },
    { 1, "real", TH_PARQUET_REAL, false },
};
static const th_parquet_pair pairs[] = { { "schema", "test/1" } };
static const th_parquet_options options = {
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .codec = TH_PARQUET_ZSTD,
    .row_group = 4000,
    .created_by = "test version 1",
    .pairs = pairs,
    .pair_count = 1,
};

static char folder[] = "/tmp/thresher-parquet-XXXXXX";
static char path[128], part[128];
static th_error err;

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/out", folder);
    (void)snprintf(part, sizeof part, "%s/out" TH_PART_SUFFIX, folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(part);
    return rmdir(folder);
}

static th_file_sink *sink;
static th_parquet_file *file;

static void open_at(uint64_t start)
{
    assert_int_equal(th_file_sink_open(path, start, &sink, &err), TH_OK);
    assert_int_equal(th_parquet_open(&options, sink, part, &file, &err), TH_OK);
}

static void close_all(void)
{
    th_parquet_free(file);
    th_file_sink_free(sink);
    file = NULL;
    sink = NULL;
}

static void finish(void)
{
    assert_int_equal(th_parquet_finish(file, &err), TH_OK);
    assert_int_equal(th_file_sink_finish(sink, &err), TH_OK);
    close_all();
}

/* Appends row i of the tests. */
static void make_row(unsigned i, th_buffer *out)
{
    char row[128];
    (void)snprintf(row, sizeof row,
                   "{\"number\":%u,\"text\":\"text %u\",\"list\":[{\"real\":%u.5}%s]}", i,
                   i % 7, i, i % 3 ? ",{}" : "");
    pack_text(row, out);
}

static void add_rows(unsigned from, unsigned to)
{
    th_buffer row = { 0 };
    for (unsigned i = from; i < to; i++) {
        th_buffer_reset(&row);
        make_row(i, &row);
        assert_int_equal(th_parquet_add(file, th_buffer_view(&row), &err), TH_OK);
        if (i % 10 == 9)
            assert_int_equal(th_parquet_settle(file, &err), TH_OK);
    }
    th_buffer_done(&row);
}

static th_buffer contents(void)
{
    th_buffer bytes = { 0 };
    char piece[4096];
    ssize_t got;
    const int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    while ((got = read(fd, piece, sizeof piece)) > 0)
        th_buffer_append(&bytes, piece, (size_t)got);
    (void)close(fd);
    return bytes;
}

static th_buffer write_whole(void)
{
    open_at(0);
    add_rows(0, 1000);
    finish();
    return contents();
}

static void a_file_is_framed(void **state)
{
    (void)state;
    th_buffer bytes = write_whole();
    assert_memory_equal(bytes.data, "PAR1", 4);
    assert_memory_equal(bytes.data + bytes.len - 4, "PAR1", 4);
    const unsigned char *at = (const unsigned char *)bytes.data + bytes.len - 8;
    const uint32_t footer = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
    assert_true(footer > 100 && footer + 12 < bytes.len);
    const char *start = bytes.data + bytes.len - 8 - footer;
    assert_memory_equal(start, "\x15\x04\x19", 3); /* version 2, the schema */
    assert_non_null(memmem(start, footer, "test version 1", 14));
    assert_non_null(memmem(start, footer, "test/1", 6));
    th_buffer_done(&bytes);
}

static void pieces_of_rows_change_nothing(void **state)
{
    (void)state;
    th_buffer whole = write_whole(), rows = { 0 };
    open_at(0);
    for (unsigned from = 0; from < 1000; from += 10) {
        th_buffer_reset(&rows);
        for (unsigned i = from; i < from + 10; i++)
            make_row(i, &rows);
        for (size_t at = 0, len; at < rows.len; at += len) {
            len = rows.len - at < 17 ? rows.len - at : 17;
            assert_int_equal(th_parquet_add(file, (th_view){ rows.data + at, len }, &err),
                             TH_OK);
        }
        assert_int_equal(th_parquet_settle(file, &err), TH_OK);
    }
    finish();
    th_buffer pieces = contents();
    assert_int_equal(pieces.len, whole.len);
    assert_memory_equal(pieces.data, whole.data, whole.len);
    th_buffer_done(&whole);
    th_buffer_done(&pieces);
    th_buffer_done(&rows);
}

/* All states that say that all rows are written, with any data after it. */
static void a_killed_writer_goes_on(void **state)
{
    (void)state;
    th_buffer whole = write_whole();
    for (unsigned kill = 10; kill < 1000; kill += 50) {
        unsigned saved = 0;
        uint64_t len = 4;
        open_at(0);
        for (unsigned i = 0; i < kill; i += 10) {
            add_rows(i, i + 10);
            if (!th_parquet_is_settled(file))
                continue;
            saved = i + 10;
            len = th_file_sink_len(sink);
        }
        close_all();
        open_at(len);
        add_rows(saved, 1000);
        finish();
        th_buffer again = contents();
        assert_int_equal(again.len, whole.len);
        assert_memory_equal(again.data, whole.data, whole.len);
        th_buffer_done(&again);
    }
    th_buffer_done(&whole);
}

/* Not the end of a row group, or another file altogether. */
static void foreign_parts_are_refused(void **state)
{
    (void)state;
    open_at(0);
    add_rows(0, 500);
    const uint64_t len = th_file_sink_len(sink);
    close_all();
    assert_true(len > 100);
    for (uint64_t cut = 1; cut < len; cut += cut < 40 ? 1 : 97) {
        assert_int_equal(th_file_sink_open(path, cut, &sink, &err), TH_OK);
        const th_status status = th_parquet_open(&options, sink, part, &file, &err);
        if (status == TH_OK)
            assert_int_equal(cut, 4);
        else
            assert_int_equal(status, TH_DAMAGED);
        close_all();
        open_at(0);
        add_rows(0, 500);
        close_all();
    }
}

static void no_rows_make_a_table(void **state)
{
    (void)state;
    open_at(0);
    assert_true(th_parquet_is_settled(file));
    finish();
    th_buffer bytes = contents();
    assert_memory_equal(bytes.data + bytes.len - 4, "PAR1", 4);
    th_buffer_done(&bytes);
}

static void a_row_without_its_end_is_told(void **state)
{
    (void)state;
    open_at(0);
    assert_int_equal(th_parquet_add(file, TH_VIEW("{k\6number"), &err), TH_OK);
    assert_false(th_parquet_is_settled(file));
    assert_int_equal(th_parquet_finish(file, &err), TH_DAMAGED);
    close_all();
    open_at(0);
    assert_int_equal(th_parquet_add(file, TH_VIEW("{k\5othert}"), &err), TH_DAMAGED);
    assert_non_null(strstr(err.text, "row 1 "));
    assert_non_null(strstr(err.text, "'other'"));
    close_all();
}

/* One page that is not packed, by its bytes. */
static void a_page_is_as_specified(void **state)
{
    static const th_parquet_field one[] = { { 0, "n", TH_PARQUET_INT32, false } };
    th_parquet_schema schema;
    th_column_chunk column;
    (void)state;
    assert_int_equal(th_parquet_schema_init(&schema, one, 1), TH_OK);
    th_column_init(&column, &schema.nodes[schema.leaves[0]]);
    th_page_packer *packer = th_page_packer_new(TH_PARQUET_UNPACKED);
    assert_int_equal(th_column_put(&column, 0, TH_VIEW("\x05\0\0\0")), TH_OK);
    th_column_put_null(&column, 0, 0);
    assert_int_equal(th_column_put(&column, 0, TH_VIEW("\xff\xff\xff\xff")), TH_OK);
    assert_int_equal(th_column_end_page(&column, packer), TH_OK);
    /* levels: their length, a packed group of 1 0 1; values: 5 and -1 */
    static const char page[] = "\x02\0\0\0\x03\x05\x05\0\0\0\xff\xff\xff\xff";
    const size_t len = sizeof page - 1;
    assert_memory_equal(column.pages.data, "\x15\x00\x15\x1c\x15\x1c\x15", 7);
    /* after the checksum: 3 values, plain (0), levels by RLE (3), the end of both structs */
    static const char header[] = "\x1c\x15\x06\x15\x00\x15\x06\x15\x06\x00\x00";
    assert_memory_equal(column.pages.data + column.pages.len - len - (sizeof header - 1),
                        header, sizeof header - 1);
    assert_memory_equal(column.pages.data + column.pages.len - len, page, len);
    assert_int_equal(column.null_count, 1);
    int32_t min, greatest;
    memcpy(&min, column.min.bytes, sizeof min);
    memcpy(&greatest, column.greatest.bytes, sizeof greatest);
    assert_int_equal(min, -1);
    assert_int_equal(greatest, 5);
    th_page_packer_free(packer);
    th_column_done(&column);
    th_parquet_schema_done(&schema);
}

/* Different values leave the dictionary before their page ends, and none is lost. Values
 * that recur keep it. */
static void different_values_need_no_dictionary(void **state)
{
    enum { VALUES = 5000 };
    static const th_parquet_field one[] = { { 0, "n", TH_PARQUET_UINT, false } };
    (void)state;
    for (uint64_t times = 1; times <= 3; times += 2) {
        th_parquet_schema schema;
        th_column_chunk column;
        assert_int_equal(th_parquet_schema_init(&schema, one, 1), TH_OK);
        th_column_init(&column, &schema.nodes[schema.leaves[0]]);
        for (uint64_t i = 0; i < VALUES * times; i++) {
            const uint64_t value = i / times;
            assert_int_equal(
                th_column_put(&column, 0,
                              (th_view){ (const char *)&value, sizeof value }),
                TH_OK);
        }
        assert_int_equal(column.has_dictionary, times > 1);
        assert_int_equal(column.entry_count, times > 1 ? VALUES : 0);
        assert_int_equal(column.values.len, times > 1 ? VALUES * times * 4 : VALUES * 8);
        for (uint64_t i = 0; times == 1 && i < VALUES; i++)
            assert_memory_equal(column.values.data + i * 8, &i, 8);
        th_column_done(&column);
        th_parquet_schema_done(&schema);
    }
}

/* The bounds of a column, for any order of its values and for each kind. */
static void bounds_are_of_all_values(void **state)
{
    enum { VALUES = 5, LONG = TH_PARQUET_BOUND + 1 };
    static const char text[] =
        "................................................................z";
    static const int64_t ints[VALUES] = { INT64_MIN, -1, 0, 1, INT64_MAX };
    static const uint64_t uints[VALUES] = { 0, 1, 2, 1ull << 63, UINT64_MAX };
    static const int32_t int32s[VALUES] = { INT32_MIN, -1, 0, 1, INT32_MAX };
    static const double reals[VALUES] = { -1e300, -.5, 0, 1e-300, 2 };
    static const struct kind {
        th_parquet_kind kind;
        const void *values;
        size_t size;
    } kinds[] = { { TH_PARQUET_INT, ints, 8 },         { TH_PARQUET_TIME, ints, 8 },
                  { TH_PARQUET_UINT, uints, 8 },       { TH_PARQUET_INT32, int32s, 4 },
                  { TH_PARQUET_INT16, int32s, 4 },     { TH_PARQUET_REAL, reals, 8 },
                  { TH_PARQUET_BOOL, "\0\0\0\1\1", 1 } };
    (void)state;
    _Static_assert(sizeof text - 1 == LONG, "the text is one byte longer than a bound");
    for (size_t k = 0; k <= sizeof kinds / sizeof *kinds; k++) {
        const bool is_text = k == sizeof kinds / sizeof *kinds;
        const th_view texts[VALUES] = { { text, 0 },
                                        { text, 1 },
                                        { text, TH_PARQUET_BOUND },
                                        { text, LONG },
                                        { "b", 1 } };
        const th_parquet_field one[] = {
            { 0, "n", is_text ? TH_PARQUET_TEXT : kinds[k].kind, false }
        };
        for (unsigned from = 0; from < VALUES; from++)
            for (unsigned to = 0; to < VALUES; to++) {
                th_parquet_schema schema;
                th_column_chunk column;
                assert_int_equal(th_parquet_schema_init(&schema, one, 1), TH_OK);
                th_column_init(&column, &schema.nodes[schema.leaves[0]]);
                /* from, the values between, to */
                const int step = from <= to ? 1 : -1;
                for (int i = (int)from; i != (int)to + step; i += step) {
                    const char *values = is_text ? NULL : kinds[k].values;
                    const size_t size = is_text ? 0 : kinds[k].size;
                    const th_view value =
                        is_text ? texts[i] : (th_view){ values + (size_t)i * size, size };
                    assert_int_equal(th_column_put(&column, 0, value), TH_OK);
                }
                const unsigned least = from < to ? from : to,
                               greatest = from < to ? to : from;
                const th_column_bound *const found[] = { &column.min, &column.greatest };
                for (unsigned i = 0; i < 2; i++) {
                    const unsigned at = i ? greatest : least;
                    th_view wanted = texts[at];
                    if (!is_text)
                        wanted =
                            (th_view){ (const char *)kinds[k].values + at * kinds[k].size,
                                       kinds[k].size };
                    assert_int_equal(found[i]->is_cut, wanted.len > TH_PARQUET_BOUND);
                    if (found[i]->is_cut)
                        wanted.len = TH_PARQUET_BOUND;
                    assert_int_equal(found[i]->len, wanted.len);
                    assert_memory_equal(found[i]->bytes, wanted.data, wanted.len);
                }
                th_column_done(&column);
                th_parquet_schema_done(&schema);
            }
    }
}

/* The description of a column with one text. */
static void describe_text(th_view text, th_buffer *out)
{
    static const th_parquet_field one[] = { { 0, "n", TH_PARQUET_TEXT, false } };
    th_parquet_schema schema;
    th_column_chunk column;
    th_thrift thrift;
    th_buffer dictionary = { 0 };
    assert_int_equal(th_parquet_schema_init(&schema, one, 1), TH_OK);
    th_column_init(&column, &schema.nodes[schema.leaves[0]]);
    th_page_packer *packer = th_page_packer_new(TH_PARQUET_UNPACKED);
    assert_int_equal(th_column_put(&column, 0, text), TH_OK);
    assert_int_equal(th_column_end_page(&column, packer), TH_OK);
    assert_int_equal(th_column_end(&column, packer, &dictionary), TH_OK);
    th_thrift_begin(&thrift, out);
    th_column_describe(&column, &schema, 0, packer, 4, dictionary.len, &thrift);
    th_thrift_end(&thrift);
    th_buffer_done(&dictionary);
    th_page_packer_free(packer);
    th_column_done(&column);
    th_parquet_schema_done(&schema);
}

/* The bounds of cut texts in the statistics: whole characters, and the greatest one is raised
 * at the last character that has a successor of the same length. */
static void bounds_of_cut_texts_are_raised(void **state)
{
    (void)state;
    static const struct {
        const char *min, *greatest; /* behind as many "a" as they need */
        unsigned lost;              /* bytes that the greatest is shorter */
    } cases[] = {
        { "a~", "a\x7f", 0 },
        { "~\x7f", "\x7f", 1 },
        { "b\x7f", "c", 1 },
        { "b\xC3\xA9", "b\xC3\xAA", 0 },
        { "b\xC3\xBF", "c", 2 },
        { "b\xC3\xBF\x7F..", "b\xC3\xBF\x7F./", 0 },
        { "b\xEF\xBF\xBF\x7F", "c", 4 },
        { "b\xED\x9F\xBF", "c", 3 },
        { "b\xED\x9E\xBF", "c", 3 },
        { "b\xE2\x82\xAC", "b\xE2\x82\xAD", 0 },
        { "b\xF4\x8F\xBF\xBF", "c", 4 },
        { "b\xF0\x9F\x98\x80", "b\xF0\x9F\x98\x81", 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2 * TH_PARQUET_BOUND], want[4 * TH_PARQUET_BOUND];
        const int bound = TH_PARQUET_BOUND, len = bound - (int)cases[i].lost;
        const size_t min_len = strlen(cases[i].min), end = strlen(cases[i].greatest);
        th_buffer out = { 0 };
        memset(text, 'a', sizeof text);
        memcpy(text + bound - min_len, cases[i].min, min_len);
        describe_text((th_view){ text, sizeof text }, &out);
        /* Both fields with their heads, and that neither is exact. */
        const int made =
            snprintf(want, sizeof want, "\x28%c%.*s%s\x18%c%.*s\x12\x12", len,
                     len - (int)end, text, cases[i].greatest, bound, bound, text);
        if (!memmem(out.data, out.len, want, (size_t)made))
            fail_msg("case %zu", i);
        th_buffer_done(&out);
    }
}

/* Without a character that has a successor there is no greatest bound. A character that is
 * cut itself is left out of the least one. */
static void some_texts_have_no_greatest_bound(void **state)
{
    (void)state;
    static const char *const characters[] = { "\x7f", "\xC3\xBF", "\xEF\xBF\xBF",
                                              "\xF4\x8F\xBF\xBF" };
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        char text[2 * TH_PARQUET_BOUND], want[2 * TH_PARQUET_BOUND];
        const size_t size = strlen(characters[i]);
        const int whole = (int)(TH_PARQUET_BOUND / size * size);
        th_buffer out = { 0 };
        for (size_t at = 0; at < sizeof text; at++)
            text[at] = characters[i][at % size];
        describe_text((th_view){ text, sizeof text / size * size }, &out);
        const int made =
            snprintf(want, sizeof want, "\x38%c%.*s\x22", whole, whole, text);
        if (!memmem(out.data, out.len, want, (size_t)made))
            fail_msg("case %zu", i);
        th_buffer_done(&out);
    }
}

/* ---- any table ---- */

enum { FIELDS_MOST = 14 };

static struct outcomes all;
static th_parquet_field any_fields[FIELDS_MOST];
static uint32_t any_count;

/* Adds fields of one depth, some with members. */
static void add_fields(uint32_t depth)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g",
                                         "h", "i", "j", "k", "l", "m", "n" };
    static const th_parquet_kind types[] = { TH_PARQUET_TEXT,  TH_PARQUET_INT,
                                             TH_PARQUET_UINT,  TH_PARQUET_INT32,
                                             TH_PARQUET_INT16, TH_PARQUET_REAL,
                                             TH_PARQUET_BOOL,  TH_PARQUET_TIME };
    for (uint32_t left = 1 + below(&all, 4); left > 0 && any_count < FIELDS_MOST;
         left--) {
        th_parquet_field *field = &any_fields[any_count];
        const bool is_group = depth < 3 && any_count + 1 < FIELDS_MOST && !below(&all, 4);
        *field = (th_parquet_field){ (uint8_t)depth, names[any_count],
                                     is_group ? TH_PARQUET_GROUP : types[below(&all, 8)],
                                     below(&all, 3) == 0 };
        any_count++;
        if (is_group)
            add_fields(depth + 1);
    }
}

static uint32_t after(uint32_t field)
{
    uint32_t next = field + 1;
    while (next < any_count && any_fields[next].depth > any_fields[field].depth)
        next++;
    return next;
}

static void add_object(uint32_t first, uint32_t depth, th_buffer *row);

static void add_value(uint32_t field, th_buffer *row)
{
    static const char *const texts[] = { "", "x", "caf\303\251",
                                         "a longer text of words" };
    if (!below(&all, 3000)) {
        th_buffer_append_text(row, "null");
        return;
    }
    switch (any_fields[field].kind) {
    case TH_PARQUET_GROUP:
        add_object(field + 1, any_fields[field].depth + 1, row);
        break;
    case TH_PARQUET_TEXT:
        if (below(&all, 4))
            th_buffer_printf(row, "\"%s\"", texts[below(&all, 4)]);
        else
            th_buffer_printf(row, "\"%0*u\"", 1 + (int)below(&all, 90), below(&all, 50));
        break;
    case TH_PARQUET_BOOL:
        th_buffer_append_text(row, below(&all, 2) ? "true" : "false");
        break;
    case TH_PARQUET_REAL:
        th_buffer_printf(row, "%u.%u", below(&all, 90), below(&all, 2) ? 5 : 25);
        break;
    default:
        th_buffer_printf(row, "%u", below(&all, below(&all, 2) ? 9 : 30000));
        break;
    }
}

/* Some of the members of a group, now and then a name that the table does not have. */
static void add_object(uint32_t first, uint32_t depth, th_buffer *row)
{
    const char *comma = "";
    th_buffer_append_text(row, "{");
    for (uint32_t i = first; i < any_count && any_fields[i].depth == depth;
         i = after(i)) {
        if (!below(&all, 4))
            continue;
        th_buffer_printf(row, "%s\"%s\":", comma, any_fields[i].name);
        comma = ",";
        if (any_fields[i].is_list) {
            th_buffer_append_text(row, "[");
            for (uint32_t k = 0, count = below(&all, 4); k < count; k++) {
                th_buffer_append_text(row, k ? "," : "");
                add_value(i, row);
            }
            th_buffer_append_text(row, "]");
        } else {
            add_value(i, row);
        }
    }
    if (!below(&all, 3000))
        th_buffer_printf(row, "%s\"z\":1", comma);
    th_buffer_append_text(row, "}");
}

/* 400 random tables: their bytes have one digest. */
static void tables_are_known(void **state)
{
    (void)state;
    all = (struct outcomes){ .chance = 11 };
    for (int round = 0; round < 400; round++) {
        th_buffer row = { 0 }, packed = { 0 };
        any_count = 0;
        add_fields(0);
        const th_parquet_options of_round = { .fields = any_fields,
                                              .field_count = any_count,
                                              .codec = TH_PARQUET_UNPACKED,
                                              .row_group = 100 + below(&all, 3000),
                                              .created_by = "test",
                                              .pairs = pairs,
                                              .pair_count = below(&all, 2) };
        assert_int_equal(th_file_sink_open(path, 0, &sink, &err), TH_OK);
        th_status status = th_parquet_open(&of_round, sink, part, &file, &err);
        note_number(&all, status);
        for (uint32_t left = below(&all, 60); left > 0 && status == TH_OK; left--) {
            th_buffer_reset(&row);
            th_buffer_reset(&packed);
            add_object(0, 0, &row);
            th_buffer_append_char(&row, '\0');
            pack_text(row.data, &packed);
            status = th_parquet_add(file, th_buffer_view(&packed), &err);
            if (status == TH_OK && !below(&all, 5))
                status = th_parquet_settle(file, &err);
            note_number(&all, status);
        }
        if (status == TH_OK) {
            finish();
            th_buffer bytes = contents();
            note_view(&all, th_buffer_view(&bytes));
            th_buffer_done(&bytes);
        } else {
            note_text(&all, err.text);
            close_all();
            (void)unlink(part);
        }
        (void)unlink(path);
        th_buffer_done(&row);
        th_buffer_done(&packed);
    }
    expect_digest(&all, UINT64_C(0x8F007615FA38A496));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_framed),
        cmocka_unit_test(pieces_of_rows_change_nothing),
        cmocka_unit_test(a_killed_writer_goes_on),
        cmocka_unit_test(foreign_parts_are_refused),
        cmocka_unit_test(no_rows_make_a_table),
        cmocka_unit_test(a_row_without_its_end_is_told),
        cmocka_unit_test(a_page_is_as_specified),
        cmocka_unit_test(different_values_need_no_dictionary),
        cmocka_unit_test(bounds_are_of_all_values),
        cmocka_unit_test(bounds_of_cut_texts_are_raised),
        cmocka_unit_test(some_texts_have_no_greatest_bound),
        cmocka_unit_test(tables_are_known),
    };
    return cmocka_run_group_tests_name("parquet_file", tests, make_folder, remove_folder);
}
