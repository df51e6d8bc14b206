/* src/daemon/endpoint.c: real requests over real sockets. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/endpoint.h"

/* ---- a daemon with prepared answers ---- */

struct daemon {
    th_status live, ready;
    const char *why;
    size_t metrics_len;
};

static void give_metrics(void *context, th_buffer *out)
{
    const struct daemon *const daemon = context;
    for (size_t i = 0; i < daemon->metrics_len; i++)
        th_buffer_append_char(out, i % 64 == 63 ? '\n' : 'm');
}

static th_status give_live(void *context, th_error *why)
{
    const struct daemon *const daemon = context;
    return daemon->live == TH_OK ? TH_OK : th_fail(why, daemon->live, "%s", daemon->why);
}

static th_status give_ready(void *context, th_error *why)
{
    const struct daemon *const daemon = context;
    if (daemon->ready == TH_OK || !daemon->why)
        return daemon->ready; /* without a reason in words */
    return th_fail(why, daemon->ready, "%s", daemon->why);
}

static th_status open_at(const char *listen_at, struct daemon *daemon, th_endpoint **out,
                         th_error *err)
{
    const th_endpoint_options options = { .listen = listen_at };
    const th_endpoint_callbacks callbacks = {
        .context = daemon, .metrics = give_metrics, .live = give_live, .ready = give_ready
    };
    return th_endpoint_open(&options, &callbacks, out, err);
}

/* ---- a client ---- */

static int connect_port(uint16_t port)
{
    const struct sockaddr_in address = { .sin_family = AF_INET,
                                         .sin_port = htons(port),
                                         .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const struct timeval timeout = { .tv_sec = 20 };
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

static int connect_path(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Sends the bytes, reads until the other side closes; closes. The caller frees. */
static char *talk(int fd, const char *request)
{
    size_t len = 0, capacity = 1 << 16;
    char *answer = malloc(capacity);
    assert_non_null(answer);
    assert_true(fd >= 0);
    assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
    for (ssize_t got; (got = recv(fd, answer + len, capacity - len - 1, 0)) > 0;) {
        len += (size_t)got;
        if (capacity - len < 2) {
            capacity *= 2;
            answer = realloc(answer, capacity);
            assert_non_null(answer);
        }
    }
    answer[len] = '\0';
    close(fd);
    return answer;
}

#define END " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

/* clang-format off */
static const struct row {
    const char *name;
    struct daemon daemon;
    const char *request;
    int code;
    const char *type, *body; /* NULL means not checked */
} rows[] = {
    { "metrics", { .metrics_len = 64 }, "GET /metrics" END, 200,
      "text/plain; version=0.0.4; charset=utf-8",
      "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm\n" },
    { "metrics with a query", { .metrics_len = 2 }, "GET /metrics?name[]=x" END, 200, NULL, "mm" },
    { "no metrics", { 0 }, "GET /metrics" END, 500, NULL, "out of memory\n" },
    { "alive", { 0 }, "GET /livez" END, 200, "text/plain; charset=utf-8", "ok\n" },
    { "alive, old name", { 0 }, "GET /health" END, 200, NULL, "ok\n" },
    { "hangs", { .live = TH_IO, .why = "no progress for 30 s" }, "GET /livez" END, 503,
      "text/plain; charset=utf-8", "no progress for 30 s\n" },
    { "alive, not ready", { .ready = TH_BLOCKED, .why = "disk full" }, "GET /livez" END, 200, NULL,
      "ok\n" },
    { "ready", { 0 }, "GET /readyz" END, 200, NULL, "ok\n" },
    { "ready, old name", { .ready = TH_BLOCKED, .why = "disk full" }, "GET /ready" END, 503, NULL,
      "disk full\n" },
    { "not ready and no reason", { .ready = TH_IO }, "GET /readyz" END, 503, NULL,
      "input or output failed\n" },
    { "head", { 0 }, "HEAD /livez" END, 200, NULL, "" },
    { "root", { 0 }, "GET /" END, 404, NULL, "not found; available: /metrics, /livez, /readyz\n" },
    { "path that begins alike", { 0 }, "GET /metrics/x" END, 404, NULL, NULL },
    { "post", { 0 }, "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
      "Connection: close\r\n\r\nabc", 405, NULL, "only GET and HEAD\n" },
    { "delete", { 0 }, "DELETE /livez" END, 405, NULL, NULL },
    { "get with a body", { 0 }, "GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
      "Connection: close\r\n\r\nabc", 200, NULL, "ok\n" },
    { "http/1.0", { 0 }, "GET /livez HTTP/1.0\r\n\r\n", 200, NULL, "ok\n" },
};
/* clang-format on */

static void check_answer(const struct row *row, const char *answer)
{
    char line[160];
    snprintf(line, sizeof line, " %d ", row->code);
    assert_int_equal(strncmp(answer, "HTTP/1.", 7), 0);
    assert_memory_equal(answer + 8, line, strlen(line));
    const char *const body = strstr(answer, "\r\n\r\n");
    assert_non_null(body);
    if (row->body)
        assert_string_equal(body + 4, row->body);
    if (row->type) {
        snprintf(line, sizeof line, "Content-Type: %s\r\n", row->type);
        assert_non_null(strstr(answer, line));
    }
}

static void row_holds(void **state)
{
    const struct row *const row = *state;
    struct daemon daemon = row->daemon;
    th_endpoint *endpoint = NULL;
    th_error err = { 0 };
    assert_int_equal(open_at("127.0.0.1:0", &daemon, &endpoint, &err), TH_OK);
    assert_true(th_endpoint_port(endpoint) > 0);
    char *const answer = talk(connect_port(th_endpoint_port(endpoint)), row->request);
    check_answer(row, answer);
    free(answer);
    th_endpoint_close(endpoint);
}

/* ---- addresses ---- */

static const struct address_row {
    const char *name, *listen_at;
    th_status status;
} address_rows[] = {
    { "address: ipv4", "127.0.0.1:0", TH_OK },
    { "address: localhost", "localhost:0", TH_OK },
    { "address: port alone", "0", TH_OK },
    { "address: nothing", "", TH_USAGE },
    { "address: colon", ":", TH_USAGE },
    { "address: no port", "127.0.0.1:", TH_USAGE },
    { "address: no host", ":9464", TH_USAGE },
    { "address: port too large", "127.0.0.1:99999", TH_USAGE },
    { "address: port too long", "127.0.0.1:000000000009464", TH_USAGE },
    { "address: port by name", "127.0.0.1:http", TH_USAGE },
    { "address: negative port", "127.0.0.1:-1", TH_USAGE },
    { "address: host by name", "example.org:9464", TH_USAGE },
    { "address: no bracket", "[::1:9464", TH_USAGE },
    { "address: empty brackets", "[]:9464", TH_USAGE },
    { "address: host too long",
      "1111111111111111111111111111111111111111111111111111111111111111111111:1",
      TH_USAGE },
    { "address: not ours", "192.0.2.1:9464", TH_USAGE },
    { "address: no path", "unix:", TH_USAGE },
    { "address: no such folder", "unix:/nowhere/at/all", TH_USAGE },
};

static void address_holds(void **state)
{
    const struct address_row *const row = *state;
    struct daemon daemon = { 0 };
    th_endpoint *endpoint = NULL;
    th_error err = { 0 };
    assert_int_equal(open_at(row->listen_at, &daemon, &endpoint, &err), row->status);
    if (row->status != TH_OK) {
        assert_null(endpoint);
        assert_true(strlen(err.text) > 0);
    }
    th_endpoint_close(endpoint);
}

static void port_in_use_is_told(void **state)
{
    struct daemon daemon = { 0 };
    th_endpoint *first = NULL, *second = NULL;
    char listen_at[32];
    th_error err = { 0 };
    (void)state;
    assert_int_equal(open_at("127.0.0.1:0", &daemon, &first, &err), TH_OK);
    snprintf(listen_at, sizeof listen_at, "127.0.0.1:%u", th_endpoint_port(first));
    assert_int_equal(open_at(listen_at, &daemon, &second, &err), TH_USAGE);
    assert_null(second);
    assert_non_null(strstr(err.text, listen_at));
    assert_non_null(strstr(err.text, "the address is in use by another process"));
    th_endpoint_close(first);
    /* and free again at once */
    assert_int_equal(open_at(listen_at, &daemon, &second, &err), TH_OK);
    th_endpoint_close(second);
}

/* A socket that is left behind gives way, one in use does not, a file never does. */
static void socket_files_are_kept_apart(void **state)
{
    struct daemon daemon = { 0 };
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct stat stat;
    th_endpoint *first = NULL, *second = NULL;
    char path[64], listen_at[80];
    th_error err = { 0 };
    (void)state;
    snprintf(path, sizeof path, "/tmp/thresher-endpoint-%ld", (long)getpid());
    snprintf(listen_at, sizeof listen_at, "unix:%s", path);
    unlink(path);
    const int left_behind = socket(AF_UNIX, SOCK_STREAM, 0);
    memcpy(address.sun_path, path, strlen(path) + 1);
    assert_int_equal(bind(left_behind, (const struct sockaddr *)&address, sizeof address),
                     0);
    close(left_behind);

    assert_int_equal(open_at(listen_at, &daemon, &first, &err), TH_OK);
    assert_int_equal(th_endpoint_port(first), 0);
    assert_int_equal(open_at(listen_at, &daemon, &second, &err), TH_USAGE);
    assert_non_null(strstr(err.text, "the address is in use by another process"));
    char *const answer = talk(connect_path(path), "GET /livez" END);
    assert_non_null(strstr(answer, "\r\n\r\nok\n"));
    free(answer);
    th_endpoint_close(first);
    assert_int_equal(lstat(path, &stat), -1);

    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(open_at(listen_at, &daemon, &first, &err), TH_USAGE);
    assert_int_equal(lstat(path, &stat), 0);
    unlink(path);

    /* Another process took the name while we had it: its file is not ours to remove. */
    char aside[80];
    snprintf(aside, sizeof aside, "%s.aside", path);
    assert_int_equal(open_at(listen_at, &daemon, &first, &err), TH_OK);
    assert_int_equal(rename(path, aside), 0);
    assert_int_equal(open_at(listen_at, &daemon, &second, &err), TH_OK);
    th_endpoint_close(first);
    assert_int_equal(lstat(path, &stat), 0);
    th_endpoint_close(second);
    assert_int_equal(lstat(path, &stat), -1);
    unlink(aside);
}

/* ---- limits ---- */

static void large_answers_come_whole(void **state)
{
    struct daemon daemon = { .metrics_len = (size_t)3 << 20 };
    th_endpoint *endpoint = NULL;
    (void)state;
    assert_int_equal(open_at("127.0.0.1:0", &daemon, &endpoint, NULL), TH_OK);
    char *const answer =
        talk(connect_port(th_endpoint_port(endpoint)), "GET /metrics" END);
    assert_int_equal(strlen(strstr(answer, "\r\n\r\n") + 4), 3 << 20);
    free(answer);
    th_endpoint_close(endpoint);
}

/* More connections than there may be do not kill it, and it answers when they are
 * gone. */
static void crowd_is_survived(void **state)
{
    struct daemon daemon = { 0 };
    int fds[3 * TH_ENDPOINT_CONNECTIONS];
    th_endpoint *endpoint = NULL;
    (void)state;
    assert_int_equal(open_at("127.0.0.1:0", &daemon, &endpoint, NULL), TH_OK);
    const uint16_t port = th_endpoint_port(endpoint);
    for (unsigned i = 0; i < 3 * TH_ENDPOINT_CONNECTIONS; i++) {
        fds[i] = connect_port(port);
        if (fds[i] >= 0) /* the beginning of a request, and nothing more */
            (void)!send(fds[i], "GET /li", 7, MSG_NOSIGNAL);
    }
    for (unsigned i = 0; i < 3 * TH_ENDPOINT_CONNECTIONS; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    bool is_answered = false;
    for (unsigned attempt = 0; attempt < 3000 && !is_answered; attempt++) {
        const int fd = connect_port(port);
        char *const answer = talk(fd, "GET /livez" END);
        is_answered = strstr(answer, "\r\n\r\nok\n") != NULL;
        free(answer);
        if (!is_answered)
            usleep(100000);
    }
    assert_true(is_answered);
    th_endpoint_close(endpoint);
}

/* As many as there may be, each with a byte now and then: others are answered, and a
 * request has an end. */
static void slow_ones_shut_nobody_out(void **state)
{
    struct daemon daemon = { 0 };
    int fds[TH_ENDPOINT_CONNECTIONS];
    th_endpoint *endpoint = NULL;
    unsigned gone = 0;
    (void)state;
    assert_int_equal(open_at("127.0.0.1:0", &daemon, &endpoint, NULL), TH_OK);
    const uint16_t port = th_endpoint_port(endpoint);
    for (unsigned i = 0; i < TH_ENDPOINT_CONNECTIONS; i++) {
        fds[i] = connect_port(port);
        assert_true(fds[i] >= 0);
    }
    for (int round = 0; round < 4 * (TH_ENDPOINT_TIMEOUT_MS / 1000 + 2); round++) {
        gone = 0;
        for (unsigned i = 0; i < TH_ENDPOINT_CONNECTIONS; i++) {
            char byte;
            (void)!send(fds[i], round ? "x" : "GET /", round ? 1 : 5, MSG_NOSIGNAL);
            gone += recv(fds[i], &byte, 1, MSG_DONTWAIT) == 0 || errno != EAGAIN;
        }
        char *const answer = talk(connect_port(port), "GET /livez" END);
        assert_non_null(strstr(answer, "\r\n\r\nok\n"));
        free(answer);
        usleep(250000);
    }
    assert_int_equal(gone, TH_ENDPOINT_CONNECTIONS);
    for (unsigned i = 0; i < TH_ENDPOINT_CONNECTIONS; i++)
        close(fds[i]);
    th_endpoint_close(endpoint);
}

static int connect_port_v6(uint16_t port)
{
    const struct sockaddr_in6 address = { .sin6_family = AF_INET6,
                                          .sin6_port = htons(port),
                                          .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    const int fd = socket(AF_INET6, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* Connections of this machine get all places, also the kept ones. None is ended. */
static void fill_all_places(const char *listen_at, int (*connect_to)(uint16_t port))
{
    enum { PLACES = 8 };
    struct daemon daemon = { 0 };
    int fds[PLACES];
    th_endpoint *endpoint = NULL;
    const th_endpoint_options options = { .listen = listen_at,
                                          .connections = PLACES,
                                          .timeout_ms = 60000 };
    const th_endpoint_callbacks callbacks = { .context = &daemon,
                                              .metrics = give_metrics,
                                              .live = give_live,
                                              .ready = give_ready };
    assert_int_equal(th_endpoint_open(&options, &callbacks, &endpoint, NULL), TH_OK);
    for (unsigned i = 0; i < PLACES; i++) {
        fds[i] = connect_to(th_endpoint_port(endpoint));
        assert_int_equal(send(fds[i], "GET /li", 7, MSG_NOSIGNAL), 7);
    }
    for (unsigned i = PLACES; i-- > 0;) { /* the last one is accepted last */
        char *const answer = talk(fds[i], "vez" END);
        assert_non_null(strstr(answer, "\r\n\r\nok\n"));
        free(answer);
    }
    th_endpoint_close(endpoint);
}

static void this_machine_gets_all_places(void **state)
{
    struct daemon daemon = { 0 };
    th_endpoint *endpoint = NULL;
    (void)state;
    fill_all_places("127.0.0.1:0", connect_port);
    const bool has_v6 = open_at("[::1]:0", &daemon, &endpoint, NULL) == TH_OK;
    th_endpoint_close(endpoint);
    if (has_v6)
        fill_all_places("[::1]:0", connect_port_v6);
}

static void huge_head_is_refused(void **state)
{
    struct daemon daemon = { 0 };
    static char path[2 * TH_ENDPOINT_HEAD_MAX], request[sizeof path + 64];
    th_endpoint *endpoint = NULL;
    (void)state;
    memset(path, 'a', sizeof path - 1);
    snprintf(request, sizeof request, "GET /%s" END, path);
    assert_int_equal(open_at("127.0.0.1:0", &daemon, &endpoint, NULL), TH_OK);
    char *const answer = talk(connect_port(th_endpoint_port(endpoint)), request);
    assert_null(strstr(answer, " 200 "));
    assert_null(strstr(answer, "\r\n\r\nok\n"));
    free(answer);
    th_endpoint_close(endpoint);
    th_endpoint_close(NULL);
}

static void silence_is_timed_out(void **state)
{
    struct daemon daemon = { 0 };
    struct timeval before, after;
    th_endpoint *endpoint = NULL;
    (void)state;
    assert_int_equal(open_at("127.0.0.1:0", &daemon, &endpoint, NULL), TH_OK);
    gettimeofday(&before, NULL);
    char *const answer = talk(connect_port(th_endpoint_port(endpoint)), "GET /livez HT");
    gettimeofday(&after, NULL);
    assert_null(strstr(answer, "ok\n"));
    assert_true(after.tv_sec - before.tv_sec <= TH_ENDPOINT_TIMEOUT_MS / 1000 + 10);
    free(answer);
    th_endpoint_close(endpoint);
}

enum {
    ROWS = sizeof rows / sizeof *rows,
    ADDRESS_ROWS = sizeof address_rows / sizeof *address_rows
};

int main(void)
{
    static struct CMUnitTest tests[ROWS + ADDRESS_ROWS + 8];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        tests[count++] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    for (size_t i = 0; i < ADDRESS_ROWS; i++)
        tests[count++] = (struct CMUnitTest){ address_rows[i].name, address_holds, NULL,
                                              NULL, (void *)&address_rows[i] };
    const struct CMUnitTest properties[] = {
        cmocka_unit_test(port_in_use_is_told),
        cmocka_unit_test(socket_files_are_kept_apart),
        cmocka_unit_test(large_answers_come_whole),
        cmocka_unit_test(crowd_is_survived),
        cmocka_unit_test(slow_ones_shut_nobody_out),
        cmocka_unit_test(this_machine_gets_all_places),
        cmocka_unit_test(huge_head_is_refused),
        cmocka_unit_test(silence_is_timed_out),
    };
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        tests[count++] = properties[i];
    return _cmocka_run_group_tests("endpoint", tests, count, NULL, NULL);
}
