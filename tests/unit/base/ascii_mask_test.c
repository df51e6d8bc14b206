/* Copying with masks: the class of each byte, and equal results of the vector code and the
 * portable code. */
#include "base/ascii_mask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/unicode.h"

enum { ROUNDS = 20000 };

typedef th_ascii_mask copy(char *to, const unsigned char *from, size_t len);

/* Exact-size copies, so that a sanitizer sees one byte read or written too far. */
static th_ascii_mask copy_exact(copy *function, const unsigned char *from, size_t len,
                                char out[TH_MASK_BYTES])
{
    unsigned char *exact = malloc(len);
    char *to = malloc(len + TH_MASK_OVERRUN);
    assert_non_null(exact);
    assert_non_null(to);
    memcpy(exact, from, len);
    const th_ascii_mask mask = function(to, exact, len);
    memcpy(out, to, len);
    free(exact);
    free(to);
    return mask;
}

static void check(copy *function, const unsigned char *from, size_t len)
{
    char out[TH_MASK_BYTES];
    const th_ascii_mask mask = copy_exact(function, from, len, out);
    for (size_t i = 0; i < TH_MASK_BYTES; i++) {
        const bool is_in = i < len;
        const unsigned char c = is_in ? from[i] : 0;
        const bool is_ascii = is_in && c < 0x80;
        assert_int_equal(mask.high >> i & 1, is_in && !is_ascii);
        assert_int_equal(mask.space >> i & 1, is_ascii && th_is_space(c));
        assert_int_equal(mask.alnum >> i & 1, is_ascii && th_is_alnum(c));
        if (is_in)
            assert_int_equal((unsigned char)out[i], is_ascii && th_is_space(c) ? ' ' : c);
    }
}

static void every_byte_at_every_place(void **state)
{
    copy *function = *(copy **)*state;
    for (unsigned c = 0; c < 256; c++)
        for (size_t len = 1; len <= TH_MASK_BYTES; len += len < 34 ? 1 : 15) {
            unsigned char from[TH_MASK_BYTES];
            memset(from, 'x', sizeof from);
            from[c % len] = (unsigned char)c;
            from[len - 1] = (unsigned char)c;
            check(function, from, len);
        }
}

static void any_bytes(void **state)
{
    copy *function = *(copy **)*state;
    uint64_t random = 1;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned char from[TH_MASK_BYTES];
        for (size_t i = 0; i < sizeof from; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            from[i] = (unsigned char)(random >> 56);
        }
        check(function, from, 1 + (size_t)(random >> 33) % TH_MASK_BYTES);
    }
}

static void few_bytes_load(void **state)
{
    (void)state;
    static const unsigned char from[8] = { 0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6 };
    for (size_t len = 1; len < 8; len++) {
        unsigned char *exact = malloc(len);
        assert_non_null(exact);
        memcpy(exact, from, len);
        const uint64_t bytes = th_ascii_load_few(exact, len);
        for (size_t i = 0; i < 8; i++)
            assert_int_equal(bytes >> 8 * i & 0xFF, i < len ? from[i] : 0);
        free(exact);
    }
}

/* Each byte after each length of whitespace, in an exact copy. */
static void whitespace_is_measured(void **state)
{
    (void)state;
    static const char blanks[] = " \t\n\v\f\r";
    for (size_t len = 0; len < 70; len++) {
        for (unsigned c = 0; c < 256 * (len + 1); c++) {
            unsigned char *exact = malloc(len + !len);
            assert_non_null(exact);
            for (size_t i = 0; i < len; i++)
                exact[i] = (unsigned char)blanks[(i * 7 + len) % (sizeof blanks - 1)];
            const size_t place = c / 256;
            if (place < len)
                exact[place] = (unsigned char)c;
            const bool is_space =
                (unsigned char)c < 0x80 && th_is_space((unsigned char)c);
            const size_t want = is_space ? len : place;
            assert_int_equal(th_ascii_blank_len(exact, len), want);
            assert_int_equal(th_ascii_blank_len_portable(exact, len), want);
            free(exact);
        }
    }
}

/* Any byte at each place, in an exact copy. */
static void a_character_is_found(void **state)
{
    (void)state;
    uint64_t random = 1;
    char *bytes = malloc(16);
    assert_non_null(bytes);
    for (int round = 0; round < ROUNDS; round++) {
        static const char some[] = " !x\x1F\xA0\x20\xFF"; /* neighbours of a space */
        unsigned want = 0;
        for (unsigned i = 0; i < 16; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const unsigned dice = (unsigned)(random >> 48);
            bytes[i] = dice % 2 ? some[dice / 2 % (sizeof some - 1)] : (char)(dice >> 8);
            want |= (unsigned)(bytes[i] == ' ') << i;
        }
        assert_int_equal(th_ascii_find16(bytes, ' '), want);
        assert_int_equal(th_ascii_find16_portable(bytes, ' '), want);
    }
    free(bytes);
}

static void check_kinds(th_ascii_kinds kinds, const unsigned char *from, size_t len)
{
    uint32_t capitals = 0, digits = 0;
    for (size_t i = 0; i < TH_MASK_BYTES; i++) {
        const unsigned char c = i < len ? from[i] : 0;
        const bool is_alnum = c < 0x80 && th_is_alnum(c);
        assert_int_equal(kinds.high >> i & 1, c >= 0x80);
        assert_int_equal(kinds.alnum >> i & 1, is_alnum);
        assert_int_equal(kinds.sign >> i & 1, c > ' ' && c < 0x80 && !is_alnum);
        capitals += c >= 'A' && c <= 'Z';
        digits += c >= '0' && c <= '9';
    }
    assert_int_equal(kinds.capitals, capitals);
    assert_int_equal(kinds.digits, digits);
}

/* Every length of random bytes, of all values or of few, in a copy that is followed
 * by as many bytes as may be read. */
static void bytes_are_classified(void **state)
{
    (void)state;
    static const char few[] = "A@Z[a`z{09/:\xC3\xA9 !~\x7FM5";
    uint64_t random = 1;
    for (size_t round = 0; round < ROUNDS; round++) {
        const size_t len = round % (TH_MASK_BYTES + 1);
        unsigned char *exact = malloc(len + TH_MASK_OVERRUN);
        assert_non_null(exact);
        for (size_t i = 0; i < len + TH_MASK_OVERRUN; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const unsigned char c = (unsigned char)(random >> 56);
            exact[i] = round & 1 ? c : (unsigned char)few[c % (sizeof few - 1)];
        }
        check_kinds(th_ascii_classify_portable(exact, len), exact, len);
        check_kinds(th_ascii_classify(exact, len), exact, len);
        free(exact);
    }
}

int main(void)
{
    static copy *portable = th_ascii_copy_portable;
    static copy *chosen = th_ascii_copy;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_bytes_load),
        cmocka_unit_test(a_character_is_found),
        cmocka_unit_test(whitespace_is_measured),
        cmocka_unit_test(bytes_are_classified),
        { .name = "every byte, portable",
          .test_func = every_byte_at_every_place,
          .initial_state = &portable },
        { .name = "every byte, chosen",
          .test_func = every_byte_at_every_place,
          .initial_state = &chosen },
        { .name = "any bytes, portable",
          .test_func = any_bytes,
          .initial_state = &portable },
        { .name = "any bytes, chosen", .test_func = any_bytes, .initial_state = &chosen },
    };
    return cmocka_run_group_tests_name("ascii_mask", tests, NULL, NULL);
}
