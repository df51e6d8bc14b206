/* A rename that never replaces a file. See the header. */
#include "base/unique_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef RENAME_NOREPLACE /* musl before 1.2.6 has neither the flag nor the function */
#include <linux/fs.h>
#include <sys/syscall.h>

static int renameat2(int from_dir, const char *from, int to_dir, const char *to,
                     unsigned flags)
{
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}
#endif

/* Returns whether the kernel or the file system does not support the call. */
static bool is_not_known(int error)
{
    return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

/* Returns whether the file system has no links, or not for this process:
 * fs.protected_hardlinks requires a file that the process owns or may write. */
static bool is_without_links(int error)
{
    return error == EPERM || error == EMLINK || is_not_known(error);
}

static bool is_one_file(int from_dir, const char *from, int to_dir, const char *to)
{
    struct stat a, b;
    return fstatat(from_dir, from, &a, AT_SYMLINK_NOFOLLOW) == 0 &&
           fstatat(to_dir, to, &b, AT_SYMLINK_NOFOLLOW) == 0 && a.st_ino == b.st_ino &&
           a.st_dev == b.st_dev;
}

static int link_and_unlink(int from_dir, const char *from, int to_dir, const char *to)
{
    if (linkat(from_dir, from, to_dir, to, 0) == 0)
        return unlinkat(from_dir, from, 0);
    /* A crash, or a lost answer of a server, occurred between the two steps. */
    if (errno == EEXIST && is_one_file(from_dir, from, to_dir, to))
        return unlinkat(from_dir, from, 0);
    return -1;
}

/* Reserves the name with an empty file, and then replaces that file. */
static int reserve_and_rename(int from_dir, const char *from, int to_dir, const char *to)
{
    const int fd = openat(to_dir, to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    (void)close(fd);
    if (renameat(from_dir, from, to_dir, to) == 0)
        return 0;
    const int error = errno;
    (void)unlinkat(to_dir, to, 0);
    errno = error;
    return -1;
}

int th_rename_to_free(int from_dir, const char *from, int to_dir, const char *to)
{
    int result = renameat2(from_dir, from, to_dir, to, RENAME_NOREPLACE);
    if (result != 0 && is_not_known(errno)) {
        result = link_and_unlink(from_dir, from, to_dir, to);
        if (result != 0 && is_without_links(errno))
            result = reserve_and_rename(from_dir, from, to_dir, to);
    }
    return result;
}
