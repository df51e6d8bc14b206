/* src/ingest/rendered_copies.c: which copy a page takes, and the limit of copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest/rendered_copies.h"
#include "page/rendered_name.h"

/* Copies of the archive, in this order. The text of a copy is its place in the table. */
static const struct {
    const char *url, *date;
} copies[] = {
    { "urn:text:http://a.example/", "2026-01-01T00:00:01.866Z" },    /* 0 */
    { "urn:dom:http://a.example/#top", "2026-01-01T00:00:01.867Z" }, /* 1 */
    { "urn:domFinal:http://a.example/", "2026-01-01T00:00:03Z" },    /* 2 */
    { "urn:dom:http://a.example/", "2026-01-01T00:01:00Z" },         /* 3 */
    { "urn:textFinal:http://b.example/", "2026-01-01T00:00:00Z" },   /* 4 */
    { "urn:text:http://b.example/", "2026-01-01T00:00:00Z" },        /* 5 */
    { "urn:pageinfo:http://b.example/", "2026-01-01T00:00:00Z" },    /* 6 */
    { "urn:dom:http://c.example/", "2026-01-01T00:00:00Z" },         /* 7 */
    { "http://d.example/", "2026-01-01T00:00:00Z" },                 /* 8 */
};
enum { COPIES = sizeof copies / sizeof *copies };

static void write_archive(char path[32])
{
    (void)strcpy(path, "/tmp/rendered.XXXXXX");
    FILE *file = fdopen(mkstemp(path), "wb");
    assert_non_null(file);
    for (int i = 0; i < COPIES; i++)
        assert_true(fprintf(file,
                            "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: %s\r\n"
                            "WARC-Date: %s\r\nContent-Type: text/html\r\n"
                            "Content-Length: 6\r\n\r\ncopy %d\r\n\r\n",
                            copies[i].url, copies[i].date, i) > 0);
    assert_int_equal(fclose(file), 0);
}

static void keep(void *context, const char *line)
{
    (void)snprintf(context, 200, "%s", line);
}

static th_rendered_copies *find(const char *use, const char *path, uint32_t max,
                                char *warning)
{
    static const char *inputs[1];
    inputs[0] = path;
    const th_rendered_options options = { .use = use,
                                          .inputs = inputs,
                                          .input_count = 1,
                                          .max_record = 1000,
                                          .max_copies = max,
                                          .warn = keep,
                                          .warn_context = warning };
    th_rendered_copies *found = NULL;
    assert_int_equal(th_rendered_copies_new(&options, &found, NULL), TH_OK);
    return found;
}

/* Returns the number of the copy that a page takes, -1 for none. */
static int joined(th_rendered_copies *found, th_batch *batch, th_record record)
{
    warc_error error = { .text = "" };
    th_arena_reset(batch->arena);
    assert_int_equal(th_rendered_copies_join(found, &record, batch, &error), TH_OK);
    if (!record.rendered.data)
        return -1;
    assert_int_equal(record.rendered.len, 6);
    const int number = record.rendered.data[5] - '0';
    th_view page;
    const th_rendered_kind kind = th_rendered_kind_of(
        (th_view){ copies[number].url, strlen(copies[number].url) }, &page);
    assert_int_equal(record.rendered_type.len, kind >= TH_RENDERED_DOM ? 3 : 4);
    return number;
}

static void a_page_takes_the_copy_of_its_capture(void **state)
{
    (void)state;
    static const struct {
        const char *url, *date;
        int dom, text; /* copies that it takes with these options */
    } rows[] = {
        { "http://a.example/", "2026-01-01T00:00:00Z", 2, 2 },
        { "http://a.example/", "2026-01-01T00:00:01.999Z", 2, 2 }, /* whole seconds */
        { "http://a.example/#x", "2026-01-01T00:00:02Z", 2, 2 },
        { "http://a.example/", "2026-01-01T00:00:04Z", 3, 3 },
        { "http://a.example/", "2026-01-01T00:01:01Z", -1, -1 },
        { "http://a.example/", NULL, 2, 2 },
        { "http://b.example/", "2026-01-01", -1, 4 },
        { "http://c.example", "2026-01-01T00:00:00Z", -1, -1 },
        { "http://d.example/", "2026-01-01T00:00:00Z", -1, -1 },
        { NULL, NULL, -1, -1 },
    };
    char path[32], warning[200] = "";
    write_archive(path);
    th_batch *batch = calloc(1, sizeof *batch);
    assert_non_null(batch);
    batch->arena = th_arena_new(0);
    th_rendered_copies *dom = find("dom", path, 0, warning);
    th_rendered_copies *text = find("text", path, 0, warning);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_record record = { .kind = TH_RECORD_RESPONSE };
        if (rows[i].url)
            record.url = (th_view){ rows[i].url, strlen(rows[i].url) };
        if (rows[i].date)
            record.date = (th_view){ rows[i].date, strlen(rows[i].date) };
        assert_int_equal(joined(dom, batch, record), rows[i].dom);
        assert_int_equal(joined(text, batch, record), rows[i].text);
        record.kind = TH_RECORD_REVISIT;
        assert_int_equal(joined(text, batch, record), -1);
    }
    assert_string_equal(warning, "");
    th_rendered_copies_report(dom);
    assert_string_equal(warning, "rendered: 1 copies belong to no page");
    th_rendered_copies_free(dom);
    th_rendered_copies_free(text);

    /* Copies beyond the limit are counted. */
    th_rendered_copies *few = find("dom", path, 2, warning);
    assert_string_equal(warning, "rendered: 5 copies are beyond the limit of 2; their "
                                 "pages are read from their own records");
    const th_record page = { .kind = TH_RECORD_RESPONSE,
                             .url = TH_VIEW("http://a.example/") };
    assert_int_equal(joined(few, batch, page), 1);
    th_rendered_copies_free(few);

    /* An archive that is gone costs a warning for each page. */
    th_rendered_copies *gone = find("dom", path, 0, warning);
    (void)unlink(path);
    assert_int_equal(joined(gone, batch, page), -1);
    assert_non_null(strstr(warning, "rendered copy cannot be read"));
    th_rendered_copies_free(gone);
    th_arena_free(batch->arena);
    free(batch);
}

static void names_of_copies(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        th_rendered_kind kind;
    } rows[] = {
        { "urn:dom:http://a/", TH_RENDERED_DOM },
        { "urn:domFinal:http://a/", TH_RENDERED_DOM_FINAL },
        { "urn:text:http://a/", TH_RENDERED_TEXT },
        { "urn:textFinal:http://a/", TH_RENDERED_TEXT_FINAL },
        { "urn:dom:", TH_RENDERED_NONE },
        { "urn:domain:http://a/", TH_RENDERED_NONE },
        { "urn:view:http://a/", TH_RENDERED_NONE },
        { "http://a/?urn:dom:http://a/", TH_RENDERED_NONE },
        { "", TH_RENDERED_NONE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t len = strlen(rows[i].url);
        char *url = malloc(len + 1); /* without the NUL: reads beyond are found */
        assert_non_null(url);
        memcpy(url + 1, rows[i].url, len);
        th_view page = { NULL, 0 };
        assert_int_equal(th_rendered_kind_of((th_view){ url + 1, len }, &page),
                         rows[i].kind);
        if (rows[i].kind != TH_RENDERED_NONE)
            assert_memory_equal(page.data, "http://a/", page.len);
        free(url);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_takes_the_copy_of_its_capture),
        cmocka_unit_test(names_of_copies),
    };
    return cmocka_run_group_tests_name("rendered_copies", tests, NULL, NULL);
}
