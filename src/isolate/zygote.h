/*
 * A process that starts others: forked while its parent has no workers yet, it holds all
 * that they need (options, models, lists) and no lock, and each process that it forks has
 * that too.
 *
 *     thresher ──request──► zygote ──fork──► process of pages
 *        └──────────── socket, shared memory ──────┘
 *
 * When thresher ends, in whatever way, the zygote ends; when the zygote ends, so do those
 * that it started.
 */
#ifndef TH_ZYGOTE_H
#define TH_ZYGOTE_H

#include <stdbool.h>
#include <sys/types.h>

#include "thresher/status.h"

typedef struct th_zygote th_zygote;

/** What the zygote itself does before it starts the first process. False: it ends. */
typedef bool (*th_zygote_prepare)(void *context);

/** What a started process does; it ends with what this returns as its exit code.
 * @param socket  stream, to who asked for the process
 * @param memory  descriptor of an empty memory file that both have, to be closed */
typedef int (*th_zygote_main)(void *context, int socket, int memory);

/** A process that was started; who asked owns the descriptors. */
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
 * @param status  out: how it ended, as waitpid has it: its own end, where that came first
 * @return TH_OK; TH_IO: the zygote is gone, and so is the process
 */
th_status th_zygote_end(th_zygote *zygote, pid_t pid, int *status, th_error *err);

/** Ends the zygote and all that it started, and waits for it. NULL is legal. */
void th_zygote_close(th_zygote *zygote);

#endif
