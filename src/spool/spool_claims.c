/*
 * See the header. The lock of a file is on one byte, whose offset is the file's inode
 * number; two files with the same number only make one of them wait. Locks for reading
 * need no right to write another user's file, and asking for one for writing finds them:
 * fcntl(2), open file description locks.
 */
#include "spool/spool_claims.h"

#include <fcntl.h>
#include <unistd.h>

static struct flock byte_of(const th_spool_id *id, short type)
{
    return (struct flock){ .l_type = type,
                           .l_whence = SEEK_SET,
                           .l_start = (off_t)(id->inode & (INT64_MAX >> 1)),
                           .l_len = 1 };
}

int th_spool_claims_open(int dir_fd)
{
    return openat(dir_fd, ".thresher.claims", O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                  0666);
}

void th_spool_claims_hold(int claims, const th_spool_id *id)
{
    struct flock lock = byte_of(id, F_RDLCK);
    if (claims >= 0)
        (void)fcntl(claims, F_OFD_SETLK, &lock);
}

void th_spool_claims_drop(int claims, const th_spool_id *id)
{
    struct flock lock = byte_of(id, F_UNLCK);
    if (claims >= 0)
        (void)fcntl(claims, F_OFD_SETLK, &lock);
}

bool th_spool_claims_are_held(int claims, const th_spool_id *id)
{
    struct flock lock = byte_of(id, F_WRLCK);
    return claims >= 0 && fcntl(claims, F_OFD_GETLK, &lock) == 0 &&
           lock.l_type != F_UNLCK;
}
