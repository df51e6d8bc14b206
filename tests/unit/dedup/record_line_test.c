/* src/dedup/record_line.c: values read from a record, and invalid lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dedup/record_line.h"

#define HASH "00112233445566778899aabbccddeeff"

/* clang-format off */
static const struct row {
    const char *name, *in;
    th_record_fault fault;
    const char *id, *url, *date, *params, *main;
} rows[] = {
    { "all of it",
      "{\"schema\":\"thresher/1\",\"id\":\"<urn:1>\",\"url\":\"http://a/\",\"date\":\"2024\",\"digest\":{\"text\":\"" HASH "\"},"
      "\"minhash\":{\"preset\":\"modern\",\"w\":5,\"k\":128,\"main\":\"ab\"},\"flags\":[]}",
      TH_RECORD_NONE, "<urn:1>", "http://a/", "2024", "preset=modern w=5 k=128", "ab" },
    { "id alone",            "{\"id\":\"a\"}",                         TH_RECORD_NONE, "a", NULL, NULL, "", NULL },
    { "escapes",             "{\"id\":\"a\\u00e4\\/\",\"url\":\"\\\"\"}", TH_RECORD_NONE, "a\u00e4/", "\"", NULL, "", NULL },
    { "null is absent",      "{\"id\":\"a\",\"url\":null,\"minhash\":null,\"digest\":null}", TH_RECORD_NONE, "a", NULL, NULL, "", NULL },
    { "unsigned preset",     "{\"id\":\"a\",\"minhash\":{\"preset\":\"modern\"}}", TH_RECORD_NONE, "a", NULL, NULL, "", NULL },
    { "seed and scheme",     "{\"id\":\"a\",\"minhash\":{\"preset\":\"p\",\"seed\":1,\"scheme\":\"s\",\"main\":\"0\"}}", TH_RECORD_NONE, "a", NULL, NULL, "preset=p seed=1 scheme=s", "0" },
    { "unknown members",     "{\"x\":[{\"id\":\"no\"}],\"id\":\"a\",\"minhash\":{\"preset\":\"p\",\"y\":{\"k\":2},\"main\":\"0\"}}", TH_RECORD_NONE, "a", NULL, NULL, "preset=p", "0" },
    { "no id",               "{\"url\":\"u\"}",                        TH_RECORD_NO_ID, NULL, NULL, NULL, NULL, NULL },
    { "empty id",            "{\"id\":\"\"}",                          TH_RECORD_NO_ID, NULL, NULL, NULL, NULL, NULL },
    { "id is a number",      "{\"id\":7}",                             TH_RECORD_NO_ID, NULL, NULL, NULL, NULL, NULL },
    { "id with a newline",   "{\"id\":\"a\\nb\"}",                     TH_RECORD_NO_ID, NULL, NULL, NULL, NULL, NULL },
    { "an array",            "[{\"id\":\"a\"}]",                       TH_RECORD_BAD_JSON, NULL, NULL, NULL, NULL, NULL },
    { "two objects",         "{\"id\":\"a\"}{}",                       TH_RECORD_BAD_JSON, NULL, NULL, NULL, NULL, NULL },
    { "no JSON",             "hello",                                  TH_RECORD_BAD_JSON, NULL, NULL, NULL, NULL, NULL },
    { "bad escape in url",   "{\"id\":\"a\",\"url\":\"\\x\"}",         TH_RECORD_BAD_JSON, NULL, NULL, NULL, NULL, NULL },
    { "short digest",        "{\"id\":\"a\",\"digest\":{\"text\":\"00\"}}", TH_RECORD_BAD_DIGEST, NULL, NULL, NULL, NULL, NULL },
    { "digest no digits",    "{\"id\":\"a\",\"digest\":{\"text\":\"zz112233445566778899aabbccddeeff\"}}", TH_RECORD_BAD_DIGEST, NULL, NULL, NULL, NULL, NULL },
    { "signature, no preset","{\"id\":\"a\",\"minhash\":{\"main\":\"00\"}}", TH_RECORD_BAD_MINHASH, NULL, NULL, NULL, NULL, NULL },
    { "of the page, no preset", "{\"id\":\"a\",\"minhash\":{\"page\":\"00\"}}", TH_RECORD_BAD_MINHASH, NULL, NULL, NULL, NULL, NULL },
    { "of distinct, no preset", "{\"id\":\"a\",\"minhash\":{\"distinct\":\"00\"}}", TH_RECORD_BAD_MINHASH, NULL, NULL, NULL, NULL, NULL },
    { "of the page alone",   "{\"id\":\"a\",\"minhash\":{\"preset\":\"p\",\"page\":\"00\"}}", TH_RECORD_NONE, "a", NULL, NULL, "preset=p", NULL },
    { "signature a number",  "{\"id\":\"a\",\"minhash\":{\"preset\":\"p\",\"main\":1}}", TH_RECORD_BAD_MINHASH, NULL, NULL, NULL, NULL, NULL },
    { "short is not an array", "{\"id\":\"a\",\"minhash\":{\"preset\":\"p\",\"short\":1}}", TH_RECORD_BAD_MINHASH, NULL, NULL, NULL, NULL, NULL },
    { "no k",                "{\"id\":\"a\",\"minhash\":{\"preset\":\"p\",\"k\":0}}", TH_RECORD_BAD_MINHASH, NULL, NULL, NULL, NULL, NULL },
    { "k beyond all",        "{\"id\":\"a\",\"minhash\":{\"preset\":\"p\",\"k\":1025}}", TH_RECORD_BAD_MINHASH, NULL, NULL, NULL, NULL, NULL },
    { "no w",                "{\"id\":\"a\",\"minhash\":{\"preset\":\"p\",\"w\":0}}", TH_RECORD_BAD_MINHASH, NULL, NULL, NULL, NULL, NULL },
    { "no bits",             "{\"id\":\"a\",\"minhash\":{\"preset\":\"p\",\"bits\":0}}", TH_RECORD_BAD_MINHASH, NULL, NULL, NULL, NULL, NULL },
    { "odd bits",            "{\"id\":\"a\",\"minhash\":{\"preset\":\"p\",\"bits\":33}}", TH_RECORD_BAD_MINHASH, NULL, NULL, NULL, NULL, NULL },
    { "k is text",           "{\"id\":\"a\",\"minhash\":{\"preset\":\"p\",\"k\":\"x\"}}", TH_RECORD_BAD_MINHASH, NULL, NULL, NULL, NULL, NULL },
};
/* clang-format on */

static void assert_view(th_view seen, const char *want)
{
    if (!want) {
        assert_null(seen.data);
        return;
    }
    assert_int_equal(seen.len, strlen(want));
    assert_memory_equal(seen.data, want, seen.len);
}

/* Reads an exact-size copy, which the caller frees. */
static th_record_fault read_copy(th_record_line *record, const char *in, size_t len,
                                 char **copy)
{
    th_record_fault fault = TH_RECORD_FAULT_COUNT;
    *copy = malloc(len ? len : 1);
    memcpy(*copy, in, len);
    assert_int_equal(th_record_line_read(record, (th_view){ *copy, len }, &fault), TH_OK);
    return fault;
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_record_line record = { .text = { 0 } };
    char *copy = NULL;
    assert_int_equal(read_copy(&record, row->in, strlen(row->in), &copy), row->fault);
    if (row->fault == TH_RECORD_NONE) {
        assert_view(record.id, row->id);
        assert_view(record.url, row->url);
        assert_view(record.date, row->date);
        assert_string_equal(record.params, row->params);
        assert_view(record.signatures[TH_SIGN_MAIN], row->main);
    }
    free(copy);
    /* A truncated valid line is invalid, at any length. */
    for (size_t cut = 0; row->fault == TH_RECORD_NONE && cut < strlen(row->in); cut++) {
        assert_int_not_equal(read_copy(&record, row->in, cut, &copy), TH_RECORD_NONE);
        free(copy);
    }
    th_record_line_done(&record);
}

/* The words and all parameters of a signature have limits. */
static void refuses_longer_parameters(void **state)
{
    (void)state;
    th_record_line record = { .text = { 0 } };
    char line[1024], word[TH_SIGNING_WORD_MAX + 1], *copy = NULL;
    for (int len = TH_SIGNING_WORD_MAX - 1; len <= TH_SIGNING_WORD_MAX; len++) {
        memset(word, 'p', (size_t)len);
        word[len] = '\0';
        const int used = snprintf(line, sizeof line,
                                  "{\"id\":\"a\",\"minhash\":{\"preset\":\"%s\"}}", word);
        assert_int_equal(read_copy(&record, line, (size_t)used, &copy),
                         len < TH_SIGNING_WORD_MAX ? TH_RECORD_NONE
                                                   : TH_RECORD_BAD_MINHASH);
        if (len < TH_SIGNING_WORD_MAX)
            assert_string_equal(record.words.preset, word);
        free(copy);
    }
    /* "preset=", " scheme=" and the repeated member " preset=" are 23 bytes. */
    for (int all = TH_SIGNING_MAX - 1; all <= TH_SIGNING_MAX; all++) {
        const int words = all - 23, last = words - 2 * 120;
        assert_true(last > 0 && last <= 121);
        char p[122];
        memset(p, 'p', sizeof p);
        const int used =
            snprintf(line, sizeof line,
                     "{\"id\":\"a\",\"minhash\":{\"preset\":\"%.120s\","
                     "\"scheme\":\"%.120s\",\"preset\":\"%.*s\",\"main\":\"0\"}}",
                     p, p, last, p);
        assert_int_equal(read_copy(&record, line, (size_t)used, &copy),
                         all < TH_SIGNING_MAX ? TH_RECORD_NONE : TH_RECORD_BAD_MINHASH);
        if (all < TH_SIGNING_MAX)
            assert_int_equal(strlen(record.params), (size_t)all);
        free(copy);
    }
    th_record_line_done(&record);
}

static void short_texts_and_digests(void **state)
{
    (void)state;
    static const char line[] = "{\"id\":\"a\",\"digest\":{\"x\":1,\"text\":\"" HASH
                               "\"},\"minhash\":{\"preset\":\"p\",\"seed\":7,\"scheme\":"
                               "\"s\",\"short\":[\"page\",\"x\"]},"
                               "\"template_known\":true}";
    th_record_line record = { .text = { 0 } };
    char *copy = NULL;
    assert_int_equal(read_copy(&record, line, sizeof line - 1, &copy), TH_RECORD_NONE);
    assert_true(record.short_texts == 1u << TH_SIGN_PAGE && record.has_digest);
    assert_true(record.knows_template);
    assert_string_equal(record.words.scheme, "s");
    assert_true(record.words.has_numbers == 1u << TH_SIGNING_SEED);
    assert_true(record.words.numbers[TH_SIGNING_SEED] == 7);
    assert_true(record.digest[0] == UINT64_C(0x0011223344556677));
    assert_true(record.digest[1] == UINT64_C(0x8899aabbccddeeff));
    free(copy);
    assert_int_equal(read_copy(&record, "{\"id\":\"b\"}", 10, &copy), TH_RECORD_NONE);
    assert_false(record.short_texts || record.has_digest); /* nothing of the one before */
    assert_false(record.knows_template);
    free(copy);
    static const char *const not_true[] = { "false", "null",   "\"true\"",
                                            "1",     "[true]", "{\"true\":true}" };
    for (size_t i = 0; i < sizeof not_true / sizeof *not_true; i++) {
        char text[80];
        const int len = snprintf(text, sizeof text,
                                 "{\"template_known\":%s,\"id\":\"c\"}", not_true[i]);
        assert_int_equal(read_copy(&record, text, (size_t)len, &copy), TH_RECORD_NONE);
        assert_false(record.knows_template);
        assert_view(record.id, "c"); /* members after it are read */
        free(copy);
    }
    th_record_line_done(&record);
}

/* "The document has moved here" is the same text on many pages. */
static void error_pages_are_compared_with_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *status;
        bool is_error;
    } statuses[] = { { "200", false }, { "204", false }, { "301", true },
                     { "404", true },  { "20", true },   { "2000", true },
                     { "null", false } };
    th_record_line record = { .text = { 0 } };
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        char line[240];
        char *copy = NULL;
        const int len =
            snprintf(line, sizeof line,
                     "{\"id\":\"a\",\"http\":{\"status\":%s,\"x\":[1]},\"digest\":{"
                     "\"text\":\"" HASH "\"},\"minhash\":{\"preset\":\"p\",\"main\":"
                     "\"00\"}}",
                     statuses[i].status);
        assert_int_equal(read_copy(&record, line, (size_t)len, &copy), TH_RECORD_NONE);
        assert_int_equal(record.is_error_page, statuses[i].is_error);
        assert_int_equal(record.has_digest, !statuses[i].is_error);
        assert_int_equal(record.signatures[TH_SIGN_MAIN].data == NULL,
                         statuses[i].is_error);
        assert_int_equal(record.params[0] == '\0', statuses[i].is_error);
        free(copy);
    }
    th_record_line_done(&record);
}

static void slots_are_big_endian(void **state)
{
    (void)state;
    uint64_t slots[2] = { 0, 0 };
    assert_true(th_slots_read(TH_VIEW("0000000aFFFFFFFF"), 4, slots));
    assert_true(slots[0] == 10 && slots[1] == UINT32_MAX);
    assert_true(th_slots_read(TH_VIEW("0123456789ABCDEF"), 8, slots));
    assert_true(slots[0] == UINT64_C(0x0123456789abcdef));
    assert_false(th_slots_read(TH_VIEW("0000000"), 4, slots));
    assert_false(th_slots_read(TH_VIEW("0000000g"), 4, slots));
    assert_true(th_slots_read(TH_VIEW(""), 4, slots));
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 4];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(short_texts_and_digests);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(slots_are_big_endian);
    tests[ROWS + 2] =
        (struct CMUnitTest)cmocka_unit_test(error_pages_are_compared_with_nothing);
    tests[ROWS + 3] = (struct CMUnitTest)cmocka_unit_test(refuses_longer_parameters);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
