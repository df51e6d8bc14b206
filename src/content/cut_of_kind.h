/*
 * Adjusts the cut to the kind of page. On pages of facts a missed line costs a reader
 * more than a false one. [docs/content-model.md]
 */
#ifndef TH_CUT_OF_KIND_H
#define TH_CUT_OF_KIND_H

#include <stdbool.h>

#include "content/content_decision.h"
#include "content/page_type.h"

/**
 * Changes the cut of a page for its kind.
 * @param type_probability  uint16_t[TH_PAGE_TYPE_COUNT]: each type is weighted by its
 *                          probability
 * @param is_recipe         the page declares a recipe
 * @param rules             in and out: taste and lowest_cut. out: listing, 0 for a recipe
 */
void th_cut_for_kind(const uint16_t *type_probability, bool is_recipe,
                     th_content_rules *rules);

#endif
