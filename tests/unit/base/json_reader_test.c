/* src/base/json_reader.c: tokens, invalid JSON, strings, and the result of an
 * independent parser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "json_tree.h"

/* One letter a token: K S N L { } [ ]; '.' is the end, '!' no JSON. */
static const char letters[] = ".!KSNL{}[]";

/* clang-format off */
static const struct row {
    const char *name, *in, *tokens;
} rows[] = {
    { "empty",                "",                         "!" },
    { "blanks",               " \t\r\n",                  "!" },
    { "number",               "12",                       "N." },
    { "numbers",              "[0,-1,1.5,2e3,-0.1E-2]",   "[NNNNN]." },
    { "leading zero",         "[01]",                     "[N!" },
    { "lone minus",           "-",                        "!" },
    { "no digit after point","[1.]",                     "[!" },
    { "no digit in exponent", "[1e]",                     "[!" },
    { "literals",             "[true,false,null]",        "[LLL]." },
    { "half a literal",       "tru",                      "!" },
    { "string",               "\"a\\\"b\"",               "S." },
    { "string without end",   "\"a\\\"",                  "!" },
    { "backslashes",          "[\"\\\\\",\"\\\\\\\"\"]",  "[SS]." },
    { "empty containers",     "[{},[]]",                  "[{}[]]." },
    { "members",              "{\"a\":1,\"b\":[2]}",      "{KNK[N]}." },
    { "blanks everywhere",    " { \"a\" : 1 , \"b\" : 2 } ", "{KNKN}." },
    { "comma at the end",     "[1,]",                     "[N!" },
    { "comma at the end {}",  "{\"a\":1,}",               "{KN!" },
    { "comma first",          "[,1]",                     "[!" },
    { "no colon",             "{\"a\" 1}",                "{!" },
    { "no value",             "{\"a\":}",                 "{K!" },
    { "no key",               "{1:2}",                    "{!" },
    { "no comma",             "[1 2]",                    "[N!" },
    { "closed wrongly",       "[1}",                      "[N!" },
    { "closed wrongly {}",    "{\"a\":1]",                "{KN!" },
    { "closed too often",     "[]]",                      "[]!" },
    { "not closed",           "[[1]",                     "[[N]!" },
    { "two documents",        "{}{}",                     "{}!" },
    { "a comment",            "[1] //",                   "[N]!" },
};

static const struct text_row {
    const char *name, *in, *out; /* out NULL: no string */
} text_rows[] = {
    { "plain text",      "abc",                    "abc" },
    { "all escapes",     "\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t" },
    { "code points",     "\\u0041\\u00e4\\u20AC",  "A\u00e4\u20ac" },
    { "pair",            "\\ud834\\udd1e",         "\U0001D11E" },
    { "first pair",      "\\ud800\\udc00",         "\U00010000" },
    { "last pair",       "\\uDBFF\\uDFFF",         "\U0010FFFF" },
    { "two firsts",      "\\ud834\\udbff",         "\uFFFD\uFFFD" },
    { "before and after surrogates", "\\ud7ff\\ue000", "\uD7FF\uE000" },
    { "lone surrogate",  "\\ud834x",               "\uFFFDx" },
    { "second first",    "\\udd1e",                "\uFFFD" },
    { "pair cut",        "\\ud834\\u0041",         "\uFFFDA" },
    { "unknown escape",  "\\q",                    NULL },
    { "short escape",    "\\u12",                  NULL },
    { "no digit",        "\\u12g4",                NULL },
    { "control",         "a\001b",                 NULL },
};
/* clang-format on */

static bool is_json(const char *text, size_t len)
{
    json *tree = json_read(text, len);
    json_free(tree);
    return tree != NULL;
}

static void tokens_hold(void **state)
{
    const struct row *row = *state;
    const size_t len = strlen(row->in);
    char *exact = malloc(len ? len : 1);
    memcpy(exact, row->in, len);
    th_json_reader reader;
    th_json_reader_init(&reader, (th_view){ exact, len });
    for (const char *want = row->tokens; *want; want++)
        assert_int_equal(letters[th_json_read(&reader)], *want);
    const char last = row->tokens[strlen(row->tokens) - 1];
    assert_int_equal(letters[th_json_read(&reader)], last); /* and that for ever */
    assert_int_equal(is_json(exact, len), last == '.');
    free(exact);
}

static void text_holds(void **state)
{
    const struct text_row *row = *state;
    const size_t len = strlen(row->in);
    char *document = malloc(len + 2), *out = malloc(len ? len : 1);
    document[0] = document[len + 1] = '"';
    memcpy(document + 1, row->in, len);
    th_json_reader reader;
    th_json_reader_init(&reader, (th_view){ document, len + 2 });
    assert_int_equal(th_json_read(&reader), TH_JSON_STRING);
    size_t got = 0;
    assert_int_equal(th_json_text(&reader, out, &got), row->out != NULL);
    if (row->out) {
        assert_int_equal(got, strlen(row->out));
        assert_memory_equal(out, row->out, got);
    }
    free(document);
    free(out);
}

static void skips_one_value(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":{\"x\":[1,{}]},\"b\":\"s\",\"c\":3}";
    th_json_reader reader;
    th_json_reader_init(&reader, (th_view){ text, sizeof text - 1 });
    assert_int_equal(th_json_read(&reader), TH_JSON_OPEN_OBJECT);
    for (const char *key = "abc"; *key; key++) {
        const char name[] = { *key, '\0' };
        assert_int_equal(th_json_read(&reader), TH_JSON_KEY);
        assert_true(th_json_text_is(&reader, name));
        assert_true(th_json_skip(&reader));
    }
    assert_int_equal(th_json_read(&reader), TH_JSON_CLOSE_OBJECT);
    assert_int_equal(th_json_read(&reader), TH_JSON_DONE);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    char text[2 * TH_JSON_DEPTH + 2];
    memset(text, '[', TH_JSON_DEPTH + 1);
    memset(text + TH_JSON_DEPTH + 1, ']', TH_JSON_DEPTH + 1);
    th_json_reader reader;
    th_json_reader_init(&reader, (th_view){ text, sizeof text });
    for (int i = 0; i < TH_JSON_DEPTH; i++)
        assert_int_equal(th_json_read(&reader), TH_JSON_OPEN_ARRAY);
    assert_int_equal(th_json_read(&reader), TH_JSON_BAD);
    th_json_reader_init(&reader, (th_view){ text + 1, sizeof text - 2 });
    assert_true(th_json_skip(&reader));
    assert_int_equal(th_json_read(&reader), TH_JSON_DONE);
}

int main(void)
{
    enum {
        ROWS = sizeof rows / sizeof *rows,
        TEXTS = sizeof text_rows / sizeof *text_rows
    };
    struct CMUnitTest tests[ROWS + TEXTS + 2];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        tests[count++] = (struct CMUnitTest){ rows[i].name, tokens_hold, NULL, NULL,
                                              (void *)(uintptr_t)&rows[i] };
    for (size_t i = 0; i < TEXTS; i++)
        tests[count++] = (struct CMUnitTest){ text_rows[i].name, text_holds, NULL, NULL,
                                              (void *)(uintptr_t)&text_rows[i] };
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(skips_one_value);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(depth_is_bounded);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
