/* Waits are short and repeated, because a signal may go to another thread, or arrive just
 * before a wait. */
#include "base/stoppable_read.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

enum { WAIT_MS = 50 };

int th_stoppable_open(const char *path)
{
    return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

th_status th_stoppable_read(int fd, char *bytes, size_t capacity, size_t *got,
                            const atomic_int *stop)
{
    *got = 0;
    for (;;) {
        struct pollfd wanted = { .fd = fd, .events = POLLIN };
        if (th_is_stopped(stop)) {
            errno = EINTR;
            return TH_INTERRUPTED;
        }
        const int ready = poll(&wanted, 1, WAIT_MS); /* a file is always ready */
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        const ssize_t count = read(fd, bytes, capacity);
        if (count >= 0) {
            *got = (size_t)count;
            return TH_OK;
        }
        if (errno != EINTR && errno != EAGAIN)
            return TH_IO;
    }
}

struct stream {
    int fd;
    const atomic_int *stop;
};

static ssize_t read_stream(void *context, char *bytes, size_t capacity)
{
    const struct stream *stream = context;
    size_t got = 0;
    const th_status status =
        th_stoppable_read(stream->fd, bytes, capacity, &got, stream->stop);
    return status == TH_OK ? (ssize_t)got : -1;
}

static int close_stream(void *context)
{
    struct stream *stream = context;
    const int result = close(stream->fd);
    free(stream);
    return result;
}

FILE *th_stoppable_stream(const char *path, const atomic_int *stop)
{
    static const cookie_io_functions_t functions = { .read = read_stream,
                                                     .close = close_stream };
    struct stream *stream = malloc(sizeof *stream);
    if (!stream)
        return NULL;
    *stream = (struct stream){ th_stoppable_open(path), stop };
    FILE *file = stream->fd >= 0 ? fopencookie(stream, "r", functions) : NULL;
    if (!file) {
        const int why = errno;
        if (stream->fd >= 0)
            (void)close(stream->fd);
        free(stream);
        errno = why;
    }
    return file;
}
