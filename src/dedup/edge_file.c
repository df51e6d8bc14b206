/* Edges on the disk. See the header. */
#include "dedup/edge_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/file_sink.h"

#define MAGIC "thresher dedup edges 1\n"
#define ORDER_MARK UINT64_C(0x0102030405060708)

enum { PIECE = 256 << 10, EDGE_LEN = 8, TAIL_LEN = 16 };

void th_edge_file_name(uint32_t part, uint32_t parts, char name[TH_EDGE_NAME_MAX])
{
    (void)snprintf(name, TH_EDGE_NAME_MAX, "edges-%05u-of-%05u", part, parts);
}

/* ---- writing ---- */

struct th_edge_writer {
    th_file_sink *sink;
    th_buffer waiting;
    XXH3_state_t *sum;
    uint64_t count;
};

static th_status flush(th_edge_writer *writer, size_t min, th_error *err)
{
    if (writer->waiting.has_failed)
        return th_fail(err, TH_NOMEM, "out of memory for edges");
    if (writer->waiting.len < min || !writer->waiting.len)
        return TH_OK;
    (void)XXH3_64bits_update(writer->sum, writer->waiting.data, writer->waiting.len);
    const th_status status =
        th_file_sink_write(writer->sink, th_buffer_view(&writer->waiting), err);
    th_buffer_reset(&writer->waiting);
    return status;
}

th_status th_edge_writer_new(const char *path, const th_edge_head *head,
                             th_edge_writer **out, th_error *err)
{
    th_edge_head whole = *head;
    th_edge_writer *writer = calloc(1, sizeof *writer);
    if (writer)
        writer->sum = XXH3_createState();
    if (!writer || !writer->sum) {
        th_edge_writer_free(writer);
        return th_fail(err, TH_NOMEM, "out of memory for edges");
    }
    (void)XXH3_64bits_reset(writer->sum);
    memcpy(whole.magic, MAGIC, sizeof MAGIC);
    whole.order_mark = ORDER_MARK;
    th_buffer_append(&writer->waiting, (const char *)&whole, sizeof whole);
    const th_status status = th_file_sink_open(path, 0, &writer->sink, err);
    if (status != TH_OK)
        th_edge_writer_free(writer);
    else
        *out = writer;
    return status;
}

th_status th_edge_writer_add(th_edge_writer *writer, uint32_t a, uint32_t b,
                             th_error *err)
{
    const uint32_t edge[2] = { a, b };
    th_buffer_append(&writer->waiting, (const char *)edge, sizeof edge);
    writer->count++;
    return flush(writer, PIECE, err);
}

th_status th_edge_writer_finish(th_edge_writer *writer, th_error *err)
{
    th_buffer_append(&writer->waiting, (const char *)&writer->count,
                     sizeof writer->count);
    th_status status = flush(writer, 0, err);
    const uint64_t sum = XXH3_64bits_digest(writer->sum);
    th_buffer_append(&writer->waiting, (const char *)&sum, sizeof sum);
    if (status == TH_OK)
        status = flush(writer, 0, err);
    return status == TH_OK ? th_file_sink_finish(writer->sink, err) : status;
}

uint64_t th_edge_writer_count(const th_edge_writer *writer)
{
    return writer->count;
}

void th_edge_writer_free(th_edge_writer *writer)
{
    if (!writer)
        return;
    th_file_sink_free(writer->sink);
    th_buffer_done(&writer->waiting);
    (void)XXH3_freeState(writer->sum);
    free(writer);
}

/* ---- reading ---- */

struct th_edge_reader {
    char *path;
    FILE *file;
    th_edge_head head;
    uint64_t count, given;
    XXH3_state_t *sum;
};

static th_status damaged(const th_edge_reader *reader, const char *how, th_error *err)
{
    return th_fail(err, TH_DAMAGED, "'%s' is damaged before byte %" PRIu64 ": %s",
                   reader->path, sizeof reader->head + reader->given * EDGE_LEN, how);
}

static th_status read_bytes(th_edge_reader *reader, void *bytes, size_t len,
                            th_error *err)
{
    if (fread(bytes, 1, len, reader->file) == len)
        return TH_OK;
    if (ferror(reader->file))
        return th_fail(err, TH_IO, "cannot read '%s': %s", reader->path, strerror(errno));
    return damaged(reader, "file is too short", err);
}

static th_status read_head(th_edge_reader *reader, th_error *err)
{
    struct stat info;
    th_edge_head *head = &reader->head;
    const th_status status = read_bytes(reader, head, sizeof *head, err);
    if (status != TH_OK)
        return status;
    if (memcmp(head->magic, MAGIC, sizeof MAGIC) != 0 || head->order_mark != ORDER_MARK)
        return th_fail(err, TH_DAMAGED, "'%s' is not an edge file of thresher dedup",
                       reader->path);
    if (fstat(fileno(reader->file), &info) != 0)
        return th_fail(err, TH_IO, "cannot read '%s': %s", reader->path, strerror(errno));
    const uint64_t len = (uint64_t)info.st_size;
    if (len < sizeof *head + TAIL_LEN || (len - sizeof *head - TAIL_LEN) % EDGE_LEN)
        return damaged(reader, "wrong file length", err);
    reader->count = (len - sizeof *head - TAIL_LEN) / EDGE_LEN;
    (void)XXH3_64bits_update(reader->sum, head, sizeof *head);
    return TH_OK;
}

th_status th_edge_reader_new(const char *path, th_edge_reader **out, th_error *err)
{
    th_status status;
    th_edge_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return th_fail(err, TH_NOMEM, "out of memory for edges");
    reader->path = strdup(path);
    reader->sum = XXH3_createState();
    reader->file = fopen(path, "rbe");
    if (!reader->path || !reader->sum)
        status = th_fail(err, TH_NOMEM, "out of memory for edges");
    else if (!reader->file)
        status = th_fail(err, errno == ENOENT ? TH_ABSENT : TH_IO, "cannot open '%s': %s",
                         path, strerror(errno));
    else
        status = TH_OK;
    if (status == TH_OK) {
        (void)XXH3_64bits_reset(reader->sum);
        status = read_head(reader, err);
    }
    if (status != TH_OK)
        th_edge_reader_free(reader);
    else
        *out = reader;
    return status;
}

const th_edge_head *th_edge_reader_head(const th_edge_reader *reader)
{
    return &reader->head;
}

uint64_t th_edge_reader_count(const th_edge_reader *reader)
{
    return reader->count;
}

static th_status end(th_edge_reader *reader, th_error *err)
{
    uint64_t tail[2] = { 0, 0 };
    const th_status status = read_bytes(reader, tail, sizeof tail, err);
    if (status != TH_OK)
        return status;
    (void)XXH3_64bits_update(reader->sum, &tail[0], sizeof tail[0]);
    if (tail[0] != reader->count || tail[1] != XXH3_64bits_digest(reader->sum))
        return damaged(reader, "wrong checksum", err);
    return TH_END;
}

th_status th_edge_reader_next(th_edge_reader *reader, uint32_t *a, uint32_t *b,
                              th_error *err)
{
    uint32_t edge[2];
    if (reader->given == reader->count)
        return end(reader, err);
    const th_status status = read_bytes(reader, edge, sizeof edge, err);
    if (status != TH_OK)
        return status;
    (void)XXH3_64bits_update(reader->sum, edge, sizeof edge);
    reader->given++;
    if (edge[0] >= reader->head.records || edge[1] >= reader->head.records ||
        edge[0] == edge[1])
        return damaged(reader, "an edge has a record number out of range", err);
    *a = edge[0];
    *b = edge[1];
    return TH_OK;
}

void th_edge_reader_free(th_edge_reader *reader)
{
    if (!reader)
        return;
    if (reader->file)
        (void)fclose(reader->file);
    (void)XXH3_freeState(reader->sum);
    free(reader->path);
    free(reader);
}
