/* Densities by prefix sums equal manual sums. Texts. Flag names. */
#include "thresher/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "make_page.h"

/* Eight words that fill a line of 80, and a word of 88. */
#define LINE_8                                                                           \
    "aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa "
#define WORD_22 "wwwwwwwwwwwwwwwwwwwwww"
#define WORD_88 WORD_22 WORD_22 WORD_22 WORD_22

/* [K11 Eq. 4.6] */
/* clang-format off */
static const struct row {
    const char *name;
    struct block_row blocks[3];
    size_t count;
    double density, link_density; /* of all of them together */
} rows[] = {
    { "a short block has as many tokens as its density says",
      { { "contact us", 1, NULL } }, 1, 2, 0.5 },
    { "a block without a token has none", { { "|", 0, NULL } }, 1, 0, 0 },
    { "two blocks on a line each: the last line is left out",
      { { "one two three", 0, NULL }, { "four", 1, NULL } }, 2, 3, 0.25 },
    { "the last line of a long block is left out",
      { { LINE_8 "b", 0, NULL } }, 1, 8, 0 },
    { "lines within count whole, not their average", { { "one two three four", 0, NULL },
      { "five", 0, NULL }, { "six seven", 0, NULL } }, 3, 2.5, 0 },
    { "a word longer than the line stands alone",
      { { "a " WORD_88 " b c", 0, NULL } }, 1, 1, 0 },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    const th_page *page = make_page(arena, row->blocks, row->count);
    assert_true(th_page_density(page, 0, page->block_count) == row->density);
    assert_true(th_page_link_density(page, 0, page->block_count) == row->link_density);
    assert_true(th_page_density(page, 0, 0) == 0);
    assert_true(th_page_link_density(page, 0, 0) == 0);
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_view text = th_block_text(page, i);
        assert_int_equal(text.len, strlen(row->blocks[i].text));
        assert_memory_equal(text.data, row->blocks[i].text, text.len);
    }
    th_arena_free(arena);
}

static double density_by_hand(const th_page *page, uint32_t first, uint32_t end)
{
    uint64_t tokens = 0, lines = 0;
    for (uint32_t i = first; i < end; i++) {
        tokens += page->blocks[i].tokens;
        lines += page->blocks[i].lines;
    }
    if (first == end)
        return 0;
    if (lines == 1)
        return (double)tokens;
    return (double)(tokens - page->blocks[end - 1].last_line_tokens) /
           (double)(lines - 1);
}

static double link_density_by_hand(const th_page *page, uint32_t first, uint32_t end)
{
    uint64_t tokens = 0, linked = 0;
    for (uint32_t i = first; i < end; i++) {
        tokens += page->blocks[i].tokens;
        linked += page->blocks[i].linked_tokens;
    }
    return tokens ? (double)linked / (double)tokens : 0;
}

static void every_range_sums_up(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    uint64_t seed = 1;
    const th_page *page = make_random_page(arena, &seed, 60);
    for (uint32_t first = 0; first <= page->block_count; first++) {
        for (uint32_t end = first; end <= page->block_count; end++) {
            assert_true(th_page_density(page, first, end) ==
                        density_by_hand(page, first, end));
            assert_true(th_page_link_density(page, first, end) ==
                        link_density_by_hand(page, first, end));
        }
    }
    th_arena_free(arena);
}

static void flags_have_names_of_their_own(void **state)
{
    (void)state;
    assert_string_equal(th_flag_name(0), "record_truncated");
    assert_string_equal(th_flag_name(TH_FLAG_BIT_CHARSET_GUESSED), "charset_guessed");
    for (unsigned i = 0; i < TH_FLAG_COUNT; i++) {
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(th_flag_name(i), th_flag_name(k));
    }
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(every_range_sums_up);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(flags_have_names_of_their_own);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
