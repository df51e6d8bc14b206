/* Signals of texts that were written for them. tests/conform/signals.py tests the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "signals/signal_words.h"
#include "signals/signals.h"
#include "signals/stop_words.h"

static th_quality_signals signals_of(const char *text)
{
    th_quality_signals signals;
    th_arena *arena = th_arena_new(0);
    const size_t len = strlen(text);
    char *copy = test_malloc(len + 1); /* one byte for the empty one */
    memcpy(copy, text, len);
    assert_int_equal(th_signals_of((th_view){ copy, len }, "en", arena, &signals), TH_OK);
    test_free(copy);
    th_arena_free(arena);
    return signals;
}

static void is_near(double value, double want)
{
    if (value < want - 1e-9 || value > want + 1e-9)
        fail_msg("%.9f is not %.9f", value, want);
}

static void words_are_split(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words; /* with '|' between */
    } rows[] = {
        { "", "" },
        { " \t\n", "" },
        { "one two", "one|two" },
        { "\"Well...\" he said (twice).", "\"|Well|...|\"|he|said|(|twice|)|." },
        { "don't 3.14 a-b", "don't|3.14|a-b" },
        { "--- !?!", "---|!|?|!" },
        { "\xc2\xa0"
          "a\x1c"
          "b",
          "a|b" },
        { "Äpfel「人人」abc文字x。", "Äpfel「|人|人|」abc|文|字|x|。" },
        { "。。", "。。" },
        { "a\xcc\x81..", "a\xcc\x81|.." },
    };
    th_arena *arena = th_arena_new(0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_signal_word *words;
        size_t count;
        char said[200] = "";
        const th_view text = { rows[i].text, strlen(rows[i].text) };
        assert_int_equal(th_signal_words(text, arena, &words, &count), TH_OK);
        for (size_t k = 0; k < count; k++) {
            strcat(said, k ? "|" : "");
            strncat(said, text.data + words[k].start, words[k].len);
        }
        assert_string_equal(said, rows[i].words);
    }
    th_arena_free(arena);
}

static void gopher_counts_words_and_lines(void **state)
{
    (void)state;
    const th_quality_signals s =
        signals_of("- the # one...\n• and 2024 …\r\nthat's it.\n");
    assert_int_equal(s.words, 12);      /* - the # one ... • and 2024 … that's it . */
    assert_int_equal(s.plain_words, 7); /* the one • and 2024 that's it */
    is_near(s.mean_word_length, (3 + 3 + 1 + 3 + 4 + 6 + 2) / 7.0);
    is_near(s.hashes, 1 / 12.0);
    is_near(s.ellipses, 2 / 12.0);
    is_near(s.alphabetic_words, 5 / 12.0);
    assert_int_equal(s.lines, 3);
    is_near(s.bullet_lines, 2 / 3.0);
    is_near(s.ellipsis_lines, 2 / 3.0);
    assert_int_equal(s.stop_words, 2);
    is_near(s.terminal_lines, 2 / 3.0); /* "..." ends with a point */
    is_near(s.newlines, 3 / 12.0);
}

/* Sentences of other scripts end with signs of their own. Khmer's are not terminals in Unicode. */
static void sentences_end_in_every_script(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool is_terminal;
    } rows[] = {
        { "\u3053\u308C\u306F\u6587\u3002", true }, /* ideographic full stop */
        { "\u092F\u0939 \u0935\u093E\u0915\u094D\u092F\u0964", true }, /* danda */
        { "\u0645\u0627 \u0647\u0630\u0627\u061F", true }, /* Arabic question mark */
        { "\u1780\u1781\u17D4", true },                    /* Khmer khan */
        { "\u1780\u1781\u17D9", true },
        { "\u1780\u1781\u17D7", false },
        { "\u3053\u308C\u3001", false }, /* ideographic comma */
        { "no end;", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        is_near(signals_of(rows[i].line).terminal_lines, rows[i].is_terminal);
}

static void what_comes_again_is_counted(void **state)
{
    (void)state;
    const th_quality_signals s = signals_of("ab cd\nab cd\n\nxyz\n\nab cd\nab cd");
    is_near(s.duplicate_paragraphs, 1 / 3.0);
    is_near(s.duplicate_paragraph_chars, 11 / 29.0);
    is_near(s.duplicate_lines, 3 / 5.0);
    is_near(s.duplicate_line_chars, 15 / 29.0);
    is_near(s.top_ngrams[0], 4 * 5 / 29.0);
    is_near(s.top_ngrams[1], 2 * 8 / 29.0); /* "ab cd ab" */
    is_near(s.duplicate_chars, 15 / 23.0);
    is_near(s.short_lines, 1);
}

/* datatrove joins a duplicate n-gram's words with nothing between: "a b" is "ab". */
static void duplicate_ngrams_have_nothing_between(void **state)
{
    (void)state;
    const th_quality_signals s = signals_of("a bc d e f ab c d e f");
    is_near(s.duplicate_ngrams[0], 6 / 21.0);
    is_near(s.duplicate_ngrams[1], 0);
}

static void of_equal_top_ngrams_the_first_counts(void **state)
{
    (void)state;
    const th_quality_signals s = signals_of("aa b cccc d");
    is_near(s.top_ngrams[0], 4 / 11.0);
}

static void c4_keeps_lines(void **state)
{
    (void)state;
    th_quality_signals s =
        signals_of("This is kept.[12]\nThis is not [1]\nToo few.\n"
                   "No end of it\nWe use Cookies here.\nEnds in so...\n"
                   "Turn JavaScript on please.\n\"He is kept.\"");
    is_near(s.c4_lines, 2 / 8.0);
    assert_false(s.has_lorem_ipsum || s.has_curly_bracket);
    s = signals_of("It is Lorem Ipsum here.\nBut a {bracket} is too.\n{ not here");
    assert_true(s.has_lorem_ipsum && s.has_curly_bracket);
    is_near(s.c4_lines, 0);
}

static void a_text_without_a_word_has_none(void **state)
{
    (void)state;
    assert_int_equal(signals_of("").words, 0);
    assert_int_equal(signals_of(" \n\n ").words, 0);
}

static void languages_have_their_stop_words(void **state)
{
    (void)state;
    assert_string_equal(th_stop_words("de")[0], "der");
    assert_ptr_equal(th_stop_words("de-AT"), th_stop_words("de"));
    assert_null(th_stop_words("den"));
    assert_null(th_stop_words("zh"));
}

/* Text beyond the limit is ignored, and the cut is between code points. */
static void a_long_text_is_cut(void **state)
{
    (void)state;
    enum { LEN = 3 << 20 };
    char *text = test_malloc(LEN + 1);
    for (size_t i = 0; i < LEN; i += 3)
        memcpy(text + i, "\xe2\x80\xa2", 3);
    text[LEN] = '\0';
    text[0] = 'a';
    text[1] = text[2] = ' ';
    const th_quality_signals s = signals_of(text);
    assert_int_equal(s.words, 2); /* the bullets are one word, but not punctuation */
    assert_int_equal(s.plain_words, 2);
    is_near(s.mean_word_length, (1 + ((512 << 10) - 3) / 3) / 2.0);
    test_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_split),
        cmocka_unit_test(gopher_counts_words_and_lines),
        cmocka_unit_test(sentences_end_in_every_script),
        cmocka_unit_test(what_comes_again_is_counted),
        cmocka_unit_test(duplicate_ngrams_have_nothing_between),
        cmocka_unit_test(of_equal_top_ngrams_the_first_counts),
        cmocka_unit_test(c4_keeps_lines),
        cmocka_unit_test(a_text_without_a_word_has_none),
        cmocka_unit_test(languages_have_their_stop_words),
        cmocka_unit_test(a_long_text_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
