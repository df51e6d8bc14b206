/* Shares of languages: by code points, rounded without loss, in a total order. */
#include "language/language_shares.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { PARAGRAPHS = 200 };

struct fixture {
    th_arena *arena;
    th_page page;
    th_paragraph paragraphs[PARAGRAPHS];
    th_paragraph_language languages[PARAGRAPHS];
};

static int set_up(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .arena = th_arena_new(0) };
    f.page.arena = f.arena;
    f.page.paragraphs = f.paragraphs;
    f.page.paragraph_languages = f.languages;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    th_arena_free(((struct fixture *)*state)->arena);
    return 0;
}

static void add(struct fixture *f, const char *label, uint32_t chars, uint8_t is_sure)
{
    const uint32_t number = f->page.paragraph_language_count++;
    f->paragraphs[number].char_len = chars;
    f->languages[number] = (th_paragraph_language){ .paragraph = number,
                                                    .is_sure = is_sure,
                                                    .label = label };
}

/* Checks order, and that the sum is exactly 1. */
static void fill(struct fixture *f)
{
    long sum = 0;
    assert_int_equal(th_language_shares_fill(&f->page), TH_OK);
    for (uint32_t i = 0; i < f->page.language_share_count; i++) {
        const double share = f->page.language_shares[i].share;
        assert_true(share >= 0 && share <= 1);
        assert_true(!i || f->page.language_shares[i - 1].share >= share);
        sum += lround(share * 10000);
    }
    if (f->page.language_share_count)
        assert_int_equal(sum, 10000);
}

static void check(const struct fixture *f, uint32_t number, const char *label,
                  double share)
{
    assert_true(number < f->page.language_share_count);
    assert_string_equal(f->page.language_shares[number].label, label);
    assert_true(f->page.language_shares[number].share == share);
}

static void paragraphs_count_by_code_points(void **state)
{
    struct fixture *f = *state;
    add(f, "deu_Latn", 10, 1);
    add(f, "eng_Latn", 70, 1);
    add(f, "fra_Latn", 5, 0); /* not sure */
    add(f, "deu_Latn", 15, 1);
    fill(f);
    assert_int_equal(f->page.language_share_count, 3);
    check(f, 0, "eng_Latn", .7);
    check(f, 1, "deu_Latn", .25);
    check(f, 2, "und", .05);
}

static void thirds_add_up(void **state)
{
    struct fixture *f = *state;
    add(f, "deu_Latn", 7, 1);
    add(f, "eng_Latn", 7, 1);
    add(f, "fra_Latn", 7, 1);
    fill(f);
    check(f, 0, "deu_Latn", .3334); /* the first of equal remainders */
    check(f, 1, "eng_Latn", .3333);
    check(f, 2, "fra_Latn", .3333);
}

static void many_languages_are_together(void **state)
{
    struct fixture *f = *state;
    static char labels[PARAGRAPHS][8];
    for (uint32_t i = 0; i < PARAGRAPHS; i++) {
        (void)snprintf(labels[i], sizeof labels[i], "x%c%c", 'a' + i / 26, 'a' + i % 26);
        add(f, labels[i], 1000 - i, 1);
    }
    fill(f);
    assert_int_equal(f->page.language_share_count, TH_LANGUAGE_SHARES_MAX);
    assert_string_equal(f->page.language_shares[0].label, "mul");
    assert_string_equal(f->page.language_shares[1].label, "xaa");
    assert_true(f->page.language_shares[0].share > .6);
}

static void no_text_has_no_shares(void **state)
{
    struct fixture *f = *state;
    fill(f);
    assert_null(f->page.language_shares);
    add(f, "deu_Latn", 0, 1);
    fill(f);
    assert_null(f->page.language_shares);
    add(f, "eng_Latn", UINT32_MAX, 1);
    add(f, "fra_Latn", UINT32_MAX, 1);
    fill(f);
    check(f, 0, "eng_Latn", .5);
    check(f, 1, "fra_Latn", .5);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(paragraphs_count_by_code_points),
        TEST(thirds_add_up),
        TEST(many_languages_are_together),
        TEST(no_text_has_no_shares),
    };
    return cmocka_run_group_tests_name("language_shares", tests, NULL, NULL);
}
