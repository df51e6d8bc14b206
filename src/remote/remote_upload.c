/*
 * PutObject, and the four requests of a multipart upload. Parts with an unknown result
 * after a break are sent again under the same number, which replaces them.
 */
#include "remote/remote_upload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_sink.h"
#include "remote/remote_call.h"

/* A store takes at most 10,000 parts, each but the last of at least 5 MiB. */
enum { PART = 16 << 20, PARTS_MAX = 10000, ANSWER_MAX = 64 << 10, ID_MAX = 2048 };
enum { UPLOADS_MAX = 3 }; /* of one file, if the store forgets an upload */

struct upload {
    th_remote *remote;
    th_http *http;
    const char *name;
    int fd;
    uint64_t size;
    char *bytes; /* of the current part */
    char id[ID_MAX];
    char *note_path; /* PATH.upload */
    th_buffer etags; /* of the parts, as CompleteMultipartUpload takes them */
};

/* ---- requests ---- */

static th_status send_request(struct upload *upload, const char *method, th_view query,
                              th_view body, th_buffer *answer, th_error *err)
{
    const th_remote_call call = { .method = method,
                                  .name = upload->name,
                                  .query = query,
                                  .has_body = true,
                                  .body = body };
    return th_remote_exchange(upload->remote, upload->http, &call, ANSWER_MAX, answer,
                              err);
}

static void append_id(const struct upload *upload, th_buffer *query)
{
    th_buffer_append_text(query, "uploadId=");
    th_remote_encode((th_view){ upload->id, strlen(upload->id) }, false, query);
}

/* ---- an upload in parts ---- */

/* The text between <UploadId> and its end. */
static bool take_id(struct upload *upload, const th_buffer *answer)
{
    static const char open[] = "<UploadId>";
    const char *from =
        answer->len ? memmem(answer->data, answer->len, open, sizeof open - 1) : NULL;
    if (!from)
        return false;
    const char *end = answer->data + answer->len;
    from += sizeof open - 1;
    const char *to = memchr(from, '<', (size_t)(end - from));
    const size_t len = to ? (size_t)(to - from) : 0;
    if (!len || len >= sizeof upload->id || memchr(from, '&', len))
        return false;
    memcpy(upload->id, from, len);
    upload->id[len] = '\0';
    return true;
}

static th_status begin(struct upload *upload, th_error *err)
{
    th_buffer answer = { 0 };
    th_status status =
        send_request(upload, "POST", TH_VIEW("uploads="), TH_VIEW(""), &answer, err);
    if (status == TH_OK && !take_id(upload, &answer))
        status = th_fail(err, TH_IO, "the response has no upload id");
    th_buffer_done(&answer);
    if (status == TH_OK)
        status = th_file_replace(upload->note_path,
                                 (th_view){ upload->id, strlen(upload->id) }, err);
    return status;
}

/* Tells the store to forget the parts. A failure only costs space in the store. */
static void give_up(struct upload *upload)
{
    th_remote_call call = { .method = "DELETE", .name = upload->name };
    th_buffer query = { 0 };
    append_id(upload, &query);
    call.query = th_buffer_view(&query);
    if (!query.has_failed)
        (void)th_remote_query(upload->remote, upload->http, &call, NULL);
    th_http_stop(upload->http);
    th_buffer_done(&query);
    (void)unlink(upload->note_path);
}

/* Gives up the upload of a killed process. */
static void give_up_older(struct upload *upload)
{
    const int fd = open(upload->note_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    const ssize_t len = read(fd, upload->id, sizeof upload->id - 1);
    (void)close(fd);
    upload->id[len > 0 ? len : 0] = '\0';
    if (*upload->id)
        give_up(upload);
}

static th_status read_part(struct upload *upload, uint64_t at, size_t len, th_error *err)
{
    size_t done = 0;
    while (done < len) {
        const ssize_t got =
            pread(upload->fd, upload->bytes + done, len - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return th_fail(err, TH_IO, "cannot read the file to upload: %s",
                           got < 0 ? strerror(errno)
                                   : "it was truncated during the upload");
        done += (size_t)got;
    }
    return TH_OK;
}

static th_status note_etag(struct upload *upload, unsigned number, th_error *err)
{
    const char *etag = th_http_answer_of(upload->http)->etag;
    if (!*etag || strpbrk(etag, "<>&"))
        return th_fail(err, TH_IO, "the store sent no ETag for part %u", number);
    th_buffer_printf(&upload->etags,
                     "<Part><PartNumber>%u</PartNumber><ETag>%s</ETag></Part>", number,
                     etag);
    return upload->etags.has_failed ? th_fail(err, TH_NOMEM, "out of memory") : TH_OK;
}

static th_status send_part(struct upload *upload, unsigned number, size_t len,
                           th_error *err)
{
    th_buffer query = { 0 }, answer = { 0 };
    th_buffer_printf(&query, "partNumber=%u&", number);
    append_id(upload, &query);
    th_status status = query.has_failed
                           ? th_fail(err, TH_NOMEM, "out of memory")
                           : send_request(upload, "PUT", th_buffer_view(&query),
                                          (th_view){ upload->bytes, len }, &answer, err);
    if (status == TH_OK)
        status = note_etag(upload, number, err);
    th_buffer_done(&query);
    th_buffer_done(&answer);
    return status;
}

static bool says_done(const th_buffer *answer)
{
    static const char result[] = "<CompleteMultipartUploadResult";
    return answer->len && memmem(answer->data, answer->len, result, sizeof result - 1);
}

/* Completes the upload. The answer of a request that broke may be lost. libcurl also
 * repeats a request if a kept connection was closed. Then the store no longer knows the
 * upload (404), whether it is complete or not, and the file is sent again from its
 * start. */
static th_status complete(struct upload *upload, th_error *err)
{
    th_buffer query = { 0 }, answer = { 0 };
    append_id(upload, &query);
    th_buffer_append_text(&upload->etags, "</CompleteMultipartUpload>");
    th_status status = query.has_failed || upload->etags.has_failed
                           ? th_fail(err, TH_NOMEM, "out of memory")
                           : send_request(upload, "POST", th_buffer_view(&query),
                                          th_buffer_view(&upload->etags), &answer, err);
    if (status == TH_IO && th_http_answer_of(upload->http)->status == 404)
        status = TH_NOT_YET;
    if (status == TH_OK && !says_done(&answer))
        status = th_fail(err, TH_IO, "the response does not confirm the object");
    th_buffer_done(&query);
    th_buffer_done(&answer);
    return status;
}

static uint64_t part_size(uint64_t size)
{
    uint64_t part = PART;
    while (part * PARTS_MAX < size)
        part *= 2;
    return part;
}

static th_status send_parts(struct upload *upload, th_error *err)
{
    const uint64_t part = part_size(upload->size);
    unsigned number = 0;
    th_status status = begin(upload, err);
    if (status != TH_OK)
        return status;
    th_buffer_reset(&upload->etags);
    th_buffer_append_text(&upload->etags, "<CompleteMultipartUpload>");
    for (uint64_t at = 0; at < upload->size && status == TH_OK; at += part) {
        const uint64_t left = upload->size - at;
        const size_t len = (size_t)(left < part ? left : part);
        status = read_part(upload, at, len, err);
        if (status == TH_OK)
            status = send_part(upload, ++number, len, err);
    }
    const bool is_sent = status == TH_OK;
    if (is_sent)
        status = complete(upload, err);
    if (status != TH_OK)
        give_up(upload);
    else
        (void)unlink(upload->note_path);
    /* Another upload helps only if the last request's answer was lost. */
    return status == TH_NOT_YET && is_sent ? TH_PAUSED : status;
}

static th_status send_whole(struct upload *upload, th_error *err)
{
    th_buffer answer = { 0 };
    th_status status = read_part(upload, 0, (size_t)upload->size, err);
    if (status == TH_OK)
        status =
            send_request(upload, "PUT", TH_VIEW(""),
                         (th_view){ upload->bytes, (size_t)upload->size }, &answer, err);
    th_buffer_done(&answer);
    return status;
}

/* ---- a file ---- */

static th_status open_file(struct upload *upload, const char *path, th_error *err)
{
    struct stat facts;
    upload->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (upload->fd < 0 || fstat(upload->fd, &facts) != 0)
        return th_fail(err, TH_IO, "cannot read '%.200s': %s", path, strerror(errno));
    upload->size = (uint64_t)facts.st_size;
    const uint64_t capacity =
        upload->size < PART ? upload->size : part_size(upload->size);
    upload->bytes = malloc(capacity ? (size_t)capacity : 1);
    if (!upload->bytes || asprintf(&upload->note_path, "%s.upload", path) < 0)
        return th_fail(err, TH_NOMEM, "out of memory");
    return TH_OK;
}

th_status th_remote_upload(th_remote *remote, const char *path, const char *name,
                           th_error *err)
{
    th_error why = { .text = "" };
    struct upload upload = { .remote = remote, .name = name, .fd = -1 };
    th_status status = th_remote_transfer(remote, &upload.http, &why);
    if (status == TH_OK)
        status = open_file(&upload, path, &why);
    if (status == TH_OK)
        give_up_older(&upload);
    for (unsigned tries = 0; status == TH_OK || status == TH_PAUSED; tries++) {
        if (tries == UPLOADS_MAX) {
            status = TH_NOT_YET; /* `err` has the words of the last try */
            break;
        }
        status =
            upload.size <= PART ? send_whole(&upload, &why) : send_parts(&upload, &why);
        if (status == TH_OK)
            break;
    }
    if (upload.fd >= 0)
        (void)close(upload.fd);
    th_remote_give_back(remote, upload.http);
    th_buffer_done(&upload.etags);
    free(upload.note_path);
    free(upload.bytes);
    if (status == TH_OK || status == TH_INTERRUPTED)
        return status == TH_OK ? TH_OK : th_fail(err, status, "interrupted");
    return th_fail(err, status, "cannot write '%.200s': %s", name, why.text);
}
