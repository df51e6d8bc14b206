/* Finds a date in a line of text, in any of about sixty languages. */
#ifndef TH_DATE_WORDS_H
#define TH_DATE_WORDS_H

#include <stdbool.h>

#include "thresher/view.h"

enum {
    TH_DAY_LEN = 10,         /* "2025-12-18" */
    TH_DATE_TEXT_MAX = 1024, /* bytes of a text that are examined */
};

/** A date in a text: the day and its position. */
typedef struct th_date_words {
    char day[TH_DAY_LEN]; /* ISO 8601, not terminated */
    size_t start, end;    /* bytes */
} th_date_words;

/**
 * Finds the first date in a text from a position: 2025-12-18, 18.12.2025, "18. Dezember
 * 2025", "Dec 18th, 2025", "18 de diciembre de 2025", 2025年12月18日. Digits of any
 * script are read. Thai years and the calendar of Iran are converted. If day and month
 * could be exchanged (05/06/2025), the language decides. If it does not, the text is not
 * a date.
 * @param text      valid UTF-8, borrowed for the call
 * @param from      byte to start at, at a code point
 * @param language  BCP 47 tag of the page, may be absent
 * @return false if there is no date
 * Pure; allocates nothing; O(length).
 */
bool th_date_words_find(th_view text, size_t from, th_view language,
                        th_date_words *found);

#endif
