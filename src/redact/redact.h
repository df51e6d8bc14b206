/*
 * Replaces personal data in the texts of a page by fixed markers, if th_options.redact
 * requests it. A stage after select and thread, and before language, signals and sketch:
 * labels are those of the unchanged page, and detected languages, signals, digest and
 * signatures are of the redacted text.
 *
 * Replaced are matches in the page's text, in title, author, description and site name,
 * in authors of posts, and in words of pictures and formulas. In the URLs of links and
 * pictures only e-mail and IP addresses are replaced, and the rest of tel: and sms: URLs.
 * The record's own URL, the canonical URL, and the document (emit = html) are unchanged.
 */
#ifndef TH_REDACT_H
#define TH_REDACT_H

#include "thresher/options.h"
#include "thresher/page.h"

/** Returns the marker of a kind: "EMAIL-REDACTED". It contains no personal data, and no
 * character that Markdown or HTML escapes. @param kind  bit number of TH_REDACT_... */
th_view th_redact_marker(unsigned kind);

/**
 * The stage. Fills page->redacted. Blocks whose text is wholly inside a match that begins
 * in an earlier block become empty. Counts of tokens and lines do not change.
 * @return TH_OK; TH_TOO_LARGE if the text would be over 4 GiB; TH_NOMEM. Linear in the
 *         text, and O(log matches) for each block, paragraph, run and link
 */
th_status th_redact_page(th_page *page, const th_options *opt);

#endif
