/* src/inspect/reason_list.c: each different text once, with the number of its first
 * use. */
#include "inspect/reason_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "make_page.h"
#include "thresher/options.h"
#include "thresher/segmenter.h"

static th_page *two_blocks(th_arena *arena)
{
    static const struct block_row blocks[] = { { "a b c", 1, "h1" },
                                               { "a b c d e", 0, "h1" } };
    return make_page(arena, blocks, 2);
}

static uint32_t add(th_reason_list *list, const th_page *page, uint32_t block,
                    const char *words)
{
    uint32_t number = UINT32_MAX;
    assert_int_equal(th_reason_list_add(list, page, block, words, &number), TH_OK);
    return number;
}

static void same_text_has_one_number(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    const th_page *page = two_blocks(arena);
    th_reason_list list = { 0 };
    assert_int_equal(add(&list, page, 0, "{tokens} > 2"), 0);
    assert_int_equal(add(&list, page, 1, "{tokens} > 2"), 1);
    assert_int_equal(add(&list, page, 0, "{tokens} > 2"), 0);
    assert_int_equal(add(&list, page, 1, "{prev.tokens} > 2"), 0); /* the same words */
    assert_int_equal(add(&list, page, 1, ""), 2);
    assert_int_equal(add(&list, page, 0, ""), 2);
    th_buffer out = { 0 };
    th_json json;
    th_json_begin(&json, &out);
    th_reason_list_write(&list, &json);
    assert_int_equal(th_json_end(&json), TH_OK);
    static const char want[] = "[\"3 > 2\",\"5 > 2\",\"\"]\n";
    assert_int_equal(out.len, sizeof want - 1);
    assert_memory_equal(out.data, want, out.len);
    th_buffer_done(&out);
    th_reason_list_done(&list);
    th_arena_free(arena);
}

/* Numbers stay while the table grows. */
static void many_texts(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    th_arena *arena = th_arena_new(0);
    const th_page *page = two_blocks(arena);
    th_reason_list list = { 0 };
    char words[32];
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < MANY; i++) {
            (void)snprintf(words, sizeof words, "%u of {tokens}", i);
            assert_int_equal(add(&list, page, 0, words), i);
        }
    }
    assert_int_equal(list.count, MANY);
    th_reason_list_done(&list);
    th_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_text_has_one_number),
        cmocka_unit_test(many_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
