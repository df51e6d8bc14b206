/*
 * Packing of records, by zlib and libzstd. gzip members carry no time and no name and
 * zstd frames their size and checksum (as warc-zstd asks): same records, same bytes.
 */
#include "warc_packer.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    PIECE = 64 * 1024, /* most packed bytes passed on at once */
    GZIP_LEVEL = 6,
    GZIP_LEVEL_MAX = 9,
    ZSTD_LEVEL = 3,
    ZSTD_LEVEL_MAX = 22,
    GZIP_WINDOW = 15 + 16, /* zlib's way of saying gzip */
    GZIP_MEMORY = 8,
    GZIP_OS_UNKNOWN = 255,
};

struct packer {
    warc_output output;
    warc_packing packing;
    z_stream gzip;
    bool has_gzip;
    gz_header gzip_header;
    ZSTD_CCtx *zstd;
    char piece[PIECE];
};

static warc_status ready_gzip(struct packer *packer, int level)
{
    if (level < 0 || level > GZIP_LEVEL_MAX)
        return WARC_BAD_ARGUMENT;
    packer->gzip_header.os = GZIP_OS_UNKNOWN;
    packer->has_gzip =
        deflateInit2(&packer->gzip, level > 0 ? level : GZIP_LEVEL, Z_DEFLATED,
                     GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) == Z_OK;
    return packer->has_gzip ? WARC_OK : WARC_NOMEM;
}

static warc_status ready_zstd(struct packer *packer, int level)
{
    if (level < 0 || level > ZSTD_LEVEL_MAX)
        return WARC_BAD_ARGUMENT;
    packer->zstd = ZSTD_createCCtx();
    if (!packer->zstd)
        return WARC_NOMEM;
    ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel,
                           level > 0 ? level : ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_checksumFlag, 1);
    return WARC_OK;
}

warc_status packer_new(const warc_output *output, warc_packing packing, int level,
                       struct packer **out)
{
    struct packer *packer = calloc(1, sizeof *packer);
    if (!packer)
        return WARC_NOMEM;
    packer->output = *output;
    packer->packing = packing;
    warc_status status = WARC_BAD_ARGUMENT;
    if (packing == WARC_PACK_GZIP)
        status = ready_gzip(packer, level);
    else if (packing == WARC_PACK_ZSTD)
        status = ready_zstd(packer, level);
    else if (packing == WARC_PACK_PLAIN)
        status = WARC_OK;
    if (status == WARC_OK)
        *out = packer;
    else
        packer_free(packer);
    return status;
}

void packer_free(struct packer *packer)
{
    if (packer) {
        if (packer->has_gzip)
            deflateEnd(&packer->gzip);
        ZSTD_freeCCtx(packer->zstd);
    }
    free(packer);
}

static warc_status hand_on(const struct packer *packer, size_t len)
{
    if (len == 0)
        return WARC_OK;
    return packer->output.write(packer->output.context,
                                (warc_view){ packer->piece, len });
}

/* Deflates at most UINT_MAX bytes. */
static warc_status deflate_part(struct packer *packer, const char *data, uInt len,
                                int flush)
{
    z_stream *gzip = &packer->gzip;
    union { /* zlib's pointer is not const, but it only reads */
        const char *in;
        Bytef *bytes;
    } in = { .in = data };
    gzip->next_in = in.bytes;
    gzip->avail_in = len;
    do {
        gzip->next_out = (Bytef *)packer->piece;
        gzip->avail_out = PIECE;
        deflate(gzip, flush);
        const warc_status status = hand_on(packer, PIECE - gzip->avail_out);
        if (status != WARC_OK)
            return status;
    } while (gzip->avail_out == 0);
    return WARC_OK;
}

static warc_status add_gzip(struct packer *packer, warc_view bytes)
{
    warc_status status = WARC_OK;
    while (bytes.len > 0 && status == WARC_OK) {
        const uInt part = bytes.len < INT_MAX ? (uInt)bytes.len : (uInt)INT_MAX;
        status = deflate_part(packer, bytes.data, part, Z_NO_FLUSH);
        bytes.data += part;
        bytes.len -= part;
    }
    return status;
}

static warc_status add_zstd(struct packer *packer, warc_view bytes, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = { bytes.data, bytes.len, 0 };
    size_t left;
    do {
        ZSTD_outBuffer out = { packer->piece, PIECE, 0 };
        left = ZSTD_compressStream2(packer->zstd, &out, &in, how);
        if (ZSTD_isError(left))
            return WARC_NOMEM;
        const warc_status status = hand_on(packer, out.pos);
        if (status != WARC_OK)
            return status;
    } while (in.pos < in.size || (how == ZSTD_e_end && left > 0));
    return WARC_OK;
}

warc_status packer_begin(struct packer *packer, uint64_t size)
{
    if (packer->packing == WARC_PACK_GZIP) {
        deflateReset(&packer->gzip);
        deflateSetHeader(&packer->gzip, &packer->gzip_header);
    }
    if (packer->packing == WARC_PACK_ZSTD) {
        ZSTD_CCtx_reset(packer->zstd, ZSTD_reset_session_only);
        if (ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(packer->zstd, size)))
            return WARC_NOMEM;
    }
    return WARC_OK;
}

warc_status packer_add(struct packer *packer, warc_view bytes)
{
    if (bytes.len == 0)
        return WARC_OK;
    switch (packer->packing) {
    case WARC_PACK_GZIP:
        return add_gzip(packer, bytes);
    case WARC_PACK_ZSTD:
        return add_zstd(packer, bytes, ZSTD_e_continue);
    default:
        return packer->output.write(packer->output.context, bytes);
    }
}

warc_status packer_end(struct packer *packer)
{
    switch (packer->packing) {
    case WARC_PACK_GZIP:
        return deflate_part(packer, "", 0, Z_FINISH);
    case WARC_PACK_ZSTD:
        return add_zstd(packer, (warc_view){ "", 0 }, ZSTD_e_end);
    default:
        return WARC_OK;
    }
}
