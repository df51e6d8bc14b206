/* Threads that do the same work until there is no more of it. */
#ifndef TH_CREW_H
#define TH_CREW_H

#include "thresher/status.h"

/**
 * What a worker does: takes pieces of work, under a lock of its own making, until none is
 * left. @return TH_OK, or why it stopped early; then the others must be told by the
 * context
 */
typedef th_status (*th_crew_work)(void *context, th_error *err);

/**
 * Runs `workers` threads of the work and waits for all. One worker is the caller's own
 * thread. Fewer run where the system gives no more threads.
 * @return TH_OK or the first failure in the order of the workers
 */
th_status th_crew_run(unsigned workers, th_crew_work work, void *context, th_error *err);

#endif
