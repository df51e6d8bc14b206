/*
 * A process that starts other processes. It is forked before its parent has workers. So
 * it holds all data that they need (options, models, lists) and no lock. Each process
 * that it forks inherits that.
 *
 *     thresher ──request──► fork_server ──fork──► process of pages
 *        └──────────── socket, shared memory ──────┘
 *
 * When thresher ends, for any reason, the fork_server ends. When the fork_server ends, the
 * processes that it started end.
 */
#ifndef TH_FORK_SERVER_H
#define TH_FORK_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "thresher/status.h"

typedef struct th_fork_server th_fork_server;

/** Prepares the fork_server, before it starts the first process. Returns false to end it. */
typedef bool (*th_fork_server_prepare)(void *context);

/**
 * Runs in a started process. Returns its exit code.
 * @param socket  stream, to the requester of the process
 * @param memory  descriptor of an empty memory file that both have, to be closed
 */
typedef int (*th_fork_server_main)(void *context, int socket, int memory);

/** A process that was started. Its requester owns the descriptors. */
typedef struct th_fork_server_child {
    pid_t pid;
    int socket, memory;
} th_fork_server_child;

/**
 * Forks the fork_server. All descriptors of the caller but standard error are shut in it.
 * @param prepare, main  called in the fork_server and in its processes, with the context
 * @return TH_OK; TH_IO, TH_NOMEM
 */
th_status th_fork_server_open(th_fork_server_prepare prepare, th_fork_server_main main,
                              void *context, th_fork_server **out, th_error *err);

/** Starts a process. Safe from any thread. @return TH_OK; TH_IO: the fork_server is gone, or
 * it cannot fork */
th_status th_fork_server_start(th_fork_server *fork_server, th_fork_server_child *out,
                               th_error *err);

/**
 * Ends a process that was started (SIGKILL) and waits for its end. Safe from any thread.
 * @param status  out: the status from waitpid; if it ended before the signal, the status
 *                of that end
 * @return TH_OK; TH_IO: the fork_server and the process have ended
 */
th_status th_fork_server_end(th_fork_server *fork_server, pid_t pid, int *status,
                             th_error *err);

/** Ends the fork_server and all that it started, and waits for it. NULL is legal. */
void th_fork_server_close(th_fork_server *fork_server);

#endif
