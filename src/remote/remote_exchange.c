/* Exchanges a request for a small answer: reads it completely, with further tries after
 * breaks. */
#include <string.h>

#include "remote/remote_call.h"

static th_status read_answer(th_http *http, size_t max, th_buffer *out, th_error *err)
{
    char part[16 << 10];
    size_t got = 0;
    th_status status = TH_OK;
    while (status == TH_OK &&
           (status = th_http_read(http, part, sizeof part, &got, err)) == TH_OK) {
        th_buffer_append(out, part, got);
        if (out->has_failed)
            status = th_fail(err, TH_NOMEM, "out of memory");
        else if (out->len > max)
            status = th_fail(err, TH_IO, "the response is larger than %zu bytes", max);
    }
    return status == TH_END ? TH_OK : status;
}

/* A store may say 200 before it knows how a POST ends. */
static bool has_failed_late(const th_remote_call *call, const th_buffer *answer)
{
    return call->method && strcmp(call->method, "POST") == 0 && answer->len &&
           memmem(answer->data, answer->len, "<Error>", strlen("<Error>"));
}

th_status th_remote_exchange(th_remote *remote, th_http *http, const th_remote_call *call,
                             size_t max, th_buffer *answer, th_error *err)
{
    th_remote_tries tries = { 0 };
    th_error why = { .text = "" };
    for (;;) {
        th_buffer_reset(answer);
        th_status status = th_remote_query(remote, http, call, &why);
        const uint32_t after_s = th_http_answer_of(http)->retry_after_s;
        if (status == TH_OK)
            status = read_answer(http, max, answer, &why);
        if (status == TH_OK && has_failed_late(call, answer))
            status =
                th_fail(&why, TH_NOT_YET, "the store reported an error after status 200");
        th_http_stop(http);
        if (status == TH_NOT_YET)
            status = th_remote_retry(remote, &tries, http, call->name, after_s, &why);
        else if (status == TH_OK)
            return TH_OK;
        if (status != TH_OK) {
            if (err)
                *err = why;
            return status;
        }
    }
}

th_status th_remote_fetch(th_remote *remote, const char *name, size_t max, th_buffer *out,
                          th_error *err)
{
    const th_remote_call call = { .name = name };
    th_error why = { .text = "" };
    th_http *http = NULL;
    th_status status = th_remote_transfer(remote, &http, &why);
    if (status == TH_OK)
        status = th_remote_exchange(remote, http, &call, max, out, &why);
    if (status == TH_IO && (th_http_answer_of(http)->status == 404 ||
                            th_http_answer_of(http)->status == 410))
        status = TH_ABSENT;
    th_remote_give_back(remote, http);
    return status == TH_OK
               ? TH_OK
               : th_fail(err, status, "cannot read '%.200s': %s", name, why.text);
}
