/*
 * Names of the rendered copies of a page. Browsertrix Crawler stores the DOM and the text
 * of a page in its browser as resource records with the URL `urn:KIND:URL`, after the
 * page's response, and often in another archive. [browsertrix-crawler, #403, #730]
 */
#ifndef TH_RENDERED_NAME_H
#define TH_RENDERED_NAME_H

#include "thresher/view.h"

/** Kinds of copies. A page is read from the copy with the largest value. */
typedef enum th_rendered_kind {
    TH_RENDERED_NONE,       /* not a copy */
    TH_RENDERED_TEXT,       /* urn:text: plain text after loading */
    TH_RENDERED_TEXT_FINAL, /* urn:textFinal: plain text after behaviors, if it changed */
    TH_RENDERED_DOM,        /* urn:dom: HTML after loading */
    TH_RENDERED_DOM_FINAL,  /* urn:domFinal: HTML after behaviors, if it changed */
} th_rendered_kind;

/**
 * Returns the kind of a copy by the URL of its record.
 * @param url   may be absent
 * @param page  receives the URL of the page, a part of `url`; unchanged for NONE
 */
th_rendered_kind th_rendered_kind_of(th_view url, th_view *page);

#endif
