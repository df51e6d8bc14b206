/* Converts lines of indexes to names of records, and parses these names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/archive_place.h"
#include "ingest/pointer_line.h"

static th_arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = th_arena_new(0);
    return arena ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    th_arena_free(arena);
    return 0;
}

/* Target of a line; "" means no pointer, or "head", "refused". */
static const char *name_of(const char *line, th_pointer_columns *columns)
{
    const char *name = NULL;
    bool is_pointer = false;
    th_error err = { .text = "" };
    const th_status status =
        th_pointer_line_read(line, columns, arena, &name, &is_pointer, &err);
    if (status != TH_OK) {
        assert_int_equal(status, TH_USAGE);
        assert_true(*err.text);
        return "refused";
    }
    return !is_pointer ? "" : name ? name : "head";
}

static void json_and_cdxj(void **state)
{
    static const struct {
        const char *line, *name;
    } cases[] = {
        { "{\"filename\": \"a/b.warc.gz\", \"offset\": 12, \"length\": \"345\"}",
          "a/b.warc.gz#12,345" },
        { "{\"warc_filename\":\"x\",\"warc_record_offset\":\"0\",\"warc_record_length\":"
          "7}",
          "x#0,7" },
        { "{\"warc_filename\":\"x\",\"warc_offset\":5}", "x#5" },
        { "{\"filename\":\"x\",\"offset\":5,\"length\":\"many\"}", "x#5" },
        { "{\"filename\":\"s3://b/k.warc.gz\",\"offset\":5}", "s3://b/k.warc.gz#5" },
        { "com,example)/a b 20260101000000 {\"filename\":\"x\",\"offset\":5}", "" },
        { "com,example)/ 20260101000000 {\"filename\":\"x\",\"offset\":5}", "x#5" },
        { "{\"filename\":\"x\",\"offset\":5,\"a\":{\"filename\":\"y\",\"offset\":6}}",
          "x#5" },
        { "{\"a\":{\"b\":[{\"offset\":1}]},\"filename\":\"x\",\"offset\":5,\"length\":[7]"
          "}",
          "x#5" },
        { "{\"filename\":\"x\",\"offset\":5,\"length\":null}", "x#5" },
        { "{\"filename\":{\"y\":1},\"offset\":5}", "refused" },
        { "{\"filename\":[\"y\"],\"offset\":5}", "refused" },
        { "{\"filename\":[[\"y\"],\"z\"],\"offset\":5}", "refused" },
        { "{\"filename\":true,\"offset\":5}", "refused" },
        { "{\"filename\":\"x\",\"offset\":\"\"}", "refused" },
        { "{\"filename\":\"x\",\"offset\":999999999999999999}", "x#999999999999999999" },
        { "{\"filename\":\"x\",\"offset\":1000000000000000000}", "refused" },
        { "{\"filename\":\"../x\",\"offset\":5}", "refused" },
        { "{\"filename\":\"/x\",\"offset\":5}", "refused" },
        { "{\"filename\":\"x\"}", "refused" },
        { "{\"offset\":1}", "refused" },
        { "{\"filename\":\"x\",\"offset\":-1}", "refused" },
        { "{\"filename\":\"x\",", "refused" },
        { "a/b.warc.gz", "" },
        { "a,b.warc.gz", "" },
        { "a {b.warc.gz", "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        th_pointer_columns columns = { 0 };
        assert_string_equal(name_of(cases[i].line, &columns), cases[i].name);
    }
}

static void csv(void **state)
{
    (void)state;
    th_pointer_columns columns = { 0 };
    assert_string_equal(
        name_of("url,warc_filename,warc_record_offset,warc_record_length", &columns),
        "head");
    assert_string_equal(name_of("http://a/,x.warc.gz,5,6", &columns), "x.warc.gz#5,6");
    assert_string_equal(name_of("\"http://a/?q=\"\"1,2\"\"\",\"x,y.gz\",5,6", &columns),
                        "x,y.gz#5,6");
    assert_string_equal(name_of("http://a/,x.warc.gz,5,", &columns), "x.warc.gz#5");
    assert_string_equal(name_of("http://a/,x.warc.gz", &columns), "refused");
    assert_string_equal(name_of("http://a/,../x,5,6", &columns), "refused");
    assert_string_equal(name_of("\"", &columns), "refused");
}

static void places(void **state)
{
    th_archive_place place;
    (void)state;
    assert_true(th_archive_place_read("a#b.gz#12+3,45", &place));
    assert_int_equal(place.name_len, 6);
    assert_int_equal(place.offset, 12);
    assert_int_equal(place.skip, 3);
    assert_int_equal(place.length, 45);
    assert_true(th_archive_place_read("s3://b/k#0", &place));
    assert_int_equal(place.length, 0);
    static const char *const others[] = {
        "a.gz",   "#1",   "a#",   "a#x",  "a#1x",
        "a#1+",   "a#1,", "a#-1", "a# 1", "a#99999999999999999999",
        "a#1,2+3"
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(th_archive_place_read(others[i], &place));
}

/* Answers of CDX servers: wayback's arrays, pywb's rows, and files with a head. */
static void cdx(void **state)
{
    static const struct {
        const char *line, *name;
    } cases[] = {
        { "[[\"urlkey\",\"timestamp\",\"filename\",\"length\",\"offset\"],", "head" },
        { "[\"com,example)/\", \"20260101000000\", \"a\\/b.warc.gz\",\"345\",\"12\"],",
          "a/b.warc.gz#12,345" },
        { "[\"com,example)/a\\\"b,c\",\"20260101000000\",\"x\",\"7\",\"1\"]]", "x#1,7" },
        { "[\"com,example)/\",\"20260101000000\",\"../x\",\"7\",\"1\"]", "refused" },
        { "]", "head" },
    };
    static const struct {
        const char *line, *name;
    } rows[] = {
        { "com,example)/ 20260101000000 http://example.com/ text/html 200 ABC - - 345 12 "
          "a/b.warc.gz",
          "a/b.warc.gz#12,345" },
        { "com,example)/ 2026 http://example.com/ text/html 200 ABC - - 345 12 a.warc.gz",
          "" },
        { "com,example)/ 20260101000000 http://example.com/ text/html 200 ABC - - x 12 a",
          "" },
        { "com,example)/ 20260101000000 http://example.com/ text/html 200 ABC 345", "" },
        { " CDX N b a m s k r V g", "head" },
        { "com,example)/ 20260101000000 http://example.com/ text/html 200 ABC - 12 x.arc",
          "x.arc#12" },
        { " CDX N b a m s k r M S V g", "head" },
        { "com,example)/ 20260101000000 http://example.com/ text/html 200 ABC - - 9 8 y",
          "y#8,9" },
        { "too few fields", "refused" },
    };
    static const char *const refused[] = { " CDX N b a", "[[\"urlkey\",\"length\"]," };
    th_pointer_columns columns = { .rows = TH_ROWS_NONE };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(name_of(cases[i].line, &columns), cases[i].name);
    columns = (th_pointer_columns){ .rows = TH_ROWS_NONE };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(name_of(rows[i].line, &columns), rows[i].name);
    columns = (th_pointer_columns){ .rows = TH_ROWS_NONE };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_string_equal(name_of(refused[i], &columns), "refused");
    assert_string_equal(name_of("[a] b.warc", &columns), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(json_and_cdxj, set_up, tear_down),
        cmocka_unit_test_setup_teardown(csv, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cdx, set_up, tear_down),
        cmocka_unit_test(places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
