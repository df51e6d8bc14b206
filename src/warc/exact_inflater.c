#include "exact_inflater.h"

warc_status exact_inflater_init(struct exact_inflater *inflater)
{
    *inflater = (struct exact_inflater){ .crc = 0 };
    return inflateInit2(&inflater->stream, -MAX_WBITS) == Z_OK ? WARC_OK : WARC_NOMEM;
}

void exact_inflater_done(struct exact_inflater *inflater)
{
    inflateEnd(&inflater->stream);
}

void exact_inflater_reset(struct exact_inflater *inflater)
{
    inflateReset(&inflater->stream);
    inflater->crc = 0;
}

enum inflate_result exact_inflater_run(struct exact_inflater *inflater,
                                       struct inflate_span *span)
{
    z_stream *stream = &inflater->stream;
    char *const out = span->out;
    union { /* zlib's pointer is not const, but it only reads */
        const char *in;
        Bytef *bytes;
    } in = { .in = span->in };
    stream->next_in = in.bytes;
    stream->avail_in = (uInt)span->in_len;
    stream->next_out = (Bytef *)span->out;
    stream->avail_out = (uInt)span->out_len;
    const int result = inflate(stream, Z_NO_FLUSH);

    span->in += span->in_len - stream->avail_in;
    span->in_len = stream->avail_in;
    span->out += span->out_len - stream->avail_out;
    span->out_len = stream->avail_out;
    inflater->crc =
        (uint32_t)crc32(inflater->crc, (const Bytef *)out, (uInt)(span->out - out));
    if (result == Z_STREAM_END)
        return INFLATE_END;
    return result == Z_OK || result == Z_BUF_ERROR ? INFLATE_MORE : INFLATE_DAMAGED;
}
