/* src/eval/extraction/extraction_summary.c: means by type of page, and the worst
 * pages. */
#include "eval/extraction/extraction_summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static th_content_score figures[] = {
    { .word_f = .5 }, { .word_f = .9 }, { .word_f = .7 },
    { .word_f = .1 }, { .word_f = .5 },
};
static th_extraction_row pages[] = {
    { .has_gold = true, .id = "e", .page_type = "listing", .scores = &figures[0] },
    { .has_gold = true, .id = "b", .page_type = "article", .scores = &figures[1] },
    { .has_gold = true, .id = "c", .page_type = "listing", .scores = &figures[2] },
    { .has_gold = false, .id = "d", .page_type = "forum", .scores = &figures[3] },
    { .has_gold = true, .id = "a", .page_type = NULL, .scores = &figures[4] },
};
static const th_extraction_scores all = { .rows = pages, .row_count = 5 };

static void types_have_their_means(void **state)
{
    (void)state;
    th_type_summary types;
    th_extraction_by_type(&all, 0, &types);
    assert_int_equal(types.count, 2);
    assert_string_equal(types.rows[0].name, "article");
    assert_int_equal(types.rows[0].pages, 1);
    assert_true(types.rows[0].word_f == .9);
    assert_string_equal(types.rows[1].name, "listing");
    assert_int_equal(types.rows[1].pages, 2);
    assert_true(types.rows[1].word_f > .5999 && types.rows[1].word_f < .6001);
}

static void the_worst_come_first(void **state)
{
    (void)state;
    th_arena *arena = th_arena_new(0);
    th_worst_page *worst = NULL;
    size_t count = 3;
    assert_int_equal(th_extraction_worst(&all, 0, arena, &count, &worst), TH_OK);
    assert_int_equal(count, 3);
    assert_string_equal(worst[0].id, "a"); /* as bad as "e" */
    assert_string_equal(worst[1].id, "e");
    assert_string_equal(worst[2].id, "c");
    count = 99;
    assert_int_equal(th_extraction_worst(&all, 0, arena, &count, &worst), TH_OK);
    assert_int_equal(count, 4);
    count = 0;
    assert_int_equal(th_extraction_worst(&all, 0, arena, &count, &worst), TH_OK);
    assert_int_equal(count, 0);
    th_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_have_their_means),
        cmocka_unit_test(the_worst_come_first),
    };
    return cmocka_run_group_tests_name("extraction_summary", tests, NULL, NULL);
}
