/* A build without libseccomp: pages are worked on in the process itself. */
#include "isolate/sandbox.h"

bool th_sandbox_is_built(void)
{
    return false;
}

th_status th_sandbox_enter(int socket, uint64_t memory, th_error *err)
{
    (void)socket;
    (void)memory;
    return th_fail(
        err, TH_USAGE,
        "isolation = process needs libseccomp, without which this thresher was "
        "built");
}
