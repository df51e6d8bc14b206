/* Counts repetition in a text: lines, paragraphs and runs of words. [datatrove] */
#ifndef TH_REPETITION_H
#define TH_REPETITION_H

#include "signals/signal_words.h"
#include "thresher/page.h"

/**
 * Fills the signals of Gopher's table A1: duplicate_paragraphs to duplicate_ngrams.
 * @param text   not empty, valid UTF-8
 * @param chars  its code points
 * @param words  of the text, th_signal_words
 * @return TH_OK; TH_NOMEM. Linear; memory of about 60 bytes per word, in the arena
 */
th_status th_repetition(th_view text, uint32_t chars, const th_signal_word *words,
                        size_t word_count, th_arena *arena, th_quality_signals *signals);

/** A set of texts by their hashes, for counting repetitions. */
typedef struct th_text_set {
    uint64_t *slots; /* 0 if free */
    size_t mask;
} th_text_set;

/** Initialises a set. @param max  maximum number of texts @return false if out of
 * memory */
bool th_text_set_begin(th_text_set *set, size_t max, th_arena *arena);
/** Adds a text. @return whether the set already had it */
bool th_text_set_add(th_text_set *set, th_view text);

#endif
