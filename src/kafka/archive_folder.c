/* Files below a folder. See the header. */
#include "kafka/archive_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_openat2 /* glibc 2.31 has no name for it */
#define SYS_openat2 __NR_openat2
#endif

/* O_NONBLOCK: opening a FIFO must not wait for its writer. */
enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };
enum { AGAIN_MAX = 8 }; /* a rename at the same time makes the kernel return EAGAIN */

bool th_file_identity_equal(const th_file_identity *a, const th_file_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

/* Descriptor, or -1 with errno. */
static int open_resolved(int folder, const char *name)
{
    const struct open_how how = { .flags = FLAGS,
                                  .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
    int fd = -1;
    for (int i = 0; i < AGAIN_MAX; i++) {
        fd = (int)syscall(SYS_openat2, folder, name, &how, sizeof how);
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
    }
    return fd;
}

/* One part of the path after the other, no link followed. */
static int open_stepwise(int folder, const char *name)
{
    char part[256];
    int at = folder;
    int fd = -1;
    while (*name) {
        const size_t len = strcspn(name, "/");
        if (len >= sizeof part) {
            errno = ENAMETOOLONG;
            fd = -1;
            break;
        }
        memcpy(part, name, len);
        part[len] = '\0';
        name += len + strspn(name + len, "/");
        fd = openat(at, len ? part : ".",
                    *name ? O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
                          : FLAGS | O_NOFOLLOW);
        const int why = errno;
        if (at != folder)
            (void)close(at);
        at = fd;
        if (fd < 0) {
            errno = why;
            break;
        }
    }
    return fd;
}

/* Old kernels have no openat2, and sandboxes may refuse it. */
static bool is_missing(int error)
{
    return error == ENOSYS || error == EPERM || error == E2BIG || error == EINVAL;
}

static int open_below(const char *folder, const char *name)
{
    const int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (at < 0)
        return -1;
    int fd = open_resolved(at, name);
    if (fd < 0 && is_missing(errno))
        fd = open_stepwise(at, name);
    const int why = errno;
    (void)close(at);
    errno = why;
    return fd;
}

static th_status report(int error, th_error *why)
{
    switch (error) {
    case EXDEV:
    case ELOOP:
        return th_fail(why, TH_BAD_WARC,
                       "archive of the pointer: a link leads outside of the archives' "
                       "folder or forms a loop");
    case ENOENT:
        return th_fail(why, TH_ABSENT, "archive of the pointer does not exist");
    case EACCES:
    case EPERM:
    case ENOTDIR: /* also a link to a folder when links are not followed */
    case ENAMETOOLONG:
    case ENXIO:
    case ENODEV:
        return th_fail(why, TH_BAD_WARC, "archive of the pointer cannot be opened: %s",
                       strerror(error));
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
    case EINTR:
        return th_fail(why, TH_NEED_MORE, "cannot be opened at present, waiting: %s",
                       strerror(error));
    default: /* The disk fails, but may recover. */
        return th_fail(why, TH_NOT_YET, "archive of the pointer cannot be opened: %s",
                       strerror(error));
    }
}

th_status th_archive_open(const char *folder, const char *name, int *fd,
                          th_file_identity *identity, th_error *why)
{
    struct stat about;
    const int opened = open_below(folder, name);
    if (opened < 0 || fstat(opened, &about) != 0) {
        const int error = errno;
        if (opened >= 0)
            (void)close(opened);
        return report(error, why);
    }
    if (!S_ISREG(about.st_mode)) {
        (void)close(opened);
        return th_fail(why, TH_BAD_WARC, "archive of the pointer is not a regular file");
    }
    *identity = (th_file_identity){ .device = (uint64_t)about.st_dev,
                                    .inode = about.st_ino,
                                    .size = (uint64_t)about.st_size,
                                    .seconds = about.st_mtim.tv_sec,
                                    .nanoseconds = about.st_mtim.tv_nsec };
    *fd = opened;
    return TH_OK;
}
