/*
 * The endpoint's connections. Each has a limited time, even if its request arrives slowly
 * or its answer is read slowly. When all places are taken, a new connection ends the
 * oldest one from another machine. If all are local, it ends the oldest of all. Some
 * places are kept for this machine, so that a supervisor always gets its answer.
 * Connections whose request is being processed are neither ended nor timed.
 *
 * A connection is ended by shutting its socket down. The owner of the socket detects that
 * and closes it.
 */
#ifndef TH_CONNECTIONS_H
#define TH_CONNECTIONS_H

#include <stdbool.h>

#include "thresher/status.h"

typedef struct th_connections th_connections;

enum { TH_CONNECTION_PLACES_MAX = 2048 };

typedef struct th_connections_options {
    unsigned places;      /* connections at once, 1..TH_CONNECTION_PLACES_MAX */
    unsigned kept_places; /* of them only for connections from this machine; < places */
    unsigned timeout_ms;  /* limit, from the start of a connection or from the
                           * last th_connections_hold */
} th_connections_options;

/** @param out  freed by th_connections_free. TH_OK or TH_NOMEM. Starts a thread that
 * sleeps while there is no connection. */
th_status th_connections_new(const th_connections_options *options, th_connections **out);

/** Ends the thread. NULL is legal. */
void th_connections_free(th_connections *connections);

/* All below may be called from any thread. */

/**
 * Call before a connection is accepted. Ends another connection if there is no free
 * place.
 */
void th_connections_reserve(th_connections *connections, bool is_local);

/** A connection was accepted. @param fd  its socket, borrowed until
 * th_connections_remove */
void th_connections_add(th_connections *connections, int fd, bool is_local);

/** Holds a connection, because its request is being processed, or starts its time again.
 * The caller holds fewer than `places` connections. */
void th_connections_hold(th_connections *connections, int fd, bool is_held);

/** A connection ends; the socket is still open. */
void th_connections_remove(th_connections *connections, int fd);

#endif
