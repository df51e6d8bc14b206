/* Threads that do the same work until there is no more of it. */
#ifndef TH_CREW_H
#define TH_CREW_H

#include <stdint.h>

#include "thresher/status.h"

/**
 * What a worker does: takes pieces of work, in order, under a lock of its own making,
 * until none is left.
 * @param place  set to the number of each piece that it takes
 * @return TH_OK, or why it stopped early; then the others must be told by the context to
 *         take no more, and finish what they have
 */
typedef th_status (*th_crew_work)(void *context, uint64_t *place, th_error *err);

/**
 * Runs `workers` threads of the work and waits for all. One worker is the caller's own
 * thread. Fewer run where the system gives no more threads.
 * @return TH_OK or the failure of the first piece that failed: the same for any number of
 *         workers
 */
th_status th_crew_run(unsigned workers, th_crew_work work, void *context, th_error *err);

#endif
