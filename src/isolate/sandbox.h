/*
 * A sandbox for a process that works on pages. The process may only compute, and use one
 * socket.
 */
#ifndef TH_SANDBOX_H
#define TH_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"

/** Whether this build has sandbox: they need libseccomp. */
bool th_sandbox_is_built(void);

/**
 * Sandboxes the calling process permanently. The process may read and write the socket,
 * allocate and free memory, read the clock and exit. Any other system call kills it
 * (SIGSYS). It leaves no core file and gains no privileges.
 * @param socket  the only descriptor that can be used
 * @param memory  bytes of address space beyond what the process has now
 * @return TH_OK; TH_IO, with the reason in err: then the process may be partly sandboxed
 *         and must end
 */
th_status th_sandbox_enter(int socket, uint64_t memory, th_error *err);

#endif
