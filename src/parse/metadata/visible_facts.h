/* Author and date in marked elements and lines near the headline, as a reader sees
 * them. */
#ifndef TH_VISIBLE_FACTS_H
#define TH_VISIBLE_FACTS_H

#include "base/iso_date.h"
#include "parse/metadata/author_list.h"
#include "parse/metadata/fact_marks.h"
#include "thresher/page.h"

enum { TH_SEEN_DATES = 24, TH_NAME_MAX = 512 };

/** A page before its text is printed: positions refer to the text as gathered. */
typedef struct th_visible_page {
    th_view text;
    const th_paragraph *paragraphs;
    uint32_t paragraph_count;
    const th_fact_marks *marks;
    th_view headline; /* may be absent */
    th_view language; /* may be absent */
    th_view url;      /* may be absent */
    bool is_product;  /* it sells something, so persons named are customers */
} th_visible_page;

/* How a date was found, in the order of trust. */
typedef enum th_seen {
    TH_SEEN_ITEM,   /* microdata, RDFa */
    TH_SEEN_POSTED, /* TIME with a class for a published date */
    TH_SEEN_TIME,   /* TIME near the headline */
    TH_SEEN_CLASS,  /* element near the headline with a class for a date */
    TH_SEEN_URL,    /* /2025/12/18/ */
    TH_SEEN_TEXT,   /* line near the headline: the date alone, or "Published on" */
    TH_SEEN_LOOSE,  /* line near the headline with more text */
    TH_SEEN_UPDATED,
} th_seen;

typedef struct th_seen_date {
    char iso[TH_ISO_DATE_MAX];
    size_t len;
    th_seen how;
} th_seen_date;

typedef struct th_visible_facts {
    th_author_list authors;
    const char *author_from; /* "microdata", "rel-author", "byline", "text"; NULL: none */
    th_seen_date dates[TH_SEEN_DATES]; /* in the order of trust, then of the page */
    uint32_t date_count;
} th_visible_facts;

/** Whether the URL is a site's front page. */
bool th_url_is_front(th_view url);

/** Reads the marks and the paragraphs around the headline. Pure except for `facts`;
 * O(page). */
void th_visible_facts_read(const th_visible_page *page, th_visible_facts *facts);

#endif
