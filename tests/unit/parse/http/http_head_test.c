/* Rows: headers of servers, crawlers and archives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "parse/http/http_head.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define HTML "Content-Type: text/html\r\n"

struct row {
    const char *name, *in; /* without the body, which each test adds */
    int status;
    const char *content_type, *media_type, *charset; /* NULL: absent */
    const char *codings;                             /* "gdbz" in the order applied */
    bool is_chunked, is_unknown, is_malformed;
};

/* clang-format off */
static const struct row rows[] = {
    { "plain", OK HTML "\r\n", 200, "text/html", "text/html", NULL, "", 0, 0, 0 },
    { "no fields", OK "\r\n", 200, NULL, NULL, NULL, "", 0, 0, 0 },
    { "http/2 without a reason", "HTTP/2 204 \r\n\r\n", 204, NULL, NULL, NULL, "", 0, 0, 0 },
    { "no reason phrase", "HTTP/1.1 200\r\n\r\n", 200, NULL, NULL, NULL, "", 0, 0, 1 },
    { "status 0", "HTTP/1.1 0 No Content\r\n\r\n", 0, NULL, NULL, NULL, "", 0, 0, 1 },
    { "no status", "HTTP/1.1\r\n\r\n", 0, NULL, NULL, NULL, "", 0, 0, 1 },
    { "status is a word", "HTTP/1.1 OK\r\n\r\n", 0, NULL, NULL, NULL, "", 0, 0, 1 },
    { "status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", 0, NULL, NULL, NULL, "", 0, 0, 1 },
    { "status glued to reason", "HTTP/1.1 404Not\r\n\r\n", 404, NULL, NULL, NULL, "", 0, 0, 1 },
    { "many blanks", "HTTP/1.1 \t 302   Found\r\n\r\n", 302, NULL, NULL, NULL, "", 0, 0, 1 },
    { "lower case http", "http/1.1 200 OK\r\n\r\n", 200, NULL, NULL, NULL, "", 0, 0, 1 },
    { "blank lines before", "\r\n\n" OK HTML "\r\n", 200, "text/html", "text/html", NULL, "", 0, 0, 1 },
    { "a blank line before", "\n" OK HTML "\r\n", 200, "text/html", "text/html", NULL, "", 0, 0, 1 },
    { "LF only", "HTTP/1.0 200 OK\nContent-Type: text/html\n\n", 200, "text/html", "text/html", NULL, "", 0, 0, 1 },
    { "CR CR LF", "HTTP/1.0 200 OK\r\r\nContent-Type: text/html\r\r\n\r\r\n", 200, "text/html", "text/html", NULL, "", 0, 0, 1 },
    { "folded", OK "Content-Type: text/html;\r\n\tcharset=koi8-r\r\n\r\n", 200, "text/html;\r\n\tcharset=koi8-r", "text/html", "koi8-r", "", 0, 0, 1 },
    { "folded before the value", OK "Content-Type:\r\n text/html\r\n\r\n", 200, "text/html", "text/html", NULL, "", 0, 0, 1 },
    { "folded with nothing before", OK " junk: 1\r\n" HTML "\r\n", 200, "text/html", "text/html", NULL, "", 0, 0, 1 },
    { "no colon", OK "this is junk\r\n" HTML "\r\n", 200, "text/html", "text/html", NULL, "", 0, 0, 1 },
    { "blank before the colon", OK "Content-Type : text/html\r\n\r\n", 200, "text/html", "text/html", NULL, "", 0, 0, 1 },
    { "name with a space", OK "Power by: x\r\n" HTML "\r\n", 200, "text/html", "text/html", NULL, "", 0, 0, 1 },
    { "control characters", OK "\x01" "Content-Type:\x02text/html\x7f\r\nX\x03Y: 1\r\n\r\n", 200, "text/html", "text/html", NULL, "", 0, 0, 1 },
    { "empty name", OK ": x\r\n\r\n", 200, NULL, NULL, NULL, "", 0, 0, 1 },
    { "odd case", OK "cONTENT-tYPE:Text/HTML\r\n\r\n", 200, "Text/HTML", "Text/HTML", NULL, "", 0, 0, 0 },
    { "repeated type, first wins", OK "Content-Type: text/html; charset=utf-8\r\nContent-Type: text/plain\r\n\r\n", 200, "text/html; charset=utf-8", "text/html", "utf-8", "", 0, 0, 0 },
    { "repeated type, first empty", OK "Content-Type: \r\nContent-Type: text/html\r\n\r\n", 200, "text/html", "text/html", NULL, "", 0, 0, 0 },
    { "repeated charset", OK "Content-Type: text/html; charset=a; charset=b\r\n\r\n", 200, "text/html; charset=a; charset=b", "text/html", "a", "", 0, 0, 0 },
    { "quoted type", OK "Content-Type: \"text/html; charset=utf-8\"\r\n\r\n", 200, "\"text/html; charset=utf-8\"", "text/html", "utf-8", "", 0, 0, 0 },
    { "gzip", OK "Content-Encoding: gzip\r\n\r\n", 200, NULL, NULL, NULL, "g", 0, 0, 0 },
    { "stacked", OK "Content-Encoding: x-gzip, Deflate\r\nContent-Encoding: br ,zstd\r\n\r\n", 200, NULL, NULL, NULL, "gdbz", 0, 0, 0 },
    { "identity is not a coding", OK "Content-Encoding: identity, gzip,\r\n\r\n", 200, NULL, NULL, NULL, "g", 0, 0, 0 },
    { "unknown hides what is under it", OK "Content-Encoding: gzip, foo, br\r\n\r\n", 200, NULL, NULL, NULL, "b", 0, 1, 0 },
    { "chunked twice", OK "Transfer-Encoding: chunked, Chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 200, NULL, NULL, NULL, "", 1, 0, 0 },
    { "gzip under chunked", OK "Transfer-Encoding: gzip, chunked\r\nContent-Encoding: br\r\n\r\n", 200, NULL, NULL, NULL, "bg", 1, 0, 0 },
    { "chunked is not a content coding", OK "Content-Encoding: chunked\r\n\r\n", 200, NULL, NULL, NULL, "", 0, 1, 0 },
    { "parameters of a coding", OK "Content-Encoding: \"gzip\";q=1.0\r\n\r\n", 200, NULL, NULL, NULL, "g", 0, 0, 0 },
};
/* clang-format on */

static void assert_view(th_view view, const char *want)
{
    if (!want) {
        assert_null(view.data);
        return;
    }
    assert_non_null(view.data);
    assert_int_equal(view.len, strlen(want));
    assert_memory_equal(view.data, want, view.len);
}

/* The bytes of a literal, without its NUL. */
static void put(char *to, const char *from)
{
    while (*from)
        *to++ = *from++;
}

/* An exact copy, so that a sanitizer sees one byte read too far. */
static char *exact(const char *bytes, size_t len)
{
    char *const copy = malloc(len ? len : 1);
    assert_non_null(copy);
    if (len)
        memcpy(copy, bytes, len);
    return copy;
}

static void assert_head(const th_http_head *head, const struct row *row)
{
    static const char letters[] = "gdbz";
    assert_int_equal(head->status, row->status);
    assert_view(head->content_type, row->content_type);
    assert_view(head->media_type, row->media_type);
    assert_view(head->charset, row->charset);
    assert_int_equal(head->is_chunked, row->is_chunked);
    assert_int_equal(head->is_coding_unknown, row->is_unknown);
    assert_int_equal(head->is_malformed, row->is_malformed);
    assert_int_equal(head->coding_count, strlen(row->codings));
    for (uint32_t i = 0; i < head->coding_count; i++)
        assert_int_equal(letters[head->codings[i]], row->codings[i]);
}

static void row_holds(void **state)
{
    const struct row *const row = *state;
    const size_t head_len = strlen(row->in);
    char with_body[512];
    th_http_head head;
    const size_t len =
        (size_t)snprintf(with_body, sizeof with_body, "%s<html>:\n\n", row->in);

    char *bytes = exact(with_body, len);
    assert_int_equal(th_http_head_parse((th_view){ bytes, len }, 65536, false, &head),
                     TH_OK);
    assert_int_equal(head.head_len, head_len);
    assert_head(&head, row);
    free(bytes);

    for (size_t cut = 0; cut < head_len; cut++) { /* every prefix waits */
        bytes = exact(with_body, cut);
        const th_view prefix = { bytes, cut };
        assert_int_equal(th_http_head_parse(prefix, 65536, false, &head), TH_NEED_MORE);
        assert_int_equal(th_http_head_parse(prefix, head_len - 1, false, &head),
                         cut == head_len - 1 ? TH_TOO_LARGE : TH_NEED_MORE);
        /* or is used unchanged if nothing follows */
        const th_status whole = th_http_head_parse(prefix, 65536, true, &head);
        assert_true(whole == TH_OK || whole == TH_BAD_HTTP);
        if (whole == TH_OK)
            assert_int_equal(head.head_len, cut);
        free(bytes);
    }
}

static void not_a_head(void **state)
{
    static const char *const blocks[] = { "<html>",         "HTTPX/1.1 200 OK\r\n\r\n",
                                          "GET / HTTP/1.1", "HTTP",
                                          "\r\n\r\n<p>",    "X" };
    (void)state;
    th_http_head head = { .status = 77 };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        assert_int_equal(th_http_head_parse((th_view){ blocks[i], strlen(blocks[i]) },
                                            100, true, &head),
                         TH_BAD_HTTP);
    assert_int_equal(th_http_head_parse((th_view){ NULL, 0 }, 100, true, &head),
                     TH_BAD_HTTP);
    assert_int_equal(head.status, 77); /* untouched */
}

static void cut_off_head_stands(void **state)
{
    (void)state;
    const th_view block = TH_VIEW(OK "Content-Type: text/html; char");
    th_http_head head;
    assert_int_equal(th_http_head_parse(block, 1000, true, &head), TH_OK);
    assert_int_equal(head.head_len, block.len);
    assert_view(head.media_type, "text/html");
    assert_true(head.is_malformed);
}

static void more_codings_than_fit(void **state)
{
    (void)state;
    const th_view block =
        TH_VIEW(OK "Content-Encoding: br,br,br,br,br,br,br,br,br,gzip\r\n\r\n");
    th_http_head head;
    assert_int_equal(th_http_head_parse(block, 1000, true, &head), TH_OK);
    assert_int_equal(head.coding_count, 10);
}

/* Reliability 31: a header block without end, and 100,000 lines. */
static void flood_is_linear(void **state)
{
    (void)state;
    enum { LINES = 100000 };
    static const char *const lines[] = { "A: b\r\n", " folded\r\n", "junk\n", ":\r\n",
                                         "Content-Encoding: gzip\r\n" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const size_t line_len = strlen(lines[i]);
        const size_t start_len = strlen(OK);
        const size_t len = start_len + LINES * line_len + 2;
        char *const bytes = malloc(len);
        assert_non_null(bytes);
        put(bytes, OK);
        for (size_t n = 0; n < LINES; n++)
            put(bytes + start_len + n * line_len, lines[i]);
        put(bytes + len - 2, "\r\n");
        th_http_head head;
        const clock_t before = clock();
        assert_int_equal(th_http_head_parse((th_view){ bytes, len }, len, true, &head),
                         TH_OK);
        assert_int_equal(head.head_len, len);
        assert_int_equal(
            th_http_head_parse((th_view){ bytes, len - 2 }, 65536, true, &head),
            TH_TOO_LARGE);
        assert_true(clock() - before < CLOCKS_PER_SEC);
        free(bytes);
    }
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 4];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(not_a_head);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(cut_off_head_stands);
    tests[ROWS + 2] = (struct CMUnitTest)cmocka_unit_test(more_codings_than_fit);
    tests[ROWS + 3] = (struct CMUnitTest)cmocka_unit_test(flood_is_linear);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
