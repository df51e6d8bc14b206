/*
 * Words of a text as 64-bit hashes, which the measures compare. The words match the
 * scorers next to the corpora (score_extraction.py, score_segmentation.py), not the text
 * model, so a measure does not depend on the code that it measures.
 */
#ifndef TH_WORD_HASHES_H
#define TH_WORD_HASHES_H

#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"
#include "thresher/view.h"

struct UCaseMap;

/** A growing list of hashes. (th_hash_list){ 0 } is empty. */
typedef struct th_hash_list {
    uint64_t *hashes;
    size_t count, capacity;
} th_hash_list;

void th_hash_list_done(th_hash_list *list);

/** Appends. @return TH_OK or TH_NOMEM */
th_status th_hash_list_add(th_hash_list *list, uint64_t hash);

/** Maps texts to lower case and folded case. Use one for each thread. */
typedef struct th_case_mapper {
    struct UCaseMap *map; /* ICU's, of no language */
    th_buffer text;       /* the last result */
} th_case_mapper;

/** TH_OK or TH_NOMEM; _done accepts the zeroed and the half-built. */
th_status th_case_mapper_init(th_case_mapper *mapper);
void th_case_mapper_done(th_case_mapper *mapper);

/**
 * @return lower case in the mapper's buffer, valid until the next call; data == NULL if
 *         out of memory, or if the text is over 512 MiB
 */
th_view th_lowered(th_case_mapper *mapper, th_view text);
/** The same, folded. */
th_view th_folded(th_case_mapper *mapper, th_view text);

/**
 * Hashes runs of letters, digits and '_', like Python's \w+.
 * @param words  appended to. @return TH_OK or TH_NOMEM
 */
th_status th_plain_words(th_view text, th_hash_list *words);

/**
 * The same for text in lower case. Each Chinese, Japanese or Korean character is a
 * separate word.
 */
th_status th_bag_words(th_view lower, th_hash_list *words);

/**
 * Hashes words for the alignment. A word is a run without whitespace that contains a
 * letter or digit. Only its letters and digits count. In scripts without spaces every
 * letter is a word.
 * @param folded  text in folded case
 */
th_status th_alignment_words(th_view folded, th_hash_list *words);

/** Hashes a word that is aligned unchanged, regardless of its script. */
uint64_t th_alignment_word(th_view folded);

/** A letter, a digit or '_', as Python's \w has them. */
bool th_is_word_part(uint32_t c);

/**
 * Whether a character is whitespace for Python's str.split, which includes the
 * information separators.
 */
bool th_is_blank(uint32_t c);

#endif
