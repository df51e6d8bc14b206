/* The content of a page as HTML of a few elements, without scripts and styles. */
#ifndef TH_CLEAN_HTML_H
#define TH_CLEAN_HTML_H

#include "base/buffer.h"
#include "thresher/options.h"
#include "thresher/page.h"
#include "write/page_headline.h"

/**
 * Appends the content's paragraphs in H1 to H6, P, UL, OL, LI, DL, DT, DD, BLOCKQUOTE,
 * TABLE, TR, TD, PRE and CODE, with STRONG, EM, S, A, IMG and BR inside. It writes no
 * other element, and no attribute except VALUE, COLSPAN, ROWSPAN, HREF, SRC, ALT and the
 * CLASS of a language. Every element that opens is closed.
 * @return TH_OK or TH_NOMEM (also when the arena is full). Linear.
 */
th_status th_clean_html_write(const th_page *page, const th_options *opt,
                              const th_page_headline *headline, th_buffer *out);

#endif
