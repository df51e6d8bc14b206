/*
 * Bytes to UTF-8: finds the encoding of a document, and decodes its text with errors
 * replaced.
 *
 * The encoding is decided here, never by an HTML parser. The sources in order are BOM,
 * HTTP label, meta prescan, valid UTF-8, a late meta, detection, windows-1252. A
 * declaration that the bytes refute loses, and the page is flagged. [WHATWG Encoding,
 * HTML 13.2.3]
 */
#ifndef TH_CHARSET_H
#define TH_CHARSET_H

#include "thresher/arena.h"
#include "thresher/parse.h"

/** Converters and a detector, kept open from page to page. Each worker has one. */
typedef struct th_charset th_charset;

th_charset *th_charset_new(void);
void th_charset_free(th_charset *charset);

/**
 * Decodes a document to valid UTF-8 without BOM. NULs stay, because the parser handles
 * them (by the standard dropped in text, U+FFFD in names and values). Malformed bytes
 * become U+FFFD, by the standard's rule for UTF-8 (maximal subpart) and one for each bad
 * sequence otherwise. They never lose the page.
 * @param label   of the HTTP header, may be absent or unknown
 * @param bytes   borrowed; the result may point into it when nothing had to change
 * @param arena   gets the result otherwise
 * @param text    out
 * @param used    out: encoding and where it was found
 * @param flags   ORed: TH_FLAG_CHARSET_GUESSED, CHARSET_ERRORS
 * @return TH_OK or TH_NOMEM. Linear; valid UTF-8 costs one pass of validation.
 */
th_status th_charset_decode(th_charset *charset, th_view label, th_view bytes,
                            th_arena *arena, th_view *text, th_encoding *used,
                            uint32_t *flags);

#endif
