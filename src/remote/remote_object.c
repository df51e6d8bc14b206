/*
 * An object as a stream that continues at the next byte after a break. Every answer is
 * compared with the first one: another validator, length or position is an error, so the
 * bytes of two versions of an object are never joined.
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/clock.h"
#include "base/stoppable_read.h"
#include "remote/remote_call.h"

struct th_remote_object {
    th_remote *remote;
    const th_remote_options *options;
    int64_t last_ms; /* nothing is read after it, 0 for no limit */
    const char *name;
    th_http *http;
    uint64_t position; /* of the next byte that read gives */
    bool is_open;      /* a transfer is in progress, at `position` */
    bool is_known;     /* the four below are */
    bool has_size;     /* not where the server streams without a length */
    uint64_t size;     /* of the whole object */
    char etag[256];    /* "" = none */
    char modified[64]; /* "" = none */
    uint64_t version;  /* of these; 0 if unknown */
    uint64_t expected; /* 0 for any version */
    uint64_t base;     /* offset that the reader takes for the first byte */
    uint64_t end;      /* exclusive end of the requested bytes; 0 for no end */
    bool parts_only;   /* a 200 to a Range is an error */
    th_remote_tries tries;
    uint32_t retry_after_s;
    th_status status; /* TH_OK, or why reading has failed */
    th_error error;
};

static th_status changed(th_error *err)
{
    return th_fail(err, TH_IO, "the object changed during reading");
}

/* ---- which object it is ---- */

/* Returns whether the server identifies the object's version. If it does not, reading
 * cannot continue after a break. */
static bool has_validator(const struct th_remote_object *object)
{
    return *object->etag || *object->modified;
}

static uint64_t version_of(const struct th_remote_object *object)
{
    const char *validator = *object->etag ? object->etag : object->modified;
    const uint64_t hash = XXH3_64bits_withSeed(
        validator, strlen(validator), object->has_size ? object->size : UINT64_MAX);
    return hash ? hash : 1;
}

/* A weak ETag means an equivalent object, not the same bytes: If-Match never matches
 * it. */
static bool is_strong(const char *etag)
{
    return etag[0] == '"';
}

/* Reads the size of the whole object from an answer. Returns false if the answer has
 * none. */
static bool size_in(const th_http_answer *answer, uint64_t *size)
{
    if (answer->status == 206 && answer->has_range)
        *size = answer->range_size;
    else if (answer->status == 200 && answer->has_length)
        *size = answer->length;
    else
        return false;
    return true;
}

/* Saves the facts of the first answer, and compares later answers with them. */
static th_status identify(struct th_remote_object *object, const th_http_answer *answer,
                          th_error *err)
{
    uint64_t size = 0;
    const bool has_size = size_in(answer, &size);
    if (!object->is_known) {
        memcpy(object->etag, answer->etag, sizeof object->etag);
        memcpy(object->modified, answer->modified, sizeof object->modified);
        object->has_size = has_size;
        object->size = size;
        object->is_known = true;
        object->version = version_of(object);
        if (object->expected && object->expected != object->version)
            return changed(err);
        return TH_OK;
    }
    const bool is_same = *object->etag ? strcmp(object->etag, answer->etag) == 0
                                       : strcmp(object->modified, answer->modified) == 0;
    if (!is_same || (has_size && object->has_size && size != object->size))
        return changed(err);
    return TH_OK;
}

/* ---- opening ---- */

/* Skips the bytes before the position if the answer to a Range is 200. */
static th_status pass_over(struct th_remote_object *object, uint64_t bytes, th_error *err)
{
    char part[64 << 10];
    while (bytes) {
        size_t got = 0;
        const size_t want = bytes < sizeof part ? (size_t)bytes : sizeof part;
        const th_status status = th_http_read(object->http, part, want, &got, err);
        if (status == TH_END)
            return changed(err); /* it is shorter than it was */
        if (status != TH_OK)
            return status;
        bytes -= got;
    }
    return TH_OK;
}

/* Starts a transfer at the position. Returns TH_END if no bytes follow. */
static th_status start(struct th_remote_object *object, th_error *err)
{
    const bool is_later = object->position > 0;
    if (object->is_known && object->has_size && object->position >= object->size)
        return TH_END;
    if (object->is_known && is_later && !has_validator(object))
        return th_fail(
            err, TH_IO,
            "the server sends neither ETag nor Last-Modified, so reading cannot resume");
    const th_remote_call call = {
        .name = object->name,
        .has_range = is_later || object->end,
        .start = object->position,
        .end = object->end,
        .if_match = object->is_known && is_strong(object->etag) ? object->etag : NULL,
    };
    th_status status = th_remote_query(object->remote, object->http, &call, err);
    const th_http_answer *answer = th_http_answer_of(object->http);
    object->retry_after_s = status == TH_NOT_YET ? answer->retry_after_s : 0;
    if (status != TH_OK)
        return status;
    if (answer->status == 412)
        return changed(err);
    if (answer->status == 416)
        return answer->has_range && object->has_size && answer->range_size != object->size
                   ? changed(err)
                   : th_fail(err, TH_IO, "the object ends before this byte");
    if (answer->status == 204)
        return th_fail(err, TH_IO, "the server returned no object (status 204)");
    status = identify(object, answer, err);
    if (status == TH_OK && answer->status == 206 &&
        (!answer->has_range || answer->range_start != object->position))
        status = th_fail(err, TH_IO, "the server returned the wrong range");
    if (status == TH_OK && answer->status == 200 && is_later && object->parts_only)
        status = th_fail(
            err, TH_IO,
            "the server returned the complete object instead of the requested range");
    else if (status == TH_OK && answer->status == 200 && is_later)
        status = pass_over(object, object->position, err);
    object->is_open = status == TH_OK;
    return status;
}

/* ---- reading ---- */

static void stop_transfer(struct th_remote_object *object)
{
    th_http_stop(object->http);
    object->is_open = false;
}

static warc_status give_up(struct th_remote_object *object, th_status status,
                           const th_error *why)
{
    object->status = th_fail(&object->error, status, "%.250s: offset %llu: %s%s",
                             object->name, (unsigned long long)object->position,
                             why->text, status == TH_NOT_YET ? "; no retries left" : "");
    stop_transfer(object);
    return status == TH_NOMEM ? WARC_NOMEM : WARC_IO;
}

/* Reads some bytes. Returns TH_OK, TH_END, or the error. */
static th_status read_once(struct th_remote_object *object, char *buffer, size_t capacity,
                           size_t *got, th_error *err)
{
    uint64_t left = UINT64_MAX;
    if (object->last_ms && th_now_ms() > object->last_ms)
        return th_fail(err, TH_NOT_YET, "took more than %u ms",
                       object->options->longest_ms);
    if (object->end)
        left = object->position < object->end ? object->end - object->position : 0;
    if (left == 0)
        return TH_END;
    th_status status = object->is_open ? TH_OK : start(object, err);
    if (status == TH_OK)
        status = th_http_read(object->http, buffer,
                              capacity < left ? capacity : (size_t)left, got, err);
    if (status == TH_END && object->has_size && object->position < object->size)
        status = th_fail(err, TH_NOT_YET, "the response ended early");
    if (status == TH_OK && object->has_size && object->position + *got > object->size)
        status = th_fail(err, TH_IO, "the response is longer than its Content-Length");
    return status;
}

static warc_status read_object(void *context, char *buffer, size_t capacity, size_t *got)
{
    struct th_remote_object *object = context;
    *got = 0;
    if (object->status != TH_OK)
        return WARC_IO;
    for (;;) {
        th_error why = { .text = "" };
        th_status status = th_is_stopped(object->options->stop)
                               ? TH_INTERRUPTED
                               : read_once(object, buffer, capacity, got, &why);
        if (status == TH_OK) {
            object->position += *got;
            object->tries.bytes += *got;
            return WARC_OK;
        }
        *got = 0;
        if (status == TH_END)
            return WARC_OK;
        if (status == TH_NOT_YET) {
            stop_transfer(object);
            status = th_remote_retry(object->remote, &object->tries, object->http,
                                     object->name, object->retry_after_s, &why);
            if (status == TH_OK)
                continue;
        }
        if (status == TH_INTERRUPTED)
            return WARC_PAUSED;
        return give_up(object, status == TH_USAGE ? TH_IO : status, &why);
    }
}

static warc_status seek_object(void *context, uint64_t offset)
{
    struct th_remote_object *object = context;
    if (object->base + offset != object->position)
        stop_transfer(object);
    object->position = object->base + offset;
    return WARC_OK;
}

static void close_object(void *context)
{
    struct th_remote_object *object = context;
    th_remote_give_back(object->remote, object->http);
    free(object);
}

th_status th_remote_open(th_remote *remote, const char *name, warc_input *input,
                         th_remote_object **out, th_error *err)
{
    th_remote_parts parts;
    th_status status = th_remote_name_parts(name, &parts, err);
    if (status != TH_OK)
        return status;
    struct th_remote_object *object = calloc(1, sizeof *object);
    if (!object)
        return th_fail(err, TH_NOMEM, "cannot allocate an object");
    object->remote = remote;
    object->options = th_remote_options_of(remote);
    object->parts_only = object->options->parts_only;
    if (object->options->longest_ms)
        object->last_ms = th_now_ms() + object->options->longest_ms;
    object->name = name;
    status = th_remote_transfer(remote, &object->http, err);
    if (status != TH_OK) {
        free(object);
        return status;
    }
    *input = (warc_input){ object, read_object, seek_object, close_object };
    *out = object;
    return TH_OK;
}

uint64_t th_remote_object_version(const th_remote_object *object)
{
    return object->version;
}

void th_remote_object_expect(th_remote_object *object, uint64_t version)
{
    object->expected = version;
    if (version && object->is_known && object->version != version &&
        object->status == TH_OK) {
        th_error why;
        const th_status status = changed(&why);
        (void)give_up(object, status, &why);
    }
}

void th_remote_object_parts_only(th_remote_object *object)
{
    object->parts_only = true;
}

/* Requests a part of one byte, because a transfer of the whole object would be cut. */
th_status th_remote_object_size(th_remote_object *object, uint64_t *size, th_error *err)
{
    char byte = 0;
    size_t got = 0;
    object->end = 1;
    const warc_status status = read_object(object, &byte, 1, &got);
    stop_transfer(object);
    object->end = object->position = 0;
    if (status == WARC_PAUSED)
        return th_fail(err, TH_INTERRUPTED, "interrupted");
    if (status != WARC_OK)
        return th_remote_object_failure(object, err);
    if (!object->has_size)
        return th_fail(err, TH_IO, "%.250s: the server does not send the length",
                       object->name);
    *size = object->size;
    return TH_OK;
}

void th_remote_object_slice(th_remote_object *object, uint64_t start, uint64_t end)
{
    object->base = object->position = start;
    object->end = end;
}

th_status th_remote_object_failure(const th_remote_object *object, th_error *err)
{
    if (object->status != TH_OK && err)
        *err = object->error;
    return object->status;
}

uint32_t th_remote_object_retry_after(const th_remote_object *object)
{
    return object->retry_after_s;
}
