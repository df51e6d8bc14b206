/* The headline of pages, by the labels of their paragraphs. */
#include "write/page_headline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "thresher/parse.h"

/* Labels: "c" for content and "b" for boilerplate, of each paragraph. */
// clang-format off
static const struct row {
    const char *name, *html, *labels, *headline;
} rows[] = {
    { "the content begins with it", "<title>A guide - Docs</title><h1>A guide</h1><p>b", "cc", NULL },
    { "a heading outside the content", "<title>A guide - Docs</title><h1>A guide</h1><p>b<p>c", "bcc", "A guide" },
    { "the only heading of the first level", "<title>Docs</title><p>menu<h1>Usage</h1><p>b", "bcc", NULL },
    { "a line before the content that is the title after a colon",
      "<title>Lib: Guide: locator</title><div>Lib 3</div><div>Guide: locator</div><h1>Usage</h1><p>b", "bbcc", "Guide: locator" },
    { "such a line, and a section with the words of the title",
      "<title>Lib: The large scheduler</title><div>The large scheduler</div><h1>Contents</h1><p>b<h1>Scheduler</h1><p>c", "bcccc", "The large scheduler" },
    { "a title that is not on the page", "<title>A guide - Docs</title><h2>Name</h2><p>b", "cc", "A guide - Docs" },
    { "the content begins with a heading that has all its words",
      "<title>extended</title><h2>Extended override syntax</h2><p>b", "cc", NULL },
    { "with a lower heading", "<title>extended</title><h3>Extended override syntax</h3><p>b", "cc", "extended" },
    { "with a heading that has two thirds of its words",
      "<title>Threads run code</title><h2>Code in two threads</h2><p>b", "cc", "Threads run code" },
    { "with a heading that has all words of its first part",
      "<title>Run threads - Chapter 3 - The book of books</title><h2>How to run two threads</h2><p>b", "cc", NULL },
    { "with the first part before a line",
      "<title>Threads_Code_Books</title><h1>Code with threads</h1><p>b", "cc", NULL },
    { "with a heading that has words of its last part",
      "<title>Guide | Threads</title><h2>Two threads</h2><p>b", "cc", "Guide" },
    { "with a heading in Chinese",
      "<title>\xE4\xBD\xBF\xE7\x94\xA8\xE7\xBA\xBF\xE7\xA8\x8B</title><h2>\xE7\xBA\xBF\xE7\xA8\x8B\xE7\x9A\x84\xE4\xBD\xBF\xE7\x94\xA8</h2><p>b", "cc", NULL },
    { "a paragraph before such a heading",
      "<title>extended</title><p>a<h2>Extended override syntax</h2><p>b", "ccc", "extended" },
    { "a line far before the content",
      "<title>Lib: Guide</title><div>Guide</div><p>a<p>b<p>c<p>d<h1>Usage</h1><p>e", "bbbbbcc", NULL },
};
// clang-format on

static void finds_it(void **state)
{
    const struct row *row = *state;
    th_options opt;
    th_options_init(&opt);
    th_parser *parser = th_parser_new(&opt);
    th_arena *arena = th_arena_new(0);
    const th_document document = { .bytes = { row->html, strlen(row->html) },
                                   .url = TH_VIEW("http://example.org/") };
    th_page *page = NULL;
    th_page_headline found;
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    assert_int_equal(page->paragraph_count, strlen(row->labels));
    page->paragraph_label_of = th_arena_calloc(arena, page->paragraph_count, 1);
    assert_non_null(page->paragraph_label_of);
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        page->paragraph_label_of[i] = row->labels[i] == 'c' ? TH_CONTENT : TH_BOILERPLATE;
    assert_int_equal(th_page_headline_find(page, 1, &found), TH_OK);
    const th_view text = found.paragraph == TH_NONE
                             ? found.title
                             : th_paragraph_text(page, found.paragraph);
    assert_int_equal(text.len, row->headline ? strlen(row->headline) : 0);
    if (row->headline)
        assert_memory_equal(text.data, row->headline, text.len);
    th_arena_free(arena);
    th_parser_free(parser);
}

int main(void)
{
    struct CMUnitTest tests[sizeof rows / sizeof *rows];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = finds_it,
                                        .initial_state = (void *)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
