/*
 * Words of scripts that are written without spaces: Han, Kana, Thai, Lao, Khmer, Myanmar.
 *
 * The text model collects a run of such letters here and divides it when the run ends.
 * The words are from ICU's dictionary [UAX #29]. cjk_words.h divides Han and Kana, and ICU's
 * break iterator divides the other scripts. Other letters are not looked up, because it is slow.
 */
#ifndef TH_UNSPACED_RUN_H
#define TH_UNSPACED_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include <unicode/ubrk.h>

#include "thresher/status.h"

/* UTF-16 units. A longer run is cut here, possibly in the middle of a word. */
enum { TH_UNSPACED_RUN_MAX = 2048 };

/** A run, and the breaker that divides it, opened when first needed. Zeroed = empty. */
typedef struct th_unspaced_run {
    UBreakIterator *breaker; /* owned; NULL until the first run of two letters */
    uint32_t len;            /* UTF-16 units */
    UChar units[TH_UNSPACED_RUN_MAX];
    uint8_t is_linked[TH_UNSPACED_RUN_MAX]; /* by unit: whether it is inside A */
} th_unspaced_run;

/** A word of a run. */
typedef struct th_unspaced_word {
    uint32_t columns; /* on a line */
    bool is_token;    /* it holds a letter or digit */
    bool is_linked;   /* the first of these is inside A */
} th_unspaced_word;

typedef void th_unspaced_sink(void *context, const th_unspaced_word *word);

/** Closes the breaker. */
void th_unspaced_run_done(th_unspaced_run *run);

/** Whether one more code point fits. */
static inline bool th_unspaced_run_has_capacity(const th_unspaced_run *run)
{
    return run->len + 2 <= TH_UNSPACED_RUN_MAX;
}

/** Appends a code point for which there is room. */
static inline void th_unspaced_run_add(th_unspaced_run *run, uint32_t c, bool is_linked)
{
    if (c >= 0x10000) {
        run->is_linked[run->len] = is_linked;
        run->units[run->len++] = (UChar)(0xD7C0 + (c >> 10));
        c = 0xDC00 | (c & 0x3FF);
    }
    run->is_linked[run->len] = is_linked;
    run->units[run->len++] = (UChar)c;
}

/**
 * Divides the run into words, passes them to the sink in order, and empties the run.
 * @return TH_OK, or TH_NOMEM when ICU cannot be opened: then the run is one word
 * Cost: linear in the run. A letter that ICU's break iterator divides takes about 100 ns.
 */
th_status th_unspaced_run_divide(th_unspaced_run *run, th_unspaced_sink *sink,
                                 void *context);

#endif
