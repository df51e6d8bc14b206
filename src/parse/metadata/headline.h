/* Chooses the headline of a page from its head, its headings and its address. */
#ifndef TH_HEADLINE_H
#define TH_HEADLINE_H

#include <stdint.h>

#include "thresher/view.h"

enum { TH_HEADLINE_SITES = 6, TH_HEADLINE_H1 = 8 };

/** The known sources. Absent views have no data, all are tidy. */
typedef struct th_headline_sources {
    th_view news;       /* headline of a NewsArticle in JSON-LD */
    th_view article;    /* headline or name of another article there */
    th_view open_graph; /* og:title */
    th_view twitter;
    th_view title;                    /* TITLE */
    th_view other;                    /* of other META and of microdata */
    th_view sites[TH_HEADLINE_SITES]; /* the site's name for itself */
    th_view url;                      /* of the page */
    th_view h1[TH_HEADLINE_H1];       /* headings of the first level, in order */
    uint32_t h1_count;
} th_headline_sources;

/** @param from  out: "json-ld", "h1", "meta" or "title"; NULL if there is no headline
 *  @return a slice of one of the sources, without the site's name
 *  Pure; allocates nothing; O(bytes of the sources). */
th_view th_headline_choose(const th_headline_sources *sources, const char **from);

/** Whether two texts have the same words: letters and digits, ignoring case and
 * symbols. */
int th_headline_same(th_view a, th_view b);

#endif
