/* Makes foreign bytes safe for a log: cuts them, and escapes characters that move the
 * cursor, change the direction of text or start a new line. */
#ifndef TH_LOG_TEXT_H
#define TH_LOG_TEXT_H

#include <stdbool.h>

#include "thresher/view.h"

/* Maximum bytes of a text that are shown, and the maximum size of the result: a plane-16
 * code point of 4 bytes takes 10, a bad byte 4, then "..." */
enum { TH_LOG_TEXT_SHOWN = 256, TH_LOG_TEXT_MAX = TH_LOG_TEXT_SHOWN * 4 + 4 };

/**
 * Cuts a text to TH_LOG_TEXT_SHOWN bytes, never inside a character; "..." marks a cut
 * text. Characters beyond ASCII that do not print (controls, direction marks, line
 * separators) are shown as \uNNNN or \UNNNNNNNN; 0x7F and bytes that are not UTF-8 as
 * \xNN. Go's strconv.Unquote, and so the common logfmt readers, decode all of these.
 * @param text        any bytes; data NULL counts as empty
 * @param for_quotes  also escape special characters between double quotes: the quote, the
 *                    backslash, ASCII controls below 0x20 (\n, \r, \t, else \xNN). If
 *                    false, a JSON generator must escape them; the text is not safe
 *                    without one
 * @param out         space for TH_LOG_TEXT_MAX bytes; no NUL is added
 * @return the length
 * Pure; allocates nothing; O(TH_LOG_TEXT_SHOWN).
 */
size_t th_log_text(th_view text, bool for_quotes, char out[TH_LOG_TEXT_MAX]);

#endif
