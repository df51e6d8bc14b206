/*
 * Rows: bodies that match their header, and bodies that do not. Each is passed at once,
 * byte by byte and in odd pieces, with the same result. Then decompression bombs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <brotli/encode.h>
#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buffer.h"
#include "parse/http/http_body.h"
#include "thresher/page.h"

enum { TEXT_LEN = 100000 };

/* How a body is made from the text, letter by letter. */
enum coder {
    GZIP = 'g', /* one member */
    ZLIB = 'd', /* deflate in zlib's format */
    RAW = 'r',  /* deflate without it */
    BROTLI = 'b',
    ZSTD = 'z',
    CHUNKED = 'c', /* 1,000 bytes a chunk, with extensions and a trailer */
    MEMBERS = 'm', /* two gzip members */
    FRAMES = 'f'   /* two Zstandard frames and a skippable one */
};

enum want {
    TEXT, /* the text comes out */
    NOTHING,
    AS_STORED, /* the body comes out */
    PREFIX,    /* a start of the text, not empty */
    SOMETHING, /* any bytes can be decoded after the damage */
};

struct row {
    const char *name, *head;
    const char *coders; /* applied to the text in this order */
    const char *junk;   /* appended */
    long cut;  /* bytes cut off the end. Negative values are the offset of the cut */
    long flip; /* byte to damage; 0 = none; from the end when negative */
    enum want want;
    uint32_t flags;
    bool is_whole;
};

#define CE(list) "Content-Encoding: " list "\r\n"
#define TE(list) "Transfer-Encoding: " list "\r\n"
#define NOT_APPLIED TH_FLAG_CODING_NOT_APPLIED
#define DAMAGED TH_FLAG_CODING_DAMAGED

/* clang-format off */
static const struct row rows[] = {
    { "no coding", "", "", "", 0, 0, TEXT, 0, true },
    { "gzip", CE("gzip"), "g", "", 0, 0, TEXT, 0, true },
    { "gzip members", CE("x-gzip"), "m", "", 0, 0, TEXT, 0, true },
    { "deflate as zlib", CE("deflate"), "d", "", 0, 0, TEXT, 0, true },
    { "deflate raw", CE("deflate"), "r", "", 0, 0, TEXT, 0, true },
    { "br", CE("br"), "b", "", 0, 0, TEXT, 0, true },
    { "zstd", CE("zstd"), "z", "", 0, 0, TEXT, 0, true },
    { "zstd frames", CE("zstd"), "f", "", 0, 0, TEXT, 0, true },
    { "chunked", TE("chunked"), "c", "", 0, 0, TEXT, 0, true },
    { "stacked", TE("chunked") CE("br, zstd, deflate, gzip"), "bzdgc", "", 0, 0, TEXT, 0, true },
    { "gzip as transfer coding", TE("gzip, chunked"), "gc", "", 0, 0, TEXT, 0, true },
    { "gzip of gzip", CE("gzip, gzip"), "gg", "", 0, 0, TEXT, 0, true },
    { "identity", CE("identity"), "", "", 0, 0, TEXT, 0, true },

    { "claims gzip, is plain", CE("gzip"), "", "", 0, 0, TEXT, NOT_APPLIED, true },
    { "claims deflate, is plain", CE("deflate"), "", "", 0, 0, TEXT, NOT_APPLIED, true },
    { "claims br, is plain", CE("br"), "", "", 0, 0, TEXT, NOT_APPLIED, true },
    { "claims zstd, is plain", CE("zstd"), "", "", 0, 0, TEXT, NOT_APPLIED, true },
    { "claims gzip, is br", CE("gzip"), "b", "", 0, 0, AS_STORED, NOT_APPLIED, true },
    { "claims gzip twice, is once", CE("gzip, gzip"), "g", "", 0, 0, TEXT, NOT_APPLIED, true },
    { "claims what the client accepts", CE("gzip, deflate, br"), "g", "", 0, 0, TEXT, NOT_APPLIED, true },
    { "claims nothing, is gzip", "", "g", "", 0, 0, AS_STORED, 0, true },
    { "claims chunked, is plain", TE("chunked"), "", "", 0, 0, TEXT, TH_FLAG_NOT_CHUNKED, true },
    { "claims chunked and gzip, is gzip", TE("chunked") CE("gzip"), "g", "", 0, 0, TEXT, TH_FLAG_NOT_CHUNKED, true },
    { "claims chunked and gzip, is chunked", TE("chunked") CE("gzip"), "c", "", 0, 0, TEXT, NOT_APPLIED, true },
    { "unknown coding", CE("foo"), "g", "", 0, 0, AS_STORED, TH_FLAG_CODING_UNKNOWN, true },
    { "unknown coding under gzip", CE("foo, gzip"), "g", "", 0, 0, TEXT, TH_FLAG_CODING_UNKNOWN, true },

    { "gzip cut", CE("gzip"), "g", "", 1000, 0, PREFIX, DAMAGED, false },
    { "gzip without trailer", CE("gzip"), "g", "", 8, 0, TEXT, DAMAGED, false },
    { "gzip cut in its header", CE("gzip"), "g", "", -5, 0, NOTHING, DAMAGED, false },
    { "gzip damaged", CE("gzip"), "g", "", 0, -20000, SOMETHING, DAMAGED, false },
    { "gzip with wrong CRC", CE("gzip"), "g", "", 0, -6, TEXT, DAMAGED, false },
    { "gzip with wrong length", CE("gzip"), "g", "", 0, -1, TEXT, DAMAGED, false },
    { "gzip, second member cut", CE("gzip"), "m", "", 1000, 0, PREFIX, DAMAGED, false },
    { "gzip and line ends", CE("gzip"), "g", "\r\n\r\n", 0, 0, TEXT, 0, true },
    { "gzip and junk", CE("gzip"), "g", "junk", 0, 0, TEXT, DAMAGED, true },
    { "deflate cut", CE("deflate"), "d", "", 1000, 0, PREFIX, DAMAGED, false },
    { "deflate with wrong Adler", CE("deflate"), "d", "", 0, -1, TEXT, DAMAGED, false },
    { "raw deflate cut", CE("deflate"), "r", "", 1000, 0, PREFIX, DAMAGED, false },
    { "br cut", CE("br"), "b", "", 1000, 0, PREFIX, DAMAGED, false },
    { "br damaged", CE("br"), "b", "", 0, -10000, SOMETHING, DAMAGED, false },
    { "br and junk", CE("br"), "b", "junk", 0, 0, TEXT, DAMAGED, true },
    { "zstd, second frame cut", CE("zstd"), "f", "", 1000, 0, PREFIX, DAMAGED, false },
    { "zstd with wrong check sum", CE("zstd"), "z", "", 0, -1, TEXT, DAMAGED, false },
    { "zstd and line end", CE("zstd"), "z", "\n", 0, 0, TEXT, 0, true },
    { "chunked without last chunk", TE("chunked"), "c", "", 17, 0, TEXT, TH_FLAG_CHUNKED_DAMAGED, false },
    { "chunked without last line", TE("chunked"), "c", "", 2, 0, TEXT, 0, true },
    { "chunked cut", TE("chunked"), "c", "", 3000, 0, PREFIX, TH_FLAG_CHUNKED_DAMAGED, false },
    { "chunked with a wrong size", TE("chunked"), "c", "", 0, 20180, SOMETHING, TH_FLAG_CHUNKED_DAMAGED, false },
    { "chunked and junk", TE("chunked"), "c", "junk", 0, 0, TEXT, TH_FLAG_CHUNKED_DAMAGED, true },
    { "cut to nothing", TE("chunked") CE("gzip"), "gc", "", 0, 0, TEXT, 0, true },
};

/* Bodies written out. */
static const struct literal {
    const char *name, *head, *in, *want;
    uint32_t flags;
    bool is_whole;
} literals[] = {
    { "no bytes: gzip", CE("gzip"), "", "", 0, true },
    { "no bytes: all codings", TE("chunked") CE("br, gzip, zstd, deflate"), "", "", 0, true },
    { "chunk: LF, spaces, capitals", TE("chunked"), "  0A \nabcdefghij\n0\n\n", "abcdefghij", 0, true },
    { "chunk: extension and trailers", TE("chunked"), "3;a=\"b\";c\r\nxyz\r\n0;d\r\nE: f\r\nG: h\r\n\r\n", "xyz", 0, true },
    { "chunk: empty body", TE("chunked"), "0\r\n\r\n", "", 0, true },
    { "chunk: size 0 and no more", TE("chunked"), "0\r\n", "", 0, true },
    { "chunk: leading zeros", TE("chunked"), "000000000000000000003\r\nxyz\r\n0\r\n\r\n", "xyz", 0, true },
    { "chunk: size over 64 bits", TE("chunked"), "11111111111111111\r\nxyz\r\n0\r\n\r\n", "11111111111111111\r\nxyz\r\n0\r\n\r\n", TH_FLAG_NOT_CHUNKED, true },
    { "chunk: size over 64 bits, second", TE("chunked"), "3\r\nxyz\r\n11111111111111111\r\nxyz\r\n0\r\n\r\n", "xyz", TH_FLAG_CHUNKED_DAMAGED, false },
    { "chunk: size 2^60-1", TE("chunked"), "fffffffffffffff\r\nxyz\r\n0\r\n\r\n", "xyz\r\n0\r\n\r\n", TH_FLAG_CHUNKED_DAMAGED, false },
    { "chunk: first cut", TE("chunked"), "a\r\nxyz", "xyz", TH_FLAG_CHUNKED_DAMAGED, false },
    { "chunk: cut in the first size", TE("chunked"), "a", "a", TH_FLAG_NOT_CHUNKED, true },
    { "chunk: a line end alone", TE("chunked"), "\r\n", "\r\n", TH_FLAG_NOT_CHUNKED, true },
    { "chunk: text with hex line", TE("chunked"), "2\nwo cats", "2\nwo cats", TH_FLAG_NOT_CHUNKED, true },
    { "chunk: text with 0 line", TE("chunked"), "0\ncats here\n", "0\ncats here\n", TH_FLAG_NOT_CHUNKED, true },
    { "chunk: wrong size, second", TE("chunked"), "3\r\nxyz\r\n2\r\nabc\r\n0\r\n\r\n", "xyzab", TH_FLAG_CHUNKED_DAMAGED, false },
    { "chunk: trailer is junk", TE("chunked"), "3\r\nxyz\r\n0\r\njunk\r\n\r\n", "xyz", TH_FLAG_CHUNKED_DAMAGED, true },
    { "zstd: another first byte", CE("zstd"), "x\xb5/\xfd words", "x\xb5/\xfd words", NOT_APPLIED, true },
    { "zstd: another second byte", CE("zstd"), "(x/\xfd words", "(x/\xfd words", NOT_APPLIED, true },
    { "zstd: another last byte", CE("zstd"), "(\xb5/x words", "(\xb5/x words", NOT_APPLIED, true },
    { "zstd: almost a skippable frame", CE("zstd"), "`*M\x18 words", "`*M\x18 words", NOT_APPLIED, true },
    { "gzip: two bytes of it", CE("gzip"), "\x1f\x8b", "\x1f\x8b", NOT_APPLIED, true },
    { "deflate: one letter", CE("deflate"), "x", "x", NOT_APPLIED, true },
    { "br: short text", CE("br"), "Hello, world", "Hello, world", NOT_APPLIED, true },
    { "br: json", CE("br"), "{\"a\": [1, 2, 3]}", "{\"a\": [1, 2, 3]}", NOT_APPLIED, true },
    { "br: empty stream", CE("br"), "\x06", "", 0, true },
    { "zstd: window of 128 MiB", CE("zstd"), "\x28\xb5\x2f\xfd\x01\x88\x01\x01\x01\x01", "", DAMAGED, false },
};
/* clang-format on */

static const char *text; /* TEXT_LEN bytes that do not compress too well */

static int make_text(void **state)
{
    (void)state;
    char *const bytes = malloc(TEXT_LEN);
    if (!bytes)
        return -1;
    uint32_t random = 1;
    for (size_t i = 0; i < TEXT_LEN; i++) {
        random = random * 1664525 + 1013904223;
        bytes[i] = "<p> etaoinshrdlu\n"[random >> 24 & 15];
    }
    bytes[0] = '<'; /* as pages do: no other coding starts so */
    text = bytes;
    return 0;
}

static int drop_text(void **state)
{
    (void)state;
    free((void *)(uintptr_t)text);
    return 0;
}

static void deflate_into(th_buffer *out, int window, th_view in)
{
    z_stream stream = { 0 };
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, window, 8, 0), Z_OK);
    const size_t bound = deflateBound(&stream, in.len);
    assert_true(th_buffer_reserve(out, bound));
    stream.next_in = (Bytef *)(uintptr_t)in.data;
    stream.avail_in = (uInt)in.len;
    stream.next_out = (Bytef *)out->data + out->len;
    stream.avail_out = (uInt)bound;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out->len += stream.total_out;
    deflateEnd(&stream);
}

static void brotli_into(th_buffer *out, th_view in)
{
    size_t len = BrotliEncoderMaxCompressedSize(in.len);
    assert_true(th_buffer_reserve(out, len));
    assert_true(BrotliEncoderCompress(5, 22, BROTLI_MODE_TEXT, in.len,
                                      (const uint8_t *)in.data, &len,
                                      (uint8_t *)out->data + out->len));
    out->len += len;
}

static void zstd_into(th_buffer *out, th_view in)
{
    ZSTD_CCtx *const encoder = ZSTD_createCCtx();
    const size_t bound = ZSTD_compressBound(in.len);
    assert_non_null(encoder);
    assert_true(th_buffer_reserve(out, bound));
    ZSTD_CCtx_setParameter(encoder, ZSTD_c_checksumFlag, 1);
    const size_t len =
        ZSTD_compress2(encoder, out->data + out->len, bound, in.data, in.len);
    assert_false(ZSTD_isError(len));
    out->len += len;
    ZSTD_freeCCtx(encoder);
}

static void chunks_into(th_buffer *out, th_view in)
{
    for (size_t at = 0; at < in.len; at += 1000) {
        const size_t len = in.len - at < 1000 ? in.len - at : 1000;
        th_buffer_printf(out, at % 2000 ? "%zx;a=b\r\n" : "%zX\r\n", len);
        th_buffer_append(out, in.data + at, len);
        th_buffer_append_text(out, "\r\n");
    }
    th_buffer_append_text(out, "0\r\nTrailer: 1\r\n\r\n");
}

static void code(th_buffer *out, enum coder coder, th_view in)
{
    const th_view half = { in.data, in.len / 2 };
    const th_view rest = { in.data + half.len, in.len - half.len };
    switch (coder) {
    case GZIP:
        deflate_into(out, 31, in);
        break;
    case ZLIB:
        deflate_into(out, 15, in);
        break;
    case RAW:
        deflate_into(out, -15, in);
        break;
    case BROTLI:
        brotli_into(out, in);
        break;
    case ZSTD:
        zstd_into(out, in);
        break;
    case CHUNKED:
        chunks_into(out, in);
        break;
    case MEMBERS:
        deflate_into(out, 31, half);
        deflate_into(out, 31, rest);
        break;
    case FRAMES:
        zstd_into(out, half);
        th_buffer_append(out, "\x5f\x2a\x4d\x18\3\0\0\0abc", 11);
        zstd_into(out, rest);
        break;
    }
}

static bool gather(void *context, const char *bytes, size_t len)
{
    assert_true(len > 0);
    th_buffer_append(context, bytes, len);
    return true;
}

static th_http_head parse_head(const char *fields)
{
    char head_text[512];
    th_http_head head;
    snprintf(head_text, sizeof head_text, "HTTP/1.1 200 OK\r\n%s\r\n", fields);
    assert_int_equal(
        th_http_head_parse((th_view){ head_text, strlen(head_text) }, 4096, true, &head),
        TH_OK);
    return head;
}

/* Gives the body in pieces; the same th_body each time, as workers do. */
static void run(th_body *body, const char *fields, th_view stored, size_t piece,
                th_buffer *out)
{
    const th_http_head head = parse_head(fields);
    th_buffer_reset(out);
    assert_int_equal(th_body_begin(body, &head, 5, gather, out), TH_OK);
    for (size_t at = 0; at < stored.len; at += piece) {
        const size_t len = stored.len - at < piece ? stored.len - at : piece;
        char *const copy = malloc(len); /* exact, so that a sanitizer sees overreads */
        assert_non_null(copy);
        memcpy(copy, stored.data + at, len);
        assert_int_equal(th_body_write(body, (th_view){ copy, len }), TH_OK);
        free(copy);
    }
    assert_int_equal(th_body_end(body), TH_OK);
    assert_false(out->has_failed);
}

static const size_t pieces[] = { SIZE_MAX / 2, 1, 7, 1021, 16384, 65537 };

static void same_in_all_pieces(const char *fields, th_view stored, th_buffer *out,
                               uint32_t flags, bool is_whole)
{
    th_body *const body = th_body_new();
    th_buffer again = { 0 };
    assert_non_null(body);
    run(body, fields, stored, SIZE_MAX / 2, out);
    assert_int_equal(th_body_flags(body), flags);
    assert_int_equal(th_body_is_complete(body), is_whole);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        run(body, fields, stored, pieces[i], &again);
        assert_int_equal(again.len, out->len);
        if (again.len)
            assert_memory_equal(again.data, out->data, again.len);
        assert_int_equal(th_body_flags(body), flags);
        assert_int_equal(th_body_is_complete(body), is_whole);
    }
    th_buffer_done(&again);
    th_body_free(body);
}

static void make_stored(const struct row *row, th_buffer *stored)
{
    th_buffer_append(stored, text, TEXT_LEN);
    for (const char *coder = row->coders; *coder; coder++) {
        th_buffer coded = { 0 };
        code(&coded, (enum coder) * coder, th_buffer_view(stored));
        th_buffer_done(stored);
        *stored = coded;
    }
    if (row->flip)
        stored->data[row->flip < 0 ? (long)stored->len + row->flip : row->flip] ^= 0x55;
    stored->len = row->cut < 0 ? (size_t)-row->cut : stored->len - (size_t)row->cut;
    th_buffer_append_text(stored, row->junk);
}

static void row_holds(void **state)
{
    const struct row *const row = *state;
    th_buffer stored = { 0 };
    th_buffer out = { 0 };
    make_stored(row, &stored);
    same_in_all_pieces(row->head, th_buffer_view(&stored), &out, row->flags,
                       row->is_whole);
    switch (row->want) {
    case TEXT:
        assert_int_equal(out.len, TEXT_LEN);
        assert_memory_equal(out.data, text, TEXT_LEN);
        break;
    case AS_STORED:
        assert_int_equal(out.len, stored.len);
        assert_memory_equal(out.data, stored.data, stored.len);
        break;
    case PREFIX:
        assert_in_range(out.len, 1, TEXT_LEN - 1);
        assert_memory_equal(out.data, text, out.len);
        break;
    case SOMETHING:
        assert_true(out.len > 0);
        break;
    case NOTHING:
        assert_int_equal(out.len, 0);
    }
    th_buffer_done(&stored);
    th_buffer_done(&out);
}

static void literal_holds(void **state)
{
    const struct literal *const row = *state;
    th_buffer out = { 0 };
    same_in_all_pieces(row->head, (th_view){ row->in, strlen(row->in) }, &out, row->flags,
                       row->is_whole);
    assert_int_equal(out.len, strlen(row->want));
    if (out.len)
        assert_memory_equal(out.data, row->want, out.len);
    th_buffer_done(&out);
}

static void flip_bits(char *byte, unsigned bits)
{
    *byte = (char)((unsigned char)*byte ^ bits);
}

/* Every prefix and every damaged byte of a small body: no crash, and pieces do not
 * matter. */
static void every_damage_is_the_same_in_pieces(void **state)
{
    static const struct {
        const char *fields, *coders;
    } kinds[] = { { CE("gzip"), "m" },     { CE("deflate"), "d" }, { CE("deflate"), "r" },
                  { CE("br"), "b" },       { CE("zstd"), "f" },    { TE("chunked"), "c" },
                  { CE("gzip, br"), "gb" } };
    (void)state;
    th_body *const body = th_body_new();
    th_buffer once = { 0 };
    th_buffer again = { 0 };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        th_buffer stored = { 0 };
        th_buffer_append(&stored, text, 3000);
        for (const char *coder = kinds[i].coders; *coder; coder++) {
            th_buffer coded = { 0 };
            code(&coded, (enum coder) * coder, th_buffer_view(&stored));
            th_buffer_done(&stored);
            stored = coded;
        }
        for (size_t at = 0; at < stored.len; at += 3) {
            for (int flip = 0; flip < 2; flip++) {
                const th_view view = { stored.data, flip ? stored.len : at };
                flip_bits(stored.data + at, flip ? 0x11u << at % 4 : 0);
                run(body, kinds[i].fields, view, SIZE_MAX / 2, &once);
                const uint32_t flags = th_body_flags(body);
                const bool is_whole = th_body_is_complete(body);
                run(body, kinds[i].fields, view, 5, &again);
                assert_int_equal(again.len, once.len);
                if (once.len)
                    assert_memory_equal(again.data, once.data, once.len);
                assert_int_equal(th_body_flags(body), flags);
                assert_int_equal(th_body_is_complete(body), is_whole);
                flip_bits(stored.data + at, flip ? 0x11u << at % 4 : 0);
            }
        }
        th_buffer_done(&stored);
    }
    th_buffer_done(&once);
    th_buffer_done(&again);
    th_body_free(body);
}

static void too_many_codings(void **state)
{
    (void)state;
    th_body *const body = th_body_new();
    th_http_head head = parse_head(CE("gzip, gzip, gzip, gzip, gzip, gzip"));
    assert_int_equal(th_body_begin(body, &head, 5, gather, NULL), TH_BAD_CODING);
    assert_int_equal(th_body_begin(body, &head, 6, gather, NULL), TH_OK);
    head = parse_head(CE("br, br, br, br, br, br, br, br, br"));
    assert_int_equal(th_body_begin(body, &head, 100, gather, NULL), TH_BAD_CODING);
    th_body_free(body);
}

/* A cap as the pipeline's: takes so much and stops. */
struct cap {
    uint64_t taken, limit;
    unsigned calls_after;
};

static bool take_capped(void *context, const char *bytes, size_t len)
{
    struct cap *const cap = context;
    (void)bytes;
    cap->calls_after += cap->taken >= cap->limit;
    cap->taken += len;
    return cap->taken < cap->limit;
}

enum { BOMB_CAP = 8 << 20, BLOCK = 1 << 20 };
static const uint64_t bomb_len = (uint64_t)1 << 30;

/* 1 GiB of zeros in raw deflate: one flushed block, again and again. */
static void zeros_deflated(th_buffer *out, uint64_t len)
{
    char *const zeros = calloc(1, BLOCK);
    char packed[8192];
    z_stream stream = { 0 };
    assert_non_null(zeros);
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, 0), Z_OK);
    stream.next_in = (Bytef *)zeros;
    stream.avail_in = BLOCK;
    stream.next_out = (Bytef *)packed;
    stream.avail_out = sizeof packed;
    assert_int_equal(deflate(&stream, Z_FULL_FLUSH), Z_OK);
    for (uint64_t made = 0; made < len; made += BLOCK)
        th_buffer_append(out, packed, stream.total_out);
    th_buffer_append(out, "\3\0", 2); /* the last block, empty */
    deflateEnd(&stream);
    free(zeros);
}

static void gzip_bomb(th_buffer *out)
{
    th_buffer_append(out, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    zeros_deflated(out, bomb_len);
}

static void deflate_bomb(th_buffer *out)
{
    zeros_deflated(out, bomb_len);
}

static void gzip_of_gzip_bomb(th_buffer *out)
{
    th_buffer inner = { 0 };
    gzip_bomb(&inner);
    deflate_into(out, 31, th_buffer_view(&inner));
    th_buffer_done(&inner);
}

static void zstd_bomb(th_buffer *out)
{
    ZSTD_CCtx *const encoder = ZSTD_createCCtx();
    char *const zeros = calloc(1, BLOCK);
    char packed[65536];
    assert_true(encoder && zeros);
    for (uint64_t made = 0; made < bomb_len; made += BLOCK) {
        const bool is_last = made + BLOCK == bomb_len;
        ZSTD_inBuffer in = { zeros, BLOCK, 0 };
        size_t left = 1;
        while (is_last ? left : in.pos < in.size) {
            ZSTD_outBuffer capacity = { packed, sizeof packed, 0 };
            left = ZSTD_compressStream2(encoder, &capacity, &in,
                                        is_last ? ZSTD_e_end : ZSTD_e_continue);
            assert_false(ZSTD_isError(left));
            th_buffer_append(out, packed, capacity.pos);
        }
    }
    free(zeros);
    ZSTD_freeCCtx(encoder);
}

static void brotli_bomb(th_buffer *out)
{
    BrotliEncoderState *const encoder = BrotliEncoderCreateInstance(NULL, NULL, NULL);
    char *const zeros = calloc(1, BLOCK);
    uint8_t packed[65536];
    assert_true(encoder && zeros);
    BrotliEncoderSetParameter(encoder, BROTLI_PARAM_QUALITY, 2);
    for (uint64_t made = 0; made < bomb_len; made += BLOCK) {
        const bool is_last = made + BLOCK == bomb_len;
        size_t in_len = BLOCK;
        const uint8_t *in = (const uint8_t *)zeros;
        do {
            size_t capacity = sizeof packed;
            uint8_t *to = packed;
            assert_true(BrotliEncoderCompressStream(
                encoder, is_last ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS,
                &in_len, &in, &capacity, &to, NULL));
            th_buffer_append(out, (char *)packed, sizeof packed - capacity);
        } while (in_len || (is_last ? !BrotliEncoderIsFinished(encoder)
                                    : BrotliEncoderHasMoreOutput(encoder)));
    }
    free(zeros);
    BrotliEncoderDestroyInstance(encoder);
}

/* Reliability 18-23. */
static const struct bomb {
    const char *name, *head;
    void (*make)(th_buffer *out);
} bombs[] = {
    { "bomb: gzip", CE("gzip"), gzip_bomb },
    { "bomb: deflate", CE("deflate"), deflate_bomb },
    { "bomb: gzip of gzip", CE("gzip, gzip"), gzip_of_gzip_bomb },
    { "bomb: zstd", CE("zstd"), zstd_bomb },
    { "bomb: br", CE("br"), brotli_bomb },
};

static void bomb_is_capped(void **state)
{
    const struct bomb *const bomb = *state;
    const th_http_head head = parse_head(bomb->head);
    struct cap cap = { .limit = BOMB_CAP };
    th_buffer stored = { 0 };
    bomb->make(&stored);
    assert_false(stored.has_failed);
    assert_true(stored.len < 2 << 20);

    th_body *const body = th_body_new();
    const clock_t before = clock();
    assert_int_equal(th_body_begin(body, &head, 5, take_capped, &cap), TH_OK);
    assert_int_equal(th_body_write(body, th_buffer_view(&stored)), TH_OK);
    assert_int_equal(th_body_end(body), TH_OK);
    assert_true(clock() - before < CLOCKS_PER_SEC);
    assert_in_range(cap.taken, BOMB_CAP, BOMB_CAP + 65536);
    assert_int_equal(cap.calls_after, 0);
    assert_false(th_body_is_complete(body));
    assert_int_equal(th_body_flags(body), 0);
    th_body_free(body);
    th_buffer_done(&stored);
}

int main(void)
{
    enum {
        ROWS = sizeof rows / sizeof *rows,
        LITERALS = sizeof literals / sizeof *literals,
        BOMBS = sizeof bombs / sizeof *bombs
    };
    struct CMUnitTest tests[ROWS + LITERALS + BOMBS + 2];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        tests[count++] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                              (void *)(uintptr_t)&rows[i] };
    for (size_t i = 0; i < LITERALS; i++)
        tests[count++] = (struct CMUnitTest){ literals[i].name, literal_holds, NULL, NULL,
                                              (void *)(uintptr_t)&literals[i] };
    for (size_t i = 0; i < BOMBS; i++)
        tests[count++] = (struct CMUnitTest){ bombs[i].name, bomb_is_capped, NULL, NULL,
                                              (void *)(uintptr_t)&bombs[i] };
    tests[count++] =
        (struct CMUnitTest)cmocka_unit_test(every_damage_is_the_same_in_pieces);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(too_many_codings);
    return cmocka_run_group_tests(tests, make_text, drop_text);
}
