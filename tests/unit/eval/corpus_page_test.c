/* Lines of a corpus: valid pages and invalid lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "eval/corpus_page.h"

static th_status read_line(const char *line, th_corpus_page *page)
{
    const size_t len = strlen(line);
    char *exact = malloc(len + 1); /* a byte read too far is seen */
    memcpy(exact, line, len);
    const th_status status = th_corpus_page_read(page, (th_view){ exact, len }, NULL);
    free(exact);
    return status;
}

static void is_text(th_view view, const char *want)
{
    assert_non_null(view.data);
    assert_int_equal(view.len, strlen(want));
    assert_memory_equal(view.data, want, view.len);
}

static void all_members(void **state)
{
    static th_corpus_page page;
    (void)state;
    for (int round = 0; round < 2; round++) { /* a page is used again */
        assert_int_equal(
            read_line("{\"id\":\"a:1\",\"x\":{\"id\":\"no\"},\"url\":\"http://h/\","
                      "\"html_b64\":\"PGI+aGk8L2I+\",\"gold_text\":\"h\\u00edi\","
                      "\"encoding\":\"utf-8\",\"with\":[\"a\",\"b\"],\"without\":[],"
                      "\"labels\":[[\"html_b64\",1]]}",
                      &page),
            TH_OK);
        is_text(page.id, "a:1");
        is_text(page.url, "http://h/");
        is_text(page.html, "<b>hi</b>");
        is_text(page.gold, "h\xC3\xADi");
        is_text(page.encoding, "utf-8");
        assert_int_equal(page.with_count, 2);
        assert_int_equal(page.without_count, 0);
        is_text(page.with[1], "b");
    }
    assert_int_equal(
        read_line("{\"id\":\"b\",\"html_b64\":\"\",\"gold_text\":null}", &page), TH_OK);
    assert_null(page.gold.data);
    assert_int_equal(page.with_count, 0);
    assert_int_equal(page.html.len, 0);
    assert_int_equal(
        read_line("{\"id\":\"b\",\"html_b64\":\"\",\"gold_text\":\"\"}", &page), TH_OK);
    assert_non_null(page.gold.data); /* an empty gold is a gold */
    th_corpus_page_done(&page);
}

static void no_pages(void **state)
{
    static const char *const lines[] = {
        "",
        "[]",
        "{",
        "nonsense",
        "{\"id\":\"a\"}",
        "{\"html_b64\":\"\"}",
        "{\"id\":\"a\",\"html_b64\":\"!!\"}",
        "{\"id\":1,\"html_b64\":\"\"}",
        "{\"id\":\"a\",\"html_b64\":\"\"} {}",
    };
    static th_corpus_page page;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_int_equal(read_line(lines[i], &page), TH_BAD_WARC);
    th_corpus_page_done(&page);
}

static void snippets_have_a_limit(void **state)
{
    static th_corpus_page page;
    th_buffer line = { 0 };
    (void)state;
    th_buffer_append_text(&line, "{\"id\":\"a\",\"html_b64\":\"\",\"with\":[\"s\"");
    for (int i = 0; i < 2 * TH_SNIPPETS_MAX; i++)
        th_buffer_append_text(&line, ",\"s\"");
    th_buffer_append_text(&line, "]}");
    assert_int_equal(th_corpus_page_read(&page, th_buffer_view(&line), NULL), TH_OK);
    assert_int_equal(page.with_count, TH_SNIPPETS_MAX);
    th_corpus_page_done(&page);
    th_buffer_done(&line);
}

static void required_lines(void **state)
{
    static th_corpus_page page;
    (void)state;
    assert_int_equal(
        read_line(
            "{\"id\":\"a\",\"html\":\"\",\"lang\":\"de\",\"page_type\":\"article\","
            "\"required\":{\"ingredients\":[\"2 eggs\",\"salt\"],\"steps\":[\"Stir\"],"
            "\"none\":[]},\"generator\":\"Hugo\"}",
            &page),
        TH_OK);
    assert_int_equal(page.required_kind_count, 3);
    assert_int_equal(page.required_count, 3);
    is_text(page.required_kinds[0], "ingredients");
    is_text(page.required_kinds[1], "steps");
    is_text(page.required[1].text, "salt");
    assert_int_equal(page.required[1].kind, 0);
    is_text(page.required[2].text, "Stir");
    assert_int_equal(page.required[2].kind, 1);
    is_text(page.groups[TH_BY_PAGE_TYPE], "article");
    is_text(page.groups[TH_BY_LANGUAGE], "de");
    is_text(page.groups[TH_BY_GENERATOR], "Hugo");
    /* Lists without a kind are ignored. */
    assert_int_equal(
        read_line("{\"id\":\"a\",\"html\":\"\",\"required\":[[\"a\"],\"b\"]}", &page),
        TH_OK);
    assert_int_equal(page.required_count, 0);
    th_corpus_page_done(&page);
}

/* Reads a page with `kinds` kinds of required lines and `lines` lines of each. */
static th_status read_required(int kinds, int lines, th_corpus_page *page, th_error *err)
{
    th_buffer line = { 0 };
    th_buffer_append_text(&line, "{\"id\":\"a\",\"html\":\"\",\"required\":{");
    for (int i = 0; i < kinds; i++) {
        th_buffer_printf(&line, "%s\"k%d\":[", i ? "," : "", i);
        for (int k = 0; k < lines; k++)
            th_buffer_append_text(&line, k ? ",\"x\"" : "\"x\"");
        th_buffer_append_char(&line, ']');
    }
    th_buffer_append_text(&line, "}}");
    const th_status status = th_corpus_page_read(page, th_buffer_view(&line), err);
    th_buffer_done(&line);
    return status;
}

static void required_lines_have_limits(void **state)
{
    static th_corpus_page page;
    th_error err = { .text = "" };
    (void)state;
    assert_int_equal(read_required(TH_REQUIRED_KINDS_MAX, 1, &page, &err), TH_OK);
    assert_int_equal(read_required(TH_REQUIRED_KINDS_MAX + 1, 1, &page, &err),
                     TH_BAD_WARC);
    assert_non_null(strstr(err.text, "too many kinds of required lines"));
    assert_int_equal(read_required(1, TH_REQUIRED_MAX, &page, &err), TH_OK);
    assert_int_equal(read_required(1, TH_REQUIRED_MAX + 1, &page, &err), TH_BAD_WARC);
    assert_non_null(strstr(err.text, "too many required lines"));
    th_corpus_page_done(&page);
}

/* The header states the encoding. A long label is truncated. */
static void record_of_a_page(void **state)
{
    static const struct {
        const char *encoding, *type;
    } rows[] = {
        { NULL, "text/html" },
        { "windows-1252", "text/html; charset=windows-1252" },
        { "0123456789012345678901234567890123456789012345678901234567890123456789",
          "text/html; "
          "charset=012345678901234567890123456789012345678901234567890123456789" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *encoding = rows[i].encoding;
        const th_corpus_page page = {
            .url = TH_VIEW("https://a.example/"),
            .html = TH_VIEW("<p>a"),
            .encoding = { encoding, encoding ? strlen(encoding) : 0 },
        };
        char type[TH_CORPUS_TYPE_MAX];
        const th_record record = th_corpus_page_record(&page, type);
        assert_int_equal(record.kind, TH_RECORD_RESOURCE);
        assert_int_equal(record.content_type.len, strlen(rows[i].type));
        assert_string_equal(type, rows[i].type);
        assert_ptr_equal(record.content_type.data, type);
        assert_ptr_equal(record.block.data, page.html.data);
        assert_int_equal(record.block_len, page.html.len);
        assert_ptr_equal(record.url.data, page.url.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_members),
        cmocka_unit_test(required_lines),
        cmocka_unit_test(required_lines_have_limits),
        cmocka_unit_test(record_of_a_page),
        cmocka_unit_test(no_pages),
        cmocka_unit_test(snippets_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
