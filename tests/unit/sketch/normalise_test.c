/* Normalising text for shingles. docs/near-duplicates.md#texts */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unicode/uchar.h>
#include <unicode/ustring.h>

#include "base/ascii.h"
#include "base/unicode.h"
#include "thresher/minhash.h"

/* clang-format off */
static const struct row { const char *name, *in, *want; } rows[] = {
    { "nothing", "", "" },
    { "no token", " \t.,;!? -- \n", "" },
    { "one letter", "A", "a" },
    { "case and punctuation", "  Hello, World!  ", "hello world" },
    { "digits", "3.14 4G", "3 14 4g" },
    { "underscore separates", "snake_case", "snake case" },
    { "apostrophe separates", "don't", "don t" },
    { "lines and tabs", "a\nb\tc\r\nd", "a b c d" },
    { "NUL-like controls", "a\x01" "b\x7F" "c", "a b c" },
    { "no-break space", "a\xC2\xA0" "b", "a b" },
    { "Latin-1 capitals", "\xC3\x84RGER \xC3\x89T\xC3\x89", "\xC3\xA4rger \xC3\xA9t\xC3\xA9" },
    { "multiplication sign is not a letter", "a\xC3\x97" "b", "a b" },
    { "sharp s", "Stra\xC3\x9F" "e STRASSE", "strasse strasse" },
    { "capital sharp s", "\xE1\xBA\x9E", "ss" },
    { "ligature", "e\xEF\xAC\x83" "cient", "efficient" },
    { "final sigma", "\xCE\xA3\xCE\xAF\xCF\x83\xCF\x85\xCF\x86\xCE\xBF\xCF\x82",
      "\xCF\x83\xCE\xAF\xCF\x83\xCF\x85\xCF\x86\xCE\xBF\xCF\x83" },
    { "dotted capital I gets a mark", "\xC4\xB0", "i\xCC\x87" },
    { "longest folding", "\xCE\x90", "\xCE\xB9\xCC\x88\xCC\x81" },
    { "Cyrillic", "\xD0\x9C\xD0\x98\xD0\xA0, \xD0\xB4\xD0\xB0",
      "\xD0\xBC\xD0\xB8\xD1\x80 \xD0\xB4\xD0\xB0" },
    { "mark in a word", "e\xCC\x81t", "e\xCC\x81t" },
    { "mark without a word", "- \xCC\x81 x", "x" },
    { "Devanagari keeps its vowel signs", "\xE0\xA4\xB9\xE0\xA4\xBF\xE0\xA4\xA8\xE0\xA5\x8D\xE0\xA4\xA6\xE0\xA5\x80",
      "\xE0\xA4\xB9\xE0\xA4\xBF\xE0\xA4\xA8\xE0\xA5\x8D\xE0\xA4\xA6\xE0\xA5\x80" },
    { "soft hyphen splits no word", "Don\xC2\xAD" "au", "donau" },
    { "byte order mark", "\xEF\xBB\xBFText", "text" },
    { "Han: a token each", "\xE6\x9D\xB1\xE4\xBA\xAC\xE3\x80\x82\xE9\x83\xBD",
      "\xE6\x9D\xB1 \xE4\xBA\xAC \xE9\x83\xBD" },
    { "Han beside Latin", "a\xE6\x9D\xB1" "b2\xE4\xBA\xAC 9", "a \xE6\x9D\xB1 b2 \xE4\xBA\xAC 9" },
    { "Han beside Cyrillic", "\xE6\x9D\xB1\xD0\x96", "\xE6\x9D\xB1 \xD0\xB6" },
    { "Thai mark stays with its letter", "\xE0\xB8\x97\xE0\xB8\xB5\xE0\xB9\x88\xE0\xB8\x81",
      "\xE0\xB8\x97\xE0\xB8\xB5\xE0\xB9\x88 \xE0\xB8\x81" },
    { "Kana", "\xE3\x81\x82\xE3\x82\xAB", "\xE3\x81\x82 \xE3\x82\xAB" },
    { "Hangul has spaces", "\xED\x95\x9C\xEA\xB5\xAD \xEC\x96\xB4", "\xED\x95\x9C\xEA\xB5\xAD \xEC\x96\xB4" },
    { "emoji separates", "a\xF0\x9F\x98\x80" "b", "a b" },
    { "four bytes, cased", "\xF0\x90\x90\x80", "\xF0\x90\x90\xA8" },
    { "mark that folds to a letter", "\xE6\x9D\xB1\xCD\x85", "\xE6\x9D\xB1 \xCE\xB9" },
};
/* clang-format on */

/* Uses an exact-size copy, so that a sanitizer detects an overread. */
static th_view normalise(const char *bytes, size_t len, th_arena *arena)
{
    char *copy = malloc(len ? len : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    const th_view out = th_normalise((th_view){ copy, len }, arena);
    free(copy);
    assert_non_null(out.data);
    return out;
}

static void assert_view(th_view have, const char *want, size_t want_len)
{
    assert_int_equal(have.len, want_len);
    assert_memory_equal(have.data, want, want_len);
}

static void assert_is_normal(th_view text, th_arena *arena)
{
    const th_view again = normalise(text.data, text.len, arena);
    assert_view(again, text.data, text.len);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    const th_view out = normalise(row->in, strlen(row->in), arena);
    assert_view(out, row->want, strlen(row->want));
    assert_is_normal(out, arena);
    th_arena_free(arena);
}

/* The result of the definition, computed with ICU's string functions only. */
static size_t by_definition(uint32_t c, char *out)
{
    UChar in[2], units[8];
    UChar32 folded[8];
    int32_t in_len = 0, len = 0;
    U16_APPEND_UNSAFE(in, in_len, (UChar32)c);
    UErrorCode error = U_ZERO_ERROR;
    len = u_strFoldCase(units, 8, in, in_len, U_FOLD_CASE_DEFAULT, &error);
    u_strToUTF32(folded, 8, &len, units, len, &error);
    assert_true(U_SUCCESS(error));
    size_t out_len = 0;
    for (int32_t i = 0; i < len; i++) {
        const UChar32 next = folded[i];
        const int8_t type = u_charType(next);
        const bool is_mark =
            type == U_NON_SPACING_MARK || type == U_COMBINING_SPACING_MARK;
        if (u_isalnum(next) || (is_mark && out_len))
            out_len += th_utf8_put((uint32_t)next, out + out_len);
    }
    return out_len;
}

static void all_of_unicode_by_definition(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        char in[4], want[32];
        const th_view text = { in, th_utf8_put(c, in) };
        const size_t want_len = by_definition(c, want);
        const th_view out = th_normalise(text, arena);
        if (out.len != want_len || memcmp(out.data, want, want_len) != 0)
            fail_msg("U+%04X", (unsigned)c);
        const th_view again = th_normalise(out, arena);
        if (again.len != out.len || memcmp(again.data, out.data, out.len) != 0)
            fail_msg("U+%04X is not stable", (unsigned)c);
        th_arena_reset(arena);
    }
    th_arena_free(arena);
}

static uint32_t random_next(uint32_t *seed)
{
    return *seed = *seed * 1664525u + 1013904223u;
}

/* Random code points, of all planes, or of planes with many adjacent classes. */
static size_t random_text(uint32_t *seed, char *out, size_t count)
{
    static const uint32_t odd[] = { ' ',   'A',    'z',    '7',    0xDF,   0x130,
                                    0x345, 0x390,  0x3A3,  0x301,  0xAD,   0x200B,
                                    0x416, 0x6771, 0x3042, 0xE17,  0xE35,  0x939,
                                    0x93F, 0xAC00, 0xFB03, 0x1FB7, 0x1F88, 0x10400 };
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t c = odd[(random_next(seed) >> 8) % (sizeof odd / sizeof *odd)];
        if (random_next(seed) >> 30 == 0)
            c = (random_next(seed) >> 8) % 0xD800;
        len += th_utf8_put(c, out + len);
    }
    return len;
}

static void random_texts_are_stable_and_join(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    th_arena *arena = th_arena_new(0);
    uint32_t seed = 1;
    for (int round = 0; round < 3000; round++, th_arena_reset(arena)) {
        char text[8 * COUNT + 1], want[32 * COUNT];
        const size_t first = random_text(&seed, text, random_next(&seed) >> 26);
        text[first] = '\n';
        const size_t second =
            random_text(&seed, text + first + 1, random_next(&seed) >> 26);
        const th_view a = normalise(text, first, arena);
        const th_view b = normalise(text + first + 1, second, arena);
        const th_view both = normalise(text, first + 1 + second, arena);
        assert_is_normal(both, arena);
        size_t want_len = a.len;
        memcpy(want, a.data, a.len);
        if (a.len && b.len)
            want[want_len++] = ' ';
        memcpy(want + want_len, b.data, b.len);
        assert_view(both, want, want_len + b.len);
    }
    th_arena_free(arena);
}

/* Eight bytes at a time give what one byte at a time gives. */
static void ascii_at_any_place(void **state)
{
    (void)state;
    enum { MOST = 40 };
    static const char bytes[] = "aZm09 \n.-_@[`{/:~\x7F\x01";
    th_arena *arena = th_arena_new(0);
    uint32_t seed = 7;
    for (int round = 0; round < 20000; round++, th_arena_reset(arena)) {
        char text[MOST], want[MOST + 1];
        const size_t len = (random_next(&seed) >> 8) % MOST;
        const uint32_t kinds = round % 2 ? sizeof bytes - 1 : 7;
        size_t want_len = 0;
        for (size_t i = 0; i < len; i++) {
            const char c = text[i] = bytes[(random_next(&seed) >> 8) % kinds];
            if (th_is_letter(c) || th_is_digit(c))
                want[want_len++] = th_lower(c);
            else if (want_len && want[want_len - 1] != ' ')
                want[want_len++] = ' ';
        }
        want_len -= want_len && want[want_len - 1] == ' ';
        assert_view(normalise(text, len, arena), want, want_len);
    }
    th_arena_free(arena);
}

/* Texts that grow as much as texts can. */
static void growing_text(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static const char unit[] = "\xCE\x90";
    static const char folded[] = "\xCE\xB9\xCC\x88\xCC\x81";
    char *text = malloc(COUNT * (sizeof unit - 1));
    assert_non_null(text);
    for (size_t i = 0; i < COUNT; i++)
        memcpy(text + i * (sizeof unit - 1), unit, sizeof unit - 1);
    th_arena *arena = th_arena_new(0);
    const th_view out = th_normalise((th_view){ text, COUNT * (sizeof unit - 1) }, arena);
    assert_int_equal(out.len, COUNT * (sizeof folded - 1));
    for (size_t i = 0; i < COUNT; i++)
        assert_memory_equal(out.data + i * (sizeof folded - 1), folded,
                            sizeof folded - 1);
    th_arena_free(arena);

    for (size_t limit = 1; limit < out.len;
         limit += 997) { /* never too much, never torn */
        arena = th_arena_new(limit);
        assert_null(
            th_normalise((th_view){ text, COUNT * (sizeof unit - 1) }, arena).data);
        th_arena_free(arena);
    }
    free(text);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 4];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(all_of_unicode_by_definition);
    tests[ROWS + 1] =
        (struct CMUnitTest)cmocka_unit_test(random_texts_are_stable_and_join);
    tests[ROWS + 2] = (struct CMUnitTest)cmocka_unit_test(growing_text);
    tests[ROWS + 3] = (struct CMUnitTest)cmocka_unit_test(ascii_at_any_place);
    return cmocka_run_group_tests_name("normalise", tests, NULL, NULL);
}
