/* Labels of paragraphs: a page, its gold, and a letter for each paragraph (content,
 * boilerplate, or unlabelled). */
#include "lab/features/paragraph_gold.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "thresher/parse.h"

/* clang-format off */
static const struct row {
    const char *name, *html, *gold, *labels;
} rows[] = {
    { "all of it", "<p>one two three four<p>five six seven eight", "one two three four five six seven eight", "cc" },
    { "none of it", "<p>one two three four<p>five six seven eight", "nine ten", "bb" },
    { "half of a paragraph", "<p>one two three four", "one two", "c" },
    { "under half", "<p>one two three four five", "one two", "-" },
    { "under a fifth", "<p>one two three four five six", "one", "b" },
    { "punctuation and case", "<p>One, two: THREE four.", "one two (three) four", "c" },
    { "in order", "<p>five six seven eight<p>one two three four five", "one two three four five", "bc" },
    { "a short one before content", "<p>two words<p>one two three four", "two words one two three four", "cc" },
    { "a short one after it", "<p>one two three four<p>two words", "one two three four two words", "cc" },
    { "short ones in a row", "<ul><li>a<li>b<li>c</ul><p>one two three four", "a b c one two three four", "cccc" },
    { "a short one elsewhere", "<p>four<p>x<p>one two three four five<p>six", "zero four zero one two three four five", "bbcb" },
    { "a stray word above", "<p>in the cart<p>the cat sat on mats", "the cat sat on mats", "bc" },
    { "a stray word below", "<p>the cat sat on mats<p>buy mats here", "the cat sat on mats", "cb" },
    { "text without words", "<p>* * *<p>one two three four", "one two three four", "-c" },
    { "no script of spaces", "<p>\u4e00\u4e8c\u4e09\u56db\u4e94<p>\u516d\u4e03", "\u4e00\u4e8c\u4e09\u56db\u4e94", "cb" },
    { "hidden text too", "<div hidden>one two three four</div>five six", "one two three four", "cb" },
};
/* clang-format on */

static th_parser *parser;
static th_arena *arena;
static th_page_words words;

static th_page *parse(const char *html)
{
    const th_document document = { .bytes = { html, strlen(html) },
                                   .charset = TH_VIEW("utf-8") };
    th_page *page = NULL;
    th_arena_reset(arena);
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    return page;
}

static void labels_are(const th_page *page, const th_paragraph_gold *gold,
                       const char *labels)
{
    char seen[64] = "";
    assert_true(page->paragraph_count < sizeof seen);
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        seen[i] = "bc-"[gold->label[i]];
    assert_string_equal(seen, labels);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_paragraph_gold gold;
    const th_corpus_page known = { .gold = { row->gold, strlen(row->gold) } };
    const th_page *page = parse(row->html);
    assert_int_equal(th_paragraph_gold_of(&words, &known, page, arena, &gold), TH_OK);
    labels_are(page, &gold, row->labels);
}

static void snippets(void **state)
{
    (void)state;
    th_paragraph_gold gold;
    th_corpus_page known = { .with_count = 1, .without_count = 2 };
    known.with[0] = TH_VIEW("is the content");
    known.without[0] = TH_VIEW("Related links");
    known.without[1] = TH_VIEW("a");
    const th_page *page = parse("<p>This is the content of it.<p>Related links<p>other");
    assert_int_equal(th_paragraph_gold_of(&words, &known, page, arena, &gold), TH_OK);
    labels_are(page, &gold, "cb-");
    assert_int_equal(gold.gold_words, 0);
}

static void shares(void **state)
{
    (void)state;
    th_paragraph_gold gold;
    const th_corpus_page known = { .gold = TH_VIEW("one two three") };
    const th_page *page = parse("<p>one two three four<p>five");
    assert_int_equal(th_paragraph_gold_of(&words, &known, page, arena, &gold), TH_OK);
    assert_int_equal(gold.aligned[0], 191);
    assert_int_equal(gold.aligned[1], 0);
    assert_int_equal(gold.gold_words, 3);
    assert_int_equal(gold.page_words, 5);
}

static int set_up(void **state)
{
    (void)state;
    th_options opt;
    th_options_init(&opt);
    opt.reads = TH_READS_HIDDEN;
    parser = th_parser_new(&opt);
    arena = th_arena_new(0);
    return !parser || !arena || th_page_words_init(&words) != TH_OK;
}

static int tear_down(void **state)
{
    (void)state;
    th_parser_free(parser);
    th_arena_free(arena);
    th_page_words_done(&words);
    return 0;
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(snippets);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(shares);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
