/*
 * Pages are worked on in processes that may do nothing else, one for each worker; one that
 * dies costs the page that it died of.
 *
 *     worker thread ── batch (shared memory) ──► process of pages: th_work
 *            ◄──────── result (socket), checked ──┘
 *
 * The process of a worker is started when the worker has its first batch, and again after
 * it has died: then the batch is worked on again from the first record that is not handed
 * in, and the record that was under way is refused as TH_CRASHED. One that was killed
 * from outside (SIGKILL: an operator, the kernel without memory) is tried once more first.
 */
#ifndef TH_ISOLATION_H
#define TH_ISOLATION_H

#include "traffic/work.h"

typedef struct th_isolation th_isolation;

typedef struct th_isolation_options {
    uint64_t memory;  /* bytes that a process may take */
    uint32_t page_ms; /* processor time for one page; ten times that by the clock */
} th_isolation_options;

/**
 * Forks the zygote. To be called before the caller has threads that hold locks.
 * @param work     what its processes work by: copied, what it points to is theirs as it is
 *                 now; its memory of sites must be NULL
 * @return TH_OK; TH_USAGE: built without libseccomp; TH_IO, TH_NOMEM
 */
th_status th_isolation_open(const th_work_options *work,
                            const th_isolation_options *options, th_isolation **out,
                            th_error *err);

/** Who works in place of a worker's thread: for th_work_options.elsewhere. The options
 * that it is used with must be those of th_isolation_open. */
const th_work_elsewhere *th_isolation_elsewhere(const th_isolation *isolation);

/** What became of its processes, since the start. */
typedef struct th_isolation_facts {
    uint64_t started, died;
} th_isolation_facts;

/** Safe from any thread. */
th_isolation_facts th_isolation_facts_of(const th_isolation *isolation);

/** Ends its processes; no worker uses them any more. NULL is legal. */
void th_isolation_close(th_isolation *isolation);

#endif
