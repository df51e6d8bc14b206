/* See the header. */
#include "remote/page_fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote/http_transfer.h"
#include "remote/remote_name.h"

enum { HEAD_LEN = 512, FIRST_BYTES = 256 << 10 };

static bool is_text(int status)
{
    return status >= 200 && status < 300;
}

/* Names the URL in the error of a transfer. A temporary failure is also
 * an error. */
static th_status fail_at(const char *url, th_status status, const th_error *why,
                         const char *hint, th_error *err)
{
    if (status == TH_INTERRUPTED)
        return th_fail(err, status, "interrupted");
    return th_fail(err, status == TH_NOT_YET ? TH_IO : status,
                   "cannot fetch '%.300s': %s%s", url, why->text, hint);
}

/* Writes the head that the pipeline reads, in front of the body. */
static size_t write_head(const th_http_answer *answer, char *head)
{
    const int len = snprintf(head, HEAD_LEN, "HTTP/1.1 %d OK\r\n%s%s%s%s%s%s\r\n",
                             answer->status, answer->type[0] ? "Content-Type: " : "",
                             answer->type, answer->type[0] ? "\r\n" : "",
                             answer->coding[0] ? "Content-Encoding: " : "",
                             answer->coding, answer->coding[0] ? "\r\n" : "");
    return len > 0 && len < HEAD_LEN ? (size_t)len : 0;
}

static th_status read_body(th_http *http, const th_fetch_options *options,
                           th_arena *arena, th_fetched_page *out, th_error *err)
{
    size_t capacity = FIRST_BYTES;
    char *bytes = th_arena_alloc(arena, capacity);
    if (!bytes)
        return th_fail(err, TH_NOMEM, "out of memory");
    const size_t head = write_head(th_http_answer_of(http), bytes);
    size_t len = head;
    th_status status = TH_OK;
    while (status == TH_OK && len - head <= options->max_bytes) {
        if (len == capacity) {
            bytes = th_arena_grow(arena, bytes, len, capacity * 2);
            if (!bytes)
                return th_fail(err, TH_NOMEM, "out of memory");
            capacity *= 2;
        }
        size_t got = 0;
        status = th_http_read(http, bytes + len, capacity - len, &got, err);
        len += got;
    }
    if (status != TH_OK && status != TH_END)
        return status;
    out->is_cut = len - head > options->max_bytes;
    out->block =
        (th_view){ bytes, out->is_cut ? head + (size_t)options->max_bytes : len };
    return TH_OK;
}

/* Sets `url` to the target of a redirect, as a string in the arena. */
static th_status follow(const th_http_answer *answer, const char **url, th_arena *arena,
                        th_error *err)
{
    if (!answer->location[0])
        return th_fail(err, TH_IO, "redirect without a Location");
    char *target = th_http_resolve(*url, answer->location);
    if (!target)
        return th_fail(err, TH_IO, "redirect to '%.200s', which is not a URL",
                       answer->location);
    const th_view text = th_arena_copy(arena, (th_view){ target, strlen(target) + 1 });
    free(target);
    if (!text.data)
        return th_fail(err, TH_NOMEM, "out of memory");
    if (!th_remote_is_page(text.data))
        return th_fail(err, TH_IO, "redirect to '%.200s', which is not http or https",
                       text.data);
    *url = text.data;
    return TH_OK;
}

static th_status fetch(th_http *http, const char *url, const th_fetch_options *options,
                       th_arena *arena, th_fetched_page *out, th_error *err)
{
    static const char *const headers[] = {
        "Accept: text/html,application/xhtml+xml;q=0.9,"
        "*/*;q=0.5",
        NULL
    };
    for (unsigned redirects = 0;; redirects++) {
        const th_http_request request = { .method = "GET",
                                          .url = url,
                                          .headers = headers };
        th_status status = th_http_start(http, &request, err);
        if (status != TH_OK)
            return status;
        const th_http_answer *answer = th_http_answer_of(http);
        if (is_text(answer->status)) {
            out->url = (th_view){ url, strlen(url) };
            return read_body(http, options, arena, out, err);
        }
        if (!th_is_redirect(answer->status))
            return th_fail(err, TH_IO, "the server answered with HTTP status %d",
                           answer->status);
        if (redirects == TH_FETCH_REDIRECTS)
            return th_fail(err, TH_IO, "more than %d redirects", TH_FETCH_REDIRECTS);
        status = follow(answer, &url, arena, err);
        if (status != TH_OK)
            return status;
    }
}

th_status th_page_fetch(const char *url, const th_fetch_options *options, th_arena *arena,
                        th_fetched_page *out, th_error *err)
{
    const th_http_options transfer = { .ca_file = options->ca_file,
                                       .connect_ms = options->connect_ms,
                                       .stall_ms = options->stall_ms,
                                       .min_rate = options->min_rate,
                                       .min_rate_ms = options->min_rate_ms,
                                       .public_only = !options->allow_private,
                                       .stop = options->stop };
    th_http *http = NULL;
    th_error why = { .text = "" };
    *out = (th_fetched_page){ .is_cut = false };
    th_status status = th_http_new(&transfer, &http, &why);
    if (status == TH_OK)
        status = fetch(http, url, options, arena, out, &why);
    const bool is_refused = http && th_http_has_refused(http);
    th_http_free(http);
    return status == TH_OK
               ? status
               : fail_at(url, status, &why,
                         is_refused ? " (--allow-private allows it)" : "", err);
}
