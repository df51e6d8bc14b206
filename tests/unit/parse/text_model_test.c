/* Text in, words and lines out; cut wherever it may be cut. */
#include "parse/text_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define X10 "xxxxxxxxxx"
#define X80 X10 X10 X10 X10 X10 X10 X10 X10

/* `in`: "[" and "]" are where A begins and ends. */
static const struct row {
    const char *name, *in, *text;
    uint32_t w_max, chars, tokens, linked, lines, last;
} rows[] = {
    /* clang-format off */
    { "one word",              "foo",               "foo",           80,  3, 1, 0, 1, 1 },
    { "blanks collapse",       " \t a  b\r\n\fc ",  "a b c",         80,  5, 3, 0, 1, 3 },
    { "white space only",      " \n\t ",            "",              80,  0, 0, 0, 0, 0 },
    { "no-break space",        "a\u00A0\u00A0b",    "a b",           80,  3, 2, 0, 1, 2 },
    { "ideographic space",     "a\u3000b",          "a b",           80,  3, 2, 0, 1, 2 },
    { "zero width is no space", "a\u200Bb",         "a\u200Bb",      80,  3, 1, 0, 1, 1 },
    { "control is no space",   "a\x01" "b",         "a\x01" "b",     80,  3, 1, 0, 1, 1 },
    { "no letter, no token",   "| \u2013 !",        "| \u2013 !",    80,  5, 0, 0, 1, 0 },
    { "digits are a token",    "42 *",              "42 *",          80,  4, 1, 0, 1, 1 },
    { "other letters",         "\u00E9t\u00E9 \u041C\u0438\u0440 \u0661", "\u00E9t\u00E9 \u041C\u0438\u0440 \u0661", 80, 9, 3, 0, 1, 3 },
    { "letter late in a word", "((((((((((x",       "((((((((((x",   80, 11, 1, 0, 1, 1 },
    { "link in the middle",    "foo[bar] [baz]",    "foobar baz",    80, 10, 2, 1, 1, 2 },
    { "link starts with a sign", "([bar])",         "(bar)",         80,  5, 1, 1, 1, 1 },
    { "sign alone is linked",  "[(]bar",            "(bar",          80,  4, 1, 0, 1, 1 },
    { "first letter decides",  "[b]ar [c]d",        "bar cd",        80,  6, 2, 2, 1, 2 },

    { "just fits",             "aaa bbb",           "aaa bbb",        7,  7, 2, 0, 1, 2 },
    { "does not fit",          "aaa bbb",           "aaa bbb",        6,  7, 2, 0, 2, 1 },
    { "three lines",           "aa bb cc dd ee",    "aa bb cc dd ee", 5, 14, 5, 0, 3, 1 },
    { "too long stands alone", "a " X80 "xx b",     "a " X80 "xx b", 80, 86, 3, 0, 3, 1 },
    { "too long first",        X80 "x b",           X80 "x b",       80, 83, 2, 0, 2, 1 },
    { "sign takes a line",     "aaaa || b",         "aaaa || b",      4,  9, 2, 0, 2, 1 },
    { "last line without token", "aaaa ||||",       "aaaa ||||",      4,  9, 1, 0, 2, 0 },
    { "width one",             "a b c",             "a b c",          1,  5, 3, 0, 3, 1 },
    { "wide counts two",       "\uFF21\uFF22 \uFF23", "\uFF21\uFF22 \uFF23", 6, 4, 2, 0, 2, 1 },
    { "wide fits",             "\uFF21\uFF22 \uFF23", "\uFF21\uFF22 \uFF23", 7, 4, 2, 0, 1, 2 },
    { "Korean has spaces",     "\uD55C\uAD6D\uC5B4 \uB9D0", "\uD55C\uAD6D\uC5B4 \uB9D0", 80, 5, 2, 0, 1, 2 },

    { "Chinese words",         "\u4F60\u597D\u4E16\u754C", "\u4F60\u597D\u4E16\u754C", 80, 4, 2, 0, 1, 2 },
    { "Chinese lines",         "\u4F60\u597D\u4E16\u754C", "\u4F60\u597D\u4E16\u754C",  4, 4, 2, 0, 2, 1 },
    { "Chinese no blank",      "\u4F60\u597D\u4E16\u754C", "\u4F60\u597D\u4E16\u754C",  8, 4, 2, 0, 1, 2 },
    { "Chinese and Latin",     "iPhone\u624B\u673A",    "iPhone\u624B\u673A",    80, 8, 2, 0, 1, 2 },
    { "Chinese full stop",     "\u4F60\u597D\u3002a", "\u4F60\u597D\u3002a", 80, 4, 2, 0, 1, 2 },
    { "Chinese sign only",     "\u3002\uFF01",          "\u3002\uFF01",          80, 2, 0, 0, 1, 0 },
    { "Chinese link inside",   "\u4F60[\u597D\u4E16]\u754C", "\u4F60\u597D\u4E16\u754C", 80, 4, 2, 1, 1, 2 },
    { "Japanese",              "\u65E5\u672C\u8A9E\u3067\u3059", "\u65E5\u672C\u8A9E\u3067\u3059", 80, 5, 2, 0, 1, 2 },
    { "Thai",                  "\u0E2A\u0E27\u0E31\u0E2A\u0E14\u0E35\u0E0A\u0E32\u0E27\u0E42\u0E25\u0E01", "\u0E2A\u0E27\u0E31\u0E2A\u0E14\u0E35\u0E0A\u0E32\u0E27\u0E42\u0E25\u0E01", 80, 12, 3, 0, 1, 3 },
    { "beyond the first plane", "\U00020000\U00020001 \U0001F600 \U0001D400", "\U00020000\U00020001 \U0001F600 \U0001D400", 80, 6, 3, 0, 1, 3 },

    { "lone continuation",     "a\x80" "b",         "a\uFFFDb",      80,  3, 1, 0, 1, 1 },
    { "overlong",              "\xC0\xAF",          "\uFFFD\uFFFD",  80,  2, 0, 0, 1, 0 },
    { "surrogate",             "\xED\xA0\x80x",     "\uFFFD\uFFFD\uFFFDx", 80, 4, 1, 0, 1, 1 },
    { "over U+10FFFF",         "\xF4\x90\x80\x80",  "\uFFFD\uFFFD\uFFFD\uFFFD", 80, 4, 0, 0, 1, 0 },
    { "broken by a letter",    "\xE4\xB8z",         "\uFFFDz",       80,  2, 1, 0, 1, 1 },
    { "broken by a beginning", "\xE4\xB8\xE4\xB8\xAD", "\uFFFD\u4E2D", 80, 2, 1, 0, 1, 1 },
    { "broken by the end",     "z\xF0\x9F\x98",     "z\uFFFD",       80,  2, 1, 0, 1, 1 },
    /* clang-format on */
};

/* Adds a row's text in steps of so many bytes, A's borders aside. */
static void add(th_text_model *model, const char *in, size_t step)
{
    bool is_linked = false;
    for (size_t at = 0; in[at];) {
        if (in[at] == '[' || in[at] == ']') {
            is_linked = in[at++] == '[';
            continue;
        }
        size_t len = strcspn(in + at, "[]");
        len = len < step ? len : step;
        char *exact = malloc(len);
        assert_non_null(exact);
        memcpy(exact, in + at, len);
        th_text_add(model, exact, len, is_linked);
        free(exact);
        at += len;
    }
    th_text_settle(model, is_linked);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_text_model *model = th_text_new(row->w_max);
    assert_non_null(model);
    for (size_t step = 1; step <= strlen(row->in); step++) {
        th_block block = { 0 };
        th_text_reset(model);
        add(model, row->in, step);
        assert_int_equal(model->is_open, row->chars > 0);
        if (model->is_open)
            th_text_close(model, &block);
        assert_int_equal(model->status, TH_OK);
        assert_int_equal(model->len, strlen(row->text));
        assert_memory_equal(model->len ? model->text : "", row->text, model->len);
        assert_int_equal(block.text_len, model->len);
        assert_int_equal(block.char_len, row->chars);
        assert_int_equal(block.tokens, row->tokens);
        assert_int_equal(block.linked_tokens, row->linked);
        assert_int_equal(block.lines, row->lines);
        assert_int_equal(block.last_line_tokens, row->last);
    }
    th_text_free(model);
}

static void blocks_are_joined_by_line_ends(void **state)
{
    (void)state;
    th_text_model *model = th_text_new(80);
    th_block block[2] = { 0 };
    th_text_add(model, " a b ", 5, false);
    th_text_close(model, &block[0]);
    th_text_add(model, " c ", 3, true);
    th_text_close(model, &block[1]);
    assert_int_equal(model->len, 5);
    assert_memory_equal(model->text, "a b\nc", 5);
    assert_int_equal(block[1].text_start, 4);
    assert_int_equal(block[1].char_start, 4);
    assert_int_equal(block[1].tokens, 1);
    assert_int_equal(block[1].linked_tokens, 1);
    assert_int_equal(block[0].tokens, 2);
    th_text_free(model);
}

static void a_blank_between_events_joins_words_apart(void **state)
{
    (void)state;
    th_text_model *model = th_text_new(80);
    th_block block = { 0 };
    th_text_add(model, "a", 1, false);
    th_text_blank(model);
    th_text_add(model, "b", 1, false);
    th_text_close(model, &block);
    assert_int_equal(block.tokens, 2);
    assert_memory_equal(model->text, "a b", 3);
    th_text_free(model);
}

/* A run longer than ICU is given at once, and a word longer than any buffer. */
static void long_runs_end(void **state)
{
    (void)state;
    enum { LETTERS = 3 * TH_UNSPACED_RUN_MAX };
    th_text_model *model = th_text_new(80);
    th_block block = { 0 };
    for (int i = 0; i < LETTERS; i++)
        th_text_add(model, "\u4E2D", 3, false);
    for (int i = 0; i < LETTERS; i++)
        th_text_add(model, "x", 1, false);
    th_text_close(model, &block);
    assert_int_equal(model->status, TH_OK);
    assert_int_equal(block.char_len, 2 * LETTERS);
    assert_true(block.tokens > 2 && block.tokens <= LETTERS + 1);
    assert_int_equal(block.last_line_tokens, 1); /* the x stand alone */
    th_text_free(model);
}

enum { ROWS = sizeof rows / sizeof *rows, OTHERS = 3 };

int main(void)
{
    struct CMUnitTest tests[ROWS + OTHERS] = {
        cmocka_unit_test(blocks_are_joined_by_line_ends),
        cmocka_unit_test(a_blank_between_events_joins_words_apart),
        cmocka_unit_test(long_runs_end),
    };
    for (size_t i = 0; i < ROWS; i++)
        tests[OTHERS + i] = (struct CMUnitTest){ .name = rows[i].name,
                                                 .test_func = row_holds,
                                                 .initial_state = (void *)&rows[i] };
    return cmocka_run_group_tests_name("text_model", tests, NULL, NULL);
}
