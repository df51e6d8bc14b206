/* One request for an object or a listing: address, signature, redirects. */
#ifndef TH_REMOTE_CALL_H
#define TH_REMOTE_CALL_H

#include "remote/http_transfer.h"
#include "remote/remote.h"

typedef struct th_remote_call {
    const char *method;   /* NULL: GET */
    const char *name;     /* as in remote_name.h; of a listing its bucket counts */
    th_view query;        /* encoded, sorted */
    bool is_listing;      /* a request for the bucket, not the key */
    bool has_range;       /* bytes from `start` up to `end` */
    uint64_t start, end;  /* `end` is exclusive; 0 for no end */
    const char *if_match; /* an ETag; NULL: none */
    bool has_body;
    th_view body;
} th_remote_call;

/**
 * Sends a request and waits for the head of an answer that is not a redirect.
 * @return TH_OK if the answer's status is 200, or, for a request without a body, 204, 206,
 * 412 or 416. TH_NOT_YET if another try may succeed. TH_IO if no try can.
 * TH_INTERRUPTED. TH_USAGE. TH_NOMEM.
 */
th_status th_remote_query(th_remote *remote, th_http *http, const th_remote_call *call,
                          th_error *err);

/**
 * Sends a request and reads the whole answer, with further tries after breaks.
 * @param max     bytes; a longer answer is TH_IO
 * @param answer  out: replaces its earlier content
 * @return as th_remote_query; TH_NOT_YET after all tries. th_http_answer_of has the head
 */
th_status th_remote_exchange(th_remote *remote, th_http *http, const th_remote_call *call,
                             size_t max, th_buffer *answer, th_error *err);

/** Returns a transfer with the remote's options; the caller gives it back. @return TH_OK;
 * TH_NOMEM */
th_status th_remote_transfer(th_remote *remote, th_http **out, th_error *err);

/** Ends the use of a transfer. One transfer is kept with its connections for the next
 * use. NULL is legal. */
void th_remote_give_back(th_remote *remote, th_http *http);

/** Returns the options of the stores; borrowed. */
const th_remote_options *th_remote_options_of(const th_remote *remote);

/** Failed tries in a row. { 0 } is an empty row. */
typedef struct th_remote_tries {
    uint32_t failures;
    uint32_t unreachable; /* the last of these, which could not reach a host */
    uint64_t bytes;       /* received since the row began */
    uint64_t spent_ms;    /* waited since then, for the network and between tries */
} th_remote_tries;

/**
 * Counts a failed try, and waits before another one.
 *
 * The row restarts if the bytes received in it are enough for the time spent, at
 * remote.min-rate, and for a second in any case: a server that sends one byte for each
 * connection makes no progress. Calls `on_retry` with the error and the time of the next
 * try.
 * @param tries          the caller has added the bytes
 * @param http           of the try
 * @param name           of the object
 * @param retry_after_s  wait that the server asks for, 0 if none
 * @param why            why the try has failed
 * @return TH_OK to try again. TH_NOT_YET if there were enough tries, or if the wait is
 * too long. TH_INTERRUPTED.
 */
th_status th_remote_retry(const th_remote *remote, th_remote_tries *tries,
                          const th_http *http, const char *name, uint32_t retry_after_s,
                          const th_error *why);

#endif
