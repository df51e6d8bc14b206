/*
 * Works on pages in sandboxed processes, one for each worker. A process that dies costs
 * only the page that killed it.
 *
 *     worker thread ── batch (shared memory) ──► process of pages: th_work
 *            ◄──────── result (socket), checked ──┘
 *
 * The process of a worker is started when the worker has its first batch, and again after
 * it has died. Then the work continues with the first record that was not passed on, and
 * the record that was in progress is refused as TH_CRASHED. If the process was killed
 * from outside (SIGKILL: an operator, the kernel without memory), the record is first
 * tried again.
 */
#ifndef TH_ISOLATION_H
#define TH_ISOLATION_H

#include "traffic/work.h"

typedef struct th_isolation th_isolation;

typedef struct th_isolation_options {
    uint64_t memory;  /* limit of a process's memory, in bytes */
    uint32_t page_ms; /* processor time for one page; ten times that by the clock */
} th_isolation_options;

/**
 * Forks the fork_server. Call it before threads hold locks.
 * @param work     options of its processes. They are copied, and the processes keep the
 *                 present contents of their pointers. The memory of sites must be NULL
 * @return TH_OK; TH_USAGE: built without libseccomp; TH_IO, TH_NOMEM
 */
th_status th_isolation_open(const th_work_options *work,
                            const th_isolation_options *options, th_isolation **out,
                            th_error *err);

/**
 * Returns the workers that replace a worker's thread, for th_work_options.worker_process. Use
 * it only with the options passed to th_isolation_open.
 */
const th_worker_process *th_isolation_workers(const th_isolation *isolation);

/** Counts of its processes, since the start. */
typedef struct th_isolation_stats {
    uint64_t started, died;
} th_isolation_stats;

/** Safe from any thread. */
th_isolation_stats th_isolation_facts_of(const th_isolation *isolation);

/** Ends its processes; no worker uses them any more. NULL is legal. */
void th_isolation_close(th_isolation *isolation);

#endif
