/*
 * The program with injected errors in its pipeline. A record with the URL
 * http://fault.example/NAME makes its process do the action NAME. Only the tests of
 * isolation (isolation.py) link it instead of the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "isolate/sandbox.h"
#include "pipeline/pipeline.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's */
th_status __real_th_pipeline_run(th_pipeline *pipeline, const th_record *record,
                                 th_annotated *out);
th_status __wrap_th_pipeline_run(th_pipeline *pipeline, const th_record *record,
                                 th_annotated *out);
th_status __real_th_sandbox_enter(int socket, uint64_t memory, th_error *err);
th_status __wrap_th_sandbox_enter(int socket, uint64_t memory, th_error *err);

static int socket_of_process = -1;

static void crash(void)
{
    int *volatile nowhere = NULL;
    *(volatile int *)nowhere = 1; // NOLINT(clang-analyzer-core.NullDereference)
}

static void loop(void)
{
    for (volatile unsigned long i = 0;; i++)
        ;
}

static void sleep_for_ever(void)
{
    int word = 0;
    for (;;)
        (void)syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void open_file(void)
{
    (void)open("/etc/passwd", O_RDONLY);
}

static void run_program(void)
{
    (void)execl("/bin/true", "true", (char *)NULL);
}

/* Takes all that there is, then does what code that checks nothing does. */
static void fill_memory(void)
{
    for (char *at; (at = malloc(1 << 20)); memset(at, 1, 1 << 20))
        ;
    abort();
}

static void end(void)
{
    _exit(0);
}

static void kill_itself(void)
{
    (void)raise(SIGKILL);
}

static void lie(void)
{
    char noise[4096];
    memset(noise, 0xA5, sizeof noise);
    if (write(socket_of_process, noise, sizeof noise) > 0)
        sleep_for_ever();
}

static const struct {
    const char *name;
    void (*call)(void);
} faults[] = { { "segv", crash },       { "abort", abort },
               { "loop", loop },        { "sleep", sleep_for_ever },
               { "open", open_file },   { "exec", run_program },
               { "fill", fill_memory }, { "exit", end },
               { "kill", kill_itself }, { "lie", lie } };

th_status __wrap_th_pipeline_run(th_pipeline *pipeline, const th_record *record,
                                 th_annotated *out)
{
    static const char start[] = "http://fault.example/";
    const size_t len = sizeof start - 1;
    const th_view url = record->url;
    const bool is_planted =
        record->refusal == TH_OK && url.len > len && memcmp(url.data, start, len) == 0;
    const th_view name = { url.data + len, is_planted ? url.len - len : 0 };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (name.len == strlen(faults[i].name) &&
            memcmp(name.data, faults[i].name, name.len) == 0)
            faults[i].call();
    if (name.len == 4 && memcmp(name.data, "huge", 4) == 0) { /* and what we do then */
        /* volatile: gcc 15 omits an allocation that nothing reads */
        char *volatile huge = malloc((size_t)100 << 30);
        if (!huge)
            return TH_NOMEM;
        memset(huge, 1, (size_t)100 << 30);
        free(huge);
    }
    return __real_th_pipeline_run(pipeline, record, out);
}

th_status __wrap_th_sandbox_enter(int socket, uint64_t memory, th_error *err)
{
    socket_of_process = socket;
    return __real_th_sandbox_enter(socket, memory, err);
}
/* NOLINTEND(bugprone-reserved-identifier) */
