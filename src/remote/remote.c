/* Requests to stores and servers: see remote_call.h, and remote.h for the options. */
#include "remote/remote.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "base/stoppable_read.h"
#include "remote/credentials.h"
#include "remote/remote_call.h"
#include "remote/sigv4.h"

enum { REDIRECTS_MAX = 5, WAIT_MS = 50, ERROR_BODY = 16 << 10, RETRY_AFTER_MAX_S = 120 };
enum { BACKOFF_DOUBLINGS = 6, HEADERS_MAX = 8 };

const char *const th_path_style_names[] = { "auto", "on", "off", NULL };

struct th_remote {
    th_remote_options options;
    const char *endpoint; /* "" = Amazon's */
    const char *ca_file;
    char region[64];
    bool has_credentials;
    th_credentials credentials;
    th_http *spare; /* an unused transfer; NULL if there is none */
};

static const char *env(const char *first, const char *second)
{
    const char *value = getenv(first);
    if (!value || !*value)
        value = second ? getenv(second) : NULL;
    return value ? value : "";
}

th_status th_remote_new(const th_remote_options *options, th_remote **out, th_error *err)
{
    th_remote *remote = calloc(1, sizeof *remote);
    if (!remote)
        return th_fail(err, TH_NOMEM, "cannot allocate a remote");
    remote->options = *options;
    remote->endpoint = *options->endpoint
                           ? options->endpoint
                           : env("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
    remote->ca_file = *options->ca_file ? options->ca_file : env("AWS_CA_BUNDLE", NULL);
    const char *region =
        *options->region ? options->region : env("AWS_REGION", "AWS_DEFAULT_REGION");
    (void)snprintf(remote->region, sizeof remote->region, "%s",
                   *region ? region : "us-east-1");
    if (*remote->endpoint && strncmp(remote->endpoint, "https://", 8) != 0 &&
        strncmp(remote->endpoint, "http://", 7) != 0) {
        free(remote);
        return th_fail(err, TH_USAGE,
                       "remote.endpoint must begin with https:// or http://");
    }
    *out = remote;
    return TH_OK;
}

void th_remote_free(th_remote *remote)
{
    if (!remote)
        return;
    OPENSSL_cleanse(&remote->credentials, sizeof remote->credentials);
    th_http_free(remote->spare);
    free(remote);
}

const char *th_remote_library_version(void)
{
    return th_http_library_version();
}

const th_remote_options *th_remote_options_of(const th_remote *remote)
{
    return &remote->options;
}

th_status th_remote_transfer(th_remote *remote, th_http **out, th_error *err)
{
    if (remote->spare) {
        *out = remote->spare;
        remote->spare = NULL;
        return TH_OK;
    }
    const th_http_options options = { .ca_file = remote->ca_file,
                                      .connect_ms = remote->options.connect_ms,
                                      .stall_ms = remote->options.stall_ms,
                                      .min_rate = remote->options.min_rate,
                                      .min_rate_ms = remote->options.min_rate_ms,
                                      .stop = remote->options.stop };
    return th_http_new(&options, out, err);
}

void th_remote_give_back(th_remote *remote, th_http *http)
{
    if (!http)
        return;
    th_http_stop(http);
    th_http_free(remote->spare);
    remote->spare = http;
}

/* ---- another try ---- */

static bool has_progressed(const th_remote *remote, const th_remote_tries *tries)
{
    const uint64_t min_ms = tries->spent_ms > 1000 ? tries->spent_ms : 1000;
    return tries->bytes > 0 && tries->bytes >= remote->options.min_rate * min_ms / 1000;
}

/* The wait before the next try; -1 means no further try. */
static int64_t wait_of(const th_remote *remote, const th_remote_tries *tries,
                       uint32_t retry_after_s)
{
    const uint32_t doublings =
        tries->failures - 1 < BACKOFF_DOUBLINGS ? tries->failures - 1 : BACKOFF_DOUBLINGS;
    int64_t wait_ms = (int64_t)remote->options.backoff_ms << doublings;
    if (tries->failures > remote->options.retries ||
        tries->unreachable > remote->options.unreachable_retries)
        return -1;
    if (retry_after_s)
        wait_ms = 1000 * (int64_t)(retry_after_s < RETRY_AFTER_MAX_S ? retry_after_s
                                                                     : RETRY_AFTER_MAX_S);
    return remote->options.deadline_ms && wait_ms > remote->options.deadline_ms ? -1
                                                                                : wait_ms;
}

static void report_retry(const th_remote *remote, const th_remote_tries *tries,
                         const char *name, const th_error *why, int64_t wait_ms)
{
    char line[1024];
    const uint32_t max = tries->unreachable && remote->options.unreachable_retries <
                                                   remote->options.retries
                             ? remote->options.unreachable_retries
                             : remote->options.retries;
    if (!remote->options.on_retry)
        return;
    (void)snprintf(line, sizeof line, "%.*s: %.400s: retrying in %.1f s (%u of %u)",
                   (int)th_remote_name_shown(name), name, why->text,
                   (double)wait_ms / 1000,
                   tries->unreachable ? tries->unreachable : tries->failures, max);
    remote->options.on_retry(remote->options.retry_context, line);
}

th_status th_remote_retry(const th_remote *remote, th_remote_tries *tries,
                          const th_http *http, const char *name, uint32_t retry_after_s,
                          const th_error *why)
{
    const bool is_unreachable = th_http_is_unreachable(http);
    tries->spent_ms += th_http_waited_ms(http);
    if (has_progressed(remote, tries))
        *tries = (th_remote_tries){ 0 };
    tries->failures++;
    tries->unreachable = is_unreachable ? tries->unreachable + 1 : 0;
    const int64_t wait_ms = wait_of(remote, tries, retry_after_s);
    if (wait_ms < 0)
        return TH_NOT_YET;
    report_retry(remote, tries, name, why, wait_ms);
    tries->spent_ms += (uint64_t)wait_ms;
    const int64_t until = th_now_ms() + wait_ms;
    while (th_now_ms() < until) {
        const int64_t left = until - th_now_ms();
        if (th_is_stopped(remote->options.stop))
            return TH_INTERRUPTED;
        th_sleep_ms(left < WAIT_MS ? (int)left : WAIT_MS);
    }
    return TH_OK;
}

/* ---- addresses ---- */

/* The address of a request: the text that is sent and the text that is signed. */
struct address {
    th_buffer url;
    size_t host, host_len; /* of the URL: host and port as the Host header has them */
    size_t path, path_len; /* encoded */
    bool is_signed;        /* it is a store, and we have credentials */
};

static void find_parts(struct address *address)
{
    const char *url = address->url.data;
    const char *host = strstr(url, "://") + 3;
    address->host = (size_t)(host - url);
    address->host_len = strcspn(host, "/?#");
    address->path = address->host + address->host_len;
    address->path_len = strcspn(url + address->path, "?#");
    /* libcurl omits the default port. */
    const char *port = host + address->host_len;
    if (address->host_len > 4 && strncmp(url, "https", 5) == 0 &&
        strncmp(port - 4, ":443", 4) == 0)
        address->host_len -= 4;
    else if (address->host_len > 3 && strncmp(url, "http:", 5) == 0 &&
             strncmp(port - 3, ":80", 3) == 0)
        address->host_len -= 3;
}

static bool is_in_path(const th_remote *remote, th_view bucket)
{
    if (strcmp(remote->options.path_style, "auto") != 0)
        return strcmp(remote->options.path_style, "on") == 0;
    return *remote->endpoint || memchr(bucket.data, '.', bucket.len);
}

static th_status make_address(const th_remote *remote, const th_remote_call *call,
                              struct address *out, th_error *err)
{
    th_remote_parts parts;
    th_buffer *url = &out->url;
    const th_status status = th_remote_name_parts(call->name, &parts, err);
    if (status != TH_OK)
        return status;
    if (!parts.bucket.len) {
        const size_t len = strcspn(call->name, "#");
        th_buffer_append(url, call->name, len);
    } else {
        const char *base = remote->endpoint;
        const size_t scheme = *base ? (size_t)(strstr(base, "://") + 3 - base) : 0;
        size_t base_len = strlen(base);
        while (base_len > scheme && base[base_len - 1] == '/')
            base_len--;
        const bool in_path = is_in_path(remote, parts.bucket);
        th_buffer_append(url, *base ? base : "https://", *base ? scheme : 8);
        if (!in_path) {
            th_buffer_append_view(url, parts.bucket);
            th_buffer_append_char(url, '.');
        }
        if (*base)
            th_buffer_append(url, base + scheme, base_len - scheme);
        else
            th_buffer_printf(url, "s3.%s.amazonaws.com", remote->region);
        th_buffer_append_char(url, '/');
        if (in_path) {
            th_buffer_append_view(url, parts.bucket);
            if (!call->is_listing)
                th_buffer_append_char(url, '/');
        }
        if (!call->is_listing)
            th_remote_encode(parts.key, true, url);
        if (call->query.len) {
            th_buffer_append_char(url, '?');
            th_buffer_append_view(url, call->query);
        }
        out->is_signed = !remote->credentials.is_unsigned;
    }
    th_buffer_append_char(url, '\0');
    if (url->has_failed)
        return th_fail(err, TH_NOMEM, "out of memory");
    find_parts(out);
    return TH_OK;
}

/* ---- redirects ---- */

static const char *method_of(const th_remote_call *call)
{
    return call->method ? call->method : "GET";
}

static bool changes_store(const th_remote_call *call)
{
    return strcmp(method_of(call), "GET") != 0;
}

static bool ends_with(th_view text, const char *end)
{
    const size_t len = strlen(end);
    return text.len >= len && strncasecmp(text.data + text.len - len, end, len) == 0;
}

static th_view host_of(const struct address *address)
{
    return (th_view){ address->url.data + address->host, address->host_len };
}

/* Returns whether a store may redirect us from one address to another that is also
 * trusted: the same host, or another host of Amazon. Only a trusted host gets our
 * signature, our session's token and the bytes of an upload. */
static bool is_trusted(const struct address *address, const struct address *next)
{
    const th_view from = host_of(address), to = host_of(next);
    if (from.len == to.len && strncasecmp(from.data, to.data, to.len) == 0)
        return true;
    return ends_with(from, ".amazonaws.com") && ends_with(to, ".amazonaws.com") &&
           strncmp(next->url.data, "https://", 8) == 0;
}

/* Follows the redirect of an answer; never from https to http. */
static th_status redirect(const th_remote *remote, struct address *address,
                          const th_remote_call *call, const th_http_answer *answer,
                          th_error *err)
{
    const char *location = answer->location;
    struct address next = { 0 };
    const bool was_https = strncmp(address->url.data, "https:", 6) == 0;
    if (location[0] == '/' && location[1] != '/')
        th_buffer_append(&next.url, address->url.data,
                         address->host +
                             strcspn(address->url.data + address->host, "/?#"));
    th_buffer_append_text(&next.url, location);
    th_buffer_append_char(&next.url, '\0');
    if (next.url.has_failed) {
        th_buffer_done(&next.url);
        return th_fail(err, TH_NOMEM, "out of memory");
    }
    const char *url = next.url.data;
    const bool is_https = strncmp(url, "https://", 8) == 0;
    const bool is_allowed =
        !remote->options.may_follow ||
        remote->options.may_follow(remote->options.follow_context, url);
    if ((!is_https && strncmp(url, "http://", 7) != 0) || (was_https && !is_https) ||
        !is_allowed) {
        th_fail(err, TH_IO, "redirect to '%.150s' not followed%s", location,
                is_allowed ? "" : " because it is not under any allowed prefix");
        th_buffer_done(&next.url);
        return TH_IO;
    }
    find_parts(&next);
    if (memchr(host_of(&next).data, '@', next.host_len)) {
        th_fail(err, TH_IO,
                "redirect to '%.150s' not followed because it contains a password",
                location);
        th_buffer_done(&next.url);
        return TH_IO;
    }
    const bool may_have_ours = is_trusted(address, &next);
    /* A 303 asks for a GET of another object. */
    if (changes_store(call) && (!may_have_ours || answer->status == 303)) {
        th_fail(err, TH_IO, "redirect of an upload to '%.150s' not followed", location);
        th_buffer_done(&next.url);
        return TH_IO;
    }
    next.is_signed = address->is_signed && may_have_ours;
    th_buffer_done(&address->url);
    *address = next;
    return TH_OK;
}

/* ---- the request ---- */

/* Headers, once as they are sent and once as they are signed. */
struct headers {
    th_buffer lines[HEADERS_MAX];
    const char *sent[HEADERS_MAX + 1];
    size_t count;
};

static void add(struct headers *headers, const char *name, const char *value)
{
    th_buffer *line = &headers->lines[headers->count++];
    th_buffer_append_text(line, name);
    th_buffer_append_text(line, ": ");
    th_buffer_append_text(line, value);
    th_buffer_append_char(line, '\0');
}

static th_status sign(const th_remote *remote, const struct address *address,
                      const th_remote_call *call, const char *range, struct headers *out)
{
    char time_text[32], payload[TH_SHA256_HEX] = TH_SIGV4_EMPTY;
    const time_t now = (time_t)(th_clock_ms(CLOCK_REALTIME) / 1000);
    struct tm parts;
    const th_credentials *keys = &remote->credentials;
    const char *url = address->url.data;
    const char *query = strchr(url + address->path, '?');
    th_sigv4_header signed_headers[HEADERS_MAX];
    size_t count = 0;
    th_buffer host = { 0 }, value = { 0 };
    th_buffer_append_view(&host, host_of(address));
    th_buffer_append_char(&host, '\0');
    (void)gmtime_r(&now, &parts);
    (void)strftime(time_text, sizeof time_text, "%Y%m%dT%H%M%SZ", &parts);
    th_status status = host.has_failed ? TH_NOMEM : TH_OK;
    if (status == TH_OK && call->body.len)
        status = th_sha256_hex(call->body, payload);
    if (status == TH_OK) {
        signed_headers[count++] = (th_sigv4_header){ "host", host.data };
        if (call->if_match)
            signed_headers[count++] = (th_sigv4_header){ "if-match", call->if_match };
        if (*range)
            signed_headers[count++] = (th_sigv4_header){ "range", range };
        signed_headers[count++] = (th_sigv4_header){ "x-amz-content-sha256", payload };
        signed_headers[count++] = (th_sigv4_header){ "x-amz-date", time_text };
        if (*keys->token)
            signed_headers[count++] =
                (th_sigv4_header){ "x-amz-security-token", keys->token };
        const th_sigv4_request request = {
            .method = method_of(call),
            .path = address->path_len
                        ? (th_view){ url + address->path, address->path_len }
                        : TH_VIEW("/"),
            .query = query ? (th_view){ query + 1, strlen(query + 1) } : TH_VIEW(""),
            .headers = signed_headers,
            .header_count = count,
            .payload_hash = payload,
            .time = time_text,
            .region = remote->region,
            .service = "s3",
            .access_key = keys->access_key,
            .secret = keys->secret,
        };
        status = th_sigv4_sign(&request, &value);
        th_buffer_append_char(&value, '\0');
        if (value.has_failed)
            status = TH_NOMEM;
    }
    if (status == TH_OK) {
        add(out, "x-amz-content-sha256", payload);
        add(out, "x-amz-date", time_text);
        if (*keys->token)
            add(out, "x-amz-security-token", keys->token);
        add(out, "Authorization", value.data);
    }
    th_buffer_done(&host);
    th_buffer_done(&value);
    return status;
}

static th_status send(th_remote *remote, th_http *http, const th_remote_call *call,
                      const struct address *address, th_error *err)
{
    char range[64] = "";
    struct headers headers = { 0 };
    th_status status = TH_OK;
    if (call->has_range) {
        const int len =
            snprintf(range, sizeof range, "bytes=%llu-", (unsigned long long)call->start);
        if (call->end)
            (void)snprintf(range + len, sizeof range - (size_t)len, "%llu",
                           (unsigned long long)call->end - 1);
        add(&headers, "Range", range);
    }
    if (call->if_match)
        add(&headers, "If-Match", call->if_match);
    if (address->is_signed)
        status = sign(remote, address, call, range, &headers);
    for (size_t i = 0; i < headers.count && status == TH_OK; i++) {
        headers.sent[i] = headers.lines[i].data;
        if (headers.lines[i].has_failed)
            status = TH_NOMEM;
    }
    const th_http_request request = { .method = method_of(call),
                                      .url = address->url.data,
                                      .headers = headers.sent,
                                      .has_body = call->has_body,
                                      .body = call->body };
    status = status == TH_OK ? th_http_start(http, &request, err)
                             : th_fail(err, status, "out of memory");
    for (size_t i = 0; i < headers.count; i++)
        th_buffer_done(&headers.lines[i]);
    return status;
}

/* ---- details of errors ---- */

/* Reads "AccessDenied" from <Error><Code>AccessDenied</Code>...; "" if there is no
 * code. */
static void read_code(th_http *http, char *out, size_t capacity)
{
    char part[4096];
    size_t got = 0;
    th_buffer body = { 0 };
    out[0] = '\0';
    while (body.len < ERROR_BODY &&
           th_http_read(http, part, sizeof part, &got, NULL) == TH_OK)
        th_buffer_append(&body, part, got);
    const th_view text = th_buffer_view(&body);
    const char *from = memmem(text.data, text.len, "<Code>", 6);
    if (from) {
        from += 6;
        const size_t left = (size_t)(text.data + text.len - from);
        size_t len = 0;
        while (len < left && len < capacity - 1 &&
               ((from[len] >= 'A' && from[len] <= 'Z') ||
                (from[len] >= 'a' && from[len] <= 'z')))
            len++;
        memcpy(out, from, len);
        out[len] = '\0';
    }
    th_buffer_done(&body);
}

static bool is_passing(int status, const char *code)
{
    return status == 408 || status == 425 || status == 429 || status >= 500 ||
           strcmp(code, "RequestTimeout") == 0 || strcmp(code, "SlowDown") == 0;
}

static const char *meaning(int status, bool writes)
{
    switch (status) {
    case 401:
    case 403:
        return writes ? "write access denied" : "read access denied";
    case 404:
    case 410:
        return "not found";
    case 429:
    case 503:
        return "the server is throttling requests";
    default:
        return status >= 500 ? "server error" : "the server rejected the request";
    }
}

/* ---- all together ---- */

/* If a refresh fails, uses the current credentials until they expire. The next request
 * retries. */
static th_status get_credentials(th_remote *remote, th_http *http, th_error *err)
{
    if (remote->has_credentials && !th_credentials_are_old(&remote->credentials))
        return TH_OK;
    const th_status status =
        th_credentials_find(remote->options.credentials, http, &remote->credentials, err);
    if (status != TH_OK && status != TH_INTERRUPTED && status != TH_NOMEM &&
        remote->has_credentials && !th_credentials_have_ended(&remote->credentials))
        return TH_OK;
    remote->has_credentials = status == TH_OK;
    return status;
}

/* Takes the region that the store reports. Returns true if the request can be repeated
 * there. */
static bool learn_region(th_remote *remote, const th_http_answer *answer)
{
    if (!*answer->region || *remote->endpoint ||
        strcmp(answer->region, remote->region) == 0 ||
        strspn(answer->region, "abcdefghijklmnopqrstuvwxyz0123456789-") !=
            strlen(answer->region))
        return false;
    (void)snprintf(remote->region, sizeof remote->region, "%s", answer->region);
    return true;
}

/* Handles one answer. Returns TH_PAUSED to repeat the request at the present address. */
static th_status judge(th_remote *remote, th_http *http, struct address *address,
                       const th_remote_call *call, th_error *err)
{
    const th_http_answer *answer = th_http_answer_of(http);
    char code[64];
    const int status = answer->status;
    if (status == 200 || ((status == 204 || status == 206) && !call->has_body) ||
        (status == 412 && call->if_match) || (status == 416 && call->has_range))
        return TH_OK;
    if ((status == 301 || status == 400) && address->is_signed &&
        learn_region(remote, answer)) {
        th_buffer_done(&address->url);
        *address = (struct address){ 0 };
        const th_status made = make_address(remote, call, address, err);
        return made == TH_OK ? TH_PAUSED : made;
    }
    if (th_is_redirect(status) && *answer->location) {
        const th_status led = redirect(remote, address, call, answer, err);
        return led == TH_OK ? TH_PAUSED : led;
    }
    read_code(http, code, sizeof code);
    if (strcmp(code, "ExpiredToken") == 0)
        remote->has_credentials = false; /* the next try refreshes them */
    return th_fail(err,
                   is_passing(status, code) || strcmp(code, "ExpiredToken") == 0
                       ? TH_NOT_YET
                       : TH_IO,
                   "%s: status %d%s%s", meaning(status, call->has_body), status,
                   *code ? " " : "", code);
}

th_status th_remote_query(th_remote *remote, th_http *http, const th_remote_call *call,
                          th_error *err)
{
    struct address address = { 0 };
    const bool is_store = strncmp(call->name, "s3://", 5) == 0;
    th_status status = is_store ? get_credentials(remote, http, err) : TH_OK;
    if (status == TH_OK)
        status = make_address(remote, call, &address, err);
    for (int redirects = 0; status == TH_OK; redirects++) {
        if (redirects > REDIRECTS_MAX) {
            status = th_fail(err, TH_IO, "more than %d redirects", (int)REDIRECTS_MAX);
            break;
        }
        status = send(remote, http, call, &address, err);
        if (status != TH_OK)
            break;
        status = judge(remote, http, &address, call, err);
        if (status == TH_OK)
            break;
        if (status == TH_PAUSED)
            status = TH_OK;
    }
    th_buffer_done(&address.url);
    if (status != TH_OK)
        th_http_stop(http);
    return status;
}
