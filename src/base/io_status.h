/* Maps the errno of a failed system call to a status. */
#ifndef TH_IO_STATUS_H
#define TH_IO_STATUS_H

#include <errno.h>

#include "thresher/status.h"

/**
 * Returns the status of an errno.
 * @return TH_NO_ROOM if the same call succeeds once the disk has space or a descriptor is
 *         free (ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE); TH_NOMEM for ENOMEM; TH_IO for
 *         all other values
 */
static inline th_status th_io_status(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
        return TH_NO_ROOM;
    case ENOMEM:
        return TH_NOMEM;
    default:
        return TH_IO;
    }
}

#endif
