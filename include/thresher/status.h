/*
 * Results of a call. One list generates the enum, the names in counters and reject lines,
 * and the messages.
 */
#ifndef THRESHER_STATUS_H
#define THRESHER_STATUS_H

#include "thresher/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Three families, in this order:
 *
 * - results that the caller handles (repeat the call, or there is no data)
 * - this record is rejected, but the run continues
 * - the run must stop
 */
/* clang-format off */
#define TH_STATUS_LIST(X) \
    X(OK,            "ok",            "done") \
    X(END,           "end",           "no more input") \
    X(NEED_MORE,     "need_more",     "more bytes are needed") \
    X(NOT_WANTED,    "not_wanted",    "not requested") \
    X(NO_TOKEN,      "no_token",      "text has no token") \
    X(NOT_YET,       "not_yet",       "nothing available yet") \
    X(TIMED_OUT,     "timed_out",     "timed out") \
    X(PAUSED,        "paused",        "paused; repeat the call to continue") \
    X(ABSENT,        "absent",        "does not exist") \
    X(DAMAGED,       "damaged",       "file is truncated, damaged or of another format") \
    X(NO_ROOM,       "no_room",       "disk is full, or no file descriptor is free") \
    X(NO_BROKER,     "no_broker",     "no broker answers") \
    X(BLOCKED,       "blocked",       "output cannot accept data at present") \
    X(ABORTED,       "aborted",       "transaction was aborted") \
    X(NOT_A_PAGE,    "not_a_page",    "record type does not contain a page") \
    X(REVISIT,       "revisit",       "payload is in another record") \
    X(NO_PAYLOAD,    "no_payload",    "record has no payload") \
    X(TOMBSTONE,     "tombstone",     "message without a value (deletes its key)") \
    X(NOT_HTML,      "not_html",      "payload is neither HTML nor XHTML") \
    X(BAD_HTTP,      "bad_http",      "block is not a valid HTTP response") \
    X(BAD_CODING,    "bad_coding",    "content coding cannot be decoded") \
    X(TOO_LARGE,     "too_large",     "larger than its limit") \
    X(TIME_LIMIT,    "time_limit",    "page took longer than its time limit") \
    X(CRASHED,       "crashed",       "worker process crashed on this page") \
    X(FILTER_URL,    "filter_url",    "excluded by a filter of URLs") \
    X(FILTER_DATE,   "filter_date",   "excluded by a filter of dates") \
    X(FILTER_STATUS, "filter_status", "excluded by a filter of statuses") \
    X(FILTER_MEDIA,  "filter_media",  "excluded by a filter of media types") \
    X(FILTER_LANGUAGE, "filter_language", "excluded by a filter of languages") \
    X(FILTER_PAGE_TYPE, "filter_page_type", "excluded by a filter of page types") \
    X(FILTER_QUALITY, "filter_quality", "excluded by a filter of expected quality") \
    X(FILTER_DETECTED, "filter_detected", "excluded by a filter of detected languages") \
    X(FILTER_RIGHTS, "filter_rights", "excluded by a filter of rights") \
    X(FILTER_WORDS,  "filter_words",  "excluded by a filter of word counts") \
    X(FILTER_ID,     "filter_id",     "excluded by a filter of ids") \
    X(BAD_WARC,      "bad_warc",      "record is damaged") \
    X(USAGE,         "usage",         "wrong usage or configuration") \
    X(IO,            "io",            "input or output failed") \
    X(NOMEM,         "nomem",         "out of memory") \
    X(INTERRUPTED,   "interrupted",   "interrupted by a signal")
/* clang-format on */

typedef enum th_status {
#define TH_STATUS_ENUM(symbol, name, text) TH_##symbol,
    TH_STATUS_LIST(TH_STATUS_ENUM)
#undef TH_STATUS_ENUM
        TH_STATUS_COUNT
} th_status;

/** Returns the lower-case name of a status, "not_html": the reason in reject lines and
 * metrics. */
TH_API const char *th_status_name(th_status status);

/** Returns the status as text: "payload is neither HTML nor XHTML". */
TH_API const char *th_status_text(th_status status);

/** Returns whether the status rejects one record and the run continues. */
TH_API int th_status_is_refusal(th_status status);

/** An error message that names the failed operation, the place and the cause; th_fail
 * fills it. */
typedef struct th_error {
    th_status status;
    char text[512];
} th_error;

/**
 * Records an error and returns its status, for `return th_fail(...)`.
 * @param err     may be NULL; then only the status is returned
 * @param status  the status to return
 * @param format  printf's: lower case, failed operation first, names quoted, no full stop
 */
TH_API th_status th_fail(th_error *err, th_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#ifdef __cplusplus
}
#endif

#endif
