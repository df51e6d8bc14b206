/*
 * Who is connected to the endpoint. A visitor has so much time, however its request
 * comes in and its answer is taken; when all places are taken the one who came first gives way to the newest, and
 * some places are kept for this machine: a supervisor always gets its answer.
 *
 * A visitor is sent away by shutting its socket down: whoever owns the socket notices and
 * closes it.
 */
#ifndef TH_VISITORS_H
#define TH_VISITORS_H

#include <stdbool.h>

#include "thresher/status.h"

typedef struct th_visitors th_visitors;

typedef struct th_visitors_options {
    unsigned places;      /* visitors at once, 1..64 */
    unsigned kept_places; /* of them only for visitors from this machine; < places */
    unsigned stay_ms;     /* longest stay: for a request and its answer */
} th_visitors_options;

/** @param out  freed by th_visitors_free. TH_OK or TH_NOMEM. Starts a thread that sleeps
 * while there is no connection. */
th_status th_visitors_new(const th_visitors_options *options, th_visitors **out);

/** Ends the thread. NULL is legal. */
void th_visitors_free(th_visitors *visitors);

/* All below may be called from any thread. */

/** A connection is about to be accepted: sends others away where there is no place. */
void th_visitors_make_room(th_visitors *visitors, bool is_from_here);

/** A connection was accepted. @param fd  of the connection: borrowed until th_visitors_leave */
void th_visitors_enter(th_visitors *visitors, int fd, bool is_from_here);

/** A connection ends; the socket is still open. */
void th_visitors_leave(th_visitors *visitors, int fd);

#endif
