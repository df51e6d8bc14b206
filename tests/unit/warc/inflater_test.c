/*
 * Output of a damaged deflate stream: everything that zlib returns, for any processor and
 * any cuts of input and output. The damage is after the block's tables. If these are
 * incomplete, zlib refuses the block and ISA-L continues.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "warc/exact_inflater.h"
#include "warc/inflater.h"

enum { TEXT_LEN = 30000, ROOM = 100000, HEADER = 256, ROUNDS = 2000 };

struct outcome {
    char bytes[ROOM];
    size_t len;
    enum inflate_result result;
    size_t in_used;
};

static uint32_t next(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* Words that are repeated, near and far, with some noise in between. */
static void make_text(char *text, uint32_t seed)
{
    static const char *const words[] = { "ferry ", "harbour ", "Saltmouth ", "the ",
                                         "<p>",    "</p>\n",   "<a href=\"", "island " };
    size_t len = 0;
    while (len < TEXT_LEN) {
        const uint32_t dice = next(&seed);
        const char *word = words[dice % 8];
        for (; *word && len < TEXT_LEN; word++)
            text[len++] = *word;
        if (dice % 5 == 0 && len < TEXT_LEN)
            text[len++] = (char)(dice >> 8);
    }
}

static size_t pack(const char *text, int level, int strategy, char *out)
{
    z_stream stream = { .opaque = NULL };
    assert_int_equal(deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, 8, strategy),
                     Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)text;
    stream.avail_in = TEXT_LEN;
    stream.next_out = (Bytef *)out;
    stream.avail_out = ROOM;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t len = ROOM - stream.avail_out;
    deflateEnd(&stream);
    return len;
}

static void run_zlib(const char *in, size_t len, struct outcome *out)
{
    struct exact_inflater exact;
    struct inflate_span span = { in, len, out->bytes, ROOM };
    assert_int_equal(exact_inflater_init(&exact), WARC_OK);
    out->result = exact_inflater_run(&exact, &span);
    out->len = ROOM - span.out_len;
    out->in_used = len - span.in_len;
    exact_inflater_done(&exact);
}

/* In pieces of up to `in_max` and `out_max` bytes, as the dice fall. */
static void run_pieces(struct inflater *inflater, const char *in, size_t len,
                       size_t in_max, size_t out_max, uint32_t seed, struct outcome *out)
{
    const char *const end = in + len;
    const char *at = in;
    out->len = 0;
    inflater_reset(inflater);
    for (;;) {
        const size_t in_len = 1 + next(&seed) % in_max,
                     capacity = 1 + next(&seed) % out_max;
        const size_t left = (size_t)(end - at);
        struct inflate_span span = { at, in_len < left ? in_len : left,
                                     out->bytes + out->len, capacity };
        if (capacity > ROOM - out->len)
            span.out_len = ROOM - out->len;
        const size_t out_len = span.out_len;
        out->result = inflater_run(inflater, &span);
        const size_t made = out_len - span.out_len;
        out->len += made;
        const size_t used = (size_t)(span.in - at);
        at = span.in;
        if (out->result != INFLATE_MORE || (made == 0 && used == 0 && left == 0))
            break;
    }
    out->in_used = (size_t)(at - in);
}

static void damaged_streams_give_what_zlib_gives(void **state)
{
    (void)state;
    char *text = malloc(TEXT_LEN), *packed = malloc(ROOM);
    struct outcome *want = malloc(sizeof *want), *got = malloc(sizeof *got);
    struct inflater *inflater = NULL;
    uint32_t seed = 20261122;
    unsigned ends = 0, damages = 0, mores = 0;
    assert_true(text && packed && want && got);
    assert_int_equal(inflater_new(&inflater), WARC_OK);
    for (unsigned round = 0; round < ROUNDS; round++) {
        make_text(text, next(&seed) | 1);
        const size_t len = pack(text, 1 + (int)(round % 9),
                                round % 7 == 0 ? Z_FIXED : Z_DEFAULT_STRATEGY, packed);
        for (unsigned flips = round % 4; flips; flips--)
            packed[HEADER + next(&seed) % (len - HEADER)] ^=
                (char)(1u << next(&seed) % 8);
        const size_t end = round % 5 == 1 ? next(&seed) % len : len;
        run_zlib(packed, end, want);
        run_pieces(inflater, packed, end, round % 2 ? 100000 : 3000,
                   round % 3 ? 65536 : 700, next(&seed) | 1, got);
        assert_int_equal(got->result, want->result);
        /* If the input ends before the stream, ISA-L may need bits after a code. */
        const size_t ahead = want->result == INFLATE_MORE;
        assert_in_range(got->len + ahead, want->len, want->len + ahead);
        assert_memory_equal(got->bytes, want->bytes, got->len);
        if (want->result == INFLATE_END) {
            assert_int_equal(got->in_used, want->in_used);
            assert_int_equal(inflater_crc(inflater),
                             crc32(0, (const Bytef *)got->bytes, (uInt)got->len));
        }
        ends += want->result == INFLATE_END;
        damages += want->result == INFLATE_DAMAGED;
        mores += want->result == INFLATE_MORE;
    }
    assert_true(ends > ROUNDS / 10 && damages > ROUNDS / 10 && mores > ROUNDS / 10);
    inflater_free(inflater);
    free(text);
    free(packed);
    free(want);
    free(got);
}

/* The last code of a stream may have its first bits in the byte before the last. */
static void without_its_last_byte_no_stream_ends(void **state)
{
    (void)state;
    char *text = malloc(TEXT_LEN), *packed = malloc(ROOM);
    struct outcome *got = malloc(sizeof *got);
    struct inflater *inflater = NULL;
    uint32_t seed = 1;
    assert_true(text && packed && got);
    assert_int_equal(inflater_new(&inflater), WARC_OK);
    for (unsigned round = 0; round < 100; round++) {
        make_text(text, next(&seed) | 1);
        const size_t len = pack(text, 1 + (int)(round % 9),
                                round % 2 ? Z_FIXED : Z_DEFAULT_STRATEGY, packed);
        run_pieces(inflater, packed, len - 1, round % 3 ? 100000 : 700, 65536,
                   next(&seed) | 1, got);
        assert_int_equal(got->result, INFLATE_MORE);
    }
    run_pieces(inflater, "\3", 1, 1, 16, 1, got); /* of the empty stream 03 00 */
    assert_int_equal(got->result, INFLATE_MORE);
    inflater_free(inflater);
    free(text);
    free(packed);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_streams_give_what_zlib_gives),
        cmocka_unit_test(without_its_last_byte_no_stream_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
