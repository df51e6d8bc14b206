/*
 * The daemon's HTTP endpoint, for monitoring and for pages of clients.
 *
 *     /metrics           Prometheus text
 *     /livez, /health    200 "ok", or 503 and a reason: something hangs, restart it
 *     /readyz, /ready    200 "ok", or 503 and a reason: alive, but cannot work now
 *     POST /extract      with options.extract: a page to its record or text (extract.h)
 *
 * It has its own thread, so it also answers while the daemon's loop hangs or workers are
 * busy with pages. It reveals no secret and changes nothing. It has no TLS, so use it on
 * loopback or on a Unix socket.
 */
#ifndef TH_ENDPOINT_H
#define TH_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "daemon/extract.h"
#include "thresher/status.h"

enum {
    TH_ENDPOINT_CONNECTIONS = 16, /* at once; a new one replaces the oldest */
    /*
     * For each connection, because a connection that is shut down is closed a moment
     * later.
     */
    TH_ENDPOINT_DESCRIPTORS = 2,
    TH_ENDPOINT_KEPT = 4,          /* of them for loopback and the Unix socket only */
    TH_ENDPOINT_TIMEOUT_MS = 5000, /* a slower request or an idle connection is closed */
    TH_ENDPOINT_HEAD_MAX = 16384,  /* bytes of a connection's memory: line and headers */
    TH_ENDPOINT_UPLOAD_MAX = 1 << 16 /* the same if bodies are received */
};

typedef struct th_endpoint_options {
    /* "127.0.0.1:9464", "[::1]:9464", "localhost:9464" (which is 127.0.0.1), "9464"
     * (there too), "unix:/run/thresher/http.sock". Numeric: no name is looked up. Port 0
     * is any */
    const char *listen;
    unsigned connections; /* at once; 0: TH_ENDPOINT_CONNECTIONS, and one for each request
                           * of `extract` */
    unsigned timeout_ms;  /* for receiving a request, for sending its answer, and between
                           * two requests; 0: TH_ENDPOINT_TIMEOUT_MS */
    th_extract *extract;  /* for POST /extract, borrowed; NULL if not offered */
} th_endpoint_options;

/** Callbacks of the endpoint, called on its thread, one request at a time. */
typedef struct th_endpoint_callbacks {
    void *context;
    /** Appends Prometheus text. */
    void (*metrics)(void *context, th_buffer *out);
    /** TH_OK, or any other status with the reason in `why`, which is never NULL. */
    th_status (*live)(void *context, th_error *why);
    th_status (*ready)(void *context, th_error *why);
} th_endpoint_callbacks;

typedef struct th_endpoint th_endpoint;

/**
 * Starts to listen and answer. Replaces a socket file that a crash left over, but not a
 * socket in use.
 * @param callbacks  copied
 * @param out        closed by th_endpoint_close
 * @return TH_OK. TH_USAGE with the address in err, if it is built without the endpoint
 *         (THRESHER_ENDPOINT=OFF), has no address, the address is used by another
 *         process, or the file is not a socket. TH_IO. TH_NOMEM
 */
th_status th_endpoint_open(const th_endpoint_options *options,
                           const th_endpoint_callbacks *callbacks, th_endpoint **out,
                           th_error *err);

/** The TCP port that was given, 0 for a Unix socket. */
uint16_t th_endpoint_port(const th_endpoint *endpoint);

/** Version of libmicrohttpd; NULL: built without it. Static. */
const char *th_endpoint_library_version(void);

/** Ends the thread, closes all connections, removes the socket file. Call th_extract_drain
 * before. NULL is legal. */
void th_endpoint_close(th_endpoint *endpoint);

#endif
