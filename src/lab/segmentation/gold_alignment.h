/* Aligns the words of a page with the words of its gold. */
#ifndef TH_GOLD_ALIGNMENT_H
#define TH_GOLD_ALIGNMENT_H

#include "lab/segmentation/gold_segments.h"
#include "thresher/page.h"

/**
 * Words of a page's blocks. Buffers are kept from page to page. Use one for each thread.
 */
typedef struct th_page_words {
    th_case_mapper mapper;
    th_hash_list words;
    th_hash_list block_of; /* each word's block */
} th_page_words;

/** TH_OK or TH_NOMEM; _done accepts the zeroed and the half-built. */
th_status th_page_words_init(th_page_words *words);
void th_page_words_done(th_page_words *words);

/**
 * Aligns a page with its gold.
 * @param arena    owns partner
 * @param partner  out: of each gold word its place among the words, or TH_UNALIGNED
 * @return TH_OK or TH_NOMEM. Cost: as th_align
 */
th_status th_gold_align(th_page_words *words, const th_gold_page *gold,
                        const th_page *page, th_arena *arena, uint32_t **partner);

/**
 * Returns the gold of each block: the label that most of its words have, the lowest among
 * equals.
 * @param partner  as th_gold_align made it
 * @param arena    owns the labels, -1 if no word of a block has gold
 * @return NULL without memory. O(words log words + blocks)
 */
int32_t *th_gold_of_blocks(const th_page_words *words, const th_gold_page *gold,
                           uint32_t field, const uint32_t *partner, const th_page *page,
                           th_arena *arena);

#endif
