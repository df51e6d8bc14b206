/* Whether a doctype selects quirks mode. [HTML Living Standard 13.2.6.4.1] */
#ifndef TH_HTML_QUIRKS_H
#define TH_HTML_QUIRKS_H

#include "parse/html/html_tokenizer.h"

/**
 * Quirks mode: a TABLE does not end the P before it. A page without a doctype is in it
 * too. Limited quirks do not count.
 */
bool th_doctype_has_quirks(const th_html_doctype *doctype);

#endif
