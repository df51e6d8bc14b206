/* The ingredients of a recipe that the page does not state as data, by their heading. */
#ifndef TH_INGREDIENT_SECTION_H
#define TH_INGREDIENT_SECTION_H

#include "thresher/page.h"

/**
 * Marks the paragraphs after a short text like "Ingredients", in about forty languages, up
 * to the next heading of its level, to prose, or to the 80th. Two of them, and a third of
 * all, must have a number: the entries of a menu have none. The heading is marked too. At
 * most 50 such texts of a page are examined.
 * @param is_ingredient  uint8_t[page->paragraph_count], out: 1 for each
 * @return whether there is such a list. Linear in the paragraphs.
 */
bool th_ingredient_section_find(const th_page *page, uint8_t *is_ingredient);

#endif
