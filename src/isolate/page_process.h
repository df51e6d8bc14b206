/* The process in which pages are worked on: batches in, results out, nothing else. */
#ifndef TH_PAGE_PROCESS_H
#define TH_PAGE_PROCESS_H

#include "traffic/work.h"

/** Parameters of a started process; borrowed. */
typedef struct th_page_process {
    const th_work_options *work; /* its `worker_process` is NULL */
    uint64_t memory;             /* limit of its memory, in bytes */
    th_worker *worker;           /* of the fork_server, made by th_page_process_prepare */
    th_batch *batch;             /* the same */
} th_page_process;

/**
 * A th_fork_server_prepare, whose context is a th_page_process. Creates a worker and has it
 * work on built-in pages. So data that libraries load at their first use (tables, their
 * configuration, the time zone) is loaded once for all processes, before files are out of
 * reach.
 */
bool th_page_process_prepare(void *context);

/*
 * Bytes on the socket: the process writes READY once, its user writes GO for each batch.
 */
enum { TH_PAGE_PROCESS_READY = 'r', TH_PAGE_PROCESS_GO = 'g' };

/**
 * A th_fork_server_main, whose context is a th_page_process. Sandboxes itself, reports that it
 * is ready or why not, and works until its socket is closed.
 */
int th_page_process_main(void *context, int socket, int memory);

#endif
