/* src/inspect/line_wrap.c: rows, and that any text has the lines that the model counted.
 */
#include "inspect/line_wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "make_page.h"
#include "thresher/parse.h"

/* Lines that the sink received, joined by '|', as in the text. */
struct told {
    char text[4096];
    size_t len;
    uint32_t lines, tokens, last_tokens;
};

static void note(void *context, th_view line, uint32_t tokens)
{
    struct told *told = context;
    assert_true(line.len > 0);
    if (told->len + line.len + 1 < sizeof told->text) {
        if (told->lines)
            told->text[told->len++] = '|';
        memcpy(told->text + told->len, line.data, line.len);
        told->len += line.len;
    }
    told->lines++;
    told->tokens += tokens;
    told->last_tokens = tokens;
}

/* clang-format off */
static const struct row {
    const char *name, *text;
    uint32_t w_max;
    const char *want;
} rows[] = {
    { "one word", "light", 80, "light" },
    { "just fits", "ab cd", 5, "ab cd" },
    { "one too many", "ab cde", 5, "ab|cde" },
    { "a long word stands alone", "a bcdefgh i", 3, "a|bcdefgh|i" },
    { "no token, still a word", "| -", 2, "||-" },
    { "wide letters count twice", "ＡＢ ＣＤ", 5, "ＡＢ|ＣＤ" },
    { "between ICU's words", "我们中国人民", 4, "我们|中国|人民" },
    { "where scripts meet", "iPhone手机", 6, "iPhone|手机" },
    { "a space stays within a line", "中国 人民", 9, "中国 人民" },
    { "a blank counts", "中国 人民", 8, "中国|人民" },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    struct told told = { .len = 0 };
    th_line_wrap *wrap = th_line_wrap_new(row->w_max);
    assert_non_null(wrap);
    assert_int_equal(
        th_line_wrap_text(wrap, (th_view){ row->text, strlen(row->text) }, note, &told),
        TH_OK);
    told.text[told.len] = '\0';
    assert_string_equal(told.text, row->want);
    th_line_wrap_free(wrap);
}

/* A page of paragraphs with all kinds of words and spaces, with links in the middle. */
static size_t make_html(uint64_t *seed, char *html, size_t capacity)
{
    static const char *const pieces[] = {
        "a",
        "word ",
        "two words ",
        "-",
        " | ",
        "&nbsp;",
        "\n",
        "<a>",
        "</a>",
        "<p>",
        "中",
        "中国",
        "ひらがな",
        "ไทย",
        "ภาษาไทย",
        "Ａ",
        "é",
        "𝄞",
        "😀",
        "supercalifragilistic",
        "<b>",
        "</b>",
        "3.14 ",
        "，",
        "한국어 ",
        "א",
        "&#x1F468;&#x200D;",
    };
    enum { COUNT = sizeof pieces / sizeof *pieces };
    size_t len = 0;
    for (;;) {
        const char *piece = pieces[next_random(seed) % COUNT];
        const size_t piece_len = strlen(piece);
        if (len + piece_len > capacity)
            return len;
        memcpy(html + len, piece, piece_len);
        len += piece_len;
    }
}

static void lines_are_counted_lines(void **state)
{
    (void)state;
    static const uint32_t widths[] = { 1, 2, 7, 20, 80 };
    uint64_t seed = 11;
    th_arena *arena = th_arena_new(0);
    for (unsigned round = 0; round < 60; round++) {
        char html[3000];
        th_options opt;
        th_options_init(&opt);
        opt.w_max = widths[round % (sizeof widths / sizeof *widths)];
        th_arena_reset(arena);
        th_parser *parser = th_parser_new(&opt);
        th_line_wrap *wrap = th_line_wrap_new(opt.w_max);
        const th_document document = { .bytes = { html,
                                                  make_html(&seed, html, sizeof html) },
                                       .charset = TH_VIEW("utf-8") };
        th_page *page = NULL;
        assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL),
                         TH_OK);
        for (uint32_t i = 0; i < page->block_count; i++) {
            struct told told = { .len = 0 };
            assert_int_equal(th_line_wrap_text(wrap, th_block_text(page, i), note, &told),
                             TH_OK);
            assert_int_equal(told.lines, page->blocks[i].lines);
            assert_int_equal(told.tokens, page->blocks[i].tokens);
            assert_int_equal(told.last_tokens, page->blocks[i].last_line_tokens);
        }
        th_line_wrap_free(wrap);
        th_parser_free(parser);
    }
    th_arena_free(arena);
}

/* Longer than one call of ICU: cut like the model cuts. */
static void long_runs_are_cut_alike(void **state)
{
    (void)state;
    static char html[3 * 9000 + 3];
    th_options opt;
    th_options_init(&opt);
    memcpy(html, "<p>", 3);
    for (size_t i = 0; i < 9000; i++)
        memcpy(html + 3 + 3 * i, i % 7 ? "国" : "中", 3);
    th_arena *arena = th_arena_new(0);
    th_parser *parser = th_parser_new(&opt);
    th_line_wrap *wrap = th_line_wrap_new(opt.w_max);
    const th_document document = { .bytes = { html, sizeof html } };
    th_page *page = NULL;
    struct told told = { .len = 0 };
    assert_int_equal(th_parse_html(parser, &document, arena, &page, NULL, NULL), TH_OK);
    assert_int_equal(page->block_count, 1);
    assert_int_equal(th_line_wrap_text(wrap, th_block_text(page, 0), note, &told), TH_OK);
    assert_int_equal(told.lines, page->blocks[0].lines);
    assert_int_equal(told.tokens, page->blocks[0].tokens);
    th_line_wrap_free(wrap);
    th_parser_free(parser);
    th_arena_free(arena);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(lines_are_counted_lines);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(long_runs_are_cut_alike);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
