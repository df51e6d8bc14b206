/* A text's words for quality signals, and the required classes of characters. */
#ifndef TH_SIGNAL_WORDS_H
#define TH_SIGNAL_WORDS_H

#include <stdbool.h>

#include "thresher/arena.h"
#include "thresher/status.h"

/** A word: bytes of the text. */
typedef struct th_signal_word {
    uint32_t start, len; /* bytes */
    uint32_t chars;      /* code points */
    bool is_mark;        /* every character is a punctuation mark */
    bool is_alphabetic;  /* at least one character is a letter */
} th_signal_word;

/** Whitespace as defined by Python's str.split(). */
bool th_signal_is_blank(uint32_t c);
/** Returns whether a code point ends a line in Python's str.splitlines(). */
bool th_signal_ends_line(uint32_t c);
/** Returns whether a code point ends a sentence in any script. [datatrove:
 * TERMINAL_PUNCTUATION] */
bool th_signal_is_terminal(uint32_t c);
/** Returns whether a code point is punctuation, a control character or similar.
 * [datatrove: PUNCTUATION_SET] */
bool th_signal_is_mark(uint32_t c);

/**
 * Splits a text into words. A word is a run without whitespace. Marks at its start and
 * end are separate words, with equal neighbours together ("..."). In scripts written
 * without spaces each letter is a word.
 * @param text   valid UTF-8, at most 4 GiB
 * @param words  out: in the arena, at most one for each byte of the text
 * @return TH_OK or TH_NOMEM. Linear.
 */
th_status th_signal_words(th_view text, th_arena *arena, th_signal_word **words,
                          size_t *count);

#endif
