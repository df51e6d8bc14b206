/* src/write/compress.c: the decompressed data equals the input, with the same bytes each time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "write/format.h"

/* Kinds of input: a letter repeated, words, noise. */
enum fill { SAME, WORDS, NOISE };

static const struct row {
    const char *name;
    th_compression compression;
    enum fill fill;
    size_t len;
} rows[] = {
    { "gzip of nothing", TH_GZIP, SAME, 0 },
    { "gzip of a byte", TH_GZIP, SAME, 1 },
    { "gzip of a megabyte of one letter", TH_GZIP, SAME, 1 << 20 },
    { "gzip of words", TH_GZIP, WORDS, 300000 },
    { "gzip of noise", TH_GZIP, NOISE, 300000 },
    { "zstd of nothing", TH_ZSTD, SAME, 0 },
    { "zstd of a byte", TH_ZSTD, SAME, 1 },
    { "zstd of a megabyte of one letter", TH_ZSTD, SAME, 1 << 20 },
    { "zstd of words", TH_ZSTD, WORDS, 300000 },
    { "zstd of noise", TH_ZSTD, NOISE, 300000 },
    { "plain nothing", TH_PLAIN, SAME, 0 },
    { "plain words", TH_PLAIN, WORDS, 5000 },
};

static char *make_input(enum fill fill, size_t len)
{
    static const unsigned char words[] = "and then the wind blew over the floor\n";
    unsigned char *bytes = malloc(len ? len : 1);
    assert_non_null(bytes);
    uint32_t seed = 7;
    for (size_t i = 0; i < len; i++) {
        seed = seed * 1664525u + 1013904223u;
        if (fill == SAME)
            bytes[i] = 'a';
        else if (fill == NOISE)
            bytes[i] = (unsigned char)(seed >> 24);
        else
            bytes[i] = words[(i + (seed >> 30)) % (sizeof words - 1)];
    }
    return (char *)bytes;
}

/* All members of a gzip file; the caller frees. */
static char *gunzip(th_view packed, size_t len)
{
    char *bytes = malloc(len + 1);
    assert_non_null(bytes);
    z_stream stream = { .next_in = (z_const Bytef *)packed.data,
                        .avail_in = (uInt)packed.len,
                        .next_out = (Bytef *)bytes,
                        .avail_out = (uInt)len + 1 };
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    while (stream.avail_in) {
        assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
        assert_int_equal(inflateReset(&stream), Z_OK);
    }
    assert_int_equal(stream.avail_out, 1);
    inflateEnd(&stream);
    return bytes;
}

static char *unzstd(th_view packed, size_t len)
{
    char *bytes = malloc(len + 1);
    assert_non_null(bytes);
    assert_int_equal(ZSTD_decompress(bytes, len + 1, packed.data, packed.len), len);
    return bytes;
}

static char *unpack(th_compression compression, th_view packed, size_t len)
{
    if (compression == TH_GZIP)
        return gunzip(packed, len);
    if (compression == TH_ZSTD)
        return unzstd(packed, len);
    char *bytes = malloc(len + 1);
    assert_int_equal(packed.len, len);
    memcpy(bytes, packed.data, len);
    return bytes;
}

static void round_trip(void **state)
{
    const struct row *row = *state;
    char *in = make_input(row->fill, row->len);
    const th_view view = { in, row->len };
    th_buffer once = { 0 };
    assert_int_equal(th_compress(row->compression, view, &once), TH_OK);
    char *back = unpack(row->compression, th_buffer_view(&once), row->len);
    assert_memory_equal(back, in, row->len);
    free(back);

    /* After other bytes: the same bytes, and two of them are a complete file. */
    th_buffer twice = { 0 };
    th_buffer_append_text(&twice, "x");
    assert_int_equal(th_compress(row->compression, view, &twice), TH_OK);
    assert_int_equal(th_compress(row->compression, view, &twice), TH_OK);
    assert_int_equal(twice.len, 1 + 2 * once.len);
    assert_int_equal(twice.data[0], 'x');
    if (once.len) {
        assert_memory_equal(twice.data + 1, once.data, once.len);
        assert_memory_equal(twice.data + 1 + once.len, once.data, once.len);
    }
    back = unpack(row->compression, (th_view){ twice.data + 1, twice.len - 1 },
                  2 * row->len);
    assert_memory_equal(back, in, row->len);
    assert_memory_equal(back + row->len, in, row->len);
    free(back);
    free(in);
    th_buffer_done(&once);
    th_buffer_done(&twice);
}

/* No name, no time, no flags; level 6; operating system unknown. */
static void gzip_head_says_nothing(void **state)
{
    (void)state;
    static const unsigned char head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 };
    th_buffer out = { 0 };
    assert_int_equal(th_compress(TH_GZIP, TH_VIEW("text"), &out), TH_OK);
    assert_in_range(out.len, sizeof head, 100);
    assert_memory_equal(out.data, head, sizeof head);
    th_buffer_done(&out);
}

/* Readers of archives want to know the size beforehand and to check what they got. */
static void zstd_frame_has_size_and_checksum(void **state)
{
    (void)state;
    th_buffer out = { 0 };
    assert_int_equal(th_compress(TH_ZSTD, TH_VIEW("text"), &out), TH_OK);
    assert_int_equal(ZSTD_getFrameContentSize(out.data, out.len), 4);
    assert_true(out.data[4] & 0x04); /* Content_Checksum_flag [RFC 8878 §3.1.1.1.1] */
    th_buffer_done(&out);
}

static void a_failed_buffer_stays_failed(void **state)
{
    (void)state;
    static const th_compression all[] = { TH_PLAIN, TH_GZIP, TH_ZSTD };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        th_buffer out = { .has_failed = true };
        assert_int_equal(th_compress(all[i], TH_VIEW("text"), &out), TH_NOMEM);
        assert_true(out.has_failed);
        assert_int_equal(out.len, 0);
    }
}

enum { ROWS = sizeof rows / sizeof *rows };

int main(void)
{
    static struct CMUnitTest tests[ROWS + 3];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, round_trip, NULL, NULL, (void *)&rows[i] };
    const struct CMUnitTest properties[] = {
        cmocka_unit_test(gzip_head_says_nothing),
        cmocka_unit_test(zstd_frame_has_size_and_checksum),
        cmocka_unit_test(a_failed_buffer_stays_failed),
    };
    memcpy(tests + ROWS, properties, sizeof properties);
    return cmocka_run_group_tests_name("compress", tests, NULL, NULL);
}
