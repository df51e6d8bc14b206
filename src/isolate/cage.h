/* What a process that works on pages may do: compute, and talk over one socket. */
#ifndef TH_CAGE_H
#define TH_CAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"

/** Whether this build has cages: they need libseccomp. */
bool th_cage_is_built(void);

/**
 * Shuts the calling process in, for good: it may read and write the socket, take and give
 * back memory, look at the clock and end. Any other system call kills it (SIGSYS). It
 * leaves no core file and gains no privileges.
 * @param socket  the only descriptor that can be used
 * @param memory  bytes of address space beyond what the process has now
 * @return TH_OK; TH_IO, with the words in err: the process may be half shut in and is to
 *         end
 */
th_status th_cage_enter(int socket, uint64_t memory, th_error *err);

#endif
