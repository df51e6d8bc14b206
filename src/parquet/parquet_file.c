/* Row groups and footer. See the header. [parquet.thrift] */
#include "parquet/parquet_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parquet/packed_row.h"
#include "parquet/thrift.h"

static const char magic[] = "PAR1";
static const char group_end[] = "thrg";
enum {
    MAGIC = 4,
    TRAILER = 4 + 8 + 8 + MAGIC, /* after a row group's description */
    VERSION = 2,
    MOST_DESCRIPTION = 64 << 20, /* bytes of a row group's */
};

struct th_parquet_file {
    th_file_sink *sink; /* borrowed */
    th_parquet_schema schema;
    th_column_chunk *columns; /* one for each leaf */
    th_page_packer *packer;
    th_packed_row row;
    uint64_t row_group;
    const char *created_by; /* borrowed, as are the pairs */
    const th_parquet_pair *pairs;
    uint32_t pair_count;
    th_buffer groups;      /* the RowGroup of each that is written */
    th_buffer description; /* of the current row group */
    th_buffer dictionary;
    uint32_t group_count;
    uint64_t rows, group_rows;
    uint64_t group_bytes; /* of plain values in the current row group */
};

/* ---- continuing a file ---- */

static uint64_t number_at(const unsigned char *at, unsigned bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)at[i] << 8 * i;
    return number;
}

static bool read_at(int fd, void *bytes, size_t len, uint64_t offset)
{
    size_t done = 0;
    while (done < len) {
        const ssize_t got =
            pread(fd, (char *)bytes + done, len - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* Puts the description of the row group that ends at *end before the later ones. */
static th_status take_group(th_parquet_file *file, int fd, uint64_t *end)
{
    unsigned char trailer[TRAILER];
    if (*end < MAGIC + TRAILER || !read_at(fd, trailer, TRAILER, *end - TRAILER))
        return TH_DAMAGED;
    const uint64_t len = number_at(trailer, 4);
    const uint64_t all = number_at(trailer + 4, 8);
    const uint64_t rows = number_at(trailer + 12, 8);
    if (memcmp(trailer + 20, group_end, MAGIC) != 0 || all > *end - MAGIC ||
        len > MOST_DESCRIPTION || len + TRAILER > all)
        return TH_DAMAGED;
    th_buffer groups = { 0 };
    if (!th_buffer_reserve(&groups, len + file->groups.len))
        return TH_NOMEM;
    const bool is_read = read_at(fd, groups.data, len, *end - TRAILER - len);
    groups.len = len;
    th_buffer_append_view(&groups, th_buffer_view(&file->groups));
    th_buffer_done(&file->groups);
    file->groups = groups;
    file->group_count++;
    file->rows += rows;
    *end -= all;
    return is_read ? TH_OK : TH_DAMAGED;
}

static th_status take_groups(th_parquet_file *file, const char *part, th_error *err)
{
    uint64_t end = th_file_sink_len(file->sink);
    const int fd = open(part, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return th_fail(err, TH_IO, "cannot open '%s': %s", part, strerror(errno));
    char start[MAGIC];
    th_status status = read_at(fd, start, MAGIC, 0) && memcmp(start, magic, MAGIC) == 0
                           ? TH_OK
                           : TH_DAMAGED;
    while (status == TH_OK && end > MAGIC)
        status = take_group(file, fd, &end);
    if (status == TH_OK && end != MAGIC)
        status = TH_DAMAGED;
    (void)close(fd);
    return status == TH_DAMAGED
               ? th_fail(err, TH_DAMAGED,
                         "'%s' cannot be continued, because it does not contain complete "
                         "row groups up to byte %llu",
                         part, (unsigned long long)th_file_sink_len(file->sink))
           : status != TH_OK ? th_fail(err, status, "out of memory")
                             : TH_OK;
}

/* ---- opening ---- */

static th_status allocate(th_parquet_file *file, const th_parquet_options *options,
                          th_error *err)
{
    th_status status =
        th_parquet_schema_init(&file->schema, options->fields, options->field_count);
    if (status != TH_OK)
        return th_fail(err, status, "cannot create the columns of a table");
    file->columns = calloc(file->schema.leaf_count, sizeof *file->columns);
    for (uint32_t i = 0; i < file->schema.leaf_count && file->columns; i++)
        th_column_init(&file->columns[i], &file->schema.nodes[file->schema.leaves[i]]);
    file->packer = th_page_packer_new(options->codec);
    file->created_by = options->created_by;
    file->pairs = options->pairs;
    file->pair_count = options->pair_count;
    file->row_group = options->row_group;
    file->row = (th_packed_row){ .schema = &file->schema, .columns = file->columns };
    return file->columns && file->packer
               ? TH_OK
               : th_fail(err, TH_NOMEM, "cannot allocate a table");
}

th_status th_parquet_open(const th_parquet_options *options, th_file_sink *sink,
                          const char *part, th_parquet_file **out, th_error *err)
{
    th_parquet_file *file = calloc(1, sizeof *file);
    if (!file)
        return th_fail(err, TH_NOMEM, "cannot allocate a table");
    file->sink = sink;
    th_status status = allocate(file, options, err);
    if (status == TH_OK)
        status = th_file_sink_len(sink)
                     ? take_groups(file, part, err)
                     : th_file_sink_write(sink, (th_view){ magic, MAGIC }, err);
    if (status == TH_OK)
        *out = file;
    else
        th_parquet_free(file);
    return status;
}

void th_parquet_free(th_parquet_file *file)
{
    if (!file)
        return;
    for (uint32_t i = 0; i < file->schema.leaf_count && file->columns; i++)
        th_column_done(&file->columns[i]);
    free(file->columns);
    th_parquet_schema_done(&file->schema);
    th_page_packer_free(file->packer);
    th_packed_row_done(&file->row);
    th_buffer_done(&file->groups);
    th_buffer_done(&file->description);
    th_buffer_done(&file->dictionary);
    free(file);
}

/* ---- rows ---- */

static th_status end_pages(th_parquet_file *file)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; i < file->schema.leaf_count && status == TH_OK; i++)
        if (th_column_is_full(&file->columns[i]))
            status = th_column_end_page(&file->columns[i], file->packer);
    return status;
}

th_status th_parquet_add(th_parquet_file *file, th_view rows, th_error *err)
{
    th_status status = TH_OK;
    while (rows.len && status == TH_OK) {
        bool is_row = false;
        status = th_packed_row_read(&file->row, &rows, &is_row);
        if (status != TH_OK || !is_row)
            continue;
        file->group_rows++;
        file->group_bytes += file->row.bytes;
        status = end_pages(file);
    }
    if (status == TH_DAMAGED)
        return th_fail(
            err, status, "row %llu does not match the columns of the table: %s",
            (unsigned long long)file->rows + file->group_rows + 1, file->row.fault);
    return status == TH_OK ? TH_OK
                           : th_fail(err, status,
                                     status == TH_TOO_LARGE
                                         ? "a data page of a column would exceed 2 GiB"
                                         : "out of memory");
}

/* ---- row groups ---- */

static void append_number(th_buffer *out, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        th_buffer_append_char(out, (char)(number >> 8 * i));
}

/* Writes the columns, and their descriptions into `chunks`. */
static th_status write_columns(th_parquet_file *file, th_thrift *chunks,
                               uint64_t *decompressed, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; i < file->schema.leaf_count && status == TH_OK; i++) {
        th_column_chunk *column = &file->columns[i];
        const uint64_t offset = th_file_sink_len(file->sink);
        th_buffer_reset(&file->dictionary);
        status = th_column_end(column, file->packer, &file->dictionary);
        if (status != TH_OK)
            return th_fail(err, status, "cannot encode a column: %s",
                           th_status_text(status));
        th_column_describe(column, &file->schema, i, file->packer, offset,
                           file->dictionary.len, chunks);
        *decompressed += column->decompressed;
        status = th_file_sink_write(file->sink, th_buffer_view(&file->dictionary), err);
        if (status == TH_OK)
            status = th_file_sink_write(file->sink, th_buffer_view(&column->pages), err);
        th_column_reset(column);
    }
    return status;
}

static th_status write_group(th_parquet_file *file, th_error *err)
{
    const uint64_t start = th_file_sink_len(file->sink);
    th_buffer *group = &file->description;
    th_thrift thrift;
    uint64_t decompressed = 0;
    th_buffer_reset(group);
    th_thrift_begin(&thrift, group);
    th_thrift_list(&thrift, 1, TH_THRIFT_STRUCT, file->schema.leaf_count);
    th_status status = write_columns(file, &thrift, &decompressed, err);
    if (status != TH_OK)
        return status;
    const uint64_t packed = th_file_sink_len(file->sink) - start;
    th_thrift_i64(&thrift, 2, (int64_t)decompressed);
    th_thrift_i64(&thrift, 3, (int64_t)file->group_rows);
    th_thrift_i64(&thrift, 5, (int64_t)start);
    th_thrift_i64(&thrift, 6, (int64_t)packed);
    th_thrift_end(&thrift);
    const size_t len = group->len;
    th_buffer_append_view(&file->groups, th_buffer_view(group));
    append_number(group, len, 4);
    append_number(group, packed + len + TRAILER, 8);
    append_number(group, file->group_rows, 8);
    th_buffer_append(group, group_end, MAGIC);
    if (group->has_failed || file->groups.has_failed)
        return th_fail(err, TH_NOMEM, "out of memory");
    file->group_count++;
    file->rows += file->group_rows;
    file->group_rows = file->group_bytes = 0;
    return th_file_sink_write(file->sink, th_buffer_view(group), err);
}

th_status th_parquet_settle(th_parquet_file *file, th_error *err)
{
    return file->group_bytes >= file->row_group && th_packed_row_is_complete(&file->row)
               ? write_group(file, err)
               : TH_OK;
}

bool th_parquet_is_settled(const th_parquet_file *file)
{
    return !file->group_rows && th_packed_row_is_complete(&file->row);
}

/* ---- footer ---- */

static void write_pair(th_thrift *thrift, const char *key, const char *value)
{
    th_thrift_element_struct(thrift);
    th_thrift_binary(thrift, 1, (th_view){ key, strlen(key) });
    th_thrift_binary(thrift, 2, (th_view){ value, strlen(value) });
    th_thrift_end(thrift);
}

static void write_footer(const th_parquet_file *file, th_buffer *out)
{
    th_thrift thrift;
    th_thrift_begin(&thrift, out);
    th_thrift_i32(&thrift, 1, VERSION);
    th_parquet_schema_write(&file->schema, &thrift, 2);
    th_thrift_i64(&thrift, 3, (int64_t)file->rows);
    th_thrift_list(&thrift, 4, TH_THRIFT_STRUCT, file->group_count);
    th_buffer_append_view(out, th_buffer_view(&file->groups));
    th_thrift_list(&thrift, 5, TH_THRIFT_STRUCT, file->pair_count);
    for (uint32_t i = 0; i < file->pair_count; i++)
        write_pair(&thrift, file->pairs[i].key, file->pairs[i].value);
    th_thrift_binary(&thrift, 6, (th_view){ file->created_by, strlen(file->created_by) });
    /* Statistics are in the order of the columns' types. */
    th_thrift_list(&thrift, 7, TH_THRIFT_STRUCT, file->schema.leaf_count);
    for (uint32_t i = 0; i < file->schema.leaf_count; i++) {
        th_thrift_element_struct(&thrift);
        th_thrift_empty(&thrift, 1);
        th_thrift_end(&thrift);
    }
    th_thrift_end(&thrift);
    append_number(out, out->len, 4);
    th_buffer_append(out, magic, MAGIC);
}

th_status th_parquet_finish(th_parquet_file *file, th_error *err)
{
    th_status status = TH_OK;
    if (!th_packed_row_is_complete(&file->row))
        return th_fail(err, TH_DAMAGED, "the last row of a table is incomplete");
    if (file->group_rows)
        status = write_group(file, err);
    if (status != TH_OK)
        return status;
    th_buffer footer = { 0 };
    write_footer(file, &footer);
    status = footer.has_failed || footer.len > INT32_MAX
                 ? th_fail(err, TH_NOMEM, "out of memory for the footer of a table")
                 : th_file_sink_write(file->sink, th_buffer_view(&footer), err);
    th_buffer_done(&footer);
    return status;
}
