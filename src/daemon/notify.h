/*
 * Messages to systemd: sd_notify(3)'s protocol, one datagram a message, without
 * libsystemd. Without NOTIFY_SOCKET every call does nothing.
 */
#ifndef TH_NOTIFY_H
#define TH_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"

/* Longest text of a STATUS= line; between two of them at least so long. */
enum { TH_NOTIFY_STATUS_MAX = 200, TH_NOTIFY_STATUS_US = 10 * 1000 * 1000 };

typedef struct th_notify_options {
    const char *socket;   /* path, or '@' and an abstract name; NULL = $NOTIFY_SOCKET */
    uint64_t watchdog_us; /* 0 = $WATCHDOG_USEC where $WATCHDOG_PID is us or not set */
    uint64_t (*now_us)(void *context); /* CLOCK_MONOTONIC; NULL = the system's */
    void *now_context;
} th_notify_options;

/** Used by one thread. */
typedef struct th_notify th_notify;

/**
 * Connects to the supervisor.
 * @param options  NULL = all from the environment, which is read and left as it is
 * @param out      freed by th_notify_close; NULL without a supervisor, which every call
 *                 takes
 * @return TH_OK; TH_USAGE when the address is none; TH_IO; TH_NOMEM
 */
th_status th_notify_open(const th_notify_options *options, th_notify **out,
                         th_error *err);

/** READY=1: the first scan or assignment is done; also ends a reload. */
void th_notify_ready(th_notify *notify);

/** STATUS=: one line for people. Control characters become blanks; what is longer than
 * TH_NOTIFY_STATUS_MAX is cut, and so is what follows bytes that are not UTF-8. At most
 * one each TH_NOTIFY_STATUS_US goes out, the others are dropped. */
void th_notify_status(th_notify *notify, const char *text);

/**
 * Says WATCHDOG=1 at the first call, then when half of the watchdog's time is over since
 * the last one and `progress` has changed or is_idle. Call it in each turn of the working
 * loop.
 * @param progress  a number that grows with the work done: a loop that turns without
 *                  progress counts as one that hangs
 * @param is_idle   there is nothing to do, so nothing has to move
 */
void th_notify_watchdog(th_notify *notify, uint64_t progress, bool is_idle);

/** RELOADING=1 with MONOTONIC_USEC=; th_notify_ready ends it. */
void th_notify_reloading(th_notify *notify);

/** STOPPING=1: draining has begun. */
void th_notify_stopping(th_notify *notify);

/** EXTEND_TIMEOUT_USEC=: starting or stopping takes so much longer from now on. */
void th_notify_extend(th_notify *notify, uint64_t us);

/** ERRNO=: why we fail, before the exit. */
void th_notify_errno(th_notify *notify, int error);

/** Frees; tells nothing. NULL is legal. */
void th_notify_close(th_notify *notify);

#endif
