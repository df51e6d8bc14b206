/* src/base/json.c: strings of any bytes, numbers, hexadecimal. A failed write leaves no
 * trace. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "write/json_line.h"

#define BYTES(literal)                                                                   \
    {                                                                                    \
        "" literal, sizeof(literal) - 1                                                  \
    }

/* clang-format off */
static const struct string_row {
    const char *name;
    th_view in;
    const char *out;
} string_rows[] = {
    { "empty string",            BYTES(""),                     "\"\"" },
    { "plain string",            BYTES("a/b"),                  "\"a/b\"" },
    { "quote and backslash",     BYTES("\"\\"),                 "\"\\\"\\\\\"" },
    { "line ends and tab",       BYTES("a\r\n\tb"),             "\"a\\r\\n\\tb\"" },
    { "nul",                     BYTES("a\0b"),                 "\"a\\u0000b\"" },
    { "controls",                BYTES("\x01\x1f\x7f"),         "\"\\u0001\\u001F\x7f\"" },
    { "utf-8 of 2, 3, 4 bytes",  BYTES("\u00e4\u20ac\U0001D11E"), "\"\u00e4\u20ac\U0001D11E\"" },
    { "line separator",          BYTES("\u2028"),               "\"\u2028\"" },
    { "latin-1",                 BYTES("caf\xe9!"),             "\"caf\\\\xe9!\"" },
    { "all bad",                 BYTES("\xff\xfe"),             "\"\\\\xff\\\\xfe\"" },
    { "bad first, bad last",     BYTES("\x80 ok \xc3"),         "\"\\\\x80 ok \\\\xc3\"" },
    { "overlong slash",          BYTES("\xc0\xaf"),             "\"\\\\xc0\\\\xaf\"" },
    { "surrogate",               BYTES("\xed\xa0\x80"),         "\"\\\\xed\\\\xa0\\\\x80\"" },
    { "beyond unicode",          BYTES("\xf4\x90\x80\x80"),     "\"\\\\xf4\\\\x90\\\\x80\\\\x80\"" },
    { "cut before ascii",        BYTES("\xe2\x82" "A"),         "\"\\\\xe2\\\\x82A\"" },
    { "bad byte and a quote",    BYTES("\xe9\""),               "\"\\\\xe9\\\"\"" },
};

static const struct decimal_row {
    const char *name;
    double value;
    unsigned places;
    const char *out;
} decimal_rows[] = {
    { "zero",               0,              4, "0" },
    { "one",                1,              4, "1" },
    { "ten keeps its zero", 10,             4, "10" },
    { "a third",            1.0 / 3,        4, "0.3333" },
    { "two thirds",         2.0 / 3,        4, "0.6667" },
    { "zeros at the end",   0.25,           6, "0.25" },
    { "zeros after the point", 0.0025,     4, "0.0025" },
    { "half rounds up",     0.00005,        4, "0.0001" },
    { "below half",         0.00004,        4, "0" },
    { "carry",              9.99996,        4, "10" },
    { "no places",          2.5,            0, "3" },
    { "six places",         12.3456785,     6, "12.345679" },
    { "largest",            1e9,            6, "1000000000" },
    { "over the largest",   1e300,          4, "1000000000" },
    { "infinity",           INFINITY,       4, "1000000000" },
    { "negative",           -1,             4, "0" },
    { "not a number",       NAN,            4, "0" },
};

static const struct uint_row {
    const char *name;
    uint64_t value;
    const char *out;
} uint_rows[] = {
    { "uint 0",    0,          "0" },
    { "uint 10",   10,         "10" },
    { "uint 2^32", 4294967296, "4294967296" },
    { "uint max",  UINT64_MAX, "18446744073709551615" },
};
/* clang-format on */

/* Compares what a document holds, its newline included. */
static void assert_document(th_json *json, th_buffer *out, const char *want)
{
    assert_int_equal(th_json_end(json), TH_OK);
    assert_int_equal(out->len, strlen(want) + 1);
    assert_memory_equal(out->data, want, strlen(want));
    assert_int_equal(out->data[out->len - 1], '\n');
    th_buffer_done(out);
}

static void string_holds(void **state)
{
    const struct string_row *row = *state;
    char *exact = malloc(row->in.len ? row->in.len : 1);
    memcpy(exact, row->in.data, row->in.len);
    th_buffer out = { 0 };
    th_json json;
    th_json_begin(&json, &out);
    th_json_string(&json, (th_view){ exact, row->in.len });
    free(exact);
    assert_document(&json, &out, row->out);
}

static void decimal_holds(void **state)
{
    const struct decimal_row *row = *state;
    char text[TH_DECIMAL_MAX];
    assert_int_equal(th_decimal(row->value, row->places, text), strlen(row->out));
    assert_string_equal(text, row->out);
    th_buffer out = { 0 };
    th_json json;
    th_json_begin(&json, &out);
    th_json_decimal(&json, row->value, row->places);
    assert_document(&json, &out, row->out);
    /* Packed, it is the number that a reader makes of the text. */
    double packed = 0;
    th_json_begin_as(&json, &out, true);
    th_json_decimal(&json, row->value, row->places);
    assert_int_equal(th_json_end(&json), TH_OK);
    assert_int_equal(out.len, 1 + sizeof packed);
    assert_int_equal(*out.data, row->places ? 'd' : 'u');
    memcpy(&packed, out.data + 1, sizeof packed);
    if (row->places)
        assert_true(packed == strtod(row->out, NULL) && !signbit(packed));
    th_buffer_done(&out);
}

static void uint_holds(void **state)
{
    const struct uint_row *row = *state;
    th_buffer out = { 0 };
    th_json json;
    th_json_begin(&json, &out);
    th_json_uint(&json, row->value);
    assert_document(&json, &out, row->out);
}

static void hex_is_big_endian(void **state)
{
    (void)state;
    const uint64_t words[] = { 0x0123456789abcdefu, 1 };
    const uint8_t bytes[] = { 0x00, 0xff, 0x7a };
    th_buffer out = { 0 };
    th_json json;
    th_json_begin(&json, &out);
    th_json_open_array(&json);
    th_json_hex_words(&json, words, 2, 8);
    th_json_hex_words(&json, words, 2, 4);
    th_json_hex_words(&json, words, 0, 8);
    th_json_hex(&json, bytes, sizeof bytes);
    th_json_close_array(&json);
    assert_document(&json, &out,
                    "[\"0123456789abcdef0000000000000001\",\"89abcdef00000001\",\"\","
                    "\"00ff7a\"]");
}

static void absent_members_are_left_out(void **state)
{
    (void)state;
    th_buffer out = { 0 };
    th_json json;
    th_json_begin(&json, &out);
    th_json_open_object(&json);
    th_json_member(&json, "absent", (th_view){ NULL, 0 });
    th_json_member(&json, "empty", TH_VIEW(""));
    th_json_member_text(&json, "absent", NULL);
    th_json_member_text(&json, "text", "t");
    th_json_member_uint(&json, "uint", 7);
    th_json_member_decimal(&json, "decimal", 0.5, 4);
    th_json_key(&json, "bool");
    th_json_bool(&json, true);
    th_json_close_object(&json);
    assert_document(&json, &out,
                    "{\"empty\":\"\",\"text\":\"t\",\"uint\":7,\"decimal\":0.5,"
                    "\"bool\":true}");
}

static void goes_on_behind_what_is_there(void **state)
{
    (void)state;
    th_buffer out = { 0 };
    for (int i = 0; i < 2; i++) {
        th_json json;
        th_json_begin(&json, &out);
        th_json_uint(&json, (uint64_t)i);
        assert_int_equal(th_json_end(&json), TH_OK);
    }
    assert_int_equal(out.len, 4);
    assert_memory_equal(out.data, "0\n1\n", 4);
    th_buffer_done(&out);
}

static void a_failure_leaves_no_trace(void **state)
{
    (void)state;
    th_buffer out = { 0 };
    th_buffer_append_text(&out, "before");
    th_json json;
    th_json_begin(&json, &out);
    th_json_open_object(&json);
    th_json_member_text(&json, "a", "b");
    th_json_fail(&json, TH_TOO_LARGE);
    th_json_fail(&json, TH_NOMEM); /* the first one counts */
    assert_int_equal(th_json_end(&json), TH_TOO_LARGE);
    assert_int_equal(out.len, 6);
    assert_false(out.has_failed);
    th_buffer_done(&out);
}

static void a_failed_buffer_stays_failed(void **state)
{
    (void)state;
    th_buffer out = { .has_failed = true };
    th_json json;
    th_json_begin(&json, &out);
    th_json_string(&json, TH_VIEW("a"));
    assert_int_equal(th_json_end(&json), TH_NOMEM);
    assert_int_equal(out.len, 0);
    assert_true(out.has_failed);
}

/* Every pair of bytes, in the middle of a string: always one valid line. */
static void any_bytes_are_valid_json(void **state)
{
    (void)state;
    th_buffer out = { 0 };
    for (unsigned pair = 0; pair < 0x10000; pair++) {
        char *exact = malloc(3);
        exact[0] = 'a';
        exact[1] = (char)(pair >> 8);
        exact[2] = (char)(pair & 0xFF);
        th_buffer_reset(&out);
        th_json json;
        th_json_begin(&json, &out);
        th_json_open_object(&json);
        th_json_member(&json, "k", (th_view){ exact, 3 });
        th_json_close_object(&json);
        assert_int_equal(th_json_end(&json), TH_OK);
        assert_true(json_line_is_valid(th_buffer_view(&out)));
        free(exact);
    }
    th_buffer_done(&out);
}

enum {
    STRINGS = sizeof string_rows / sizeof *string_rows,
    DECIMALS = sizeof decimal_rows / sizeof *decimal_rows,
    UINTS = sizeof uint_rows / sizeof *uint_rows,
};

/* Every width, with each digit at each place. */
static void hex_words_have_any_width(void **state)
{
    (void)state;
    const uint64_t words[] = { 0x0123456789abcdefu, 0xfedcba9876543210u,
                               0x9a9a9a9aa9a9a9a9u, 0 };
    enum { WORDS = sizeof words / sizeof *words };
    for (unsigned width = 1; width <= 8; width++) {
        char want[WORDS * 16 + 3] = "\"";
        th_buffer out = { 0 };
        th_json json;
        for (size_t i = 0; i < WORDS; i++) {
            char digits[17];
            (void)snprintf(digits, sizeof digits, "%016llx",
                           (unsigned long long)words[i]);
            strcat(want, digits + 16 - (size_t)2 * width);
        }
        strcat(want, "\"");
        th_json_begin(&json, &out);
        th_json_hex_words(&json, words, WORDS, width);
        assert_document(&json, &out, want);
    }
}

static void write_members(th_json *json)
{
    const uint64_t word = 0x0123456789abcdefu;
    th_json_member(json, "text", TH_VIEW("a\"\n\xff"));
    th_json_key(json, "list");
    th_json_open_array(json);
    th_json_uint(json, 258);
    th_json_signed_decimal(json, -2.5, 1);
    th_json_signed_decimal(json, -3, 0);
    th_json_signed_decimal(json, -.01, 1);
    th_json_bool(json, true);
    th_json_bool(json, false);
    th_json_hex_words(json, &word, 1, 2);
    th_json_close_array(json);
}

static void packed_tokens_are_as_specified(void **state)
{
    (void)state;
    static const char tokens[] = "{k\4texts\7\0\0\0a\"\n\\xffk\4list[u\2\1\0\0\0\0\0\0"
                                 "d\0\0\0\0\0\0\x04\xc0i\xfd\xff\xff\xff\xff\xff\xff\xff"
                                 "d\0\0\0\0\0\0\0\0tfs\4\0\0\0cdef]}";
    th_buffer out = { 0 };
    th_json json;
    th_json_begin_as(&json, &out, true);
    th_json_open_object(&json);
    write_members(&json);
    th_json_close_object(&json);
    assert_int_equal(th_json_end(&json), TH_OK);
    assert_int_equal(out.len, sizeof tokens - 1);
    assert_memory_equal(out.data, tokens, sizeof tokens - 1);
    th_buffer_done(&out);
}

/* Members that are inserted complete the object, in both forms. */
static void members_are_inserted(void **state)
{
    (void)state;
    for (int is_packed = 0; is_packed <= 1; is_packed++) {
        th_buffer whole = { 0 }, parts = { 0 };
        th_json json;
        th_json_begin_as(&json, &whole, is_packed);
        th_json_open_object(&json);
        th_json_member_uint(&json, "first", 1);
        const size_t at = th_json_len(&json);
        write_members(&json);
        th_json_close_object(&json);
        assert_int_equal(th_json_end(&json), TH_OK);
        th_buffer_append(&parts, whole.data, at);
        th_json_begin_members(&json, &parts, is_packed);
        write_members(&json);
        assert_int_equal(th_json_end(&json), TH_OK);
        th_buffer_append_text(&parts, is_packed ? "}" : "}\n");
        assert_int_equal(parts.len, whole.len);
        assert_memory_equal(parts.data, whole.data, whole.len);
        th_buffer_done(&whole);
        th_buffer_done(&parts);
    }
}

int main(void)
{
    static struct CMUnitTest tests[STRINGS + DECIMALS + UINTS + 9];
    size_t n = 0;
    for (size_t i = 0; i < STRINGS; i++)
        tests[n++] = (struct CMUnitTest){ string_rows[i].name, string_holds, NULL, NULL,
                                          (void *)&string_rows[i] };
    for (size_t i = 0; i < DECIMALS; i++)
        tests[n++] = (struct CMUnitTest){ decimal_rows[i].name, decimal_holds, NULL, NULL,
                                          (void *)&decimal_rows[i] };
    for (size_t i = 0; i < UINTS; i++)
        tests[n++] = (struct CMUnitTest){ uint_rows[i].name, uint_holds, NULL, NULL,
                                          (void *)&uint_rows[i] };
    const struct CMUnitTest properties[] = {
        cmocka_unit_test(hex_is_big_endian),
        cmocka_unit_test(hex_words_have_any_width),
        cmocka_unit_test(absent_members_are_left_out),
        cmocka_unit_test(goes_on_behind_what_is_there),
        cmocka_unit_test(a_failure_leaves_no_trace),
        cmocka_unit_test(a_failed_buffer_stays_failed),
        cmocka_unit_test(any_bytes_are_valid_json),
        cmocka_unit_test(packed_tokens_are_as_specified),
        cmocka_unit_test(members_are_inserted),
    };
    memcpy(tests + n, properties, sizeof properties);
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
