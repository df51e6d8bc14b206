/* Linux's sys/inotify.h for macOS: folders are not watched, only scanned again. */
#ifndef TH_MACOS_INOTIFY_H
#define TH_MACOS_INOTIFY_H

#include <errno.h>
#include <stdint.h>

struct inotify_event {
    int wd;
    uint32_t mask, cookie, len;
    char name[];
};

enum {
    IN_CLOSE_WRITE = 0x8,
    IN_MOVED_FROM = 0x40,
    IN_MOVED_TO = 0x80,
    IN_CREATE = 0x100,
    IN_DELETE_SELF = 0x400,
    IN_MOVE_SELF = 0x800,
    IN_Q_OVERFLOW = 0x4000,
    IN_IGNORED = 0x8000,
    IN_ONLYDIR = 0x1000000,
    IN_DONT_FOLLOW = 0x2000000,
    IN_ISDIR = 0x40000000,
    IN_NONBLOCK = 0x800,
    IN_CLOEXEC = 0x80000
};

static inline int inotify_init1(int flags)
{
    (void)flags;
    errno = ENOSYS;
    return -1;
}

static inline int inotify_add_watch(int fd, const char *path, uint32_t mask)
{
    (void)fd;
    (void)path;
    (void)mask;
    errno = ENOSYS;
    return -1;
}

static inline int inotify_rm_watch(int fd, int watch)
{
    (void)fd;
    (void)watch;
    errno = ENOSYS;
    return -1;
}

#endif
