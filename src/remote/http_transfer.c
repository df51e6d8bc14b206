/*
 * A multi handle with one easy handle. Bytes from libcurl wait in a buffer. When it is
 * full the transfer pauses, so a slow reader slows the server down.
 */
#include "remote/http_transfer.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/stoppable_read.h"
#include "remote/public_address.h"
#include "thresher/version.h"

enum { WAIT_MS = 50, ROOM = 1 << 20, CURL_PART = 256 << 10, HEAD_MAX = 256 };
enum { TOO_LARGE = 100 }; /* CURLE_TOO_LARGE, for a long line since libcurl 8.6 */

struct th_http {
    th_http_options options;
    CURLM *multi;
    CURL *easy;
    struct curl_slist *headers;
    char *buffer;      /* ROOM bytes */
    size_t begin, end; /* unread bytes */
    unsigned head_lines;
    th_view body; /* that is sent */
    size_t sent;
    bool is_added;    /* the easy handle is in the multi handle */
    bool is_paused;   /* the buffer was full */
    bool has_head;    /* the answer's head has ended */
    bool is_done;     /* libcurl has ended the transfer, with `result` */
    bool is_too_long; /* a head without an end */
    bool is_private;  /* an address was refused, because it is not public */
    CURLcode result;
    int64_t waited_ms;     /* without any byte */
    int64_t all_waited_ms; /* of this request */
    uint64_t moved;        /* bytes sent and received, with heads */
    int64_t window_ms;     /* time in the present window of the rate */
    uint64_t window_begin; /* `moved` at its start */
    bool is_sent;          /* the window is one of the answer to a body */
    char words[CURL_ERROR_SIZE];
    th_http_answer answer;
};

static void init_library(void)
{
    (void)curl_global_init(CURL_GLOBAL_DEFAULT);
}

const char *th_http_library_version(void)
{
    return curl_version_info(CURLVERSION_NOW)->version;
}

char *th_http_resolve(const char *base, const char *reference)
{
    char *text = NULL, *copy = NULL;
    CURLU *url = curl_url();
    if (url && curl_url_set(url, CURLUPART_URL, base, 0) == CURLUE_OK &&
        curl_url_set(url, CURLUPART_URL, reference, CURLU_NON_SUPPORT_SCHEME) ==
            CURLUE_OK &&
        curl_url_get(url, CURLUPART_URL, &text, 0) == CURLUE_OK)
        copy = strdup(text);
    curl_free(text);
    curl_url_cleanup(url);
    return copy;
}

/* ---- callbacks of libcurl ---- */

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct th_http *http = context;
    const size_t len = size * count;
    if (http->end + len > ROOM && http->begin) {
        memmove(http->buffer, http->buffer + http->begin, http->end - http->begin);
        http->end -= http->begin;
        http->begin = 0;
    }
    if (http->end + len > ROOM) {
        http->is_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    memcpy(http->buffer + http->end, bytes, len);
    http->end += len;
    http->moved += len;
    return len;
}

/* Copies the value of "Name: value", cut to `capacity` bytes. Returns false for another
 * header. */
static bool take(const char *line, size_t len, const char *name, char *out,
                 size_t capacity)
{
    const size_t name_len = strlen(name);
    if (len <= name_len || strncasecmp(line, name, name_len) != 0 ||
        line[name_len] != ':')
        return false;
    const char *begin = line + name_len + 1, *end = line + len;
    while (begin < end && (*begin == ' ' || *begin == '\t'))
        begin++;
    while (end > begin && (unsigned char)end[-1] <= ' ')
        end--;
    const size_t value =
        (size_t)(end - begin) < capacity ? (size_t)(end - begin) : capacity - 1;
    memcpy(out, begin, value);
    out[value] = '\0';
    return true;
}

/* Reads the number, of at most 18 digits, at the start of a text. */
static bool number_of(const char *text, uint64_t *out)
{
    char *end = NULL;
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 18)
        return false;
    *out = strtoull(text, &end, 10);
    return true;
}

static void take_field(th_http_answer *answer, const char *line, size_t len)
{
    char value[128];
    uint64_t number = 0;
    if (take(line, len, "content-length", value, sizeof value)) {
        answer->has_length = number_of(value, &answer->length);
    } else if (take(line, len, "content-range", value, sizeof value)) {
        const char *slash = strchr(value, '/');
        answer->has_range = strncasecmp(value, "bytes ", 6) == 0 && slash &&
                            number_of(value + 6, &answer->range_start) &&
                            number_of(slash + 1, &answer->range_size);
    } else if (take(line, len, "retry-after", value, sizeof value)) {
        if (number_of(value, &number))
            answer->retry_after_s = number < 86400 ? (uint32_t)number : 86400;
    } else if (!take(line, len, "etag", answer->etag, sizeof answer->etag) &&
               !take(line, len, "last-modified", answer->modified,
                     sizeof answer->modified) &&
               !take(line, len, "location", answer->location, sizeof answer->location) &&
               !take(line, len, "content-type", answer->type, sizeof answer->type) &&
               !take(line, len, "content-encoding", answer->coding,
                     sizeof answer->coding)) {
        (void)take(line, len, "x-amz-bucket-region", answer->region,
                   sizeof answer->region);
    }
}

static size_t on_send(char *out, size_t size, size_t count, void *context)
{
    struct th_http *http = context;
    const size_t capacity = size * count, left = http->body.len - http->sent;
    const size_t len = left < capacity ? left : capacity;
    if (len)
        memcpy(out, http->body.data + http->sent, len);
    http->sent += len;
    http->moved += len;
    return len;
}

/* A kept connection may turn out to be closed. Then the body is sent again. */
static int on_rewind(void *context, curl_off_t offset, int origin)
{
    struct th_http *http = context;
    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > http->body.len)
        return CURL_SEEKFUNC_FAIL;
    http->sent = (size_t)offset;
    return CURL_SEEKFUNC_OK;
}

/* Handles a line of a head. An answer 100 has a separate head: the last head counts. */
static size_t on_head(char *line, size_t size, size_t count, void *context)
{
    struct th_http *http = context;
    const size_t len = size * count;
    http->moved += len;
    if (++http->head_lines > HEAD_MAX) {
        http->is_too_long = true;
        return 0;
    }
    if (len > 9 && strncasecmp(line, "HTTP/", 5) == 0) {
        const char *space = memchr(line, ' ', len);
        http->answer = (th_http_answer){ .status = space ? atoi(space + 1) : 0 };
    } else if (len <= 2) {
        http->has_head = http->answer.status >= 200;
    } else {
        take_field(&http->answer, line, len);
    }
    return len;
}

/* Checks each address that libcurl is about to connect to. */
static curl_socket_t on_socket(void *context, curlsocktype purpose,
                               struct curl_sockaddr *address)
{
    struct th_http *http = context;
    if (purpose != CURLSOCKTYPE_IPCXN || !th_address_is_public(&address->addr)) {
        http->is_private = true;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype, address->protocol);
}

/* ---- the transfer ---- */

/* libcurl has one code for all timeouts. If there is no lookup time, the lookup
 * failed. */
static bool has_lookup_failed(const struct th_http *http)
{
    curl_off_t lookup_us = 0;
    if (http->result != CURLE_OPERATION_TIMEDOUT)
        return http->result == CURLE_COULDNT_RESOLVE_HOST ||
               http->result == CURLE_COULDNT_RESOLVE_PROXY;
    (void)curl_easy_getinfo(http->easy, CURLINFO_NAMELOOKUP_TIME_T, &lookup_us);
    return lookup_us == 0;
}

bool th_http_is_unreachable(const th_http *http)
{
    return http->result == CURLE_COULDNT_CONNECT || has_lookup_failed(http);
}

bool th_http_has_refused(const th_http *http)
{
    return http->is_private && http->result == CURLE_COULDNT_CONNECT;
}

uint64_t th_http_waited_ms(const th_http *http)
{
    return (uint64_t)http->all_waited_ms;
}

static bool is_hopeless(CURLcode code)
{
    switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_NOT_BUILT_IN:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_BAD_FUNCTION_ARGUMENT:
        return true;
    default:
        return false;
    }
}

static th_status fail(const struct th_http *http, th_error *err)
{
    if (http->result == CURLE_OUT_OF_MEMORY || (int)http->result == TOO_LARGE)
        return th_fail(err, TH_IO,
                       "libcurl cannot store the response: a header line is longer than "
                       "100 KiB, or memory is low");
    if (th_http_has_refused(http))
        return th_fail(err, TH_IO, "the address of the host is not public");
    if (http->is_too_long)
        return th_fail(err, TH_IO, "the response has more than %d header lines",
                       (int)HEAD_MAX);
    return th_fail(err, is_hopeless(http->result) ? TH_IO : TH_NOT_YET, "%s",
                   http->words[0] ? http->words : curl_easy_strerror(http->result));
}

static void take_messages(struct th_http *http)
{
    int left = 0;
    const CURLMsg *message;
    while ((message = curl_multi_info_read(http->multi, &left)))
        if (message->msg == CURLMSG_DONE) {
            http->is_done = true;
            http->result = message->data.result;
        }
}

static int64_t window_length_ms(const struct th_http *http)
{
    const int64_t max = TH_HTTP_WINDOW_STALLS * (int64_t)http->options.stall_ms;
    const int64_t window =
        http->options.min_rate_ms < max ? http->options.min_rate_ms : max;
    return http->is_sent ? TH_HTTP_ANSWER_WINDOWS * window : window;
}

static void begin_window(struct th_http *http)
{
    http->window_ms = 0;
    http->window_begin = http->moved;
}

/* `waited_ms` more have passed. */
static th_status check_rate(struct th_http *http, int64_t waited_ms, th_error *err)
{
    const bool is_sent = http->body.len && http->sent == http->body.len;
    if (http->moved == 0 || is_sent != http->is_sent) {
        http->is_sent = is_sent;
        begin_window(http);
        return TH_OK;
    }
    http->window_ms += waited_ms;
    if (http->window_ms < window_length_ms(http))
        return TH_OK;
    const uint64_t bytes = http->moved - http->window_begin;
    if (bytes * 1000 < (uint64_t)http->options.min_rate * (uint64_t)http->window_ms)
        return th_fail(err, TH_NOT_YET,
                       "slower than remote.min-rate: %llu bytes in %.1f s",
                       (unsigned long long)bytes, (double)http->window_ms / 1000);
    begin_window(http);
    return TH_OK;
}

/* Lets libcurl work, and waits for the network up to WAIT_MS if there is no work. */
static th_status pump(struct th_http *http, bool waits, th_error *err)
{
    int running = 0;
    const uint64_t before = http->moved;
    if (th_is_stopped(http->options.stop))
        return th_fail(err, TH_INTERRUPTED, "interrupted");
    if (curl_multi_perform(http->multi, &running) != CURLM_OK)
        return th_fail(err, TH_IO, "libcurl failed");
    take_messages(http);
    if (http->moved != before || http->is_done) {
        http->waited_ms = 0;
        return TH_OK;
    }
    if (!waits)
        return TH_OK;
    const int64_t since = th_now_ms();
    (void)curl_multi_poll(http->multi, NULL, 0, WAIT_MS, NULL);
    const int64_t waited_ms = th_now_ms() - since;
    http->waited_ms += waited_ms;
    http->all_waited_ms += waited_ms;
    const th_status status = check_rate(http, waited_ms, err);
    if (status != TH_OK)
        return status;
    if (http->waited_ms > (int64_t)http->options.stall_ms)
        return th_fail(err, TH_NOT_YET, "no data was transferred for %u ms",
                       http->options.stall_ms);
    return TH_OK;
}

void th_http_stop(th_http *http)
{
    /* libcurl may not have noticed yet that the last bytes were the end. */
    if (http->is_added && http->has_head && !http->is_done && http->begin == http->end)
        (void)pump(http, false, NULL);
    if (http->is_added)
        (void)curl_multi_remove_handle(http->multi, http->easy);
    http->is_added = http->is_done = http->is_paused = http->has_head = false;
    http->begin = http->end = 0;
    curl_slist_free_all(http->headers);
    http->headers = NULL;
}

static bool add_headers(struct th_http *http, const char *const *headers)
{
    for (; headers && *headers; headers++) {
        struct curl_slist *more = curl_slist_append(http->headers, *headers);
        if (!more)
            return false;
        http->headers = more;
    }
    return true;
}

/* Without "Expect:" libcurl waits for a 100 before it sends a large body. */
static bool set_headers(struct th_http *http, const th_http_request *request)
{
    static const char *const no_wait[] = { "Expect:", NULL };
    return (!request->has_body || add_headers(http, no_wait)) &&
           add_headers(http, request->headers);
}

static void set_options(struct th_http *http, const th_http_request *request)
{
    CURL *easy = http->easy;
    curl_easy_reset(easy); /* keeps connections and their caches */
    (void)curl_easy_setopt(easy, CURLOPT_URL, request->url);
    if (request->has_body) {
        (void)curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
        (void)curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE,
                               (curl_off_t)request->body.len);
        (void)curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_send);
        (void)curl_easy_setopt(easy, CURLOPT_READDATA, http);
        (void)curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, on_rewind);
        (void)curl_easy_setopt(easy, CURLOPT_SEEKDATA, http);
    } else {
        (void)curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    }
    if (strcmp(request->method, "GET") != 0)
        (void)curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
    (void)curl_easy_setopt(easy, CURLOPT_HTTPHEADER, http->headers);
    (void)curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    (void)curl_easy_setopt(easy, CURLOPT_USERAGENT, TH_SOFTWARE);
    (void)curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)CURL_PART);
    (void)curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                           (long)http->options.connect_ms);
    (void)curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, http->words);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEDATA, http);
    (void)curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_head);
    (void)curl_easy_setopt(easy, CURLOPT_HEADERDATA, http);
    if (*http->options.ca_file)
        (void)curl_easy_setopt(easy, CURLOPT_CAINFO, http->options.ca_file);
    if (request->is_local || http->options.public_only)
        (void)curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    if (http->options.public_only) {
        (void)curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_socket);
        (void)curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, http);
    }
}

th_status th_http_start(th_http *http, const th_http_request *request, th_error *err)
{
    th_http_stop(http);
    http->answer = (th_http_answer){ 0 };
    http->words[0] = '\0';
    http->waited_ms = http->all_waited_ms = 0;
    http->moved = 0;
    http->is_sent = false;
    begin_window(http);
    http->head_lines = 0;
    http->is_too_long = http->is_private = false;
    http->result = CURLE_OK;
    http->body = request->has_body ? request->body : (th_view){ NULL, 0 };
    http->sent = 0;
    if (!set_headers(http, request))
        return th_fail(err, TH_NOMEM, "out of memory");
    set_options(http, request);
    if (curl_multi_add_handle(http->multi, http->easy) != CURLM_OK)
        return th_fail(err, TH_NOMEM, "out of memory");
    http->is_added = true;
    th_status status = TH_OK;
    while (status == TH_OK && !http->has_head && !http->is_done)
        status = pump(http, true, err);
    if (status == TH_OK && !http->has_head)
        status = http->result == CURLE_OK ? th_fail(err, TH_NOT_YET, "no response")
                                          : fail(http, err);
    if (status != TH_OK)
        th_http_stop(http);
    return status;
}

const th_http_answer *th_http_answer_of(const th_http *http)
{
    return &http->answer;
}

th_status th_http_read(th_http *http, char *buffer, size_t capacity, size_t *got,
                       th_error *err)
{
    th_status status = TH_OK;
    *got = 0;
    if (!http->is_added)
        return TH_END;
    if (http->is_paused && http->end - http->begin < ROOM / 2) {
        http->is_paused = false;
        (void)curl_easy_pause(http->easy, CURLPAUSE_CONT);
    }
    if (!http->is_done && !http->is_paused && http->end - http->begin < ROOM / 2)
        status = pump(http, false, err);
    while (status == TH_OK && http->begin == http->end && !http->is_done)
        status = pump(http, true, err);
    if (status == TH_INTERRUPTED)
        return status;
    const size_t ready = http->end - http->begin;
    if (ready) {
        *got = ready < capacity ? ready : capacity;
        memcpy(buffer, http->buffer + http->begin, *got);
        http->begin += *got;
        if (http->begin == http->end)
            http->begin = http->end = 0;
        return TH_OK;
    }
    if (status != TH_OK)
        return status;
    return http->result == CURLE_OK ? TH_END : fail(http, err);
}

th_status th_http_new(const th_http_options *options, th_http **out, th_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, init_library);
    struct th_http *http = calloc(1, sizeof *http);
    if (!http)
        return th_fail(err, TH_NOMEM, "cannot allocate a transfer");
    http->options = *options;
    http->buffer = malloc(ROOM);
    http->multi = curl_multi_init();
    http->easy = curl_easy_init();
    if (!http->buffer || !http->multi || !http->easy) {
        th_http_free(http);
        return th_fail(err, TH_NOMEM, "cannot allocate a transfer");
    }
    *out = http;
    return TH_OK;
}

void th_http_free(th_http *http)
{
    if (!http)
        return;
    if (http->multi && http->easy)
        th_http_stop(http);
    if (http->easy)
        curl_easy_cleanup(http->easy);
    if (http->multi)
        (void)curl_multi_cleanup(http->multi);
    free(http->buffer);
    free(http);
}
