/* A file that is written atomically. See the header for the guarantees. */
#include "base/file_sink.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/io_status.h"

struct th_file_sink {
    char *path;
    char *part_path; /* NULL for a stream: stdout, a device, a pipe */
    int fd;
    uint64_t len;
    bool has_failed;
};

/* Returns whether the sink is a stream. A stream cannot be synced, truncated or
 * renamed. */
static bool is_stream(const th_file_sink *sink)
{
    return !sink->part_path;
}

/* Returns the open descriptor that a path names, or -1. The sink writes to the descriptor
 * itself. Opening the name again would truncate a redirected file, and fails for a
 * socket. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const size_t len = strlen(folders[i]);
        char *end = NULL;
        if (strncmp(path, folders[i], len) != 0 || path[len] < '0' || path[len] > '9')
            continue;
        const unsigned long number = strtoul(path + len, &end, 10);
        if (!*end && number <= INT_MAX)
            return (int)number;
    }
    return -1;
}

bool th_file_sink_is_stream(const char *path)
{
    struct stat facts;
    return descriptor_of(path) >= 0 ||
           (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode));
}

static th_status open_stream(th_file_sink *sink, th_error *err)
{
    const int named = descriptor_of(sink->path);
    sink->fd = strcmp(sink->path, "-") == 0 ? STDOUT_FILENO
               : named >= 0                 ? fcntl(named, F_DUPFD_CLOEXEC, 3)
                                            : open(sink->path, O_WRONLY | O_CLOEXEC);
    return sink->fd >= 0 ? TH_OK
                         : th_fail(err, th_io_status(errno), "cannot open '%s': %s",
                                   sink->path, strerror(errno));
}

void th_file_sink_free(th_file_sink *sink)
{
    if (!sink)
        return;
    if (sink->fd > STDERR_FILENO)
        (void)close(sink->fd);
    free(sink->part_path);
    free(sink->path);
    free(sink);
}

/* Opens the temporary file and truncates it to `start`. */
static th_status open_part(th_file_sink *sink, uint64_t start, th_error *err)
{
    struct stat facts;
    sink->fd = open(sink->part_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (sink->fd < 0)
        return th_fail(err, th_io_status(errno), "cannot open '%s': %s", sink->part_path,
                       strerror(errno));
    /* Two processes that write the file would mix their bytes. Some file systems have no
     * locks; then nothing is checked. */
    if (flock(sink->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return th_fail(err, TH_IO, "'%s' is being written by another process",
                       sink->part_path);
    if (fstat(sink->fd, &facts) != 0 || (uint64_t)facts.st_size < start)
        return th_fail(err, TH_IO, "'%s' is shorter than the expected %llu bytes",
                       sink->part_path, (unsigned long long)start);
    if (ftruncate(sink->fd, (off_t)start) != 0 ||
        lseek(sink->fd, (off_t)start, SEEK_SET) != (off_t)start)
        return th_fail(err, th_io_status(errno), "cannot truncate '%s' to %llu bytes: %s",
                       sink->part_path, (unsigned long long)start, strerror(errno));
    sink->len = start;
    return TH_OK;
}

th_status th_file_sink_open(const char *path, uint64_t start, th_file_sink **out,
                            th_error *err)
{
    th_status status = TH_OK;
    th_file_sink *sink = calloc(1, sizeof *sink);
    if (!sink)
        return th_fail(err, TH_NOMEM, "cannot allocate a file sink");
    sink->fd = -1;
    sink->path = strdup(path);
    if (!sink->path) {
        status = th_fail(err, TH_NOMEM, "cannot allocate a file sink");
        goto done;
    }
    if (th_file_sink_is_stream(path)) {
        status = open_stream(sink, err);
        if (status != TH_OK)
            goto done;
    } else if (asprintf(&sink->part_path, "%s" TH_PART_SUFFIX, path) < 0) {
        sink->part_path = NULL;
        status = th_fail(err, TH_NOMEM, "cannot allocate a file sink");
        goto done;
    } else {
        status = open_part(sink, start, err);
        if (status != TH_OK)
            goto done;
    }
    *out = sink;
    sink = NULL; /* the caller owns it now */
done:
    th_file_sink_free(sink);
    return status;
}

static th_status write_all(int fd, th_view bytes)
{
    size_t at = 0;
    while (at < bytes.len) {
        const ssize_t put = write(fd, bytes.data + at, bytes.len - at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return th_io_status(errno);
        at += (size_t)put;
    }
    return TH_OK;
}

th_status th_file_sink_write(th_file_sink *sink, th_view bytes, th_error *err)
{
    if (sink->has_failed)
        return th_fail(err, TH_IO, "an earlier write to '%s' failed", sink->path);
    const th_status status = write_all(sink->fd, bytes);
    if (status != TH_OK) {
        sink->has_failed = true;
        return th_fail(err, status, "cannot write '%s': %s", sink->path, strerror(errno));
    }
    sink->len += bytes.len;
    return TH_OK;
}

th_status th_file_sink_sync(th_file_sink *sink, th_error *err)
{
    if (!is_stream(sink) && fsync(sink->fd) != 0)
        return th_fail(err, th_io_status(errno), "cannot sync '%s': %s", sink->path,
                       strerror(errno));
    return TH_OK;
}

uint64_t th_file_sink_len(const th_file_sink *sink)
{
    return sink->len;
}

th_status th_file_sink_sum(const th_file_sink *sink, uint64_t len, uint64_t *sum,
                           th_error *err)
{
    enum { TAIL = 64 << 10 };
    *sum = 0;
    if (is_stream(sink) || !len)
        return TH_OK;
    const size_t want = len < TAIL ? (size_t)len : TAIL;
    char *tail = malloc(want);
    if (!tail)
        return th_fail(err, TH_NOMEM, "cannot allocate a buffer");
    size_t got = 0;
    while (got < want) {
        const ssize_t count =
            pread(sink->fd, tail + got, want - got, (off_t)(len - want + got));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        got += (size_t)count;
    }
    *sum = XXH3_64bits(tail, got);
    free(tail);
    return got == want ? TH_OK
                       : th_fail(err, TH_IO, "cannot read the last bytes of '%s'",
                                 sink->part_path);
}

/* Opens the folder of a path. @return -1 with errno */
static int open_folder_of(const char *path)
{
    char *copy = strdup(path);
    if (!copy)
        return -1;
    const int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int error = errno;
    free(copy);
    errno = error;
    return fd;
}

/* A rename is durable only when its folder is synced. The folder is opened first, so if
 * that fails, nothing has changed. */
static th_status rename_durably(const char *from, const char *to, th_error *err)
{
    const int folder = open_folder_of(to);
    if (folder < 0)
        return th_fail(err, th_io_status(errno), "cannot open the folder of '%s': %s", to,
                       strerror(errno));
    th_status status = TH_OK;
    /* Replaces a file of that name: the user named it as the output, or it is our own
     * state file. */
    if (rename(from, to) != 0)
        status = th_fail(err, th_io_status(errno), "cannot rename '%s': %s", from,
                         strerror(errno));
    /* Some file systems do not sync folders (EINVAL); then there is nothing to sync. */
    else if (fsync(folder) != 0 && errno != EINVAL)
        status = th_fail(err, th_io_status(errno), "cannot sync the folder of '%s': %s",
                         to, strerror(errno));
    (void)close(folder);
    return status;
}

th_status th_file_sink_finish(th_file_sink *sink, th_error *err)
{
    th_status status = th_file_sink_sync(sink, err);
    if (status != TH_OK || is_stream(sink))
        return status;
    if (sink->has_failed)
        return th_fail(err, TH_IO, "an earlier write to '%s' failed", sink->path);
    const int closed = close(sink->fd);
    sink->fd = -1;
    if (closed != 0)
        return th_fail(err, th_io_status(errno), "cannot close '%s': %s", sink->path,
                       strerror(errno));
    return rename_durably(sink->part_path, sink->path, err);
}

th_status th_file_replace(const char *path, th_view bytes, th_error *err)
{
    th_file_sink *sink = NULL;
    th_status status = th_file_sink_open(path, 0, &sink, err);
    if (status != TH_OK)
        return status;
    assert(sink);
    status = th_file_sink_write(sink, bytes, err);
    if (status == TH_OK)
        status = th_file_sink_finish(sink, err);
    th_file_sink_free(sink);
    return status;
}

th_status th_file_forget_part(const char *path, th_error *err)
{
    char *part = NULL;
    if (asprintf(&part, "%s" TH_PART_SUFFIX, path) < 0)
        return th_fail(err, TH_NOMEM, "cannot name '%s" TH_PART_SUFFIX "'", path);
    const bool is_gone = unlink(part) == 0 || errno == ENOENT;
    const th_status status =
        is_gone ? TH_OK
                : th_fail(err, TH_IO, "cannot remove '%s': %s", part, strerror(errno));
    free(part);
    return status;
}
