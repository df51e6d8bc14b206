/* Chooses the container, and turns bytes of the file into unpacked bytes. */
#include "byte_stream.h"

#include "arc_head.h"
#include "fail.h"
#include "resync.h"
#include "warc_head.h"

#include <string.h>

static const struct {
    const char *name;
    size_t len;
    const char *magic;
} foreign[] = {
    // clang-format off
    { "LZ4",        4, "\x04\x22\x4d\x18" },
    { "LZ4 legacy", 4, "\x02\x21\x4c\x18" },
    { "bzip2",      3, "BZh" },
    { "xz",         6, "\xfd" "7zXZ\0" },
    { "lzip",       4, "LZIP" },
    { "compress",   2, "\x1f\x9d" },
    { "zip",        4, "PK\x03\x04" },
    { "7z",         6, "7z\xbc\xaf\x27\x1c" },
    { "RAR",        4, "Rar!" },
    // clang-format on
};

static bool begins_with(warc_view bytes, const char *magic, size_t len)
{
    return bytes.len >= len && memcmp(bytes.data, magic, len) == 0;
}

const char *byte_stream_foreign(warc_view bytes)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (begins_with(bytes, foreign[i].magic, foreign[i].len))
            return foreign[i].name;
    return NULL;
}

warc_status byte_stream_init(struct byte_stream *stream, const warc_input *input,
                             size_t max_peek)
{
    *stream = (struct byte_stream){ 0 };
    if (decompressed_window_init(&stream->out, max_peek) != WARC_OK)
        return WARC_NOMEM;
    if (input_window_init(&stream->in, input) != WARC_OK) {
        decompressed_window_done(&stream->out);
        return WARC_NOMEM;
    }
    return WARC_OK;
}

void byte_stream_reopen(struct byte_stream *stream, const warc_input *input)
{
    input_window_reopen(&stream->in, input);
    decompressed_window_reset(&stream->out, 0);
    /* An old dictionary, or a search that used up its budget, must not affect the new
     * input. */
    gzip_unpacker_free(stream->gzip);
    zstd_unpacker_free(stream->zstd);
    stream->gzip = NULL;
    stream->zstd = NULL;
    stream->container = WARC_CONTAINER_UNKNOWN;
    stream->at_end = stream->has_failed = false;
    stream->is_mid_step = stream->is_loading = false;
    stream->searched = 0;
}

void byte_stream_done(struct byte_stream *stream)
{
    input_window_done(&stream->in);
    decompressed_window_done(&stream->out);
    gzip_unpacker_free(stream->gzip);
    zstd_unpacker_free(stream->zstd);
    *stream = (struct byte_stream){ 0 };
}

/* Asked before each step. */
static bool must_pause(struct byte_stream *stream)
{
    if (!stream->should_pause)
        return false;
    stream->is_paused = !stream->is_paused && stream->should_pause(stream->pause_context);
    return stream->is_paused;
}

static warc_status ready_gzip(struct byte_stream *stream)
{
    return stream->gzip ? WARC_OK : gzip_unpacker_new(&stream->gzip);
}

static warc_status ready_zstd(struct byte_stream *stream,
                              const warc_reader_options *options)
{
    const struct zstd_limits limits = { options->max_dictionary,
                                        options->max_window_log };
    return stream->zstd ? WARC_OK
                        : zstd_unpacker_new(&limits, options->dictionary, &stream->zstd);
}

/* Returns the kind of a record that begins here; UNKNOWN if no record does. */
static warc_container kind_here(const struct byte_stream *stream, warc_view rest,
                                bool *is_probed)
{
    if (warc_head_begins(rest, true) == HEAD_YES)
        return WARC_CONTAINER_PLAIN;
    const bool is_gzip = begins_with(rest, "\x1f\x8b\x08", 3);
    *is_probed = is_gzip || zstd_unpacker_is_magic(rest);
    if (is_gzip && gzip_unpacker_probe(stream->gzip, rest))
        return WARC_CONTAINER_GZIP;
    if (*is_probed && !is_gzip && zstd_unpacker_probe(stream->zstd, rest))
        return WARC_CONTAINER_ZSTD;
    return WARC_CONTAINER_UNKNOWN;
}

/* Finds the kind of a file whose first bytes are not enough, from its first record.
 * Returns UNKNOWN if it paused before that. */
static warc_container search_kind(struct byte_stream *stream, warc_view bytes)
{
    enum { LEAST = 7 };
    for (size_t i = stream->searched; i + LEAST <= bytes.len; i++) {
        bool is_probed = false;
        const warc_view rest = { bytes.data + i, bytes.len - i };
        const warc_container kind = kind_here(stream, rest, &is_probed);
        if (kind != WARC_CONTAINER_UNKNOWN)
            return kind;
        stream->searched = i + 1;
        if (is_probed && must_pause(stream))
            return WARC_CONTAINER_UNKNOWN;
    }
    return WARC_CONTAINER_PLAIN;
}

/* Returns whether a file begins with a record. A version line without a field is not
 * enough, because members may follow it. */
static bool begins_plainly(warc_view bytes)
{
    while (bytes.len > 0 && (*bytes.data == '\r' || *bytes.data == '\n'))
        bytes = (warc_view){ bytes.data + 1, bytes.len - 1 };
    return warc_head_begins(bytes, true) == HEAD_YES ||
           arc_head_begins(bytes, true) == HEAD_YES || arc_head_is_version_block(bytes);
}

static warc_container kind_by_magic(warc_view bytes)
{
    if (begins_with(bytes, "\x1f\x8b", 2))
        return WARC_CONTAINER_GZIP;
    if (zstd_unpacker_is_magic(bytes))
        return WARC_CONTAINER_ZSTD;
    if (bytes.len == 0 || begins_plainly(bytes))
        return WARC_CONTAINER_PLAIN;
    return WARC_CONTAINER_UNKNOWN;
}

/* Finds the kind and readies the unpacker for it; a search needs both. */
static warc_status ready(struct byte_stream *stream, const warc_reader_options *options,
                         warc_view bytes)
{
    stream->container = kind_by_magic(bytes);
    const bool is_search = stream->container == WARC_CONTAINER_UNKNOWN;
    warc_status status = WARC_OK;
    if (is_search || stream->container == WARC_CONTAINER_GZIP)
        status = ready_gzip(stream);
    if (status == WARC_OK && (is_search || stream->container == WARC_CONTAINER_ZSTD))
        status = ready_zstd(stream, options);
    if (status == WARC_OK && is_search)
        stream->container = search_kind(stream, bytes);
    if (status == WARC_OK && stream->container == WARC_CONTAINER_UNKNOWN)
        status = WARC_PAUSED;
    return status;
}

warc_status byte_stream_detect(struct byte_stream *stream,
                               const warc_reader_options *options, warc_error *error)
{
    warc_status status = WARC_PAUSED;
    while (status == WARC_PAUSED) {
        if (must_pause(stream))
            return WARC_PAUSED;
        status = input_window_want(&stream->in, INPUT_WINDOW_AHEAD);
    }
    if (status == WARC_OK && stream->in.has_failed && input_window_len(&stream->in) == 0)
        status = WARC_IO;
    if (status != WARC_OK)
        return warc_fail(error, status, "cannot read the input");
    const warc_view bytes = { input_window_data(&stream->in),
                              input_window_len(&stream->in) };
    const char *name = byte_stream_foreign(bytes);
    if (name)
        return warc_fail(error, WARC_BAD_CONTAINER, "container '%s' is not supported",
                         name);
    status = ready(stream, options, bytes);
    if (status != WARC_OK && status != WARC_PAUSED)
        return warc_fail(error, status, "cannot initialize decompression: %s",
                         status == WARC_NOMEM ? "out of memory"
                                              : "missing or invalid zstd dictionary");
    return status;
}

warc_status byte_stream_nested(struct byte_stream *stream,
                               const warc_reader_options *options, const char **name)
{
    const warc_view bytes = { decompressed_window_data(&stream->out),
                              decompressed_window_len(&stream->out) };
    warc_status status = WARC_OK;
    *name = NULL;
    if (begins_with(bytes, "\x1f\x8b\x08", 3)) {
        struct gzip_unpacker *gzip = NULL;
        status = gzip_unpacker_new(&gzip);
        if (status == WARC_OK && gzip_unpacker_probe(gzip, bytes))
            *name = "gzip";
        gzip_unpacker_free(gzip);
    } else if (zstd_unpacker_is_magic(bytes)) {
        const struct zstd_limits limits = { options->max_dictionary,
                                            options->max_window_log };
        struct zstd_unpacker *zstd = NULL;
        status = zstd_unpacker_new(&limits, options->dictionary, &zstd);
        if (status == WARC_OK && zstd_unpacker_probe(zstd, bytes))
            *name = "zstd";
        zstd_unpacker_free(zstd);
    }
    return status;
}

static warc_status copy_some(struct byte_stream *stream)
{
    size_t capacity;
    const warc_status status = decompressed_window_capacity(&stream->out, &capacity);
    if (status != WARC_OK)
        return status;
    size_t got;
    const warc_status read = input_window_read(
        &stream->in, decompressed_window_tail(&stream->out), capacity, &got);
    if (read != WARC_OK)
        return read;
    decompressed_window_append(&stream->out, got);
    return got > 0 ? WARC_OK : WARC_END;
}

/* Returns WARC_PAUSED if the step is incomplete. It must be completed before its output
 * is used. */
static warc_status step(struct byte_stream *stream)
{
    switch (stream->container) {
    case WARC_CONTAINER_GZIP:
        return gzip_unpacker_step(stream->gzip, &stream->in, &stream->out);
    case WARC_CONTAINER_ZSTD:
        return zstd_unpacker_step(stream->zstd, &stream->in, &stream->out);
    default:
        return copy_some(stream);
    }
}

warc_status byte_stream_need(struct byte_stream *stream, size_t count)
{
    struct decompressed_window *out = &stream->out;
    while (stream->is_mid_step ||
           (decompressed_window_len(out) < count && !stream->at_end)) {
        if (!stream->is_mid_step && (decompressed_window_len(out) >=
                                         out->capacity_max - DECOMPRESSED_WINDOW_ROOM ||
                                     decompressed_window_marks_full(out)))
            break;
        if (must_pause(stream))
            return WARC_PAUSED;
        const warc_status status = step(stream);
        stream->is_mid_step = status == WARC_PAUSED;
        stream->has_failed = status == WARC_IO;
        if (status == WARC_END || status == WARC_IO)
            stream->at_end = true;
        else if (status != WARC_OK && status != WARC_PAUSED)
            return status;
    }
    return WARC_OK;
}

/* Puts the dictionary frame at `offset` in force, when it is not already. */
static warc_status load_dictionary(struct byte_stream *stream, uint64_t offset)
{
    if (offset == WARC_NO_OFFSET)
        offset = 0;
    warc_status status = WARC_OK;
    if (!stream->is_loading) {
        if (zstd_unpacker_dict_offset(stream->zstd) == offset)
            return WARC_OK;
        zstd_unpacker_reset(stream->zstd);
        status = input_window_seek(&stream->in, offset);
        stream->is_loading = status == WARC_OK;
    }
    while (stream->is_loading) {
        if (must_pause(stream))
            return WARC_PAUSED;
        status = zstd_unpacker_load(stream->zstd, &stream->in);
        stream->is_loading = status == WARC_PAUSED;
    }
    return status;
}

warc_status byte_stream_seek(struct byte_stream *stream, uint64_t offset, uint64_t at,
                             uint64_t dict_offset)
{
    warc_status status = WARC_OK;
    if (stream->container == WARC_CONTAINER_ZSTD && stream->in.input.seek)
        status = load_dictionary(stream, dict_offset);
    if (status == WARC_OK)
        status = input_window_seek(&stream->in, offset);
    if (status != WARC_OK)
        return status;
    decompressed_window_reset(&stream->out, at);
    stream->at_end = stream->has_failed = stream->is_mid_step = false;
    if (stream->gzip)
        gzip_unpacker_reset(stream->gzip);
    if (stream->zstd)
        zstd_unpacker_reset(stream->zstd);
    return WARC_OK;
}

uint64_t byte_stream_tell(const struct byte_stream *stream)
{
    const uint64_t offset = input_window_offset(&stream->in);
    return stream->container == WARC_CONTAINER_PLAIN
               ? offset - decompressed_window_len(&stream->out)
               : offset;
}
