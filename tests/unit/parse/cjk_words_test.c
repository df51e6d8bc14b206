/* Words of Han and Kana are those of ICU's break iterator. */
#include "parse/cjk_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <unicode/ubrk.h>
#include <unicode/ustring.h>
#include <unicode/uvernum.h>

#include "base/unicode.h"
#include "parse/unspaced_run.h"

enum { KNOWN_VERSION = 72 };

static UBreakIterator *breaker;

static int set_up(void **state)
{
    UErrorCode error = U_ZERO_ERROR;
    (void)state;
    breaker = ubrk_open(UBRK_WORD, "", NULL, 0, &error);
    return U_FAILURE(error);
}

static int tear_down(void **state)
{
    (void)state;
    ubrk_close(breaker);
    return 0;
}

static void assert_as_icu(const UChar *units, uint32_t len)
{
    UErrorCode error = U_ZERO_ERROR;
    UChar *exact = malloc(len * sizeof *exact);
    uint16_t ends[TH_CJK_UNITS_MAX];
    assert_non_null(exact);
    u_memcpy(exact, units, (int32_t)len);
    const uint32_t count = th_cjk_words(exact, len, ends);
    free(exact);
    if (U_ICU_VERSION_MAJOR_NUM != KNOWN_VERSION) {
        assert_int_equal(count, 0);
        return;
    }
    ubrk_setText(breaker, units, (int32_t)len, &error);
    assert_true(U_SUCCESS(error));
    (void)ubrk_first(breaker);
    uint32_t wanted = 0;
    for (int32_t end; (end = ubrk_next(breaker)) != UBRK_DONE; wanted++) {
        assert_true(wanted < count);
        assert_int_equal(ends[wanted], end);
    }
    assert_int_equal(count, wanted);
}

/* Sentences, and Katakana of each length around the limits of its rule. */
static void known_texts(void **state)
{
    static const UChar *const texts[] = {
        u"\u4e2d\u56fd\u4eba\u6c11\u5927\u5b66\u7684\u5b66\u751f\u5728\u5317\u4eac\u5b66"
        u"\u4e60",
        u"\u6771\u4eac\u90fd\u306b\u4f4f\u3093\u3067\u3044\u308b\u5b66\u751f\u306f\u6bce"
        u"\u65e5"
        u"\u5927\u5b66\u306b\u901a\u3063\u3066\u3044\u307e\u3059",
        u"\u30b3\u30f3\u30d4\u30e5\u30fc\u30bf\u30fc\u3092\u4f7f\u3046",
        u"\u9f98\u9f98", /* in no word */
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_as_icu(texts[i], (uint32_t)u_strlen(texts[i]));
    UChar katakana[60];
    for (uint32_t len = 2; len < sizeof katakana / sizeof *katakana; len++) {
        for (uint32_t i = 0; i < len; i++)
            katakana[i] = (UChar)(0x30A1 + i * 7 % 80);
        assert_as_icu(katakana, len);
    }
}

static uint32_t random_next(uint32_t *seed)
{
    return *seed = *seed * 1664525u + 1013904223u;
}

/* Letters of all ranges, frequent ones above all, which begin long words. */
static UChar random_letter(uint32_t *seed)
{
    static const UChar frequent[] = u"\u7684\u4e00\u56fd\u5728\u4eba\u4e86\u6709\u4e2d"
                                    u"\u662f\u5e74\u548c\u5927\u4e1a\u4e0d\u4e3a"
                                    u"\u53d1\u4f1a\u5de5\u7ecf\u4e0a\u5730\u5e02\u8981"
                                    u"\u4e2a\u4ea7\u8fd9\u51fa\u884c\u4f5c\u751f"
                                    u"\u65e5\u672c\u8a9e\u6771\u4eac\u5b66\u751f\u3042"
                                    u"\u308b\u3044\u3053\u306e\u3059\u308b\u30fc";
    const uint32_t dice = random_next(seed) >> 16;
    switch (dice % 8) {
    case 0:
        return (UChar)(0x4E00 + random_next(seed) / 65536 % 0x5200);
    case 1:
        return (UChar)(0x3041 + dice / 8 % 86);
    case 2:
        return (UChar)(0x30A1 + dice / 8 % 90);
    default:
        return frequent[dice / 8 % (sizeof frequent / sizeof *frequent - 1)];
    }
}

static void random_texts(void **state)
{
    uint32_t seed = 5;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        UChar units[60];
        const uint32_t len = 2 + (random_next(&seed) >> 16) % 58;
        for (uint32_t i = 0; i < len; i++)
            units[i] = random_letter(&seed);
        assert_as_icu(units, len);
    }
}

static void longest_text(void **state)
{
    UChar units[TH_CJK_UNITS_MAX];
    uint32_t seed = 9;
    (void)state;
    for (uint32_t i = 0; i < TH_CJK_UNITS_MAX; i++)
        units[i] = random_letter(&seed);
    assert_as_icu(units, TH_CJK_UNITS_MAX);
}

/* ICU divides texts with other letters, and with marks that it would compose. */
static void other_letters(void **state)
{
    static const UChar *const texts[] = { u"\u4e2d\u0e01", u"\u304b\u3099",
                                          u"\uac00\u4e2d", u"\u4e2da",
                                          u"\u30a2\u30fb\u30a2" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint16_t ends[3];
        assert_int_equal(th_cjk_words(texts[i], (uint32_t)u_strlen(texts[i]), ends), 0);
    }
}

struct sums {
    uint32_t columns, tokens, linked, words;
};

static void add(void *context, const th_unspaced_word *word)
{
    struct sums *sums = context;
    sums->columns += word->columns;
    sums->tokens += word->is_token;
    sums->linked += word->is_linked;
    sums->words++;
}

/* Each of the letters is a letter of two columns, so a run need not ask. */
static void words_are_measured(void **state)
{
    static th_unspaced_run run;
    struct sums sums = { 0 };
    (void)state;
    for (uint32_t c = 0x3041; c <= 0x9FFF; c++) {
        uint16_t ends[2];
        const UChar pair[] = { (UChar)c, (UChar)c };
        if (!th_cjk_words(pair, 2, ends))
            continue;
        assert_int_equal(th_columns(c), 2);
        assert_true(th_is_alnum(c));
    }
    th_unspaced_run_add(&run, 0x4E2D, true);
    th_unspaced_run_add(&run, 0x56FD, false);
    th_unspaced_run_add(&run, 0x9F98, false);
    assert_int_equal(th_unspaced_run_divide(&run, add, &sums), TH_OK);
    assert_int_equal(sums.columns, 6);
    assert_int_equal(sums.words, 2);
    assert_int_equal(sums.tokens, 2);
    assert_int_equal(sums.linked, 1);
    th_unspaced_run_done(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts),        cmocka_unit_test(random_texts),
        cmocka_unit_test(longest_text),       cmocka_unit_test(other_letters),
        cmocka_unit_test(words_are_measured),
    };
    return cmocka_run_group_tests_name("cjk_words", tests, set_up, tear_down);
}
