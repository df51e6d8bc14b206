/* Lines of plain and compressed files, complete and truncated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "eval/corpus_lines.h"

static const char path[] = "corpus_lines_test.tmp";

static void write_plain(const char *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void write_packed(const char *bytes, size_t len)
{
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, bytes, (unsigned)len), (int)len);
    assert_int_equal(gzclose(file), Z_OK);
}

/* Reads all. @return the last status; the lines in `got`, joined by '/' */
static th_status read_all(char *got, size_t size)
{
    th_corpus_lines *reader = NULL;
    th_buffer line = { 0 };
    th_error err = { .text = "" };
    size_t used = 0;
    th_status status = th_corpus_lines_open(path, NULL, &reader, &err);
    got[0] = '\0';
    while (status == TH_OK &&
           (status = th_corpus_lines_next(reader, &line, &err)) == TH_OK)
        used +=
            (size_t)snprintf(got + used, size - used, "%.*s/", (int)line.len, line.data);
    th_buffer_done(&line);
    th_corpus_lines_free(reader);
    (void)unlink(path);
    return status;
}

static const struct row {
    const char *in, *want;
} rows[] = {
    { "", "" },           { "one", "one/" },          { "one\n", "one/" },
    { "a\nb\n", "a/b/" }, { "\n\na\n\nb\n", "a/b/" }, { "\n", "" },
};

static void rows_hold(void **state)
{
    char got[64];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_plain(rows[i].in, strlen(rows[i].in));
        assert_int_equal(read_all(got, sizeof got), TH_END);
        assert_string_equal(got, rows[i].want);
        write_packed(rows[i].in, strlen(rows[i].in));
        assert_int_equal(read_all(got, sizeof got), TH_END);
        assert_string_equal(got, rows[i].want);
    }
}

static void long_lines(void **state)
{
    enum { LEN = 300000 };
    char *bytes = malloc(LEN + 3), *got = malloc(LEN + 16);
    (void)state;
    memset(bytes, 'x', LEN);
    memcpy(bytes + LEN, "\ny", 3);
    write_plain(bytes, LEN + 2);
    assert_int_equal(read_all(got, LEN + 16), TH_END);
    assert_int_equal(strlen(got), LEN + 3);
    free(bytes);
    free(got);
}

static void a_cut_file_is_told(void **state)
{
    char bytes[4096], got[8192];
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)('a' + i * i % 23);
    write_packed(bytes, sizeof bytes);
    assert_int_equal(truncate(path, 40), 0);
    assert_int_equal(read_all(got, sizeof got), TH_IO);
}

static void a_missing_file_is_told(void **state)
{
    th_corpus_lines *reader = NULL;
    th_error err = { .text = "" };
    (void)state;
    assert_int_equal(th_corpus_lines_open("no/such/file", NULL, &reader, &err), TH_IO);
    assert_non_null(strstr(err.text, "no/such/file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(a_cut_file_is_told),
        cmocka_unit_test(a_missing_file_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
