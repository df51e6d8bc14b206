/* Linux's linux/openat2.h for macOS, which has no openat2(2): the caller opens each part of a path. */
#ifndef TH_MACOS_OPENAT2_H
#define TH_MACOS_OPENAT2_H

#include <errno.h>
#include <stdint.h>

struct open_how {
    uint64_t flags, mode, resolve;
};

#define RESOLVE_NO_MAGICLINKS 2
#define RESOLVE_BENEATH 8
#define SYS_openat2 0

static inline int th_no_openat2(int number, int folder, const char *name,
                                const struct open_how *how, size_t size)
{
    (void)number, (void)folder, (void)name, (void)how, (void)size;
    errno = ENOSYS;
    return -1;
}
#define syscall th_no_openat2

#endif
