/*
 * One HTTP request at a time; the caller pulls the answer's body. The only user of
 * libcurl.
 *
 * Redirects are not followed here: the caller signs a new request, or refuses. Proxies
 * are taken from the environment (https_proxy, no_proxy).
 */
#ifndef TH_HTTP_TRANSFER_H
#define TH_HTTP_TRANSFER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"
#include "thresher/view.h"

typedef struct th_http th_http;

enum { TH_HTTP_WINDOW_STALLS = 4, TH_HTTP_ANSWER_WINDOWS = 10 };

typedef struct th_http_options {
    const char *ca_file;  /* certificates to trust instead of the system's; "" = those */
    uint32_t connect_ms;  /* most time until a connection is made */
    uint32_t stall_ms;    /* most time in which no byte comes or goes */
    uint32_t min_rate;    /* bytes per second, measured over min_rate_ms, 0 for no
                           * minimum */
    uint32_t min_rate_ms; /* at least 1; th_http_start has the details */
    bool public_only;     /* refuses addresses that are not public, and proxies */
    const atomic_int *stop; /* if not 0, waits end; may be NULL */
} th_http_options;

typedef struct th_http_request {
    const char *method; /* GET, PUT, POST, DELETE */
    const char *url;
    const char *const *headers; /* "Name: value", the last NULL; may be NULL */
    bool is_local;              /* bypasses every proxy */
    bool has_body;
    th_view body; /* borrowed until the head of the answer has arrived */
} th_http_request;

/** Fields of the answer's head. */
typedef struct th_http_answer {
    int status;                       /* 200; 0: no head yet */
    bool has_length, has_range;       /* Content-Length; Content-Range */
    uint64_t length;                  /* of this body */
    uint64_t range_start, range_size; /* first byte; bytes of the whole object */
    uint32_t retry_after_s;           /* 0 if missing, or if it is a date */
    char etag[256], modified[64];     /* "" = none */
    char location[2048], region[64];  /* of a redirect; x-amz-bucket-region */
    char type[256], coding[64];       /* Content-Type; Content-Encoding */
} th_http_answer;

/** Returns whether a status redirects to another address. */
static inline bool th_is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 ||
           status == 308;
}

/** @return TH_OK; TH_NOMEM. Options are copied; the objects they point to are
 * borrowed. */
th_status th_http_new(const th_http_options *options, th_http **out, th_error *err);

/** NULL is legal. */
void th_http_free(th_http *http);

/**
 * Sends a request with its body and waits for the answer's head. Cancels an earlier
 * transfer.
 *
 * A transfer that is slower than min_rate breaks, like a transfer that stalls. The rate
 * is measured over windows of time spent waiting for the network. A window is
 * min_rate_ms long, but at most TH_HTTP_WINDOW_STALLS times stall_ms. The first window
 * begins with the first byte. The answer to a body has TH_HTTP_ANSWER_WINDOWS windows,
 * because a store sends a space now and then while it joins the parts of an upload.
 * @return TH_OK if th_http_answer has an answer, with any status. TH_NOT_YET if there is
 * no answer, but another try may get one. TH_IO if no try can (a certificate, an
 * address). TH_INTERRUPTED. TH_NOMEM.
 */
th_status th_http_start(th_http *http, const th_http_request *request, th_error *err);

/** Returns the answer to the current request. */
const th_http_answer *th_http_answer_of(const th_http *http);

/**
 * Reads bytes of the body.
 * @return TH_OK, *got > 0. TH_END. TH_NOT_YET if the connection broke, or stalled.
 * TH_IO. TH_INTERRUPTED.
 */
th_status th_http_read(th_http *http, char *buffer, size_t capacity, size_t *got,
                       th_error *err);

/** Milliseconds that the current request has waited for the network. */
uint64_t th_http_waited_ms(const th_http *http);

/** Returns whether the last failure was that no connection could be made: the host's name
 * is unknown, or the host refuses connections. */
bool th_http_is_unreachable(const th_http *http);

/** Returns whether the current request failed because of an address that is not public. */
bool th_http_has_refused(const th_http *http);

/** Cancels the transfer. The connection is kept only if the body was read completely. */
void th_http_stop(th_http *http);

/**
 * Resolves a reference, such as the location of a redirect.
 * @param base  absolute URL
 * @return in memory for free(); NULL if it is not a URL, or out of memory
 */
char *th_http_resolve(const char *base, const char *reference);

/** libcurl's version. */
const char *th_http_library_version(void);

#endif
