/*
 * Which records are wanted: judged before a page is parsed as far as that goes, and after
 * where the page itself must be known. What is not wanted is refused by name.
 */
#ifndef TH_PAGE_FILTER_H
#define TH_PAGE_FILTER_H

#include "page/record.h"

/** What a user asks for; "" and 0 ask for nothing. Borrowed. */
typedef struct th_filter_settings {
    const char *status;    /* "200,3xx" */
    const char *media;     /* "text/html,application/xhtml+xml" */
    const char *language;  /* "en,de,none": what the page says of itself */
    const char *urls;      /* file of patterns: only these */
    const char *not_urls;  /* file of patterns: none of these */
    const char *since;     /* captures from this date on: "2025", "2025-12-18T10" */
    const char *until;     /* and before this one */
    uint32_t min_words;    /* of content */
    uint32_t max_words;    /* 0 = no limit */
    const char *detected;  /* "en,zh,none": what its content is written in */
    double min_share;      /* of the content in that language, 0 to 1 */
    const char *suffix;    /* "de,co.uk": public suffixes of hosts */
    const char *page_type; /* "article,forum" */
    double min_quality;    /* words F1 that is to be expected, 0 to 1 */
} th_filter_settings;

typedef struct th_page_filter th_page_filter;

/**
 * Compiles the settings. @param out  NULL where nothing is asked for
 * @return TH_OK; TH_USAGE with the fault in words; TH_IO: a file cannot be read; TH_NOMEM
 */
th_status th_page_filter_new(const th_filter_settings *settings, th_page_filter **out,
                             th_error *err);
void th_page_filter_free(th_page_filter *filter);

/** Digest of what was read from files, which may be other ones by the next run. */
uint64_t th_page_filter_checksum(const th_page_filter *filter);

/* Each: TH_OK, or the refusal with its words in err; TH_OK for a filter that is NULL. */

/** URL and date: nothing of the record's block is read. */
th_status th_page_filter_record(const th_page_filter *filter, const th_record *record,
                                th_error *err);
/** Status (0: none) and media type (without parameters, may be absent) of the HTTP
 * head. */
th_status th_page_filter_head(const th_page_filter *filter, int status,
                              th_view media_type, th_error *err);
/** Language, of a page that is parsed. */
th_status th_page_filter_language(const th_page_filter *filter, const th_page *page,
                                  th_error *err);
/** Words of content, of a page whose content is selected. */
th_status th_page_filter_words(const th_page_filter *filter, const th_page *page,
                               th_error *err);
/** Page type and expected quality, of a page whose content a learned classifier selected;
 * a page of another is refused where one of the two is asked for. */
th_status th_page_filter_learned(const th_page_filter *filter, const th_page *page,
                                 th_error *err);
/** Languages that were found, of a page with th_page.languages. */
th_status th_page_filter_detected(const th_page_filter *filter, const th_page *page,
                                  th_error *err);

#endif
