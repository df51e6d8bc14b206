/* src/isolate/sandbox.c: which system calls a sandboxed process survives. Each row has a
 * separate process. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "isolate/sandbox.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
/* Sanitizers need more memory, and TSan other system calls. */
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { FILTERS_CALLS = 0, LIMITS_MEMORY = 0 };
#elif defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { FILTERS_CALLS = 1, LIMITS_MEMORY = 0 };
#else
enum { FILTERS_CALLS = 1, LIMITS_MEMORY = 1 };
#endif

/* Descriptors of a file that can be read and written: without and with the bit of
 * MAP_ANONYMOUS. */
enum { SOCKET = 10, LOW_FILE = 16, HIGH_FILE = 48, SIZE = 4096, MEMORY = 64 << 20 };

static char bytes[8];
static struct iovec vector = { bytes, 1 };
static struct timespec now;

static long map(size_t len, int protection, int flags, int file)
{
    return syscall(SYS_mmap, NULL, len, protection, flags, file, 0);
}

/* The calls of the rows. Each returns what the system call returned. */
#define CALL(name, call)                                                                 \
    static long name(void)                                                               \
    {                                                                                    \
        return (long)(call);                                                             \
    }
enum { READ = PROT_READ, WRITE = PROT_READ | PROT_WRITE, CODE = PROT_READ | PROT_EXEC };
enum { NO_FILE = MAP_PRIVATE | MAP_ANONYMOUS };
CALL(map_memory, map(SIZE, WRITE, NO_FILE, -1))
CALL(map_memory_of_zero, map(SIZE, WRITE, NO_FILE, 0))
CALL(map_shared_memory, map(SIZE, WRITE, MAP_SHARED | MAP_ANONYMOUS, -1))
CALL(map_code, map(SIZE, CODE, NO_FILE, -1))
CALL(map_low_file, map(SIZE, READ, MAP_PRIVATE, LOW_FILE))
CALL(map_high_file, map(SIZE, READ, MAP_PRIVATE, HIGH_FILE))
CALL(map_shared_file, map(SIZE, WRITE, MAP_SHARED, HIGH_FILE))
CALL(unmap, syscall(SYS_munmap, map_memory(), SIZE))
CALL(protect, syscall(SYS_mprotect, map_memory(), SIZE, READ))
CALL(advise, syscall(SYS_madvise, map_memory(), SIZE, MADV_DONTNEED))
CALL(write_socket, syscall(SYS_write, SOCKET, bytes, 1))
CALL(writev_socket, syscall(SYS_writev, SOCKET, &vector, 1))
CALL(read_socket, syscall(SYS_read, SOCKET, bytes, 1))
CALL(write_file, syscall(SYS_write, LOW_FILE, bytes, 1))
CALL(writev_file, syscall(SYS_writev, HIGH_FILE, &vector, 1))
CALL(read_file, syscall(SYS_read, LOW_FILE, bytes, 1))
CALL(write_stderr, syscall(SYS_write, 2, bytes, 1))
CALL(open_file, syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY))
CALL(duplicate, syscall(SYS_dup, SOCKET))
CALL(make_socket, syscall(SYS_socket, AF_INET, SOCK_STREAM, 0))
CALL(start_process, syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
CALL(change_limit, syscall(SYS_prlimit64, 0, RLIMIT_CORE, NULL, NULL))
CALL(read_clock, syscall(SYS_clock_gettime, CLOCK_REALTIME, &now))
CALL(own_process, syscall(SYS_getpid) > 0 ? 0 : -1)
CALL(signal_itself, syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0))
CALL(signal_parent, syscall(SYS_tgkill, getppid(), getppid(), 0))
CALL(kill_itself, syscall(SYS_kill, getpid(), 0))

static const struct row {
    const char *name;
    long (*call)(void);
    bool is_allowed;
} rows[] = {
    { "map memory", map_memory, true },
    { "map memory with a descriptor that is ignored", map_memory_of_zero, true },
    { "map shared memory", map_shared_memory, true },
    { "map code", map_code, false },
    { "map a file", map_low_file, false },
    { "map a file whose number has the bit of MAP_ANONYMOUS", map_high_file, false },
    { "map a file to write", map_shared_file, false },
    { "unmap", unmap, true },
    { "protect", protect, false },
    { "advise", advise, true },
    { "write to the socket", write_socket, true },
    { "write a vector to the socket", writev_socket, true },
    { "read from the socket", read_socket, true },
    { "write to a file", write_file, false },
    { "write a vector to a file", writev_file, false },
    { "read from a file", read_file, false },
    { "write to stderr", write_stderr, false },
    { "open", open_file, false },
    { "duplicate", duplicate, false },
    { "make a socket", make_socket, false },
    { "start a process", start_process, false },
    { "change a limit", change_limit, false },
    { "read the clock", read_clock, true },
    { "its own number", own_process, true },
    { "signal itself", signal_itself, true },
    { "signal the parent", signal_parent, false },
    { "kill", kill_itself, false },
};

enum { REFUSED = 100, NOT_SANDBOXED };

/* Runs a call in a sandbox, and returns the status of its process. */
static int run(long (*call)(void))
{
    int pair[2], status = 0;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), SIZE), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(write(pair[1], "x", 1), 1);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (dup2(pair[0], SOCKET) < 0 || dup2(fileno(file), LOW_FILE) < 0 ||
            dup2(fileno(file), HIGH_FILE) < 0 ||
            th_sandbox_enter(SOCKET, MEMORY, NULL) != TH_OK)
            _exit(NOT_SANDBOXED);
        /* Not _exit: with a sanitizer it makes other system calls. */
        (void)syscall(SYS_exit_group, call() < 0 ? REFUSED : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    (void)close(pair[0]);
    (void)close(pair[1]);
    (void)fclose(file);
    return status;
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    const int status = run(row->call);
    if (row->is_allowed)
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    else
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}

/* The limit counts from the memory of the process now: half of it fits, twice of it does not. */
CALL(map_half, map(MEMORY / 2, WRITE, NO_FILE, -1))
CALL(map_twice, map((size_t)MEMORY * 2, WRITE, NO_FILE, -1))

static void memory_is_limited(void **state)
{
    (void)state;
    assert_int_equal(WEXITSTATUS(run(map_half)), 0);
    assert_int_equal(WEXITSTATUS(run(map_twice)), REFUSED);
}

int main(void)
{
    enum { COUNT = sizeof rows / sizeof *rows, SKIPPED = 77 };
    struct CMUnitTest tests[COUNT + 1] = { cmocka_unit_test(memory_is_limited) };
    if (!th_sandbox_is_built() || !FILTERS_CALLS)
        return SKIPPED;
    for (size_t i = 0; i < COUNT; i++)
        tests[i + 1] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    const size_t omitted = LIMITS_MEMORY ? 0 : 1;
    return _cmocka_run_group_tests("sandbox", tests + omitted, COUNT + 1 - omitted, NULL,
                                   NULL);
}
