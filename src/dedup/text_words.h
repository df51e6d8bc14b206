/* Normalised text of any bytes, and its digest as `digest.text` of a record. */
#ifndef TH_TEXT_WORDS_H
#define TH_TEXT_WORDS_H

#include "thresher/arena.h"
#include "thresher/view.h"

/**
 * Normalises a text like th_normalise.
 * @param text  bytes that are not UTF-8 count as spaces; borrowed while the result lives
 * @return a text in the arena; data is NULL if out of memory
 */
th_view th_text_words(th_view text, th_arena *arena);

/** Computes the digest of bytes: XXH3-128, high and low half. */
void th_text_digest(th_view bytes, uint64_t digest[2]);

#endif
