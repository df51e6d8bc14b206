/* Labels of models to codes, scripts of texts, and normalized labels. */
#include "language/language_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* clang-format off */
static const struct {
    const char *name, *tag, *iso, *script;
} labels[] = {
    { "en",           "en",      "eng", "" },     /* lid.176 */
    { "eng_Latn",     "en",      "eng", "Latn" }, /* OpenLID, GlotLID */
    { "arb_Arab",     "ar",      "arb", "Arab" }, /* the tag is of the macrolanguage */
    { "cmn_Hani",     "zh",      "cmn", "Hani" },
    { "zho_Hant",     "zh-Hant", "zho", "Hant" },
    { "zh-Hant",      "zh-Hant", "zho", "Hant" },
    { "jpn_Jpan",     "ja",      "jpn", "Jpan" },
    { "kor_Hang",     "ko",      "kor", "Hang" },
    { "srp_Latn",     "sr-Latn", "srp", "Latn" }, /* usually Cyrillic */
    { "srp_Cyrl",     "sr",      "srp", "Cyrl" },
    { "bar_Latn",     "bar",     "bar", "Latn" },
    { "xqz_Latn",     "xqz",     "xqz", "Latn" }, /* unknown to ICU */
    { "nah",          "nah",     "nah", "" },
    { "deu_latn",     "de",      "deu", "" },     /* not a script */
    { "deu_Latn_x",   "de",      "deu", "Latn" },
    { "deu_Latnx",    "de",      "deu", "" },
    { "deu_",         "de",      "deu", "" },
    { "sports",       "",        "",    "" },
    { "DEUTSCH_Latn", "",        "",    "" },
    { "longerthan8",  "",        "",    "" },
    { "",             "",        "",    "" },
    { "_Latn",        "",        "",    "" },
};
static const struct {
    const char *text, *tag, *script;
} texts[] = {
    { "Grüße, 2026!",          "de", "Latn" },
    { "Привет of мир",         "ru", "Cyrl" },
    { "O\xCA\xBBzbekiston",    "uz", "Latn" },
    { "Ўзбекистон",            "uz", "Cyrl" },
    { "東京へ行きます",        "ja", "Jpan" },
    { "東京都",                "ja", "Jpan" },
    { "대한민국",              "ko", "Hang" },
    { "中文维基百科",          "zh", "Hani" },
    { "中文",                  "jam", "Hani" }, /* not a tag of Japanese */
    { "Tokyo",                 "ja", "Latn" },
    { "2026 - 1 + 1",          "en", "" },
    { "",                      "en", "" },
};
/* clang-format on */

static void a_label_has_codes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        const th_language_codes codes = th_language_codes_of(labels[i].name);
        if (strcmp(codes.tag, labels[i].tag) != 0 ||
            strcmp(codes.iso, labels[i].iso) != 0 ||
            strcmp(codes.script, labels[i].script) != 0)
            fail_msg("'%s' has '%s' '%s' '%s'", labels[i].name, codes.tag, codes.iso,
                     codes.script);
    }
}

static void a_text_has_a_script(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const size_t len = strlen(texts[i].text);
        char *exact = malloc(len ? len : 1);
        assert_non_null(exact);
        memcpy(exact, texts[i].text, len);
        const char *script = th_language_script((th_view){ exact, len }, texts[i].tag);
        free(exact);
        if (strcmp(script, texts[i].script) != 0)
            fail_msg("'%s' is in '%s'", texts[i].text, script);
    }
}

/* Only the first 256 letters count. */
static void a_long_text_has_the_script_of_its_beginning(void **state)
{
    enum { LETTERS = 256 };
    char text[4 * LETTERS];
    (void)state;
    memset(text, 'a', LETTERS);
    for (size_t i = LETTERS; i < sizeof text; i += 2)
        memcpy(text + i, "\xD0\xB0", 2);
    assert_string_equal(th_language_script((th_view){ text, sizeof text }, "en"), "Latn");
    assert_string_equal(
        th_language_script((th_view){ text + LETTERS - 100, 2 * LETTERS }, "en"), "Cyrl");
}

static void a_normalized_label_has_both(void **state)
{
    th_arena *arena = th_arena_new(0);
    (void)state;
    assert_string_equal(th_language_label(arena, "deu", "Latn"), "deu_Latn");
    assert_string_equal(th_language_label(arena, "deu", ""), "deu");
    assert_string_equal(th_language_label(arena, "", "Goth"), "und_Goth");
    assert_string_equal(th_language_label(arena, "", ""), "und");
    th_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_has_codes),
        cmocka_unit_test(a_text_has_a_script),
        cmocka_unit_test(a_long_text_has_the_script_of_its_beginning),
        cmocka_unit_test(a_normalized_label_has_both),
    };
    return cmocka_run_group_tests_name("language_codes", tests, NULL, NULL);
}
