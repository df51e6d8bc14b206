/* Means over the kinds that a page may be of. */
#include "content/cut_of_kind.h"

/* In hundredths of the strictness's values. */
struct kind_cut {
    uint32_t missed, lowest;
};

enum { WHOLE = 100 };

/* Chosen by folds of sites: articles, collections and services lose with another. */
static const struct kind_cut of_type[TH_PAGE_TYPE_COUNT] = {
    [TH_PAGE_TYPE_ARTICLE] = { 100, 100 },      [TH_PAGE_TYPE_COLLECTION] = { 100, 100 },
    [TH_PAGE_TYPE_DOCUMENTATION] = { 160, 70 }, [TH_PAGE_TYPE_FORUM] = { 130, 100 },
    [TH_PAGE_TYPE_LISTING] = { 130, 100 },      [TH_PAGE_TYPE_PRODUCT] = { 130, 80 },
    [TH_PAGE_TYPE_SERVICE] = { 100, 100 },
};
static const struct kind_cut of_recipe = { 300, 40 };

void th_cut_for_kind(const uint16_t *type_probability, bool is_recipe,
                     th_content_rules *rules)
{
    uint64_t missed = 0, lowest = 0, whole = 0;
    /* Nutrition, hints and variations follow the prose of a recipe. */
    rules->listing = is_recipe ? 0 : type_probability[TH_PAGE_TYPE_LISTING];
    for (unsigned i = 0; i < TH_PAGE_TYPE_COUNT; i++) {
        const struct kind_cut *kind = is_recipe ? &of_recipe : &of_type[i];
        missed += (uint64_t)type_probability[i] * kind->missed;
        lowest += (uint64_t)type_probability[i] * kind->lowest;
        whole += (uint64_t)type_probability[i] * WHOLE;
    }
    if (!whole)
        return;
    rules->taste.missed = (uint32_t)(rules->taste.missed * missed / whole);
    if (rules->lowest_cut < rules->highest_cut) /* not a score that the user gave */
        rules->lowest_cut = (uint16_t)(rules->lowest_cut * lowest / whole);
}
