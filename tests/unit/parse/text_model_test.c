/* Text in, words and lines out, for any cuts of the input. */
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
    { "whitespace only",       " \n\t ",            "",              80,  0, 0, 0, 0, 0 },
    { "no-break space",        "a\u00A0\u00A0b",    "a b",           80,  3, 2, 0, 1, 2 },
    { "ideographic space",     "a\u3000b",          "a b",           80,  3, 2, 0, 1, 2 },
    { "zero width is not a space", "a\u200Bb",         "a\u200Bb",      80,  3, 1, 0, 1, 1 },
    { "control is not a space", "a\x01" "b",         "a\x01" "b",     80,  3, 1, 0, 1, 1 },
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

/* Adds a row's text in steps of `step` bytes, except the borders of A. */
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

static void blocks_are_joined_as_told(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        th_text_part part;
        const char *want;
    } cases[] = {
        { "a", "b", TH_TEXT_JOINS, "ab" },    { "a ", "b", TH_TEXT_JOINS, "a b" },
        { "a", " b", TH_TEXT_JOINS, "a b" },  { "a ", " b", TH_TEXT_JOINS, "a b" },
        { "a", "b", TH_TEXT_BLANK, "a b" },   { "a ", "b", TH_TEXT_BLANK, "a b" },
        { "a", "b", TH_TEXT_BREAKS, "a\nb" }, { "a ", " b", TH_TEXT_BREAKS, "a\nb" },
        { " ", "b", TH_TEXT_BREAKS, "b" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        th_text_model *model = th_text_new(80);
        th_block block = { 0 };
        th_text_add(model, cases[i].first, strlen(cases[i].first), false);
        if (model->is_open)
            th_text_close(model, &block);
        th_text_set_part(model, cases[i].part);
        th_text_add(model, cases[i].second, strlen(cases[i].second), false);
        th_text_close(model, &block);
        assert_int_equal(th_text_solid(model), strlen(cases[i].want));
        assert_memory_equal(model->text, cases[i].want, strlen(cases[i].want));
        assert_int_equal(block.text_len, 1);
        th_text_free(model);
    }
}

/* Whitespace that is kept, for any cuts. Whitespace at the end can be
 * removed. */
static void kept_space_stands_for_itself(void **state)
{
    (void)state;
    static const char text[] = "  a\t b\n\n \u00a0c \n";
    const size_t len = sizeof text - 1;
    for (size_t step = 1; step <= len; step++) {
        th_text_model *model = th_text_new(80);
        th_block block = { 0 };
        th_text_keep_space(model, true);
        for (size_t at = 0; at < len; at += step)
            th_text_add(model, text + at, step < len - at ? step : len - at, false);
        th_text_close(model, &block);
        assert_int_equal(model->part_at, 0);
        assert_int_equal(block.text_start, 2);
        assert_int_equal(block.text_len, len - 4);
        assert_int_equal(block.char_len, len - 5);
        assert_int_equal(block.tokens, 3);
        assert_int_equal(block.lines, 1);
        th_text_end_line(model, true); /* there is one */
        assert_int_equal(model->len, len);
        th_text_set_part(model, TH_TEXT_BREAKS);
        assert_int_equal(model->len, len - 2);
        th_text_free(model);
    }
}

/* Words are read at once or byte by byte, with the same result. */
static void kept_space_does_not_depend_on_cuts(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "a",      "B7",     "-",    "longer than most words",
        " ",      "\t",     "\n",   "  ",
        "\u00e9", "\u6771", "\x01", "x=y;"
    };
    enum { ROUNDS = 300, PARTS = 40 };
    uint32_t seed = 1;
    for (int round = 0; round < ROUNDS; round++) {
        char text[PARTS * 32];
        size_t len = 0;
        for (int i = 0; i < PARTS; i++) {
            seed = seed * 1664525u + 1013904223u;
            const char *part = parts[(seed >> 16) % (sizeof parts / sizeof *parts)];
            memcpy(text + len, part, strlen(part));
            len += strlen(part);
        }
        text[len++] = 'z';
        th_text_model *whole = th_text_new(20), *cut = th_text_new(20);
        th_block want = { 0 }, have = { 0 };
        th_text_keep_space(whole, true);
        th_text_keep_space(cut, true);
        th_text_add(whole, text, len, round % 2);
        for (size_t at = 0; at < len; at++)
            th_text_add(cut, text + at, 1, round % 2);
        th_text_close(whole, &want);
        th_text_close(cut, &have);
        assert_memory_equal(&have, &want, sizeof have);
        assert_int_equal(cut->len, whole->len);
        assert_memory_equal(cut->text, whole->text, whole->len);
        th_text_free(whole);
        th_text_free(cut);
    }
}

static void blocks_are_joined_by_line_ends(void **state)
{
    (void)state;
    th_text_model *model = th_text_new(80);
    th_block block[2] = { 0 };
    th_text_add(model, " a b ", 5, false);
    th_text_close(model, &block[0]);
    th_text_set_part(model, TH_TEXT_BREAKS);
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

/* ---- word by word: the definition, without any of the model's short cuts */

struct words {
    th_block block;
    size_t columns; /* on the line */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\n';
}

static void place_word(struct words *words, size_t columns, bool is_token, bool is_linked,
                       uint32_t w_max)
{
    if (words->columns && words->columns + 1 + columns <= w_max) {
        words->columns += 1 + columns;
    } else {
        words->columns = columns;
        words->block.lines++;
        words->block.last_line_tokens = 0;
    }
    words->block.tokens += is_token;
    words->block.last_line_tokens += is_token;
    words->block.linked_tokens += is_linked;
}

/* Text in [from, to) is linked. Text: letters, symbols and spaces. */
static th_block measured(const char *text, size_t len, size_t from, size_t to,
                         uint32_t w_max)
{
    struct words words = { .columns = 0 };
    for (size_t at = 0; at < len;) {
        size_t columns = 0, letter = 0;
        bool is_token = false;
        for (; at < len && !is_blank(text[at]); at++, columns++)
            if (text[at] == 'x' && !is_token) {
                is_token = true;
                letter = at;
            }
        if (columns)
            place_word(&words, columns, is_token,
                       is_token && letter >= from && letter < to, w_max);
        while (at < len && is_blank(text[at]))
            at++;
    }
    return words.block;
}

/* Random text, long and short words, single and double spaces, cut at random. */
static void short_cuts_measure_alike(void **state)
{
    (void)state;
    enum { ROUNDS = 3000, LEN = 400 };
    static const char letters[] = "xxxx-  \n";
    uint64_t random = 7;
    th_text_model *model = th_text_new(1);
    assert_non_null(model);
    for (int round = 0; round < ROUNDS; round++) {
        char text[LEN];
        size_t cuts[3];
        const unsigned blanks = (unsigned)(random >> 40) % 4;
        for (size_t i = 0; i < LEN; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            text[i] = letters[(random >> 60) % (5 + blanks)];
            if ((random >> 50) % 64 < 8)
                text[i] = ' ';
        }
        for (size_t i = 0; i < 3; i++)
            cuts[i] = (size_t)(random >> (8 + 16 * i)) % LEN;
        const size_t from = cuts[0] < cuts[1] ? cuts[0] : cuts[1];
        const size_t to = cuts[0] < cuts[1] ? cuts[1] : cuts[0];
        const size_t len = to > cuts[2] ? to : cuts[2];
        const uint32_t w_max = 1 + (uint32_t)(random >> 33) % 100;
        th_text_reset(model);
        model->w_max = w_max;
        th_text_add(model, text, from, false);
        th_text_add(model, text + from, to - from, true);
        th_text_add(model, text + to, len - to, false);
        th_block block = { 0 };
        if (model->is_open)
            th_text_close(model, &block);
        const th_block want = measured(text, len, from, to, w_max);
        assert_int_equal(block.tokens, want.tokens);
        assert_int_equal(block.linked_tokens, want.linked_tokens);
        assert_int_equal(block.lines, want.lines);
        assert_int_equal(block.last_line_tokens, want.last_line_tokens);
        for (size_t i = 1; i < model->len; i++)
            assert_false(model->text[i] == ' ' && model->text[i - 1] == ' ');
    }
    th_text_free(model);
}

/* Returns the length of the character at p by the table of Unicode, 3.9, D92: the value of
 * the bytes is in the range of their number. 0 if it is malformed. */
static size_t well_formed(const char *p, size_t len)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char lead = (unsigned char)p[0];
    const size_t count = lead < 0x80    ? 1
                         : lead >= 0xF0 ? 4
                         : lead >= 0xE0 ? 3
                         : lead >= 0xC0 ? 2
                                        : 0;
    if (count == 1)
        return 1;
    if (!count || count > len || lead >= 0xF8)
        return 0;
    uint32_t value = lead & (0x7Fu >> count);
    for (size_t i = 1; i < count; i++) {
        if (((unsigned char)p[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | ((unsigned char)p[i] & 0x3F);
    }
    return value >= least[count] && value <= 0x10FFFF &&
                   (value < 0xD800 || value > 0xDFFF)
               ? count
               : 0;
}

/* All leads, with the least and the greatest bytes of each range, and one more. A
 * well-formed character is kept. Each other one is replaced, and the text continues. */
static void characters_have_ranges(void **state)
{
    (void)state;
    static const unsigned char ends[] = {
        0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0
    };
    enum { ENDS = sizeof ends, ALL = ENDS * ENDS * ENDS };
    th_text_model *model = th_text_new(80);
    for (unsigned lead = 0x80; lead < 0x100; lead++)
        for (unsigned i = 0; i < ALL; i++) {
            const char text[] = { 'a',
                                  (char)lead,
                                  (char)ends[i % ENDS],
                                  (char)ends[i / ENDS % ENDS],
                                  (char)ends[i / ENDS / ENDS],
                                  'b',
                                  '\0' };
            const size_t len = well_formed(text + 1, 4);
            th_block block = { 0 };
            th_text_reset(model);
            th_text_keep_space(model, true); /* U+00A0, U+2000, U+3000 */
            th_text_add(model, text, sizeof text - 1, false);
            th_text_close(model, &block);
            assert_int_equal(model->text[0], 'a');
            assert_int_equal(model->text[model->len - 1], 'b');
            if (len)
                assert_memory_equal(model->text + 1, text + 1, len);
            else
                assert_memory_equal(model->text + 1, "\uFFFD", 3);
        }
    th_text_free(model);
}

/* Memory of a long text is returned before the next page. */
static void a_long_text_is_not_kept(void **state)
{
    (void)state;
    static const char words[] = "some words and more ";
    th_text_model *model = th_text_new(80);
    th_block block = { 0 };
    assert_non_null(model);
    while (model->len < 5u << 20)
        th_text_add(model, words, sizeof words - 1, false);
    th_text_close(model, &block);
    assert_true(model->capacity >= model->len);
    th_text_reset(model);
    assert_int_equal(model->capacity, 0);
    th_text_add(model, "a", 1, false);
    th_text_close(model, &block);
    assert_int_equal(model->len, 1);
    assert_true(model->capacity < 1u << 20);
    th_text_free(model);
}

enum { ROWS = sizeof rows / sizeof *rows, OTHERS = 8 };

int main(void)
{
    struct CMUnitTest tests[ROWS + OTHERS] = {
        cmocka_unit_test(blocks_are_joined_by_line_ends),
        cmocka_unit_test(blocks_are_joined_as_told),
        cmocka_unit_test(kept_space_stands_for_itself),
        cmocka_unit_test(kept_space_does_not_depend_on_cuts),
        cmocka_unit_test(a_blank_between_events_joins_words_apart),
        cmocka_unit_test(long_runs_end),
        cmocka_unit_test(short_cuts_measure_alike),
        cmocka_unit_test(characters_have_ranges),
        cmocka_unit_test(a_long_text_is_not_kept),
    };
    for (size_t i = 0; i < ROWS; i++)
        tests[OTHERS + i] = (struct CMUnitTest){ .name = rows[i].name,
                                                 .test_func = row_holds,
                                                 .initial_state = (void *)&rows[i] };
    return cmocka_run_group_tests_name("text_model", tests, NULL, NULL);
}
