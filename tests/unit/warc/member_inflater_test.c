/*
 * Whole members: the same bytes as from the inflater in pieces, or none. A member that is
 * damaged, truncated or too large for the buffer is left to the inflater.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "warc/member_inflater.h"

enum { TEXT_LEN = 50000, PACKED_MAX = 60000, TRAILER = 8, SKIP = 77 };

static char text[TEXT_LEN];

/* A stream with its trailer. @return its length */
static size_t pack(int level, char *out)
{
    uint32_t seed = 7;
    for (size_t i = 0; i < TEXT_LEN; i++) {
        seed = seed * 1664525u + 1013904223u;
        text[i] = i > 100 && seed >> 30 ? text[i - 1 - (seed >> 9) % 100]
                                        : (char)('a' + (seed >> 24) % 26);
    }
    z_stream stream = { .opaque = NULL };
    assert_int_equal(
        deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
        Z_OK);
    stream.next_in = (Bytef *)text;
    stream.avail_in = TEXT_LEN;
    stream.next_out = (Bytef *)out;
    stream.avail_out = PACKED_MAX;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t len = stream.total_out;
    deflateEnd(&stream);
    const uint32_t ends[] = { (uint32_t)crc32(0, (const Bytef *)text, TEXT_LEN),
                              TEXT_LEN };
    for (size_t i = 0; i < TRAILER; i++)
        out[len++] = (char)(ends[i / 4] >> i % 4 * 8);
    return len;
}

/* Runs with buffers of exact size, so that a byte too far is seen. */
static enum member_result run(struct member_inflater *inflater, const char *packed,
                              size_t len, size_t capacity, struct member_span *span)
{
    char *in = malloc(len ? len : 1), *out = malloc(capacity ? capacity : 1);
    assert_non_null(in);
    assert_non_null(out);
    memcpy(in, packed, len);
    *span =
        (struct member_span){ .in = in, .in_len = len, .out = out, .capacity = capacity };
    const enum member_result result = member_inflater_run(inflater, span);
    if (result == MEMBER_OK) {
        assert_int_equal(span->made, TEXT_LEN);
        assert_memory_equal(out, text, TEXT_LEN);
    }
    free(in);
    free(out);
    return result;
}

static void inflates_whole_members_only(void **state)
{
    static char packed[PACKED_MAX + TRAILER];
    struct member_inflater *inflater;
    struct member_span span;
    (void)state;
    assert_int_equal(member_inflater_new(&inflater), WARC_OK);
    for (int level = 0; level <= 9; level += 3) {
        const size_t len = pack(level, packed);
        assert_int_equal(run(inflater, packed, len, TEXT_LEN, &span), MEMBER_OK);
        assert_int_equal(span.used, len);
        memset(packed + len, 0x1f, TRAILER); /* what follows is not read */
        assert_int_equal(run(inflater, packed, len + TRAILER, TEXT_LEN * 2, &span),
                         MEMBER_OK);
        assert_int_equal(span.used, len);
        assert_int_equal(run(inflater, packed, len, TEXT_LEN - 1, &span), MEMBER_NO_ROOM);
        assert_int_equal(run(inflater, packed, len, 0, &span), MEMBER_NO_ROOM);
        for (size_t cut = 0; cut < len; cut += cut + TRAILER + 1 < len ? SKIP : 1)
            assert_int_not_equal(run(inflater, packed, cut, TEXT_LEN, &span), MEMBER_OK);
        for (size_t i = 0; i < TRAILER; i++) {
            packed[len - 1 - i] ^= 4;
            assert_int_equal(run(inflater, packed, len, TEXT_LEN, &span),
                             MEMBER_NOT_WHOLE);
            packed[len - 1 - i] ^= 4;
        }
        for (size_t at = 0; at < len - TRAILER; at += SKIP) {
            packed[at] ^= 0x10;
            (void)run(inflater, packed, len, TEXT_LEN, &span); /* right bytes, or none */
            packed[at] ^= 0x10;
        }
    }
    member_inflater_free(inflater);
}

/* Failures in a row: 1, 3, 7, ... 63 members are passed over; a success ends that. */
static void passes_over_members_after_failures(void **state)
{
    static char packed[PACKED_MAX + TRAILER];
    struct member_inflater *inflater;
    struct member_span span;
    (void)state;
    assert_int_equal(member_inflater_new(&inflater), WARC_OK);
    const size_t len = pack(6, packed);
    for (unsigned failures = 1; failures <= 8; failures++) {
        unsigned passed_over = 0;
        assert_int_equal(run(inflater, packed, len - 1, TEXT_LEN, &span),
                         MEMBER_NOT_WHOLE);
        while (!member_inflater_is_worth(inflater))
            passed_over++;
        assert_int_equal(passed_over, failures < 6 ? (1u << failures) - 1 : 63);
    }
    assert_int_equal(run(inflater, packed, len, TEXT_LEN, &span), MEMBER_OK);
    assert_true(member_inflater_is_worth(inflater));
    member_inflater_free(inflater);
}

/* Whether the library is built with libdeflate. */
static bool has_libdeflate(void)
{
    struct member_inflater *inflater = NULL;
    const bool is_ok = member_inflater_new(&inflater) == WARC_OK;
    const bool is_worth = is_ok && member_inflater_is_worth(inflater);
    member_inflater_free(inflater);
    return is_worth || !is_ok;
}

int main(void)
{
    if (!has_libdeflate())
        return 77; /* reported as skipped */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inflates_whole_members_only),
        cmocka_unit_test(passes_over_members_after_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
