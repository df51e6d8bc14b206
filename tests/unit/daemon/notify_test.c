/* src/daemon/notify.c: every message, as it comes out of a real datagram socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/notify.h"

/* A supervisor that listens, and the clock. */
struct fixture {
    int fd;
    char name[108]; /* as NOTIFY_SOCKET has it */
    uint64_t us;
    th_notify *notify;
};

static uint64_t test_now(void *context)
{
    return *(const uint64_t *)context;
}

static void listen_at(struct fixture *fixture, bool is_abstract)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    *fixture = (struct fixture){ .us = 1000000 };
    snprintf(fixture->name, sizeof fixture->name, "%sthresher-notify-%ld",
             is_abstract ? "@" : "/tmp/", (long)getpid());
    const size_t len = strlen(fixture->name);
    memcpy(address.sun_path, fixture->name, len);
    if (is_abstract)
        address.sun_path[0] = '\0';
    fixture->fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_true(fixture->fd >= 0);
    assert_int_equal(bind(fixture->fd, (const struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)),
                     0);
}

static void open_fixture(struct fixture *fixture, bool is_abstract, uint64_t watchdog_us)
{
    listen_at(fixture, is_abstract);
    const th_notify_options options = { .socket = fixture->name,
                                        .watchdog_us = watchdog_us,
                                        .now_us = test_now,
                                        .now_context = &fixture->us };
    assert_int_equal(th_notify_open(&options, &fixture->notify, NULL), TH_OK);
    assert_non_null(fixture->notify);
}

static void close_fixture(struct fixture *fixture)
{
    th_notify_close(fixture->notify);
    close(fixture->fd);
    if (fixture->name[0] == '/')
        unlink(fixture->name);
}

/* Checks the next datagram; NULL means there is none. */
static void expect(const struct fixture *fixture, const char *want)
{
    char got[1024] = "";
    const ssize_t len = recv(fixture->fd, got, sizeof got - 1, MSG_DONTWAIT);
    if (!want) {
        assert_int_equal(len, -1);
        return;
    }
    assert_true(len >= 0);
    got[len] = '\0';
    assert_string_equal(got, want);
    assert_int_equal(len, strlen(want));
}

static void messages_hold(void **state)
{
    const bool *const is_abstract = *state;
    struct fixture fixture;
    open_fixture(&fixture, *is_abstract, 0);
    th_notify_ready(fixture.notify);
    expect(&fixture, "READY=1");
    th_notify_reloading(fixture.notify);
    expect(&fixture, "RELOADING=1\nMONOTONIC_USEC=1000000");
    th_notify_stopping(fixture.notify);
    expect(&fixture, "STOPPING=1");
    th_notify_extend(fixture.notify, 5000000);
    expect(&fixture, "EXTEND_TIMEOUT_USEC=5000000");
    th_notify_errno(fixture.notify, 28);
    expect(&fixture, "ERRNO=28");
    expect(&fixture, NULL);
    close_fixture(&fixture);
}

static void status_is_one_line(void **state)
{
    struct fixture fixture;
    char text[400], want[400] = "STATUS=";
    (void)state;
    open_fixture(&fixture, true, 0);
    th_notify_status(fixture.notify, "12 pages\nREADY=0");
    expect(&fixture, "STATUS=12 pages READY=0");
    fixture.us += TH_NOTIFY_STATUS_US - 1;
    th_notify_status(fixture.notify, "too early");
    expect(&fixture, NULL);
    fixture.us += 1;
    memset(text, 'a', sizeof text);
    memcpy(text + TH_NOTIFY_STATUS_MAX - 1, "\u00e4", 2); /* half of it fits */
    text[sizeof text - 1] = '\0';
    memcpy(want + strlen(want), text, TH_NOTIFY_STATUS_MAX - 1);
    th_notify_status(fixture.notify, text);
    expect(&fixture, want);
    close_fixture(&fixture);
}

static const struct watchdog_row {
    const char *name;
    uint64_t us, progress; /* the second call's, after a first at 0 with progress 7 */
    bool is_idle, is_said;
} watchdog_rows[] = {
    { "too early", 499999, 8, false, false },
    { "half of the time, moved", 500000, 8, false, true },
    { "half of the time, nothing moved", 500000, 7, false, false },
    { "nothing moved for long", 90000000, 7, false, false },
    { "nothing to be done", 500000, 7, true, true },
    { "counter restarted", 500000, 0, false, true },
    { "idle, before the interval", 10, 7, true, false },
};

static void watchdog_holds(void **state)
{
    const struct watchdog_row *const row = *state;
    struct fixture fixture;
    open_fixture(&fixture, true, 1000000);
    th_notify_watchdog(fixture.notify, 7, false); /* the first is due at once */
    expect(&fixture, "WATCHDOG=1");
    fixture.us += row->us;
    th_notify_watchdog(fixture.notify, row->progress, row->is_idle);
    expect(&fixture, row->is_said ? "WATCHDOG=1" : NULL);
    th_notify_watchdog(fixture.notify, row->progress + 1, false);
    expect(&fixture, row->is_said || row->us < 500000 ? NULL : "WATCHDOG=1");
    close_fixture(&fixture);
}

static const struct environment_row {
    const char *name, *usec, *pid;
    bool is_on;
} environment_rows[] = {
    { "no watchdog asked for", NULL, NULL, false },
    { "for us by name", "1000000", "self", true },
    { "for whoever reads it", "1000000", NULL, true },
    { "for another process", "1000000", "1", false },
    { "no number", "soon", NULL, false },
    { "negative", "-5", NULL, false },
    { "number and more", "1000000s", NULL, false },
    { "beyond 64 bits", "99999999999999999999", NULL, false },
    { "pid is not a number", "1000000", "x", false },
};

static void environment_holds(void **state)
{
    const struct environment_row *const row = *state;
    struct fixture fixture;
    char self[32];
    listen_at(&fixture, true);
    snprintf(self, sizeof self, "%ld", (long)getpid());
    setenv("NOTIFY_SOCKET", fixture.name, 1);
    if (row->usec)
        setenv("WATCHDOG_USEC", row->usec, 1);
    if (row->pid)
        setenv("WATCHDOG_PID", strcmp(row->pid, "self") == 0 ? self : row->pid, 1);
    assert_int_equal(th_notify_open(NULL, &fixture.notify, NULL), TH_OK);
    th_notify_watchdog(fixture.notify, 1, false);
    expect(&fixture, row->is_on ? "WATCHDOG=1" : NULL);
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    close_fixture(&fixture);
}

static void nobody_listens(void **state)
{
    th_notify *notify = (th_notify *)(void *)&notify;
    (void)state;
    unsetenv("NOTIFY_SOCKET");
    assert_int_equal(th_notify_open(NULL, &notify, NULL), TH_OK);
    assert_null(notify);
    th_notify_ready(notify);
    th_notify_status(notify, "x");
    th_notify_watchdog(notify, 1, true);
    th_notify_reloading(notify);
    th_notify_stopping(notify);
    th_notify_extend(notify, 1);
    th_notify_errno(notify, 1);
    th_notify_close(notify);
}

static void gone_supervisor_is_no_error(void **state)
{
    const th_notify_options options = { .socket = "/nowhere/notify" };
    th_notify *notify = NULL;
    (void)state;
    assert_int_equal(th_notify_open(&options, &notify, NULL), TH_OK);
    th_notify_ready(notify);
    th_notify_close(notify);
}

static void bad_addresses_are_refused(void **state)
{
    static char too_long[110];
    static const char *const addresses[] = { "relative", "@", "/", "vsock:2:1234",
                                             too_long };
    (void)state;
    memset(too_long, 'a', sizeof too_long - 1);
    too_long[0] = '/';
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        const th_notify_options options = { .socket = addresses[i] };
        th_notify *notify = NULL;
        th_error err = { 0 };
        assert_int_equal(th_notify_open(&options, &notify, &err), TH_USAGE);
        assert_null(notify);
        assert_non_null(strstr(err.text, "is not a valid address"));
    }
}

enum {
    WATCHDOG_ROWS = sizeof watchdog_rows / sizeof *watchdog_rows,
    ENVIRONMENT_ROWS = sizeof environment_rows / sizeof *environment_rows
};

int main(void)
{
    static const bool yes = true, no = false;
    static struct CMUnitTest tests[WATCHDOG_ROWS + ENVIRONMENT_ROWS + 6];
    size_t count = 0;
    for (size_t i = 0; i < WATCHDOG_ROWS; i++)
        tests[count++] = (struct CMUnitTest){ watchdog_rows[i].name, watchdog_holds, NULL,
                                              NULL, (void *)&watchdog_rows[i] };
    for (size_t i = 0; i < ENVIRONMENT_ROWS; i++)
        tests[count++] = (struct CMUnitTest){ environment_rows[i].name, environment_holds,
                                              NULL, NULL, (void *)&environment_rows[i] };
    const struct CMUnitTest properties[] = {
        { "messages to a path", messages_hold, NULL, NULL, (void *)&no },
        { "messages to an abstract name", messages_hold, NULL, NULL, (void *)&yes },
        cmocka_unit_test(status_is_one_line),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(gone_supervisor_is_no_error),
        cmocka_unit_test(bad_addresses_are_refused),
    };
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        tests[count++] = properties[i];
    return _cmocka_run_group_tests("notify", tests, count, NULL, NULL);
}
