/* Paragraphs that list the ingredients of a recipe, as the page's JSON-LD states them. */
#ifndef TH_INGREDIENT_ROWS_H
#define TH_INGREDIENT_ROWS_H

#include "thresher/page.h"

enum {
    TH_INGREDIENT_WORDS = 4096, /* maximum words of the list that are read */
    TH_INGREDIENT_PARTS = 80,   /* hundredths of a paragraph's words that it must state */
};

/**
 * Marks the paragraphs of which most words are in page->hints->ingredients, in any order.
 * One ingredient may have several cells. The page must have hints.
 * @param is_ingredient  uint8_t[page->paragraph_count], out
 * @return TH_OK or TH_NOMEM. Linear in the text.
 */
th_status th_ingredient_rows_find(const th_page *page, th_arena *scratch,
                                  uint8_t *is_ingredient);

#endif
