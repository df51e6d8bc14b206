/*
 * Batches of output compressed in one call each. Concatenated members and frames form a
 * complete file, and any worker can make one.
 *
 * gzip uses zlib, 17 MB/s of records. ISA-L reaches 240 MB/s, but its output depends on
 * the processor: level 3 differs between AVX2 and AVX-512. The lower levels agreed, but
 * ISA-L does not promise it. Our bytes must be equal everywhere. zstd is the fast choice:
 * 130 MB/s, and as small as zlib's.
 */
#include "write/format.h"

#include <zlib.h>
#include <zstd.h>

enum {
    GZIP_LEVEL = 6,
    GZIP_WINDOW = 15 + 16, /* 32 KiB, gzip header */
    GZIP_MEMORY = 8,       /* zlib's default */
    GZIP_OS_UNKNOWN = 255, /* instead of the system that zlib was built on */
    GZIP_PIECE = 1 << 30,  /* zlib counts in unsigned int */
    GZIP_ROOM = 64 << 10,  /* least room for output in a call */
    ZSTD_LEVEL = 3,
};

/* Compresses all bytes and takes all output. */
static th_status deflate_all(z_stream *stream, th_view bytes, th_buffer *out)
{
    size_t fed = 0;
    for (int done = Z_OK; done != Z_STREAM_END;) {
        if (!stream->avail_in && fed < bytes.len) {
            const size_t left = bytes.len - fed;
            stream->next_in = (z_const Bytef *)(bytes.data + fed);
            stream->avail_in = (uInt)(left < GZIP_PIECE ? left : GZIP_PIECE);
            fed += stream->avail_in;
        }
        if (!th_buffer_reserve(out, GZIP_ROOM))
            return TH_NOMEM;
        const size_t capacity = out->capacity - out->len;
        stream->next_out = (Bytef *)out->data + out->len;
        stream->avail_out = (uInt)(capacity < GZIP_PIECE ? capacity : GZIP_PIECE);
        const uInt before = stream->avail_out;
        done = deflate(stream, fed == bytes.len ? Z_FINISH : Z_NO_FLUSH);
        out->len += before - stream->avail_out;
    }
    return TH_OK;
}

static th_status append_gzip(th_view bytes, th_buffer *out)
{
    z_stream stream = { 0 };
    gz_header header = { .os = GZIP_OS_UNKNOWN };
    if (deflateInit2(&stream, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return TH_NOMEM;
    th_status status = TH_NOMEM;
    if (deflateSetHeader(&stream, &header) == Z_OK)
        status = deflate_all(&stream, bytes, out);
    deflateEnd(&stream);
    return status;
}

static th_status append_zstd(th_view bytes, th_buffer *out)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    th_status status = TH_NOMEM;
    if (!context || !th_buffer_reserve(out, ZSTD_compressBound(bytes.len)))
        goto done;
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const size_t len = ZSTD_compress2(context, out->data + out->len,
                                      out->capacity - out->len, bytes.data, bytes.len);
    if (ZSTD_isError(len))
        goto done;
    out->len += len;
    status = TH_OK;
done:
    ZSTD_freeCCtx(context);
    return status;
}

const char *th_compression_suffix(th_compression compression)
{
    return compression == TH_GZIP ? ".gz" : compression == TH_ZSTD ? ".zst" : "";
}

th_status th_compress(th_compression compression, th_view bytes, th_buffer *out)
{
    if (out->has_failed)
        return TH_NOMEM;
    const size_t start = out->len;
    th_status status = TH_OK;
    switch (compression) {
    case TH_PLAIN:
        th_buffer_append_view(out, bytes);
        status = out->has_failed ? TH_NOMEM : TH_OK;
        break;
    case TH_GZIP:
        status = append_gzip(bytes, out);
        break;
    case TH_ZSTD:
        status = append_zstd(bytes, out);
        break;
    }
    if (status != TH_OK) {
        out->len = start;
        out->has_failed = false;
    }
    return status;
}
