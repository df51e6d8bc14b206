/*
 * An archive as one stream of unpacked bytes with marks, for any container. Between the
 * input and the reader of records.
 */
#ifndef WARC_BYTE_STREAM_H
#define WARC_BYTE_STREAM_H

#include "decompressed_window.h"
#include "gzip_unpacker.h"
#include "input_window.h"
#include "warc/warc_reader.h"
#include "zstd_unpacker.h"

struct byte_stream {
    struct input_window in;
    struct decompressed_window out;
    struct gzip_unpacker *gzip; /* made when needed */
    struct zstd_unpacker *zstd;
    warc_container container;
    bool at_end;      /* nothing will be appended to out any more */
    bool has_failed;  /* the same, because the input cannot be read */
    bool is_mid_step; /* the unpacker's last step is not over */
    bool is_loading;  /* the dictionary that a seek needs */
    size_t searched;  /* bytes in which detecting has found no member */

    bool (*should_pause)(void *context); /* as in warc_reader_options */
    void *pause_context;
    bool is_paused; /* the next step is made unasked */
};

/** Takes the input when it returns WARC_OK. `max_peek`: most bytes that byte_stream_need
 * may make available. @return WARC_OK; WARC_NOMEM */
warc_status byte_stream_init(struct byte_stream *stream, const warc_input *input,
                             size_t max_peek);

/** Closes the input and takes another. The state is as after byte_stream_init, except
 * that the memory of the windows and the pause callback are kept. */
void byte_stream_reopen(struct byte_stream *stream, const warc_input *input);

/** Closes the input and frees the memory. */
void byte_stream_done(struct byte_stream *stream);

/**
 * Finds out the container by the first bytes of the input, and readies its unpacker. A
 * file whose first bytes are damaged is known by the first good member among its first
 * 256 KiB.
 * @return WARC_OK; WARC_BAD_CONTAINER, with its name; WARC_BAD_ARGUMENT
 * (options->dictionary is none); WARC_IO; WARC_NOMEM; WARC_PAUSED
 */
warc_status byte_stream_detect(struct byte_stream *stream,
                               const warc_reader_options *options, warc_error *error);

/**
 * Makes `count` unpacked bytes available in stream->out. There are fewer only at the end
 * of the stream, when the window is full of bytes or marks, or when the input cannot be
 * read. In the last case stream->has_failed is set, and all bytes before that place are
 * available.
 * @return WARC_OK; WARC_NOMEM; WARC_PAUSED: the same call continues
 */
warc_status byte_stream_need(struct byte_stream *stream, size_t count);

/**
 * Finds out whether the unpacked bytes in stream->out begin with another gzip member or
 * zstd frame that begins with a record. Two or four bytes of its magic are not enough:
 * they may be garbage before a record.
 * @param name  out: "gzip", "zstd" or NULL
 * @return WARC_OK; WARC_NOMEM; WARC_BAD_ARGUMENT (options->dictionary is none)
 */
warc_status byte_stream_nested(struct byte_stream *stream,
                               const warc_reader_options *options, const char **name);

/** Goes to `offset` in the file, where a member or record begins; the next unpacked byte
 * has number `at`. `dict_offset` as in warc_position.
 * @return WARC_OK; WARC_CANNOT_SEEK; WARC_IO; WARC_NOMEM; WARC_PAUSED. After a pause the
 * same call continues, unless byte_stream_forget_seek makes the next one restart. */
warc_status byte_stream_seek(struct byte_stream *stream, uint64_t offset, uint64_t at,
                             uint64_t dict_offset);

/** Makes the next seek start from the beginning. */
static inline void byte_stream_forget_seek(struct byte_stream *stream)
{
    stream->is_loading = false;
}

/** Bytes of the file that the reader has consumed, about. */
uint64_t byte_stream_tell(const struct byte_stream *stream);

/** Returns the name of a container that cannot be read, by the first bytes; NULL for
 * other bytes. "gzip" and "zstd" are not in the list. */
const char *byte_stream_foreign(warc_view bytes);

#endif
