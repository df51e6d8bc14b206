/*
 * POST /extract: a page in, its record or its text out. This is the part without sockets.
 * Only the endpoint (daemon/endpoint.h) uses it:
 *
 *     begin ─ add ... ─ finish ─► submit ─ workers ─► done ─► answer ─ end
 *                          └──── refused ──────────────────────┘
 *
 * A request that is refused still receives its body, and drops it, because a client reads
 * the answer only after it has sent the body.
 */
#ifndef TH_EXTRACT_H
#define TH_EXTRACT_H

#include "base/deadline.h"
#include "daemon/metrics.h"
#include "traffic/page_service.h"

typedef struct th_extract th_extract;
typedef struct th_extract_request th_extract_request;

typedef struct th_extract_options {
    const th_work_options *work; /* as th_extract_work makes them; borrowed */
    unsigned workers;
    uint32_t queue;    /* requests in progress, from header to last byte */
    uint64_t max_body; /* bytes of a body; all together as th_work_budget_bytes */
} th_extract_options;

/**
 * Returns options of workers for requests, by options of the daemon's other workers. Data
 * that depends on earlier pages is not used.
 * @param page  gets the options of pages, with all formats of text; borrowed
 */
th_work_options th_extract_work(const th_work_options *work, th_options *page);

/** Starts the workers. @param out  freed by th_extract_free. TH_OK; TH_NOMEM */
th_status th_extract_new(const th_extract_options *options, th_extract **out,
                         th_error *err);

/** Replaces the workers' options, like th_page_service_use. */
void th_extract_use(th_extract *extract, const th_work_options *work);

/** Makes later requests fail with status 503. Safe from any thread. */
void th_extract_stop(th_extract *extract);

/**
 * Stops, and waits until no request is in progress or the deadline is over. Then it
 * cancels the workers, like th_page_service_cancel. NULL is legal.
 * @return the number of requests that were still in progress at the deadline
 */
unsigned th_extract_drain(th_extract *extract, const th_deadline *deadline);

/** All requests have ended. NULL is legal. */
void th_extract_free(th_extract *extract);

/* All below is called from one thread, the endpoint's. */

/** The head of a request. Texts are NULL if absent, and borrowed for the call. */
typedef struct th_extract_head {
    const char *method, *accept, *content_type, *content_encoding;
    th_view url;         /* the query parameter; data is NULL if absent */
    const char *unknown; /* another query parameter */
    bool has_body;       /* it has Content-Length or Transfer-Encoding */
    uint64_t length;     /* of a body that waits for 100 Continue; else 0 */
} th_extract_head;

typedef struct th_extract_answer {
    unsigned code;
    const char *type; /* media type; static */
    th_view body;     /* valid until th_extract_end */
    bool is_last;     /* close the connection after it */
} th_extract_answer;

/** Begins a request, or refuses it. @return NULL without memory */
th_extract_request *th_extract_begin(th_extract *extract, const th_extract_head *head);

/** Adds bytes of the body. */
void th_extract_add(th_extract_request *request, const char *bytes, size_t len);

/** Whether the answer is known before the body has been read. */
bool th_extract_is_refused(const th_extract_request *request);

/** Ends the body. @return true if the request must be submitted, false if the answer is
 * known */
bool th_extract_finish(th_extract_request *request);

/** Hands the request to the workers. @param done  called once, from a worker's thread */
void th_extract_submit(th_extract_request *request, void (*done)(void *context),
                       void *context);

/** Whether `done` was called. */
bool th_extract_is_done(const th_extract_request *request);

/** Returns the answer, and counts it. Call it once, after `done` or a refusal. */
th_extract_answer th_extract_answer_of(th_extract_request *request);

/** Ends a request; its workers are done with it. NULL is legal. */
void th_extract_end(th_extract_request *request);

th_extract_stats th_extract_stats_of(th_extract *extract);

#endif
