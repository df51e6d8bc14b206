/* Reads the bytes of a list, unpacks them if they begin as gzip, and splits them into
 * lines. */
#include "ingest/list_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/stoppable_read.h"

enum { PART = 64 << 10, GZIP = 16 + MAX_WBITS };

struct th_list_lines {
    const char *path;
    const atomic_int *stop;
    int fd;                   /* -1: remote */
    warc_input input;         /* of a remote object */
    th_remote_object *object; /* the same; NULL: local */
    char packed[PART];        /* as stored */
    size_t begin, end;
    char plain[PART]; /* unpacked */
    size_t plain_begin, plain_end;
    char line[TH_LIST_LINE_MAX];
    bool is_begun, is_gzip, is_in_member, is_over;
    z_stream inflater;
};

static th_status fail_read(const struct th_list_lines *lines, th_error *err)
{
    const int why = errno;
    if (lines->object)
        return th_remote_object_failure(lines->object, err);
    return th_fail(err, TH_IO, "cannot read list '%s': %s", lines->path, strerror(why));
}

/* Fills `packed`, which is empty; end == 0 is the end. */
static th_status fill(struct th_list_lines *lines, th_error *err)
{
    size_t got = 0;
    lines->begin = lines->end = 0;
    if (lines->object) {
        const warc_status read =
            lines->input.read(lines->input.context, lines->packed, PART, &got);
        if (read == WARC_PAUSED)
            return th_fail(err, TH_INTERRUPTED, "interrupted");
        if (read != WARC_OK)
            return fail_read(lines, err);
    } else {
        const th_status status =
            th_stoppable_read(lines->fd, lines->packed, PART, &got, lines->stop);
        if (status == TH_INTERRUPTED)
            return th_fail(err, status, "interrupted");
        if (status != TH_OK)
            return fail_read(lines, err);
    }
    lines->end = got;
    return TH_OK;
}

static th_status unpack(struct th_list_lines *lines, th_error *err)
{
    z_stream *inflater = &lines->inflater;
    inflater->next_in = (Bytef *)lines->packed + lines->begin;
    inflater->avail_in = (uInt)(lines->end - lines->begin);
    inflater->next_out = (Bytef *)lines->plain;
    inflater->avail_out = PART;
    const int result = inflate(inflater, Z_NO_FLUSH);
    lines->is_in_member = result != Z_STREAM_END;
    lines->begin = lines->end - inflater->avail_in;
    lines->plain_begin = 0;
    lines->plain_end = PART - inflater->avail_out;
    if (result == Z_STREAM_END)
        (void)inflateReset(inflater);
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR
               ? TH_OK
               : th_fail(err, TH_DAMAGED, "list '%s' is not a complete gzip file",
                         lines->path);
}

/* Makes plain bytes available; none at the end of the list. */
static th_status more(struct th_list_lines *lines, th_error *err)
{
    th_status status = TH_OK;
    while (status == TH_OK && lines->plain_begin == lines->plain_end && !lines->is_over) {
        if (lines->begin == lines->end) {
            status = fill(lines, err);
            if (status == TH_OK && lines->end == 0) {
                lines->is_over = true;
                if (lines->is_gzip && lines->is_in_member)
                    status =
                        th_fail(err, TH_DAMAGED, "list '%s' is not a complete gzip file",
                                lines->path);
                break;
            }
        }
        if (status != TH_OK)
            break;
        if (!lines->is_begun) {
            lines->is_begun = true;
            lines->is_gzip = lines->end > 1 && memcmp(lines->packed, "\x1F\x8B", 2) == 0;
        }
        if (lines->is_gzip) {
            status = unpack(lines, err);
        } else {
            memcpy(lines->plain, lines->packed, lines->end);
            lines->plain_begin = 0;
            lines->plain_end = lines->end;
            lines->begin = lines->end;
        }
    }
    return status;
}

th_status th_list_lines_next(th_list_lines *lines, const char **line, th_error *err)
{
    size_t len = 0;
    for (;;) {
        const th_status status = more(lines, err);
        if (status != TH_OK)
            return status;
        if (lines->plain_begin == lines->plain_end && len == 0)
            return TH_END;
        if (lines->plain_begin == lines->plain_end)
            break; /* the last line has no end */
        const char c = lines->plain[lines->plain_begin++];
        if (c == '\n')
            break;
        if (len == TH_LIST_LINE_MAX - 1)
            return th_fail(err, TH_USAGE, "'%s' has a line of more than %d bytes",
                           lines->path, (int)TH_LIST_LINE_MAX);
        lines->line[len++] = c;
    }
    lines->line[len] = '\0';
    lines->line[strcspn(lines->line, "\r")] = '\0';
    *line = lines->line;
    return TH_OK;
}

th_status th_list_lines_open(const char *path, th_remote *remote, const atomic_int *stop,
                             th_list_lines **out, th_error *err)
{
    th_status status = TH_OK;
    struct th_list_lines *lines = calloc(1, sizeof *lines);
    if (!lines || inflateInit2(&lines->inflater, GZIP) != Z_OK) {
        free(lines);
        return th_fail(err, TH_NOMEM, "cannot read list '%s': out of memory", path);
    }
    lines->path = path;
    lines->stop = stop;
    lines->fd = -1;
    if (th_remote_is_name(path)) {
        status = th_remote_open(remote, path, &lines->input, &lines->object, err);
    } else {
        lines->fd = th_stoppable_open(path);
        if (lines->fd < 0)
            status =
                th_fail(err, TH_IO, "cannot open list '%s': %s", path, strerror(errno));
    }
    if (status != TH_OK) {
        th_list_lines_close(lines);
        return status;
    }
    *out = lines;
    return TH_OK;
}

void th_list_lines_close(th_list_lines *lines)
{
    if (!lines)
        return;
    if (lines->object)
        lines->input.close(lines->input.context);
    if (lines->fd >= 0)
        (void)close(lines->fd);
    (void)inflateEnd(&lines->inflater);
    free(lines);
}
