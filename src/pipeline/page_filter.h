/*
 * Selects the wanted records: before a page is parsed if possible, and after that if the
 * page itself is needed. Other records are rejected with a status that names the filter.
 */
#ifndef TH_PAGE_FILTER_H
#define TH_PAGE_FILTER_H

#include "page/record.h"

/** A user's filter settings. An empty text or 0 disables a filter. Borrowed. */
typedef struct th_filter_settings {
    const char *status;    /* "200,3xx", "all" */
    const char *media;     /* "text/html,application/xhtml+xml" */
    const char *language;  /* "en,de,none": the language that the page states */
    const char *urls;      /* file of patterns: only these */
    const char *not_urls;  /* file of patterns: none of these */
    const char *since;     /* captures since this date: "2025", "2025-12-18T10" */
    const char *until;     /* captures before this date */
    uint32_t min_words;    /* of content */
    uint32_t max_words;    /* 0 = no limit */
    const char *detected;  /* "en,zh,none": detected languages of the content */
    double min_share;      /* of the content in that language, 0 to 1 */
    const char *suffix;    /* "de,co.uk": public suffixes of hosts */
    const char *page_type; /* "article,forum" */
    double min_quality;    /* minimum expected F1 of words, 0 to 1 */
    const char *rights;    /* "noai,tdm-reservation,train-ai=n" */
    const char *not_ids;   /* file of ids: none of these records */
} th_filter_settings;

typedef struct th_page_filter th_page_filter;

/**
 * Compiles the settings. @param out  NULL if no filter is set
 * @return TH_OK, TH_USAGE with the error in err, TH_ABSENT if a file is missing, TH_IO if
 *         one cannot be read, or TH_NOMEM
 */
th_status th_page_filter_new(const th_filter_settings *settings, th_page_filter **out,
                             th_error *err);
void th_page_filter_free(th_page_filter *filter);

/** Returns a digest of the filter files' contents, which may change until the next
 * run. */
uint64_t th_page_filter_checksum(const th_page_filter *filter);

/* Each returns TH_OK, or the rejection with its message in err. TH_OK if the filter is
 * NULL. */

/** Filters by id, URL and date. Does not read the record's block. */
th_status th_page_filter_record(const th_page_filter *filter, const th_record *record,
                                th_error *err);
/** Filters by status (0: none) and media type (without parameters, may be absent) of the
 * HTTP head. */
th_status th_page_filter_head(const th_page_filter *filter, int status,
                              th_view media_type, th_error *err);
/** Filters by the language of a parsed page. */
th_status th_page_filter_language(const th_page_filter *filter, const th_page *page,
                                  th_error *err);
/**
 * Filters by statements about rights of a page with th_page.rights. Statements for one
 * robot count if it is the agent.
 * @param agent  NULL or "" for no robot
 */
th_status th_page_filter_rights(const th_page_filter *filter, const th_page *page,
                                const char *agent, th_error *err);
/** Filters by the words of content of a page with selected content. */
th_status th_page_filter_words(const th_page_filter *filter, const th_page *page,
                               th_error *err);
/** Filters by page type and expected quality of a page whose content a learned
 * classifier selected. If one of the two filters is set, a page of another classifier
 * is rejected. */
th_status th_page_filter_learned(const th_page_filter *filter, const th_page *page,
                                 th_error *err);
/** Filters by the detected languages of a page with th_page.languages. */
th_status th_page_filter_detected(const th_page_filter *filter, const th_page *page,
                                  th_error *err);

#endif
