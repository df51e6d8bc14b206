/* Rows: Content-Type values, and the type of a payload by header and by its first bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parse/http/media_type.h"

struct value_row {
    const char *name, *value, *type, *charset;
};

/* clang-format off */
static const struct value_row values[] = {
    { "value: bare", "text/html", "text/html", NULL },
    { "value: with charset", "text/html; charset=utf-8", "text/html", "utf-8" },
    { "value: no spaces", "text/html;charset=utf-8", "text/html", "utf-8" },
    { "value: quoted charset", "text/html; charset=\"utf-8\"", "text/html", "utf-8" },
    { "value: single quotes", "text/html; charset='utf-8'", "text/html", "utf-8" },
    { "value: quote never closed", "text/html; charset=\"utf-8", "text/html", "utf-8" },
    { "value: quotes round all", "\"text/html; charset=utf-8\"", "text/html", "utf-8" },
    { "value: quotes round the type", "'text/html'; charset=utf-8", "text/html", "utf-8" },
    { "value: spaces round =", "text/html; charset = utf-8", "text/html", "utf-8" },
    { "value: no semicolon", "text/html charset=utf-8", "text/html", "utf-8" },
    { "value: repeated charset", "text/html; charset=; charset=a; charset=b", "text/html", "a" },
    { "value: list", "text/html, text/plain; charset=x", "text/html", "x" },
    { "value: other parameters", "text/html; a=b; Charset=x; c", "text/html", "x" },
    { "value: charset alone", "charset=utf-8", NULL, "utf-8" },
    { "value: separators only", " ;,; ", NULL, NULL },
    { "value: empty", "", NULL, NULL },
    { "value: folded", "text/html;\r\n charset=x", "text/html", "x" },
    { "value: no slash", "html", "html", NULL },
};
/* clang-format on */

struct media_row {
    const char *name, *type;
    const char *start;
    size_t start_len;
    th_media want;
    bool is_sniffed;
};

#define START(bytes) bytes, sizeof(bytes) - 1

/* clang-format off */
static const struct media_row media[] = {
    { "html as html", "text/html", START("<p>x"), TH_MEDIA_HTML, false },
    { "any case", "TEXT/Html", START("x"), TH_MEDIA_HTML, false },
    { "xhtml", "application/xhtml+xml", START("<?xml?>"), TH_MEDIA_XHTML, false },
    { "html of no bytes", "text/html", START(""), TH_MEDIA_HTML, false },
    { "text served as html", "text/html", START("just words"), TH_MEDIA_HTML, false },
    { "html with a NUL", "text/html", START("some \0 words, and more of them"), TH_MEDIA_HTML, false },
    { "html in UTF-16", "text/html", START("<\0h\0t\0m\0l\0>\0x\0"), TH_MEDIA_HTML, false },
    { "html in UTF-16 with mark", "text/html", START("\xFF\xFEx\0y\0z\0"), TH_MEDIA_HTML, false },
    { "pdf served as html", "text/html", START("%PDF-1.4\n"), TH_MEDIA_OTHER, true },
    { "png served as html", "text/html", START("\x89PNG\r\n\x1a\n...."), TH_MEDIA_OTHER, true },
    { "gzip served as html", "text/html", START("\x1f\x8b\x08\0\0"), TH_MEDIA_OTHER, true },
    { "binary served as html", "text/html", START("\1\2\3\4\5\6\7x\xff\xee"), TH_MEDIA_OTHER, true },
    { "image", "image/png", START("<html>"), TH_MEDIA_OTHER, false },
    { "css", "text/css", START("<html>"), TH_MEDIA_OTHER, false },
    { "xhtml served as xml", "text/xml", START("<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC"), TH_MEDIA_XHTML, true },
    { "feed served as xml", "application/xml", START("<?xml version='1.0'?><rss><a>&lt;html&gt;"), TH_MEDIA_OTHER, false },
    { "absent: doctype", "", START(" \n<!doctype HTML>"), TH_MEDIA_HTML, true },
    { "absent: tag", "", START("<TITLE>x"), TH_MEDIA_HTML, true },
    { "absent: tag not ended", "", START("<bogus>x"), TH_MEDIA_TEXT, true },
    { "absent: comment", "", START("<!--x"), TH_MEDIA_HTML, true },
    { "absent: after a mark", "", START("\xEF\xBB\xBF<html>"), TH_MEDIA_HTML, true },
    { "absent: UTF-16 with mark", "", START("\xFE\xFF\0<\0h\0t\0m\0l\0>\0x"), TH_MEDIA_HTML, true },
    { "absent: UTF-16 text", "", START("\xFF\xFEh\0i\0"), TH_MEDIA_TEXT, true },
    { "absent: xml with html", "", START("<?xml version='1.0'?>\r\n<html xmlns='x'>"), TH_MEDIA_XHTML, true },
    { "absent: xml", "", START("<?xml version='1.0'?><feed>"), TH_MEDIA_OTHER, true },
    { "absent: words", "", START("hello"), TH_MEDIA_TEXT, true },
    { "absent: one binary byte", "", START("hello\1"), TH_MEDIA_OTHER, true },
    { "absent: nothing", "", START(""), TH_MEDIA_TEXT, true },
    { "text/plain with html", "text/plain", START("<html><p>"), TH_MEDIA_HTML, true },
    { "text/plain", "text/plain", START("words"), TH_MEDIA_TEXT, true },
    { "octet stream with html", "application/octet-stream", START("<body >"), TH_MEDIA_HTML, true },
    { "octet stream", "application/octet-stream", START("PK\3\4"), TH_MEDIA_OTHER, true },
    { "any/any", "any/any", START("<div class=a>"), TH_MEDIA_HTML, true },
    { "not a media type", "idontexist", START("<h1>x"), TH_MEDIA_HTML, true },
    { "page called BM", "text/html", START("BM is a page"), TH_MEDIA_HTML, false },
};
/* clang-format on */

static char *exact(const char *bytes, size_t len)
{
    char *const copy = malloc(len ? len : 1);
    assert_non_null(copy);
    if (len)
        memcpy(copy, bytes, len);
    return copy;
}

static void assert_view(th_view view, const char *want)
{
    if (!want) {
        assert_null(view.data);
        return;
    }
    assert_int_equal(view.len, strlen(want));
    assert_memory_equal(view.data, want, view.len);
}

static void value_holds(void **state)
{
    const struct value_row *const row = *state;
    char *const value = exact(row->value, strlen(row->value));
    th_view type;
    th_view charset;
    th_content_type_parse((th_view){ value, strlen(row->value) }, &type, &charset);
    assert_view(type, row->type);
    assert_view(charset, row->charset);
    free(value);
}

static void media_holds(void **state)
{
    const struct media_row *const row = *state;
    char *const start = exact(row->start, row->start_len);
    const th_view type = { row->type, strlen(row->type) };
    bool sniffed = !row->is_sniffed;
    assert_int_equal(th_media_type(type, (th_view){ start, row->start_len }, &sniffed),
                     row->want);
    assert_int_equal(sniffed, row->is_sniffed);
    for (size_t cut = 0; cut < row->start_len;
         cut++) { /* no prefix is read past its end */
        char *const prefix = exact(row->start, cut);
        (void)th_media_type(type, (th_view){ prefix, cut }, &sniffed);
        free(prefix);
    }
    free(start);
}

int main(void)
{
    enum {
        VALUES = sizeof values / sizeof *values,
        MEDIA = sizeof media / sizeof *media
    };
    struct CMUnitTest tests[VALUES + MEDIA];
    for (size_t i = 0; i < VALUES; i++)
        tests[i] = (struct CMUnitTest){ values[i].name, value_holds, NULL, NULL,
                                        (void *)(uintptr_t)&values[i] };
    for (size_t i = 0; i < MEDIA; i++)
        tests[VALUES + i] = (struct CMUnitTest){ media[i].name, media_holds, NULL, NULL,
                                                 (void *)(uintptr_t)&media[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
