/* What a failed system call means for whoever asked for it. */
#ifndef TH_IO_STATUS_H
#define TH_IO_STATUS_H

#include <errno.h>

#include "thresher/status.h"

/**
 * The status of an errno.
 * @return TH_NO_ROOM where the same call succeeds once there is room on the disk or a
 *         free descriptor (ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE); TH_NOMEM for ENOMEM;
 *         TH_IO for all else
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
