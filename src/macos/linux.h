/* Functions and names of Linux that macOS lacks or spells differently. The build for macOS
 * includes this file before each source, and its folder has headers with the names of
 * Linux's. A call without an equivalent fails with ENOSYS, as on an old kernel.
 * The code compiles for macOS, but was never run there (python/README.md). */
#ifndef TH_MACOS_LINUX_H
#define TH_MACOS_LINUX_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* ---- files ---- */

#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#define O_PATH O_RDONLY
#define RENAME_NOREPLACE RENAME_EXCL
#define renameat2 renameatx_np
#define SOCK_CLOEXEC 0
#define MSG_CMSG_CLOEXEC 0
#define fdatasync fsync

/* Other leases than Linux's: fcntl fails with EINVAL. */
#undef F_SETLEASE
#define F_SETSIG (-1)
#define F_SETLEASE (-1)

static inline int posix_fallocate(int fd, off_t offset, off_t len)
{
    fstore_t wanted = { F_ALLOCATEALL, F_PEOFPOSMODE, 0, len, 0 };
    struct stat now;
    if (fstat(fd, &now) != 0)
        return errno;
    if (now.st_size >= offset + len)
        return 0;
    wanted.fst_length = offset + len - now.st_size;
    return fcntl(fd, F_PREALLOCATE, &wanted) == -1 || ftruncate(fd, offset + len) != 0
               ? errno
               : 0;
}

/* A stream of functions. Only streams that are read. */
typedef struct {
    ssize_t (*read)(void *context, char *bytes, size_t capacity);
    int (*close)(void *context);
} cookie_io_functions_t;

struct th_cookie {
    void *context;
    cookie_io_functions_t functions;
};

static inline int th_cookie_read(void *cookie, char *bytes, int capacity)
{
    const struct th_cookie *const from = (const struct th_cookie *)cookie;
    return (int)from->functions.read(from->context, bytes, (size_t)capacity);
}

static inline int th_cookie_close(void *cookie)
{
    struct th_cookie *const from = (struct th_cookie *)cookie;
    const int result = from->functions.close(from->context);
    free(from);
    return result;
}

static inline FILE *fopencookie(void *context, const char *mode,
                                cookie_io_functions_t functions)
{
    struct th_cookie *cookie = (struct th_cookie *)malloc(sizeof *cookie);
    (void)mode;
    if (!cookie)
        return NULL;
    cookie->context = context;
    cookie->functions = functions;
    FILE *file = funopen(cookie, th_cookie_read, NULL, NULL, th_cookie_close);
    if (!file)
        free(cookie);
    return file;
}

/* ---- memory ---- */

#define MADV_HUGEPAGE MADV_NORMAL
#define MREMAP_MAYMOVE 1

/* Enlarges a mapping without a file: the old bytes go into a new mapping. */
static inline void *mremap(void *old, size_t old_len, size_t len, int flags)
{
    (void)flags;
    void *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (map != MAP_FAILED) {
        memcpy(map, old, old_len);
        (void)munmap(old, old_len);
    }
    return map;
}

static inline void *memrchr(const void *bytes, int byte, size_t len)
{
    const unsigned char *at = (const unsigned char *)bytes + len;
    while (len--)
        if (*--at == (unsigned char)byte)
            return (void *)(uintptr_t)at;
    return NULL;
}

typedef int th_compare(const void *a, const void *b, void *context);

struct th_sorting {
    th_compare *compare;
    void *context;
};

static inline int th_compare_turned(void *sorting, const void *a, const void *b)
{
    const struct th_sorting *const how = (const struct th_sorting *)sorting;
    return how->compare(a, b, how->context);
}

static inline void th_qsort_r(void *rows, size_t count, size_t size, th_compare *compare,
                              void *context)
{
    struct th_sorting sorting = { compare, context };
    qsort_r(rows, count, size, &sorting, th_compare_turned);
}
#define qsort_r th_qsort_r

static inline ssize_t getrandom(void *bytes, size_t len, unsigned flags)
{
    (void)flags;
    arc4random_buf(bytes, len);
    return (ssize_t)len;
}

/* ---- time ---- */

#define CLOCK_BOOTTIME CLOCK_MONOTONIC

static inline int clock_getcpuclockid(pid_t pid, clockid_t *clock)
{
    (void)pid;
    (void)clock;
    return ENOSYS;
}

/* All waits of the program are by CLOCK_MONOTONIC. */
static inline int pthread_condattr_setclock(pthread_condattr_t *attributes,
                                            clockid_t clock)
{
    (void)attributes;
    return clock == CLOCK_MONOTONIC ? 0 : EINVAL;
}

static inline int th_cond_timedwait(pthread_cond_t *changed, pthread_mutex_t *lock,
                                    const struct timespec *until)
{
    struct timespec now, rest = { 0, 0 };
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t ns = (int64_t)(until->tv_sec - now.tv_sec) * 1000000000 +
                       (until->tv_nsec - now.tv_nsec);
    if (ns > 0) {
        rest.tv_sec = (time_t)(ns / 1000000000);
        rest.tv_nsec = (long)(ns % 1000000000);
    }
    return pthread_cond_timedwait_relative_np(changed, lock, &rest);
}
#define pthread_cond_timedwait th_cond_timedwait

/* ---- processes ---- */

#define MFD_CLOEXEC 1U

static inline int memfd_create(const char *name, unsigned flags)
{
    (void)name;
    (void)flags;
    errno = ENOSYS;
    return -1;
}

#endif
