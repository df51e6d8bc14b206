/*
 * libzip reads the end of a file, its directory, and for each member a short head before
 * its bytes. Every jump costs a request, so a block is read ahead. The bytes after a
 * short read are mostly in it, and a member's further bytes follow in the same answer.
 */
#include "ingest/wacz_source.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 << 10 };

struct th_wacz_source {
    char *path;
    warc_input input; /* of the object */
    th_remote_object *object;
    uint64_t size;
    uint64_t at;             /* of libzip */
    uint64_t block_at;       /* of the block in the object */
    size_t block_len;        /* bytes of it that are valid */
    char block[BLOCK];       /* read last */
    bool is_stopped, is_bad; /* told to stop; reading failed */
    zip_error_t error;
};

/* Reads on from the end of the block, or from a new position. Bytes before a failure are
 * in the block, so no complete record is lost. */
static void fill(th_wacz_source *source)
{
    const uint64_t next = source->block_at + source->block_len;
    warc_status status = WARC_OK;
    if (source->at != next)
        status = source->input.seek(source->input.context, source->at);
    source->block_at = source->at;
    source->block_len = 0;
    while (status == WARC_OK && source->block_len < BLOCK &&
           source->block_at + source->block_len < source->size) {
        size_t got = 0;
        status =
            source->input.read(source->input.context, source->block + source->block_len,
                               BLOCK - source->block_len, &got);
        if (status == WARC_OK && got == 0)
            break;
        source->block_len += got;
    }
    source->is_stopped = status == WARC_PAUSED;
    source->is_bad = status != WARC_OK;
}

/* Bytes of the block from `at` on. */
static size_t held(const th_wacz_source *source)
{
    const uint64_t end = source->block_at + source->block_len;
    return source->at >= source->block_at && source->at < end ? (size_t)(end - source->at)
                                                              : 0;
}

static zip_int64_t read_bytes(th_wacz_source *source, char *out, zip_uint64_t len)
{
    zip_uint64_t given = 0;
    while (given < len && source->at < source->size) {
        if (!held(source) && !source->is_bad)
            fill(source);
        const uint64_t ready = held(source), left = len - given;
        const size_t part = (size_t)(ready < left ? ready : left);
        if (!part)
            break;
        memcpy(out + given, source->block + (source->at - source->block_at), part);
        given += part;
        source->at += part;
    }
    if (given || !source->is_bad)
        return (zip_int64_t)given;
    zip_error_set(&source->error, ZIP_ER_READ, 0);
    return -1;
}

static zip_int64_t report_facts(const th_wacz_source *source, void *out, zip_uint64_t len)
{
    zip_stat_t facts;
    if (len < sizeof facts)
        return -1;
    zip_stat_init(&facts);
    facts.size = source->size;
    facts.valid = ZIP_STAT_SIZE;
    memcpy(out, &facts, sizeof facts);
    return (zip_int64_t)sizeof facts;
}

static zip_int64_t on_call(void *context, void *data, zip_uint64_t len,
                           zip_source_cmd_t command)
{
    th_wacz_source *source = context;
    switch (command) {
    case ZIP_SOURCE_OPEN:
        source->at = 0;
        return 0;
    case ZIP_SOURCE_READ:
        return read_bytes(source, data, len);
    case ZIP_SOURCE_SEEK: {
        const zip_int64_t at = zip_source_seek_compute_offset(source->at, source->size,
                                                              data, len, &source->error);
        if (at < 0)
            return -1;
        source->at = (uint64_t)at;
        return 0;
    }
    case ZIP_SOURCE_TELL:
        return (zip_int64_t)source->at;
    case ZIP_SOURCE_STAT:
        return report_facts(source, data, len);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&source->error, data, len);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE: /* the source is its owner's */
        return 0;
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
            ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
            ZIP_SOURCE_SUPPORTS, -1);
    default:
        zip_error_set(&source->error, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
}

th_status th_wacz_source_open(th_remote *remote, const char *path, th_wacz_source **out,
                              th_error *err)
{
    th_wacz_source *source = calloc(1, sizeof *source);
    if (!source)
        return th_fail(err, TH_NOMEM, "cannot open '%.200s': out of memory", path);
    zip_error_init(&source->error);
    source->path = strdup(path);
    th_status status =
        source->path
            ? th_remote_open(remote, source->path, &source->input, &source->object, err)
            : th_fail(err, TH_NOMEM, "cannot open '%.200s': out of memory", path);
    if (status == TH_OK) {
        th_remote_object_parts_only(source->object);
        status = th_remote_object_size(source->object, &source->size, err);
    }
    if (status == TH_OK)
        *out = source;
    else
        th_wacz_source_free(source);
    return status;
}

void th_wacz_source_free(th_wacz_source *source)
{
    if (!source)
        return;
    if (source->object)
        source->input.close(source->input.context);
    zip_error_fini(&source->error);
    free(source->path);
    free(source);
}

zip_source_t *th_wacz_source_zip(th_wacz_source *source, zip_error_t *error)
{
    return zip_source_function_create(on_call, source, error);
}

th_remote_object *th_wacz_source_object(const th_wacz_source *source)
{
    return source->object;
}

th_status th_wacz_source_failure(const th_wacz_source *source, th_error *err)
{
    return source->is_stopped ? th_fail(err, TH_INTERRUPTED, "interrupted")
                              : th_remote_object_failure(source->object, err);
}
