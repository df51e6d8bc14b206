/*
 * Messages to systemd: sd_notify(3)'s protocol, one datagram a message, without
 * libsystemd. Without NOTIFY_SOCKET every call does nothing.
 */
#ifndef TH_NOTIFY_H
#define TH_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"

/* Longest text of a STATUS= line, and the minimum time between two of them. */
enum { TH_NOTIFY_STATUS_MAX = 200, TH_NOTIFY_STATUS_US = 10 * 1000 * 1000 };

typedef struct th_notify_options {
    const char *socket;   /* path, or '@' and an abstract name; NULL = $NOTIFY_SOCKET */
    uint64_t watchdog_us; /* 0 = $WATCHDOG_USEC, if $WATCHDOG_PID is this process or
                           * not set */
    uint64_t (*now_us)(void *context); /* CLOCK_MONOTONIC; NULL = the system's */
    void *now_context;
} th_notify_options;

/** Used by one thread. */
typedef struct th_notify th_notify;

/**
 * Connects to the supervisor.
 * @param options  NULL = all from the environment, which is not changed
 * @param out      freed by th_notify_close; NULL without a supervisor, which every call
 *                 accepts
 * @return TH_OK; TH_USAGE if the address is invalid; TH_IO; TH_NOMEM
 */
th_status th_notify_open(const th_notify_options *options, th_notify **out,
                         th_error *err);

/** READY=1: the first scan or assignment is done; also ends a reload. */
void th_notify_ready(th_notify *notify);

/**
 * Sends STATUS=, one line for people. Control characters become spaces. The text is cut
 * at TH_NOTIFY_STATUS_MAX, and at bytes that are not UTF-8. At most one is sent each
 * TH_NOTIFY_STATUS_US. The others are dropped.
 */
void th_notify_status(th_notify *notify, const char *text);

/**
 * Sends WATCHDOG=1 at the first call. Later it sends when half of the watchdog's time is
 * over since the last one, if `progress` has changed or is_idle. Call it in each turn of
 * the working loop.
 * @param progress  a number that grows with the work done. A loop that turns without
 *                  progress counts as hanging
 * @param is_idle   there is no work, so progress is not required
 */
void th_notify_watchdog(th_notify *notify, uint64_t progress, bool is_idle);

/** RELOADING=1 with MONOTONIC_USEC=; th_notify_ready ends it. */
void th_notify_reloading(th_notify *notify);

/** STOPPING=1: draining has begun. */
void th_notify_stopping(th_notify *notify);

/**
 * Sends EXTEND_TIMEOUT_USEC=: extends the time for starting or stopping, counted from the
 * call.
 */
void th_notify_extend(th_notify *notify, uint64_t us);

/** ERRNO=: why we fail, before the exit. */
void th_notify_errno(th_notify *notify, int error);

/** Frees; tells nothing. NULL is legal. */
void th_notify_close(th_notify *notify);

#endif
