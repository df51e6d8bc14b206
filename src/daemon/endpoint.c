/*
 * HTTP by libmicrohttpd. Only this file uses it. The listening socket is made here and
 * passed to the library, because the library reports no reason when it cannot bind.
 */
#include "daemon/endpoint.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <microhttpd.h>

#include "daemon/connections.h"

struct th_endpoint {
    th_endpoint_callbacks callbacks;
    struct MHD_Daemon *daemon;
    th_connections *connections;
    th_extract *extract;     /* NULL if not offered */
    unsigned places;         /* for connections */
    struct sockaddr_un file; /* of a Unix socket; sun_path is empty before it is bound */
    ino_t file_number;       /* of that file: another process may put its own there */
    int fd;                  /* until the daemon owns it */
    uint16_t port;
};

/* ---- the socket ---- */

/* The errors of an address that somebody chose wrongly, not of a machine in trouble. */
static th_status bind_status(int error)
{
    return error == EADDRINUSE || error == EADDRNOTAVAIL || error == EACCES ||
                   error == ENOENT
               ? TH_USAGE
               : TH_IO;
}

static th_status fail_listen(const char *listen_at, int error, th_error *err)
{
    const char *const hint =
        error == EADDRINUSE ? ": the address is in use by another process" : "";
    return th_fail(err, bind_status(error), "cannot listen on '%.128s': %s%s", listen_at,
                   strerror(error), hint);
}

static bool is_abandoned(const struct sockaddr_un *file)
{
    struct stat stat;
    if (lstat(file->sun_path, &stat) != 0 || !S_ISSOCK(stat.st_mode))
        return false;
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0)
        return false;
    const bool is_refused =
        connect(probe, (const struct sockaddr *)file, sizeof *file) != 0 &&
        errno == ECONNREFUSED;
    close(probe);
    return is_refused;
}

static th_status listen_on_file(th_endpoint *endpoint, const char *listen_at,
                                const char *path, th_error *err)
{
    struct sockaddr_un file = { .sun_family = AF_UNIX };
    const size_t len = strlen(path);
    if (!len || len >= sizeof file.sun_path)
        return th_fail(err, TH_USAGE,
                       "path of '%.128s' is empty or longer than %zu bytes", listen_at,
                       sizeof file.sun_path - 1);
    memcpy(file.sun_path, path, len + 1);
    endpoint->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (endpoint->fd < 0)
        return fail_listen(listen_at, errno, err);
    int result = bind(endpoint->fd, (const struct sockaddr *)&file, sizeof file);
    if (result != 0 && errno == EADDRINUSE && is_abandoned(&file)) {
        unlink(file.sun_path);
        result = bind(endpoint->fd, (const struct sockaddr *)&file, sizeof file);
    }
    if (result != 0)
        return fail_listen(listen_at, errno, err);
    struct stat facts;
    if (lstat(file.sun_path, &facts) == 0) {
        endpoint->file = file; /* closing the endpoint now removes the file */
        endpoint->file_number = facts.st_ino;
    }
    /* Any local user may connect, as to a port of loopback; the folder's mode restricts
     * it. */
    (void)chmod(file.sun_path, 0666);
    if (listen(endpoint->fd, (int)endpoint->places) != 0)
        return fail_listen(listen_at, errno, err);
    return TH_OK;
}

/* getaddrinfo takes 99999 for 34463. */
static bool is_port(const char *text)
{
    unsigned long number = 0;
    size_t len = 0;
    for (; text[len] >= '0' && text[len] <= '9' && len < 6; len++)
        number = number * 10 + (unsigned)(text[len] - '0');
    return len > 0 && !text[len] && number <= UINT16_MAX;
}

/* "HOST:PORT", "[HOST]:PORT" or "PORT" into its parts. */
static bool split_address(const char *text, char host[64], char port[8])
{
    const char *const colon = strrchr(text, ':');
    const char *first = text;
    size_t len = colon ? (size_t)(colon - text) : 0;
    if (!colon) {
        first = "127.0.0.1";
        len = strlen(first);
    } else if (len == strlen("localhost") && strncmp(text, "localhost", len) == 0) {
        first = "127.0.0.1";
        len = strlen(first);
    } else if (text[0] == '[' && len >= 2 && text[len - 1] == ']') {
        first++;
        len -= 2;
    }
    const char *const number = colon ? colon + 1 : text;
    if (!len || len >= 64 || !is_port(number))
        return false;
    memcpy(host, first, len);
    host[len] = '\0';
    memcpy(port, number, strlen(number) + 1);
    return true;
}

static uint16_t port_of(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = { 0 };
    socklen_t len = sizeof address;
    if (getsockname(fd, &address.any, &len) != 0)
        return 0;
    return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port
                                                   : address.v4.sin_port);
}

static th_status listen_on_port(th_endpoint *endpoint, const char *listen_at,
                                th_error *err)
{
    const struct addrinfo wish = { .ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
    struct addrinfo *found = NULL;
    char host[64], port[8];
    const int on = 1;
    if (!split_address(listen_at, host, port) ||
        getaddrinfo(host, port, &wish, &found) != 0)
        return th_fail(err, TH_USAGE,
                       "'%.128s' is not an address to listen on (expected "
                       "127.0.0.1:9464, [::1]:9464 or unix:/PATH)",
                       listen_at);
    endpoint->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_listening = endpoint->fd >= 0;
    if (is_listening) {
        /* A restart must not wait for the connections of the process before to time
         * out. */
        setsockopt(endpoint->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        is_listening = bind(endpoint->fd, found->ai_addr, found->ai_addrlen) == 0 &&
                       listen(endpoint->fd, (int)endpoint->places) == 0;
    }
    const int error = errno;
    freeaddrinfo(found);
    if (!is_listening)
        return fail_listen(listen_at, error, err);
    endpoint->port = port_of(endpoint->fd);
    return TH_OK;
}

static th_status open_socket(th_endpoint *endpoint, const char *listen_at, th_error *err)
{
    static const char scheme[] = "unix:";
    if (strncmp(listen_at, scheme, sizeof scheme - 1) == 0)
        return listen_on_file(endpoint, listen_at, listen_at + sizeof scheme - 1, err);
    return listen_on_port(endpoint, listen_at, err);
}

/* ---- answers ---- */

static const char monitoring[] = "GET, HEAD"; /* methods of its paths */

/* Takes the response, which may be NULL: then the connection is closed. */
static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned code,
                                     const char *type, const char *allow,
                                     struct MHD_Response *response)
{
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allow);
    const enum MHD_Result result = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned code,
                                 char *text)
{
    return send_response(
        connection, code, "text/plain; charset=utf-8", monitoring,
        MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result send_metrics(const th_endpoint *endpoint,
                                    struct MHD_Connection *connection)
{
    th_buffer text = { 0 };
    endpoint->callbacks.metrics(endpoint->callbacks.context, &text);
    if (text.has_failed || !text.len) {
        char words[] = "out of memory\n";
        th_buffer_done(&text);
        return send_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, words);
    }
    struct MHD_Response *const response =
        MHD_create_response_from_buffer(text.len, text.data, MHD_RESPMEM_MUST_FREE);
    if (!response) /* else it has taken the bytes */
        th_buffer_done(&text);
    return send_response(connection, MHD_HTTP_OK,
                         "text/plain; version=0.0.4; charset=utf-8", monitoring,
                         response);
}

static enum MHD_Result send_health(const th_endpoint *endpoint,
                                   th_status (*query)(void *context, th_error *why),
                                   struct MHD_Connection *connection)
{
    char words[sizeof(th_error) + 2];
    th_error why = { 0 };
    const th_status status = query(endpoint->callbacks.context, &why);
    if (status == TH_OK) {
        char ok[] = "ok\n";
        return send_text(connection, MHD_HTTP_OK, ok);
    }
    snprintf(words, sizeof words, "%s\n",
             why.text[0] ? why.text : th_status_text(status));
    return send_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, words);
}

/* ---- POST /extract ---- */

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* A MHD_KeyValueIterator: finds a query parameter other than url. */
static enum MHD_Result find_unknown(void *context, enum MHD_ValueKind kind,
                                    const char *key, const char *value)
{
    const char **unknown = context;
    (void)kind;
    (void)value;
    if (strcmp(key, "url") == 0)
        return MHD_YES;
    *unknown = key;
    return MHD_NO;
}

static int descriptor_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
        ->connect_fd;
}

static th_extract_request *begin_request(const th_endpoint *endpoint,
                                         struct MHD_Connection *connection,
                                         const char *method)
{
    const char *const length = header_of(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
    th_extract_head head = {
        .method = method,
        .accept = header_of(connection, MHD_HTTP_HEADER_ACCEPT),
        .content_type = header_of(connection, MHD_HTTP_HEADER_CONTENT_TYPE),
        .content_encoding = header_of(connection, MHD_HTTP_HEADER_CONTENT_ENCODING),
        .has_body = length || header_of(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING),
        .length = length && header_of(connection, MHD_HTTP_HEADER_EXPECT)
                      ? strtoull(length, NULL, 10)
                      : 0,
    };
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, find_unknown,
                              &head.unknown);
    if (MHD_lookup_connection_value_n(connection, MHD_GET_ARGUMENT_KIND, "url", 3,
                                      &head.url.data, &head.url.len) == MHD_YES &&
        !head.url.data)
        head.url.data = ""; /* "?url" without a value */
    return th_extract_begin(endpoint->extract, &head);
}

static enum MHD_Result send_answer(struct MHD_Connection *connection,
                                   th_extract_request *request)
{
    const th_extract_answer answer = th_extract_answer_of(request);
    struct MHD_Response *response = MHD_create_response_from_buffer(
        answer.body.len, (void *)(uintptr_t)answer.body.data, MHD_RESPMEM_MUST_COPY);
    if (response && answer.code == MHD_HTTP_SERVICE_UNAVAILABLE)
        MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    if (response && answer.is_last)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    return send_response(connection, answer.code, answer.type, "POST", response);
}

/* On a worker's thread. */
static void resume(void *context)
{
    MHD_resume_connection(context);
}

/*
 * The library calls it after the header, for each part of the body, after the body, and
 * after the connection was resumed.
 */
static enum MHD_Result extract(const th_endpoint *endpoint,
                               struct MHD_Connection *connection, const char *method,
                               const char *upload, size_t *upload_len, void **state)
{
    th_extract_request *request = *state;
    if (!request) {
        request = *state = begin_request(endpoint, connection, method);
        const bool waits = header_of(connection, MHD_HTTP_HEADER_EXPECT) != NULL;
        th_connections_hold(endpoint->connections, descriptor_of(connection), false);
        if (!request)
            return MHD_NO;
        return waits && th_extract_is_refused(request) ? send_answer(connection, request)
                                                       : MHD_YES;
    }
    if (*upload_len) {
        th_extract_add(request, upload, *upload_len);
        *upload_len = 0;
        return MHD_YES;
    }
    if (th_extract_is_done(request)) {
        th_connections_hold(endpoint->connections, descriptor_of(connection), false);
        return send_answer(connection, request);
    }
    if (!th_extract_finish(request))
        return send_answer(connection, request);
    th_connections_hold(endpoint->connections, descriptor_of(connection), true);
    MHD_suspend_connection(connection); /* before a worker can resume it */
    th_extract_submit(request, resume, connection);
    return MHD_YES;
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode how)
{
    const th_endpoint *const endpoint = context;
    (void)how;
    if (!*state)
        return;
    th_extract_end(*state);
    *state = NULL;
    th_connections_hold(endpoint->connections, descriptor_of(connection), false);
}

/* ---- requests ---- */

static enum MHD_Result answer(void *context, struct MHD_Connection *connection,
                              const char *url, const char *method, const char *version,
                              const char *upload, size_t *upload_len, void **state)
{
    const th_endpoint *const endpoint = context;
    const th_endpoint_callbacks *const query = &endpoint->callbacks;
    (void)version;
    if (endpoint->extract && strcmp(url, "/extract") == 0)
        return extract(endpoint, connection, method, upload, upload_len, state);
    /* The answer is queued before a body is read: the library drops the body. */
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
        strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
        char words[] = "only GET and HEAD\n";
        return send_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, words);
    }
    if (strcmp(url, "/metrics") == 0)
        return send_metrics(endpoint, connection);
    if (strcmp(url, "/livez") == 0 || strcmp(url, "/health") == 0)
        return send_health(endpoint, query->live, connection);
    if (strcmp(url, "/readyz") == 0 || strcmp(url, "/ready") == 0)
        return send_health(endpoint, query->ready, connection);
    char words[96];
    (void)snprintf(words, sizeof words,
                   "not found; available: /metrics, /livez, /readyz%s\n",
                   endpoint->extract ? ", /extract" : "");
    return send_text(connection, MHD_HTTP_NOT_FOUND, words);
}

/* ---- connections ---- */

/* From this machine: loopback, in either family, or a Unix socket. */
static bool is_local(const struct sockaddr *address)
{
    if (!address || address->sa_family == AF_UNIX)
        return true;
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
    }
    struct sockaddr_in6 v6;
    memcpy(&v6, address, sizeof v6);
    return address->sa_family == AF_INET6 &&
           (IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) ||
            (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) && v6.sin6_addr.s6_addr[12] == 127));
}

static enum MHD_Result admit(void *context, const struct sockaddr *address,
                             socklen_t address_len)
{
    const th_endpoint *const endpoint = context;
    (void)address_len;
    th_connections_reserve(endpoint->connections, is_local(address));
    return MHD_YES;
}

static void on_connection(void *context, struct MHD_Connection *connection,
                          void **connection_context,
                          enum MHD_ConnectionNotificationCode what)
{
    const th_endpoint *const endpoint = context;
    const int fd = descriptor_of(connection);
    (void)connection_context;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED)
        th_connections_remove(endpoint->connections, fd);
    else
        th_connections_add(endpoint->connections, fd,
                           is_local(MHD_get_connection_info(
                                        connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
                                        ->client_addr));
}

/* A quarter where places are few. */
static unsigned kept_places(unsigned places)
{
    return places > TH_ENDPOINT_KEPT ? (unsigned)TH_ENDPOINT_KEPT : places / 4;
}

/* ---- life ---- */

static void remove_file(const th_endpoint *endpoint)
{
    struct stat facts;
    const char *const path = endpoint->file.sun_path;
    if (path[0] && lstat(path, &facts) == 0 && facts.st_ino == endpoint->file_number)
        unlink(path);
}

static void start_daemon(th_endpoint *endpoint, unsigned timeout_ms)
{
    sigset_t all, before;
    /* The new thread inherits the mask: signals are the main thread's, whose waits they
     * must interrupt. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    endpoint->daemon = MHD_start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, admit, endpoint,
        answer, endpoint, MHD_OPTION_LISTEN_SOCKET, endpoint->fd,
        MHD_OPTION_CONNECTION_LIMIT,
        /* connections that were shut down are there for a moment still */
        TH_ENDPOINT_DESCRIPTORS * endpoint->places, MHD_OPTION_CONNECTION_TIMEOUT,
        timeout_ms / 1000 + 1, MHD_OPTION_NOTIFY_CONNECTION, on_connection, endpoint,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, endpoint,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)(endpoint->extract ? TH_ENDPOINT_UPLOAD_MAX : TH_ENDPOINT_HEAD_MAX),
        MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (endpoint->daemon)
        endpoint->fd = -1;
}

th_status th_endpoint_open(const th_endpoint_options *options,
                           const th_endpoint_callbacks *callbacks, th_endpoint **out,
                           th_error *err)
{
    th_endpoint *endpoint = calloc(1, sizeof *endpoint);
    if (!endpoint)
        return th_fail(err, TH_NOMEM, "cannot allocate an endpoint");
    const unsigned requests =
        options->extract ? th_extract_stats_of(options->extract).limit : 0;
    const unsigned timeout_ms =
        options->timeout_ms ? options->timeout_ms : (unsigned)TH_ENDPOINT_TIMEOUT_MS;
    endpoint->places =
        options->connections ? options->connections : TH_ENDPOINT_CONNECTIONS + requests;
    const th_connections_options connections = { .places = endpoint->places,
                                                 .kept_places =
                                                     kept_places(endpoint->places),
                                                 .timeout_ms = timeout_ms };
    endpoint->extract = options->extract;
    endpoint->fd = -1;
    endpoint->callbacks = *callbacks;
    th_status status = open_socket(endpoint, options->listen, err);
    if (status != TH_OK)
        goto done;
    status = th_connections_new(&connections, &endpoint->connections);
    if (status != TH_OK) {
        (void)th_fail(err, status, "cannot monitor the connections");
        goto done;
    }
    start_daemon(endpoint, timeout_ms);
    if (!endpoint->daemon) {
        status = th_fail(err, TH_IO, "cannot start the HTTP server on '%.128s'",
                         options->listen);
        goto done;
    }
    *out = endpoint;
    endpoint = NULL; /* the caller owns it now */
done:
    th_endpoint_close(endpoint);
    return status;
}

uint16_t th_endpoint_port(const th_endpoint *endpoint)
{
    return endpoint->port;
}

void th_endpoint_close(th_endpoint *endpoint)
{
    if (!endpoint)
        return;
    if (endpoint->daemon)
        MHD_stop_daemon(endpoint->daemon);
    th_connections_free(endpoint->connections);
    if (endpoint->fd >= 0)
        close(endpoint->fd);
    remove_file(endpoint);
    free(endpoint);
}

const char *th_endpoint_library_version(void)
{
    return MHD_get_version();
}
