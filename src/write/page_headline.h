/* The headline with which a record's text begins: option text-title. */
#ifndef TH_PAGE_HEADLINE_H
#define TH_PAGE_HEADLINE_H

#include "thresher/options.h"
#include "thresher/page.h"

typedef struct th_page_headline {
    uint32_t paragraph; /* that is the headline, or TH_NONE */
    th_view title;      /* the headline otherwise; empty if the text begins without one */
    const uint8_t *label_of; /* of paragraphs, without the headline */
} th_page_headline;

/**
 * Finds the headline of a page and takes it out of the content.
 *
 * It is the first heading of the content, if that is near its beginning and a part of TITLE
 * or the only heading of the first level. If the content begins with it, nothing is
 * changed. Otherwise it is the first of these:
 *  - the part of TITLE after its first colon, as the first paragraph of the content or up
 *    to four paragraphs before it
 *  - the paragraph of the content with the words of the page's title (metadata.title)
 *  - a heading of the first level outside the content with these words
 *  - the title itself, unless the content begins with a heading that has at least two
 *    thirds of its words, or of its words before the last part
 * A page without content has no headline.
 * @param is_wanted  false: `label_of` are the page's own labels
 * @return TH_OK, or TH_NOMEM (also when the page's arena is full). Linear.
 */
th_status th_page_headline_find(th_page *page, int is_wanted, th_page_headline *out);

#endif
