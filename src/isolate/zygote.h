/*
 * A process that starts other processes. It is forked before its parent has workers. So
 * it holds all data that they need (options, models, lists) and no lock. Each process
 * that it forks inherits that.
 *
 *     thresher ──request──► zygote ──fork──► process of pages
 *        └──────────── socket, shared memory ──────┘
 *
 * When thresher ends, for any reason, the zygote ends. When the zygote ends, the
 * processes that it started end.
 */
#ifndef TH_ZYGOTE_H
#define TH_ZYGOTE_H

#include <stdbool.h>
#include <sys/types.h>

#include "thresher/status.h"

typedef struct th_zygote th_zygote;

/** Prepares the zygote, before it starts the first process. Returns false to end it. */
typedef bool (*th_zygote_prepare)(void *context);

/**
 * Runs in a started process. Returns its exit code.
 * @param socket  stream, to the requester of the process
 * @param memory  descriptor of an empty memory file that both have, to be closed
 */
typedef int (*th_zygote_main)(void *context, int socket, int memory);

/** A process that was started. Its requester owns the descriptors. */
typedef struct th_zygote_child {
    pid_t pid;
    int socket, memory;
} th_zygote_child;

/**
 * Forks the zygote. All descriptors of the caller but standard error are shut in it.
 * @param prepare, main  called in the zygote and in its processes, with the context
 * @return TH_OK; TH_IO, TH_NOMEM
 */
th_status th_zygote_open(th_zygote_prepare prepare, th_zygote_main main, void *context,
                         th_zygote **out, th_error *err);

/** Starts a process. Safe from any thread. @return TH_OK; TH_IO: the zygote is gone, or
 * it cannot fork */
th_status th_zygote_start(th_zygote *zygote, th_zygote_child *out, th_error *err);

/**
 * Ends a process that was started (SIGKILL) and waits for its end. Safe from any thread.
 * @param status  out: the status from waitpid; if it ended before the signal, the status
 *                of that end
 * @return TH_OK; TH_IO: the zygote and the process have ended
 */
th_status th_zygote_end(th_zygote *zygote, pid_t pid, int *status, th_error *err);

/** Ends the zygote and all that it started, and waits for it. NULL is legal. */
void th_zygote_close(th_zygote *zygote);

#endif
