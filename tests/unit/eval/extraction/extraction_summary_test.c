/* src/eval/extraction/extraction_summary.c: means by group of pages, required lines, and
 * the worst pages. */
#include "eval/extraction/extraction_summary.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static th_content_score figures[] = {
    { .word_f = .5 }, { .word_f = .9 }, { .word_f = .7 },
    { .word_f = .1 }, { .word_f = .5 },
};
static th_extraction_row pages[] = {
    { .has_gold = true, .id = "e", .groups = { "listing" }, .scores = &figures[0] },
    { .has_gold = true, .id = "b", .groups = { "article" }, .scores = &figures[1] },
    { .has_gold = true, .id = "c", .groups = { "listing" }, .scores = &figures[2] },
    { .has_gold = false, .id = "d", .groups = { "forum" }, .scores = &figures[3] },
    { .has_gold = true, .id = "a", .groups = { NULL }, .scores = &figures[4] },
};
static const th_extraction_scores all = { .rows = pages, .row_count = 5 };

static void groups_have_their_means(void **state)
{
    (void)state;
    th_group_summary types;
    th_extraction_by_group(&all, 0, TH_BY_PAGE_TYPE, &types);
    assert_int_equal(types.count, 2);
    assert_string_equal(types.rows[0].name, "article");
    assert_int_equal(types.rows[0].pages, 1);
    assert_true(types.rows[0].word_f == .9);
    assert_string_equal(types.rows[1].name, "listing");
    assert_int_equal(types.rows[1].pages, 2);
    assert_true(types.rows[1].word_f > .5999 && types.rows[1].word_f < .6001);
    assert_int_equal(types.ungrouped, 1);
    th_extraction_by_group(&all, 0, TH_BY_LANGUAGE, &types);
    assert_int_equal(types.count, 0);
    assert_int_equal(types.ungrouped, 4);
}

static void too_many_groups_are_counted(void **state)
{
    enum { PAGES = TH_GROUPS_MAX + 3 };
    static char names[PAGES][16];
    static th_extraction_row rows[PAGES];
    (void)state;
    for (int i = 0; i < PAGES; i++) {
        (void)snprintf(names[i], sizeof names[i], "%03d", (i * 7) % PAGES);
        rows[i] = (th_extraction_row){ .has_gold = true, .scores = &figures[0] };
        rows[i].groups[TH_BY_LANGUAGE] = names[i];
    }
    const th_extraction_scores many = { .rows = rows, .row_count = PAGES };
    th_group_summary groups;
    th_extraction_by_group(&many, 0, TH_BY_LANGUAGE, &groups);
    assert_int_equal(groups.count, TH_GROUPS_MAX);
    assert_int_equal(groups.ungrouped, 3);
    for (uint32_t i = 1; i < groups.count; i++)
        assert_true(strcmp(groups.rows[i - 1].name, groups.rows[i].name) < 0);
}

/* Two recipes and a page without required lines. The second recipe has no countable items. */
static void required_lines_have_their_means(void **state)
{
    (void)state;
    static th_content_score scores[] = {
        { .required = { .kept = { .25, 1 }, .all = .625, .words_per_required = 4 } },
        { .required = { .kept = { .75, NAN }, .all = .75, .words_per_required = 2 } },
        { .required = { .kept = { 0 } } },
    };
    static th_extraction_row rows[] = {
        { .required_kinds = { "steps", "items" },
          .required_kind_count = 2,
          .scores = &scores[0] },
        { .required_kinds = { "steps", "items" },
          .required_kind_count = 2,
          .scores = &scores[1] },
        { .scores = &scores[2] },
    };
    const th_extraction_scores recipes = { .rows = rows, .row_count = 3 };
    double values[3];
    th_required_summary sum;
    th_extraction_required(&recipes, 0, values, &sum);
    assert_int_equal(sum.pages, 2);
    assert_true(sum.kept == (.625 + .75) / 2);
    assert_true(sum.words_per_required == 3);
    assert_int_equal(sum.count, 2);
    assert_string_equal(sum.rows[0].name, "items");
    assert_int_equal(sum.rows[0].pages, 1);
    assert_true(sum.rows[0].kept == 1 && sum.rows[0].lost == 0);
    assert_string_equal(sum.rows[1].name, "steps");
    assert_int_equal(sum.rows[1].pages, 2);
    assert_true(sum.rows[1].kept == .5 && sum.rows[1].lost == .5);
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
        cmocka_unit_test(groups_have_their_means),
        cmocka_unit_test(too_many_groups_are_counted),
        cmocka_unit_test(required_lines_have_their_means),
        cmocka_unit_test(the_worst_come_first),
    };
    return cmocka_run_group_tests_name("extraction_summary", tests, NULL, NULL);
}
