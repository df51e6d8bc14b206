/* Appends through a buffer, reads anywhere. The name is removed as soon as the file is
 * open. */
#include "base/scratch_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BUFFER_LEN = 256 * 1024,
    IN_A_ROW = 8 /* consecutive reads until the buffer reads ahead */
};

struct th_scratch_file {
    int fd;
    uint64_t written; /* bytes in the file; further bytes wait in the buffer */
    size_t waiting;   /* bytes in the buffer to write */
    size_t ahead;     /* or bytes read ahead into it, from ahead_at of the file */
    uint64_t ahead_at;
    uint64_t last_end; /* of the last read */
    unsigned in_a_row;
    char buffer[BUFFER_LEN];
};

void th_scratch_free(th_scratch_file *file)
{
    if (!file)
        return;
    if (file->fd >= 0)
        (void)close(file->fd);
    free(file);
}

static th_status open_nameless(const char *folder, int *fd, th_error *err)
{
    const char *fallback = getenv("TMPDIR");
    char path[4096];
    if (!*folder)
        folder = fallback && *fallback ? fallback : "/tmp";
    const int len = snprintf(path, sizeof path, "%s/thresher-XXXXXX", folder);
    if (len < 0 || (size_t)len >= sizeof path)
        return th_fail(err, TH_IO, "the name of folder '%.100s' is too long", folder);
    *fd = mkostemp(path, O_CLOEXEC);
    if (*fd < 0)
        return th_fail(err, TH_IO, "cannot create a temporary file in '%s': %s", folder,
                       strerror(errno));
    (void)unlink(path);
    return TH_OK;
}

th_status th_scratch_open(const char *folder, th_scratch_file **out, th_error *err)
{
    th_scratch_file *file = malloc(sizeof *file);
    if (!file)
        return th_fail(err, TH_NOMEM, "out of memory for a temporary file");
    memset(file, 0, offsetof(th_scratch_file, buffer));
    file->fd = -1;
    const th_status status = open_nameless(folder, &file->fd, err);
    if (status != TH_OK)
        th_scratch_free(file);
    else
        *out = file;
    return status;
}

static th_status write_all(th_scratch_file *file, const char *bytes, size_t len,
                           th_error *err)
{
    while (len) {
        const ssize_t count = write(file->fd, bytes, len);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return th_fail(err, TH_IO, "cannot write a temporary file: %s",
                           strerror(errno));
        bytes += count;
        len -= (size_t)count;
        file->written += (uint64_t)count;
    }
    return TH_OK;
}

static th_status flush(th_scratch_file *file, th_error *err)
{
    const th_status status = write_all(file, file->buffer, file->waiting, err);
    if (status == TH_OK)
        file->waiting = 0;
    return status;
}

th_status th_scratch_append(th_scratch_file *file, const void *bytes, size_t len,
                            th_error *err)
{
    th_status status = TH_OK;
    file->ahead = 0;
    if (len > BUFFER_LEN - file->waiting)
        status = flush(file, err);
    if (status == TH_OK && len > BUFFER_LEN)
        return write_all(file, bytes, len, err);
    if (status == TH_OK && len) {
        memcpy(file->buffer + file->waiting, bytes, len);
        file->waiting += len;
    }
    return status;
}

uint64_t th_scratch_len(const th_scratch_file *file)
{
    return file->written + file->waiting;
}

/* Reads `min` bytes, and up to `max` if the file has them. */
static th_status read_at(th_scratch_file *file, uint64_t offset, char *bytes, size_t min,
                         size_t max, size_t *got, th_error *err)
{
    for (*got = 0; *got < min;) {
        const ssize_t count =
            pread(file->fd, bytes + *got, max - *got, (off_t)(offset + *got));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return th_fail(err, TH_IO, "cannot read a temporary file: %s",
                           count < 0 ? strerror(errno)
                                     : "it was truncated during the run");
        *got += (size_t)count;
    }
    return TH_OK;
}

static bool is_ahead(const th_scratch_file *file, uint64_t offset, size_t len)
{
    return offset >= file->ahead_at && len <= file->ahead &&
           offset - file->ahead_at <= file->ahead - len;
}

th_status th_scratch_read(th_scratch_file *file, uint64_t offset, void *bytes, size_t len,
                          th_error *err)
{
    assert(offset + len <= th_scratch_len(file));
    th_status status = flush(file, err);
    size_t got = 0;
    if (status != TH_OK || !len)
        return status;
    file->in_a_row = offset == file->last_end ? file->in_a_row + 1 : 0;
    file->last_end = offset + len;
    const bool is_near = is_ahead(file, offset, len);
    if (!is_near && (file->in_a_row < IN_A_ROW || len > BUFFER_LEN / 2))
        return read_at(file, offset, bytes, len, len, &got, err);
    if (!is_near) {
        file->ahead = 0;
        status = read_at(file, offset, file->buffer, len, BUFFER_LEN, &got, err);
        file->ahead_at = offset;
        file->ahead = got;
    }
    if (status == TH_OK)
        memcpy(bytes, file->buffer + (offset - file->ahead_at), len);
    return status;
}
