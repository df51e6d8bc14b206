/*
 * Calls that fail when a test wants it: of the memory, of the arena, and of the system. For
 * one file of a program that is linked with --wrap of each call (TH_FAILING_CALLS in
 * tests/CMakeLists.txt). The file defines call_fails().
 */
#ifndef TH_TEST_FAILING_CALLS_H
#define TH_TEST_FAILING_CALLS_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "thresher/arena.h"

/* MEMORY is the memory of the C library, ARENA the memory of thresher/arena.h. */
enum failing_kind { MEMORY, ARENA, SYSTEM };

/* Returns whether this call fails, with errno set to `error`. */
static bool call_fails(enum failing_kind kind, const char *name, int error);

/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's */
/* clang-format off */
#define WRAP(kind, type, failure, error, name, parameters, arguments) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters \
    { \
        return call_fails(kind, #name, error) ? (failure) : __real_##name arguments; \
    }

WRAP(MEMORY, void *, NULL, ENOMEM, malloc, (size_t size), (size))
WRAP(MEMORY, void *, NULL, ENOMEM, calloc, (size_t count, size_t size), (count, size))
WRAP(MEMORY, void *, NULL, ENOMEM, realloc, (void *memory, size_t size), (memory, size))
WRAP(MEMORY, char *, NULL, ENOMEM, strdup, (const char *text), (text))
WRAP(MEMORY, char *, NULL, ENOMEM, strndup, (const char *text, size_t len), (text, len))
WRAP(MEMORY, FILE *, NULL, ENOMEM, open_memstream, (char **memory, size_t *len), (memory, len))
WRAP(MEMORY, void *, MAP_FAILED, ENOMEM, mmap, (void *at, size_t len, int access, int flags, int fd, off_t from), (at, len, access, flags, fd, from))
/* The arena notes the failure, as of a size that no memory has. */
#define NO_MEMORY(arena) (__real_th_arena_alloc(arena, SIZE_MAX))
WRAP(ARENA, void *, NO_MEMORY(arena), ENOMEM, th_arena_alloc, (th_arena *arena, size_t size), (arena, size))
WRAP(ARENA, void *, NO_MEMORY(arena), ENOMEM, th_arena_calloc, (th_arena *arena, size_t count, size_t size), (arena, count, size))
WRAP(ARENA, void *, NO_MEMORY(arena), ENOMEM, th_arena_grow, (th_arena *arena, void *old, size_t old_size, size_t size), (arena, old, old_size, size))
WRAP(ARENA, th_view, ((th_view){ NO_MEMORY(arena), 0 }), ENOMEM, th_arena_copy, (th_arena *arena, th_view text), (arena, text))
WRAP(SYSTEM, int, EAGAIN, EAGAIN, pthread_create, (pthread_t *thread, const pthread_attr_t *how, void *(*call)(void *), void *context), (thread, how, call, context))
WRAP(SYSTEM, ssize_t, -1, EIO, read, (int fd, void *bytes, size_t len), (fd, bytes, len))
WRAP(SYSTEM, ssize_t, -1, EIO, pread, (int fd, void *bytes, size_t len, off_t at), (fd, bytes, len, at))
WRAP(SYSTEM, ssize_t, -1, ENOSPC, write, (int fd, const void *bytes, size_t len), (fd, bytes, len))
WRAP(SYSTEM, ssize_t, -1, ENOSPC, pwrite, (int fd, const void *bytes, size_t len, off_t at), (fd, bytes, len, at))
WRAP(SYSTEM, ssize_t, -1, ENOSPC, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
/* A test that starts many commands defines it, because each waits for the disk. */
#ifdef TH_SYNC_NOTHING
#define SYNC(name, fd) ((void)(fd), 0)
#else
#define SYNC(name, fd) (__real_##name(fd))
#endif
#define WRAP_SYNC(name) \
    int __real_##name(int fd); \
    int __wrap_##name(int fd); \
    int __wrap_##name(int fd) \
    { \
        return call_fails(SYSTEM, #name, EIO) ? -1 : SYNC(name, fd); \
    }
WRAP_SYNC(fsync)
WRAP_SYNC(fdatasync)
WRAP(SYSTEM, int, -1, EIO, ftruncate, (int fd, off_t len), (fd, len))
WRAP(SYSTEM, int, ENOSPC, ENOSPC, posix_fallocate, (int fd, off_t from, off_t len), (fd, from, len))
WRAP(SYSTEM, off_t, -1, EIO, lseek, (int fd, off_t at, int from), (fd, at, from))
WRAP(SYSTEM, int, -1, EIO, fstat, (int fd, struct stat *facts), (fd, facts))
WRAP(SYSTEM, int, -1, EACCES, stat, (const char *path, struct stat *facts), (path, facts))
WRAP(SYSTEM, int, -1, EIO, rename, (const char *from, const char *to), (from, to))
WRAP(SYSTEM, int, -1, EIO, renameat, (int from_fd, const char *from, int to_fd, const char *to), (from_fd, from, to_fd, to))
WRAP(SYSTEM, int, -1, EIO, unlink, (const char *path), (path))
WRAP(SYSTEM, int, -1, ENOSPC, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(SYSTEM, int, -1, ENOSPC, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode))
WRAP(SYSTEM, int, -1, EMFILE, memfd_create, (const char *name, unsigned flags), (name, flags))
WRAP(SYSTEM, DIR *, NULL, EMFILE, opendir, (const char *path), (path))
WRAP(SYSTEM, FILE *, NULL, EMFILE, fopen, (const char *path, const char *mode), (path, mode))
WRAP(SYSTEM, FILE *, NULL, EMFILE, fdopen, (int fd, const char *mode), (fd, mode))
WRAP(SYSTEM, int, EOF, ENOSPC, fflush, (FILE *file), (file))

#define WRAP_OPEN(name, first, first_arguments) \
    int __real_##name(first, int flags, ...); \
    int __wrap_##name(first, int flags, ...); \
    int __wrap_##name(first, int flags, ...) \
    { \
        va_list arguments; \
        va_start(arguments, flags); \
        const mode_t mode = flags & O_CREAT ? (mode_t)va_arg(arguments, int) : 0; \
        va_end(arguments); \
        return call_fails(SYSTEM, #name, EMFILE) ? -1 \
                                            : __real_##name(first_arguments, flags, mode); \
    }
#define TWO(a, b) a, b
WRAP_OPEN(open, const char *path, path)
WRAP_OPEN(open64, const char *path, path)
WRAP_OPEN(openat, TWO(int fd, const char *path), TWO(fd, path))
/* clang-format on */

int __wrap_asprintf(char **text, const char *format, ...);
int __wrap_asprintf(char **text, const char *format, ...)
{
    if (call_fails(MEMORY, "asprintf", ENOMEM)) {
        *text = NULL;
        return -1;
    }
    va_list arguments;
    va_start(arguments, format);
    const int len = vasprintf(text, format, arguments);
    va_end(arguments);
    return len;
}
/* NOLINTEND(bugprone-reserved-identifier) */

#endif
