/* The main content as one text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "make_page.h"
#include "thresher/classifier.h"

/* clang-format off */
static const struct row {
    const char *name;
    struct block_row blocks[4];
    const char *labels; /* c: content */
    const char *apart;  /* x: a gap before it */
    const char *want;
} rows[] = {
    { "no content", { { "a", 0, NULL }, { "b", 0, NULL } }, "bb", "..", "" },
    { "no block", { { NULL, 0, NULL } }, "", "", "" },
    { "one paragraph", { { "a b", 0, NULL } }, "c", "x", "a b" },
    { "a line each", { { "a", 0, NULL }, { "b", 0, NULL } }, "cc", "..", "a\nb" },
    { "a blank line where a gap is seen", { { "a", 0, NULL }, { "b", 0, NULL },
      { "c", 0, NULL } }, "ccc", ".x.", "a\n\nb\nc" },
    { "the gap of an omitted block stays", { { "a", 0, NULL }, { "b", 0, NULL },
      { "c", 0, NULL }, { "d", 0, NULL } }, "bcbc", "..x.", "b\n\nd" },
    { "and no new gap", { { "a", 0, NULL }, { "b", 0, NULL },
      { "c", 0, NULL } }, "cbc", "...", "a\nc" },
};
/* clang-format on */

static void row_holds(void **state)
{
    const struct row *row = *state;
    th_arena *arena = th_arena_new(0);
    th_page *page = make_page(arena, row->blocks, strlen(row->labels));
    page->paragraph_label_of = th_arena_calloc(arena, page->paragraph_count, 1);
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        page->paragraph_label_of[i] = row->labels[i] == 'c' ? TH_CONTENT : TH_BOILERPLATE;
        page->paragraphs[i].is_apart = row->apart[i] == 'x';
    }
    const th_view text = th_page_content_text(page);
    assert_non_null(text.data);
    assert_int_equal(text.len, strlen(row->want));
    assert_memory_equal(text.data, row->want, text.len);
    th_arena_free(arena);
}

static void memory_runs_out(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    const struct block_row block = { "a b", 0, NULL };
    th_page *page = make_page(arena, &block, 1);
    page->paragraph_label_of = th_arena_calloc(arena, 1, 1);
    page->paragraph_label_of[0] = TH_CONTENT;
    page->arena = th_arena_new(2);
    assert_null(th_page_content_text(page).data);
    th_arena_free(page->arena);
    th_arena_free(arena);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(memory_runs_out);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
