/* Threads that do the same work until none is left. */
#ifndef TH_PARALLEL_H
#define TH_PARALLEL_H

#include <stdint.h>

#include "thresher/status.h"

/**
 * A worker's function. Takes pieces of work, in order, under its own lock, until none is
 * left.
 * @param place  set to the number of each piece that it takes
 * @return TH_OK, or why it stopped early. Then the context must make the other workers
 *         take no more pieces, and finish their current ones
 */
typedef th_status (*th_parallel_work)(void *context, uint64_t *place, th_error *err);

/**
 * Runs `workers` threads of the work and waits for all. One worker is the caller's own
 * thread. Fewer run if the system provides no more threads.
 * @return TH_OK or the failure of the first piece that failed, which is the same for any
 *         number of workers
 */
th_status th_parallel_run(unsigned workers, th_parallel_work work, void *context,
                          th_error *err);

#endif
