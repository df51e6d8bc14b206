/* A set of the words of the list, by their hashes. */
#include "content/ingredient_rows.h"

#include <string.h>

#include "content/row_words.h"

enum { SLOTS = 2 * TH_INGREDIENT_WORDS };

/* The slot of a word, or the free one where it belongs. Hashes are not 0. */
static uint32_t slot_of(const uint32_t *slots, uint32_t hash)
{
    uint32_t at = (hash ^ hash >> 15) & (SLOTS - 1);
    while (slots[at] && slots[at] != hash)
        at = (at + 1) & (SLOTS - 1);
    return at;
}

static bool are_most_known(const uint32_t *slots, th_view text)
{
    uint32_t words = 0, known = 0;
    th_row_word word;
    for (size_t at = 0; th_row_word_next(text, &at, &word); words++)
        known += slots[slot_of(slots, word.hash)] != 0;
    return words && (uint64_t)known * 100 >= (uint64_t)words * TH_INGREDIENT_PARTS;
}

th_status th_ingredient_rows_find(const th_page *page, th_arena *scratch,
                                  uint8_t *is_ingredient)
{
    uint32_t count = 0;
    th_row_word word;
    memset(is_ingredient, 0, page->paragraph_count);
    uint32_t *slots = th_arena_calloc(scratch, SLOTS, sizeof *slots);
    if (!slots)
        return TH_NOMEM;
    for (size_t at = 0; count < TH_INGREDIENT_WORDS &&
                        th_row_word_next(page->hints->ingredients, &at, &word);
         count++)
        slots[slot_of(slots, word.hash)] = word.hash;
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        is_ingredient[i] = are_most_known(slots, th_paragraph_text(page, i));
    return TH_OK;
}
