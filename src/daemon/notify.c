/* sd_notify(3) by hand: NAME=value lines in one datagram; see notify.h. */
#include "daemon/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h> /* struct timeval; musl */
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/unicode.h"

/*
 * Limit of a send's wait, because a supervisor that does not read must not stop the
 * daemon.
 */
enum { SEND_TIMEOUT_US = 500000, MESSAGE_MAX = 256 };

struct th_notify {
    int fd;
    struct sockaddr_un address;
    socklen_t address_len;
    uint64_t (*now_us)(void *context);
    void *now_context;
    uint64_t watchdog_us; /* 0 if not requested */
    uint64_t last_beat_us, last_progress;
    bool has_beaten;
    uint64_t last_status_us;
    bool has_status;
};

static uint64_t system_now_us(void *context)
{
    (void)context;
    return (uint64_t)th_clock_ns(CLOCK_MONOTONIC) / 1000;
}

/* All digits, or nothing. */
static bool parse_number(const char *text, uint64_t *out)
{
    char *end = NULL;
    if (!text || *text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return !*end && !errno;
}

static uint64_t watchdog_of_environment(void)
{
    uint64_t us, pid;
    const char *const pid_text = getenv("WATCHDOG_PID");
    if (!parse_number(getenv("WATCHDOG_USEC"), &us))
        return 0;
    /* Meant for another process, such as the parent process. */
    if (pid_text && (!parse_number(pid_text, &pid) || pid != (uint64_t)getpid()))
        return 0;
    return us;
}

static th_status fill_address(th_notify *notify, const char *socket, th_error *err)
{
    const size_t len = strlen(socket);
    if ((socket[0] != '/' && socket[0] != '@') || len < 2 ||
        len >= sizeof notify->address.sun_path)
        return th_fail(err, TH_USAGE, "notify socket '%.128s' is not a valid address",
                       socket);
    notify->address.sun_family = AF_UNIX;
    memcpy(notify->address.sun_path, socket, len + 1);
    if (socket[0] ==
        '@') /* an abstract name: begins with NUL and does not end with one */
        notify->address.sun_path[0] = '\0';
    notify->address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    return TH_OK;
}

static th_status open_socket(th_notify *notify, th_error *err)
{
    const struct timeval timeout = { .tv_usec = SEND_TIMEOUT_US };
    notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (notify->fd < 0)
        return th_fail(err, TH_IO, "cannot create a notify socket: %s", strerror(errno));
    setsockopt(notify->fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    return TH_OK;
}

th_status th_notify_open(const th_notify_options *options, th_notify **out, th_error *err)
{
    const th_notify_options none = { 0 };
    const th_notify_options *const chosen = options ? options : &none;
    const char *const name = chosen->socket ? chosen->socket : getenv("NOTIFY_SOCKET");
    if (!name || !*name) {
        *out = NULL;
        return TH_OK;
    }
    th_notify *notify = calloc(1, sizeof *notify);
    if (!notify)
        return th_fail(err, TH_NOMEM, "cannot allocate a notify socket");
    notify->fd = -1;
    notify->now_us = chosen->now_us ? chosen->now_us : system_now_us;
    notify->now_context = chosen->now_context;
    notify->watchdog_us =
        chosen->watchdog_us ? chosen->watchdog_us : watchdog_of_environment();
    th_status status = fill_address(notify, name, err);
    if (status == TH_OK)
        status = open_socket(notify, err);
    if (status == TH_OK) {
        *out = notify;
        notify = NULL; /* the caller owns it now */
    }
    th_notify_close(notify);
    return status;
}

static uint64_t now(const th_notify *notify)
{
    return notify->now_us(notify->now_context);
}

/* The result is ignored, because a failure could not be reported either. */
static void send_message(const th_notify *notify, const char *message)
{
    (void)sendto(notify->fd, message, strlen(message), MSG_NOSIGNAL,
                 (const struct sockaddr *)&notify->address, notify->address_len);
}

void th_notify_ready(th_notify *notify)
{
    if (notify)
        send_message(notify, "READY=1");
}

void th_notify_status(th_notify *notify, const char *text)
{
    char message[MESSAGE_MAX];
    if (!notify)
        return;
    const uint64_t time = now(notify);
    if (notify->has_status && time - notify->last_status_us < TH_NOTIFY_STATUS_US)
        return;
    notify->has_status = true;
    notify->last_status_us = time;
    snprintf(message, sizeof message, "STATUS=%.*s", TH_NOTIFY_STATUS_MAX, text);
    for (char *c = message; *c; c++) /* a line end would start another assignment */
        if ((unsigned char)*c < ' ')
            *c = ' ';
    /* systemd accepts only valid UTF-8, and the cut may be inside a character. */
    message[th_utf8_valid(message, strlen(message))] = '\0';
    send_message(notify, message);
}

void th_notify_watchdog(th_notify *notify, uint64_t progress, bool is_idle)
{
    if (!notify || !notify->watchdog_us)
        return;
    const uint64_t time = now(notify);
    if (notify->has_beaten) {
        if (time - notify->last_beat_us < notify->watchdog_us / 2)
            return;
        if (progress == notify->last_progress && !is_idle)
            return;
    }
    notify->has_beaten = true;
    notify->last_beat_us = time;
    notify->last_progress = progress;
    send_message(notify, "WATCHDOG=1");
}

void th_notify_reloading(th_notify *notify)
{
    char message[MESSAGE_MAX];
    if (!notify)
        return;
    snprintf(message, sizeof message, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
             now(notify));
    send_message(notify, message);
}

void th_notify_stopping(th_notify *notify)
{
    if (notify)
        send_message(notify, "STOPPING=1");
}

static void send_number(const th_notify *notify, const char *name, uint64_t number)
{
    char message[MESSAGE_MAX];
    snprintf(message, sizeof message, "%s=%" PRIu64, name, number);
    send_message(notify, message);
}

void th_notify_extend(th_notify *notify, uint64_t us)
{
    if (notify)
        send_number(notify, "EXTEND_TIMEOUT_USEC", us);
}

void th_notify_errno(th_notify *notify, int error)
{
    if (notify)
        send_number(notify, "ERRNO", error > 0 ? (uint64_t)error : 0);
}

void th_notify_close(th_notify *notify)
{
    if (!notify)
        return;
    if (notify->fd >= 0)
        close(notify->fd);
    free(notify);
}
