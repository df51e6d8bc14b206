/* src/content/cut_of_kind.c: the cut of a kind of page. */
#include "content/cut_of_kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static th_content_rules rules_for(unsigned type, bool is_recipe)
{
    uint16_t probability[TH_PAGE_TYPE_COUNT] = { 0 };
    th_content_rules rules = th_content_rules_standard();
    probability[type] = TH_PROBABILITY_ONE;
    th_cut_for_kind(probability, is_recipe, &rules);
    return rules;
}

static void facts_are_cut_lower(void **state)
{
    (void)state;
    const th_content_rules standard = th_content_rules_standard();
    const th_content_rules article = rules_for(TH_PAGE_TYPE_ARTICLE, false);
    assert_int_equal(article.taste.missed, standard.taste.missed);
    assert_int_equal(article.lowest_cut, standard.lowest_cut);
    static const unsigned of_facts[] = { TH_PAGE_TYPE_DOCUMENTATION, TH_PAGE_TYPE_LISTING,
                                         TH_PAGE_TYPE_PRODUCT };
    for (unsigned i = 0; i < 3; i++)
        assert_true(rules_for(of_facts[i], false).taste.missed > standard.taste.missed);
    const th_content_rules recipe = rules_for(TH_PAGE_TYPE_ARTICLE, true);
    assert_int_equal(recipe.taste.missed, standard.taste.missed * 3);
    assert_true(recipe.lowest_cut < standard.lowest_cut);
}

static void a_doubtful_kind_stands_between(void **state)
{
    (void)state;
    uint16_t probability[TH_PAGE_TYPE_COUNT] = { 0 };
    th_content_rules rules = th_content_rules_standard();
    probability[TH_PAGE_TYPE_ARTICLE] = TH_PROBABILITY_ONE / 2;
    probability[TH_PAGE_TYPE_DOCUMENTATION] = TH_PROBABILITY_ONE / 2;
    th_cut_for_kind(probability, false, &rules);
    assert_int_equal(rules.taste.missed, 15);
}

/* A recipe has facts after its prose, even if its type is in doubt. */
static void a_recipe_is_no_listing(void **state)
{
    (void)state;
    assert_int_equal(rules_for(TH_PAGE_TYPE_LISTING, false).listing, TH_PROBABILITY_ONE);
    assert_int_equal(rules_for(TH_PAGE_TYPE_ARTICLE, false).listing, 0);
    assert_int_equal(rules_for(TH_PAGE_TYPE_LISTING, true).listing, 0);
}

static void a_score_that_was_given_stays(void **state)
{
    (void)state;
    uint16_t probability[TH_PAGE_TYPE_COUNT] = { TH_PROBABILITY_ONE };
    th_content_rules rules = th_content_rules_standard();
    rules.lowest_cut = rules.highest_cut = 30000;
    th_cut_for_kind(probability, true, &rules);
    assert_int_equal(rules.lowest_cut, 30000);
}

static void nothing_known_changes_nothing(void **state)
{
    (void)state;
    const uint16_t probability[TH_PAGE_TYPE_COUNT] = { 0 };
    th_content_rules rules = th_content_rules_standard();
    th_cut_for_kind(probability, true, &rules);
    assert_int_equal(rules.taste.missed, th_content_rules_standard().taste.missed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_cut_lower),
        cmocka_unit_test(a_doubtful_kind_stands_between),
        cmocka_unit_test(a_recipe_is_no_listing),
        cmocka_unit_test(a_score_that_was_given_stays),
        cmocka_unit_test(nothing_known_changes_nothing),
    };
    return cmocka_run_group_tests_name("cut_of_kind", tests, NULL, NULL);
}
