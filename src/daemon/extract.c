/* Checks a request, keeps its body, and turns the result of the workers into an answer. */
#include "daemon/extract.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/json.h"
#include "daemon/accept.h"
#include "parse/http/media_type.h"
#include "parse/url/url.h"

enum {
    BUFFER_KEEP = 256 << 10, /* bytes of a buffer that later requests use again */
    URL_MAX = 8 << 10,       /* like th_url_resolve */
    WAIT_MS = 5
};

/* The media types of answers, in order of preference, and their text formats. */
static const char *const accepted_types[] = { "application/json", "text/markdown",
                                              "text/plain", "text/html", NULL };
#define ACCEPTED "application/json, text/markdown, text/plain or text/html"
static const struct {
    const char *type, *format; /* format: NULL for the record */
} answers[] = {
    { "application/json", NULL },
    { "text/markdown; charset=utf-8", "markdown" },
    { "text/plain; charset=utf-8", "plain" },
    { "text/html; charset=utf-8", "html" },
};

struct th_extract_request {
    th_page_request page; /* first, for its callback */
    th_extract *extract;
    th_buffer body, strings, error;
    const char *type;    /* of the answer */
    unsigned code;       /* of a refusal; 0 if there is none */
    bool has_place;      /* it counts as in progress */
    atomic_bool is_done; /* the workers have finished */
    int64_t received_ns; /* time of its last byte */
    void (*done)(void *context);
    void *context;
    th_extract_request *next; /* unused request */
};

struct th_extract {
    th_extract_options options;
    th_page_service *service;
    atomic_bool is_stopping;
    atomic_uint in_progress;
    /* only for the endpoint's thread */
    uint64_t bytes, max_bytes; /* of all bodies */
    th_extract_request *unused;
    uint32_t unused_count;
    th_extract_stats stats;
};

/* ---- refusals ---- */

static void write_error(th_extract_request *request, const char *reason, th_view detail)
{
    th_json json;
    th_buffer_reset(&request->error);
    th_json_begin(&json, &request->error);
    th_json_open_object(&json);
    th_json_member_text(&json, "reason", reason);
    th_json_member(&json, "detail", detail);
    th_json_close_object(&json);
    (void)th_json_end(&json); /* without memory the body is empty */
}

static void drop_body(th_extract_request *request)
{
    request->extract->bytes -= request->body.len;
    th_buffer_reset(&request->body);
}

__attribute__((format(printf, 4, 5))) static void refuse(th_extract_request *request,
                                                         unsigned code,
                                                         const char *reason,
                                                         const char *format, ...)
{
    char detail[400];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(detail, sizeof detail, format, values);
    va_end(values);
    request->code = code;
    drop_body(request);
    write_error(request, reason, (th_view){ detail, strlen(detail) });
}

/* ---- a request ---- */

static bool is_plain_url(th_view url)
{
    for (size_t i = 0; i < url.len; i++)
        if ((unsigned char)url.data[i] <= ' ' || url.data[i] == 0x7F)
            return false;
    return url.len <= URL_MAX && th_url_host(url).len &&
           (th_ascii_starts_with(url, "http://") ||
            th_ascii_starts_with(url, "https://"));
}

static void refuse_size(th_extract_request *request)
{
    refuse(request, 413, "too_large", "body is longer than %llu bytes",
           (unsigned long long)request->extract->options.max_body);
}

static void check_head(th_extract_request *request, const th_extract_head *head)
{
    const char *const coding = head->content_encoding;
    const th_view accept = { head->accept, head->accept ? strlen(head->accept) : 0 };
    const int chosen = th_accept_choose(accept, accepted_types);
    if (atomic_load(&request->extract->is_stopping))
        refuse(request, 503, "stopping", "the daemon is stopping");
    else if (strcmp(head->method, "POST") != 0)
        refuse(request, 405, "method_not_allowed", "expected POST");
    else if (head->unknown)
        refuse(request, 400, "bad_request",
               "unknown query parameter '%.100s' (expected url)", head->unknown);
    else if (head->url.data && !is_plain_url(head->url))
        refuse(request, 400, "bad_request",
               "'%.*s' is not an absolute URL of http or https",
               (int)(head->url.len < 200 ? head->url.len : 200), head->url.data);
    else if (chosen < 0)
        refuse(request, 406, "not_acceptable",
               "Accept is '%.100s' (expected " ACCEPTED ")", head->accept);
    else if (coding && strcasecmp(coding, "identity") != 0)
        refuse(request, 415, "bad_coding",
               "Content-Encoding is '%.100s' (expected no encoding)", coding);
    else if (!head->has_body)
        refuse(request, 411, "length_required",
               "the request has neither Content-Length nor Transfer-Encoding");
    else if (head->length > request->extract->options.max_body)
        refuse_size(request);
    if (request->code)
        return;
    request->type = answers[chosen].type;
    for (uint32_t i = 0; answers[chosen].format && th_text_formats[i]; i++)
        if (strcmp(th_text_formats[i], answers[chosen].format) == 0)
            request->page.record.answer_format = i + 1;
}

/* Copies a text, and returns its place in the copy. */
static size_t keep(th_extract_request *request, const char *text, size_t len)
{
    const size_t at = request->strings.len;
    th_buffer_append(&request->strings, text, len);
    return at;
}

static void keep_head(th_extract_request *request, const th_extract_head *head)
{
    const size_t type_len = head->content_type ? strlen(head->content_type) : 0;
    const size_t url = keep(request, head->url.data ? head->url.data : "", head->url.len);
    const size_t type =
        keep(request, head->content_type ? head->content_type : "", type_len);
    th_record *record = &request->page.record;
    const char *strings = request->strings.data;
    if (request->strings.has_failed) {
        refuse(request, 503, "nomem", "out of memory");
        return;
    }
    record->kind = TH_RECORD_RESOURCE;
    record->type = TH_VIEW("resource");
    record->position.file = TH_VIEW("-");
    if (head->url.data)
        record->url = (th_view){ strings + url, head->url.len };
    if (head->content_type)
        record->content_type = (th_view){ strings + type, type_len };
}

/* Returns an empty request, with the buffers of an earlier one. */
static th_extract_request *new_request(th_extract *extract)
{
    th_extract_request *request = extract->unused;
    if (!request)
        request = calloc(1, sizeof *request);
    else {
        extract->unused = request->next;
        extract->unused_count--;
    }
    if (request)
        request->extract = extract;
    return request;
}

th_extract_request *th_extract_begin(th_extract *extract, const th_extract_head *head)
{
    th_extract_request *request = new_request(extract);
    if (!request)
        return NULL;
    check_head(request, head);
    if (!request->code && atomic_load(&extract->in_progress) >= extract->options.queue)
        refuse(request, 503, "overloaded", "%u requests are in progress",
               extract->options.queue);
    if (!request->code)
        keep_head(request, head);
    request->has_place = !request->code;
    if (request->has_place)
        atomic_fetch_add(&extract->in_progress, 1);
    return request;
}

void th_extract_add(th_extract_request *request, const char *bytes, size_t len)
{
    th_extract *extract = request->extract;
    const th_extract_options *options = &extract->options;
    if (request->code)
        return;
    if (len > options->max_body - request->body.len) {
        refuse_size(request);
        return;
    }
    if (len > extract->max_bytes - extract->bytes) {
        refuse(request, 503, "overloaded", "bodies of requests exceed %llu bytes",
               (unsigned long long)extract->max_bytes);
        return;
    }
    const size_t before = request->body.len;
    th_buffer_append(&request->body, bytes, len);
    extract->bytes += request->body.len - before;
    if (request->body.has_failed)
        refuse(request, 503, "nomem", "out of memory");
}

bool th_extract_is_refused(const th_extract_request *request)
{
    return request->code != 0;
}

bool th_extract_finish(th_extract_request *request)
{
    if (!request->code && !request->body.len)
        refuse(request, 400, "no_payload", "body is empty");
    return !request->code;
}

/* On a worker's thread. The request may end as soon as `done` is called. */
static void on_done(th_page_request *page)
{
    th_extract_request *request = (th_extract_request *)(void *)page;
    atomic_store(&request->is_done, true);
    request->done(request->context);
}

void th_extract_submit(th_extract_request *request, void (*done)(void *context),
                       void *context)
{
    th_record *record = &request->page.record;
    record->block = th_buffer_view(&request->body);
    record->block_len = record->block.len;
    if (!record->content_type.len)
        record->content_type = th_media_type_of_page(record->block);
    request->received_ns = th_clock_ns(CLOCK_MONOTONIC);
    request->done = done;
    request->context = context;
    request->page.done = on_done;
    th_page_service_submit(request->extract->service, &request->page);
}

bool th_extract_is_done(const th_extract_request *request)
{
    return atomic_load(&request->is_done);
}

/* ---- the answer ---- */

/* Refuses a request whose page the workers did not process. */
static void refuse_page(th_extract_request *request)
{
    const th_status status = request->page.status;
    const th_view detail = th_buffer_view(&request->page.out);
    const int len = (int)(detail.len < 300 ? detail.len : 300);
    if (status == TH_NOT_HTML)
        refuse(request, 415, th_status_name(status),
               "%.*s (expected Content-Type: text/html or application/xhtml+xml)", len,
               detail.data);
    else if (th_status_is_refusal(status))
        refuse(request, 422, th_status_name(status), "%.*s", len, detail.data);
    else if (status == TH_INTERRUPTED)
        refuse(request, 503, "stopping", "the daemon is stopping");
    else
        refuse(request, status == TH_NOMEM ? 503 : 500, th_status_name(status), "%s",
               th_status_text(status));
}

static void count_answer(th_extract_request *request, unsigned code)
{
    th_extract_stats *stats = &request->extract->stats;
    for (size_t i = 0; th_extract_codes[i]; i++)
        stats->requests[i] += th_extract_codes[i] == code;
    if (th_extract_is_done(request))
        th_histogram_observe(
            &stats->seconds,
            (double)(th_clock_ns(CLOCK_MONOTONIC) - request->received_ns) * 1e-9);
}

th_extract_answer th_extract_answer_of(th_extract_request *request)
{
    if (!request->code && request->page.status != TH_OK)
        refuse_page(request);
    th_extract_answer answer = { .is_last = atomic_load(&request->extract->is_stopping) };
    answer.code = request->code ? request->code : 200;
    answer.type = request->code ? answers[0].type : request->type;
    answer.body = th_buffer_view(request->code ? &request->error : &request->page.out);
    count_answer(request, answer.code);
    return answer;
}

static void free_request(th_extract_request *request)
{
    th_buffer_done(&request->body);
    th_buffer_done(&request->strings);
    th_buffer_done(&request->error);
    th_buffer_done(&request->page.out);
    free(request);
}

/* Returns the buffer without bytes, and without its memory if that is large. */
static th_buffer emptied(th_buffer buffer)
{
    if (buffer.capacity > BUFFER_KEEP)
        th_buffer_done(&buffer);
    th_buffer_reset(&buffer);
    return buffer;
}

void th_extract_end(th_extract_request *request)
{
    if (!request)
        return;
    th_extract *extract = request->extract;
    drop_body(request);
    const bool has_place = request->has_place;
    if (extract->unused_count < extract->options.queue) {
        *request = (th_extract_request){ .body = emptied(request->body),
                                         .strings = emptied(request->strings),
                                         .error = emptied(request->error),
                                         .page.out = emptied(request->page.out),
                                         .next = extract->unused };
        extract->unused = request;
        extract->unused_count++;
    } else {
        free_request(request);
    }
    if (has_place)
        atomic_fetch_sub(&extract->in_progress, 1);
}

th_extract_stats th_extract_stats_of(th_extract *extract)
{
    th_extract_stats stats = extract->stats;
    stats.in_progress = atomic_load(&extract->in_progress);
    stats.limit = extract->options.queue;
    stats.busy_seconds = th_page_service_busy(extract->service);
    return stats;
}

/* ---- life ---- */

th_work_options th_extract_work(const th_work_options *work, th_options *page)
{
    th_work_options options = *work;
    *page = *work->page;
    page->text_format = "plain,markdown,html"; /* the request chooses one */
    options.page = page;
    options.format = &th_answer_format;
    options.format_options.compression = TH_PLAIN;
    if (options.memory) /* the lookup is of the memory */
        options.sites = NULL;
    options.memory = NULL;
    options.index = NULL;
    options.wants_edges = options.wants_rejects = options.wants_bands = false;
    options.wants_pieces = true;
    return options;
}

th_status th_extract_new(const th_extract_options *options, th_extract **out,
                         th_error *err)
{
    th_extract *extract = calloc(1, sizeof *extract);
    if (!extract)
        return th_fail(err, TH_NOMEM, "cannot allocate the parts of POST /extract");
    extract->options = *options;
    extract->max_bytes = th_work_budget_bytes(options->work, options->workers);
    const th_status status =
        th_page_service_new(options->work, options->workers, &extract->service, err);
    if (status != TH_OK) {
        free(extract);
        return status;
    }
    *out = extract;
    return TH_OK;
}

void th_extract_use(th_extract *extract, const th_work_options *work)
{
    th_page_service_use(extract->service, work);
}

void th_extract_stop(th_extract *extract)
{
    atomic_store(&extract->is_stopping, true);
}

unsigned th_extract_drain(th_extract *extract, const th_deadline *deadline)
{
    if (!extract)
        return 0;
    th_extract_stop(extract);
    while (atomic_load(&extract->in_progress) &&
           th_deadline_wait_ms(deadline, WAIT_MS) > 0)
        th_sleep_ms(WAIT_MS);
    const unsigned left = atomic_load(&extract->in_progress);
    th_page_service_cancel(extract->service);
    return left;
}

void th_extract_free(th_extract *extract)
{
    if (!extract)
        return;
    th_page_service_free(extract->service);
    while (extract->unused) {
        th_extract_request *request = extract->unused;
        extract->unused = request->next;
        free_request(request);
    }
    free(extract);
}
