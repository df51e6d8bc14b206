/* src/dedup/text_words.c: words of texts that other programs wrote. */
#include "dedup/text_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct row {
    const char *name, *text, *words;
} rows[] = {
    /* clang-format off */
    { "nothing", "", "" },
    { "words", "An \u00c4lteste, two!", "an \u00e4lteste two" },
    { "a byte that is not UTF-8 separates words", "one\xFFtwo", "one two" },
    { "several of them", "\x80one \xC3two\xE2\x82", "one two" },
    { "the beginning of a character before another one", "a\xE2\xC3\xA4" "b", "a \u00e4b" },
    /* clang-format on */
};

static void row_holds(void **state)
{
    const struct row *row = *state;
    const size_t len = strlen(row->text);
    char *exact = malloc(len ? len : 1);
    assert_non_null(exact);
    memcpy(exact, row->text, len);
    th_arena *arena = th_arena_new(0);
    const th_view words = th_text_words((th_view){ exact, len }, arena);
    assert_non_null(words.data);
    assert_int_equal(words.len, strlen(row->words));
    assert_memory_equal(words.data, row->words, words.len);
    assert_memory_equal(exact, row->text, len); /* the input is unchanged */
    free(exact);
    th_arena_free(arena);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = row_holds,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests_name("text_words", tests, NULL, NULL);
}
