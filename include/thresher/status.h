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
    X(NOT_WANTED,    "not_wanted",    "none is wanted") \
    X(NO_TOKEN,      "no_token",      "text has no token") \
    X(NOT_YET,       "not_yet",       "nothing at present") \
    X(TIMED_OUT,     "timed_out",     "not done within its time") \
    X(PAUSED,        "paused",        "paused: the same call goes on") \
    X(ABSENT,        "absent",        "it is not there") \
    X(DAMAGED,       "damaged",       "file is torn, damaged or of something else") \
    X(NO_ROOM,       "no_room",       "disk is full, or no descriptor is free") \
    X(NO_BROKER,     "no_broker",     "no broker answers") \
    X(BLOCKED,       "blocked",       "output takes nothing at present") \
    X(ABORTED,       "aborted",       "transaction was aborted") \
    X(NOT_A_PAGE,    "not_a_page",    "record type carries no page") \
    X(REVISIT,       "revisit",       "payload is in another record") \
    X(NO_PAYLOAD,    "no_payload",    "record has no payload") \
    X(TOMBSTONE,     "tombstone",     "message has no value: it deletes its key") \
    X(NOT_HTML,      "not_html",      "payload is neither HTML nor XHTML") \
    X(BAD_HTTP,      "bad_http",      "no HTTP response can be read from the block") \
    X(BAD_CODING,    "bad_coding",    "content coding cannot be undone") \
    X(TOO_LARGE,     "too_large",     "larger than its limit") \
    X(TIME_LIMIT,    "time_limit",    "page took longer than its time limit") \
    X(CRASHED,       "crashed",       "the process that worked on it died of it") \
    X(FILTER_URL,    "filter_url",    "a filter leaves out its URL") \
    X(FILTER_DATE,   "filter_date",   "a filter leaves out its date") \
    X(FILTER_STATUS, "filter_status", "a filter leaves out its status") \
    X(FILTER_MEDIA,  "filter_media",  "a filter leaves out its media type") \
    X(FILTER_LANGUAGE, "filter_language", "a filter leaves out its language") \
    X(FILTER_PAGE_TYPE, "filter_page_type", "a filter leaves out its type of pages") \
    X(FILTER_QUALITY, "filter_quality", "a filter leaves out its expected quality") \
    X(FILTER_DETECTED, "filter_detected", "a filter leaves out the language of its content") \
    X(FILTER_WORDS,  "filter_words",  "a filter leaves out its number of words") \
    X(BAD_WARC,      "bad_warc",      "record is damaged") \
    X(USAGE,         "usage",         "wrong usage or configuration") \
    X(IO,            "io",            "input or output failed") \
    X(NOMEM,         "nomem",         "out of memory") \
    X(INTERRUPTED,   "interrupted",   "told to stop")
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
