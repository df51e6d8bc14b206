/* Converts text of a page to text worth keeping: one line, valid UTF-8, limited
 * length. */
#ifndef TH_TIDY_TEXT_H
#define TH_TIDY_TEXT_H

#include "thresher/view.h"

enum {
    TH_TIDY_PLAIN = 0,
    /* &amp; &lt; &gt; &quot; &apos; &nbsp; and numeric references are resolved. */
    TH_TIDY_REFERENCES = 1u << 0,
};

/**
 * Trims a text, makes one space of each run of whitespace and control characters, and
 * U+FFFD of each byte that is not UTF-8.
 * @param text  any bytes, borrowed for the call
 * @param how   TH_TIDY_...
 * @param out   char[max]; not terminated
 * @param max   most bytes written; a longer text is cut before the code point that would
 *              cross the limit
 * @return bytes written; 0 if the text is only spaces
 * Pure; allocates nothing; linear in the bytes of `text`.
 */
size_t th_tidy_text(th_view text, unsigned how, char *out, size_t max);

#endif
