/* src/daemon/shutdown_timer.c: when a process ends, and with which exit code. Each case
 * is a child process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/shutdown_timer.h"

enum { NO_END = 3, EARLY = 4, WORDLESS = 5, LONG_MS = 3600000, NONE = -1 };

static const struct row {
    const char *name;
    uint32_t limit_ms;
    int is_stopped;    /* by a request */
    int hurries_ms[2]; /* NONE: no such call. The exit codes are 75 and 76 */
    int exit_code;
} rows[] = {
    /* clang-format off */
    { "a request and its limit", 30, 1, { NONE, NONE }, 70 },
    { "a hurry without a request", LONG_MS, 0, { 30, NONE }, 75 },
    { "a hurry after a request shortens it", LONG_MS, 1, { 30, NONE }, 75 },
    { "a later hurry does not prolong the time", LONG_MS, 0, { 30, LONG_MS }, 76 },
    { "a second hurry shortens the time", LONG_MS, 0, { LONG_MS, 30 }, 76 },
    { "nothing asks for an end", 30, 0, { NONE, NONE }, NO_END },
    { "the time is not over", LONG_MS, 1, { NONE, NONE }, NO_END },
    /* clang-format on */
};

static int pipe_of_words[2];

static void say(void *context)
{
    (void)context;
    if (write(pipe_of_words[1], "!", 1) != 1)
        _exit(WORDLESS);
}

/* The child: waits for its end, at most as long as a row without an end needs. */
static void run_row(const struct row *row)
{
    atomic_int stop = 0;
    const th_shutdown_timer_options options = {
        .stop = &stop, .limit_ms = row->limit_ms, .exit_code = 70, .last_words = say
    };
    th_shutdown_timer *timer = NULL;
    if (th_shutdown_timer_new(&options, &timer, NULL) != TH_OK ||
        th_shutdown_timer_remaining(timer) != INT64_MAX)
        _exit(EARLY);
    if (row->is_stopped)
        atomic_store(&stop, 1);
    while (row->is_stopped && th_shutdown_timer_remaining(timer) == INT64_MAX)
        th_sleep_ms(1);
    for (int i = 0; i < 2; i++)
        if (row->hurries_ms[i] != NONE)
            th_shutdown_timer_hurry(timer, (uint32_t)row->hurries_ms[i], 75 + i);
    th_sleep_ms(row->exit_code == NO_END ? 500 : 60000);
    const int64_t left = th_shutdown_timer_remaining(timer);
    th_shutdown_timer_free(timer);
    const int64_t most = row->is_stopped ? row->limit_ms : INT64_MAX;
    _exit(left > 0 && left <= most ? NO_END : EARLY);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    char word = 0;
    int status = 0;
    assert_int_equal(pipe(pipe_of_words), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        run_row(row);
    (void)close(pipe_of_words[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), row->exit_code);
    assert_int_equal(read(pipe_of_words[0], &word, 1), row->exit_code != NO_END);
    (void)close(pipe_of_words[0]);
}

static void without_a_timer_there_is_no_end(void **state)
{
    (void)state;
    th_shutdown_timer_hurry(NULL, 0, 75);
    assert_true(th_shutdown_timer_remaining(NULL) == INT64_MAX);
    th_shutdown_timer_free(NULL);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    static struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(without_a_timer_there_is_no_end);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
