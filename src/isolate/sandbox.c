/*
 * Resource limits by setrlimit, system calls by libseccomp.
 *
 * The list contains the calls that malloc, the clock of a page's time limit, the socket
 * and an end by abort need. No descriptor can be opened, so mmap is for anonymous memory,
 * and memory is never executable. mprotect is omitted, because the main arena of malloc
 * does not need it, and because it could make a mapped read-only file writable.
 *
 * Sanitizers: the memory limit is omitted with AddressSanitizer, whose shadow exceeds any
 * limit, and the filter with ThreadSanitizer, which has its own thread.
 */
#include "isolate/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { LIMITS_MEMORY = 0, FILTERS_CALLS = 1 };
#elif defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { LIMITS_MEMORY = 0, FILTERS_CALLS = 0 };
#else
enum { LIMITS_MEMORY = 1, FILTERS_CALLS = 1 };
#endif

bool th_sandbox_is_built(void)
{
    return true;
}

/* Returns the bytes of address space that the process has, or 0 if unknown. */
static uint64_t address_space(void)
{
    char text[32] = "";
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const ssize_t got = read(fd, text, sizeof text - 1);
    unsigned long long pages = 0;
    (void)close(fd);
    if (got <= 0 || sscanf(text, "%llu", &pages) != 1)
        return 0;
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static th_status limit(__rlimit_resource_t resource, uint64_t value, const char *name,
                       th_error *err)
{
    const struct rlimit both = { .rlim_cur = value, .rlim_max = value };
    return setrlimit(resource, &both) == 0
               ? TH_OK
               : th_fail(err, TH_IO, "cannot limit %s: %s", name, strerror(errno));
}

static th_status limit_memory(uint64_t memory, th_error *err)
{
    const uint64_t now = LIMITS_MEMORY ? address_space() : 0;
    if (!LIMITS_MEMORY)
        return TH_OK;
    return now ? limit(RLIMIT_AS, now + memory, "memory", err)
               : th_fail(err, TH_IO, "cannot read /proc/self/statm");
}

/* Rules of the calls that are free of conditions. */
static int allow_plain(scmp_filter_ctx filter)
{
    static const int calls[] = {
        SCMP_SYS(munmap),        SCMP_SYS(mremap),       SCMP_SYS(brk),
        SCMP_SYS(madvise),       SCMP_SYS(futex),        SCMP_SYS(exit),
        SCMP_SYS(exit_group),    SCMP_SYS(rt_sigreturn), SCMP_SYS(restart_syscall),
        SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(sched_yield),
        SCMP_SYS(getpid),        SCMP_SYS(gettid),       SCMP_SYS(rt_sigprocmask),
        SCMP_SYS(rt_sigaction),
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls && !failed; i++)
        failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
    return failed;
}

/* The condition that the bits `mask` of an argument are `value`. */
static struct scmp_arg_cmp has_bits(unsigned argument, uint64_t mask, uint64_t value)
{
    return (struct scmp_arg_cmp){
        .arg = argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value
    };
}

static int allow_all(scmp_filter_ctx filter, int socket)
{
    static const int of_socket[] = { SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(writev) };
    const struct scmp_arg_cmp is_socket = has_bits(0, UINT32_MAX, (uint32_t)socket);
    const struct scmp_arg_cmp is_itself = has_bits(0, UINT32_MAX, (uint32_t)getpid());
    const struct scmp_arg_cmp is_no_code = has_bits(2, PROT_EXEC, 0);
    const struct scmp_arg_cmp is_no_file = has_bits(3, MAP_ANONYMOUS, MAP_ANONYMOUS);
    int failed = allow_plain(filter);
    for (size_t i = 0; i < sizeof of_socket / sizeof *of_socket && !failed; i++)
        failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, of_socket[i], 1, is_socket);
    if (!failed)
        failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, is_itself);
    if (!failed)
        failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2, is_no_code,
                                  is_no_file);
    return failed;
}

static th_status filter_calls(int socket, th_error *err)
{
    if (!FILTERS_CALLS)
        return TH_OK;
    /*
     * If seccomp(2) itself is forbidden, as by the filter of thresher's unit with systemd
     * 252, prctl(2) is used. It can only kill a thread, and the process has only one.
     */
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (!filter)
        filter = seccomp_init(SCMP_ACT_KILL_THREAD);
    if (!filter)
        return th_fail(err, TH_IO, "cannot create a filter of system calls");
    /* Pages are data, no code that could time others: without this, older kernels would
     * turn speculation off and slow the process down. */
    (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
    int failed = allow_all(filter, socket);
    if (!failed)
        failed = seccomp_load(filter);
    seccomp_release(filter);
    return failed ? th_fail(err, TH_IO, "cannot load a filter of system calls: %s",
                            strerror(-failed))
                  : TH_OK;
}

th_status th_sandbox_enter(int socket, uint64_t memory, th_error *err)
{
    th_status status = limit(RLIMIT_CORE, 0, "core files", err);
    if (status == TH_OK)
        status = limit(RLIMIT_FSIZE, 0, "files", err);
    if (status == TH_OK)
        status = limit_memory(memory, err);
    if (status == TH_OK && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        status = th_fail(err, TH_IO, "cannot drop privileges: %s", strerror(errno));
    return status == TH_OK ? filter_calls(socket, err) : status;
}
