/* Which paragraphs of a page are its content, by the gold of a corpus. */
#ifndef TH_PARAGRAPH_GOLD_H
#define TH_PARAGRAPH_GOLD_H

#include "eval/corpus_page.h"
#include "lab/segmentation/gold_alignment.h"

/* Labels of paragraphs, in addition to TH_BOILERPLATE and TH_CONTENT. */
enum { TH_NO_LABEL = 2 };

/** The gold of paragraphs. Each array has paragraph_count entries. */
typedef struct th_paragraph_gold {
    uint8_t *label;
    uint8_t *aligned;    /* share of its words that are in the gold, in order, x 255 */
    uint32_t gold_words; /* counted as in the alignment: a Chinese character is one
                          * word */
    uint32_t page_words; /* the same; both 0 without gold text */
} th_paragraph_gold;

/**
 * Aligns the page with its gold text, in order. A paragraph is content if at least half
 * of its words are aligned, and boilerplate if under a fifth are. Between these limits it
 * has no label. A paragraph of up to three words is content only if its words and the
 * words of adjacent content also follow one another in the gold. A page without gold text
 * is labelled by the snippets that must be in the content, or must not. The rest of it
 * has no label.
 * @param words  work space
 * @param arena  owns the results
 * @return TH_OK or TH_NOMEM. Cost: as th_align
 */
th_status th_paragraph_gold_of(th_page_words *words, const th_corpus_page *corpus_page,
                               const th_page *page, th_arena *arena,
                               th_paragraph_gold *out);

#endif
