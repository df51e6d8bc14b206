/* The three ready-made inputs: a path, a descriptor, memory. */
#include "warc/warc_input.h"

#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAIT_MS = 50 }; /* for an input that gives nothing */

struct fd_input {
    int fd;
    bool is_owned;
    bool may_wait; /* a pipe, a terminal, a socket: bytes may be long in coming */
    off_t origin;  /* where offset 0 is */
};

struct memory_input {
    warc_view bytes;
    size_t at;
};

static warc_status fd_read(void *context, char *buffer, size_t capacity, size_t *got)
{
    const struct fd_input *input = context;
    *got = 0;
    if (input->may_wait) {
        struct pollfd wanted = { .fd = input->fd, .events = POLLIN };
        const int ready = poll(&wanted, 1, WAIT_MS);
        if (ready == 0 || (ready < 0 && errno == EINTR))
            return WARC_PAUSED;
    }
    const ssize_t count = read(input->fd, buffer, capacity);
    if (count < 0)
        return errno == EINTR || errno == EAGAIN ? WARC_PAUSED : WARC_IO;
    *got = (size_t)count;
    return WARC_OK;
}

static warc_status fd_seek(void *context, uint64_t offset)
{
    const struct fd_input *input = context;
    if (offset > (uint64_t)(INT64_MAX - input->origin))
        return WARC_CANNOT_SEEK;
    if (lseek(input->fd, input->origin + (off_t)offset, SEEK_SET) < 0)
        return WARC_CANNOT_SEEK;
    return WARC_OK;
}

static void fd_close(void *context)
{
    struct fd_input *input = context;
    if (input->is_owned)
        close(input->fd);
    free(input);
}

static warc_status make_fd_input(int fd, bool is_owned, warc_input *out,
                                 warc_error *error)
{
    struct fd_input *input = malloc(sizeof *input);
    if (!input)
        return warc_fail(error, WARC_NOMEM, "cannot allocate an input");
    struct stat about;
    const off_t origin = lseek(fd, 0, SEEK_CUR);
    *input = (struct fd_input){
        .fd = fd,
        .is_owned = is_owned,
        .may_wait = fstat(fd, &about) == 0 && !S_ISREG(about.st_mode),
        .origin = origin < 0 ? 0 : origin,
    };
    *out = (warc_input){ input, fd_read, origin < 0 ? NULL : fd_seek, fd_close };
    return WARC_OK;
}

warc_status warc_input_from_fd(int fd, warc_input *out, warc_error *error)
{
    return make_fd_input(fd, false, out, error);
}

warc_status warc_input_from_path(const char *path, warc_input *out, warc_error *error)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return warc_fail(error, WARC_IO, "cannot open '%s': %s", path, strerror(errno));
    struct stat about;
    warc_status status = WARC_OK;
    if (fstat(fd, &about) != 0)
        status = warc_fail(error, WARC_IO, "cannot stat '%s': %s", path, strerror(errno));
    else if (S_ISDIR(about.st_mode))
        status = warc_fail(error, WARC_IO, "cannot read '%s': is a directory", path);
    else
        status = make_fd_input(fd, true, out, error);
    if (status != WARC_OK)
        close(fd);
    return status;
}

static warc_status memory_read(void *context, char *buffer, size_t capacity, size_t *got)
{
    struct memory_input *input = context;
    const size_t left = input->bytes.len - input->at;
    *got = left < capacity ? left : capacity;
    if (*got > 0)
        memcpy(buffer, input->bytes.data + input->at, *got);
    input->at += *got;
    return WARC_OK;
}

static warc_status memory_seek(void *context, uint64_t offset)
{
    struct memory_input *input = context;
    input->at = offset < input->bytes.len ? (size_t)offset : input->bytes.len;
    return WARC_OK;
}

warc_status warc_input_from_memory(warc_view bytes, warc_input *out, warc_error *error)
{
    struct memory_input *input = malloc(sizeof *input);
    if (!input)
        return warc_fail(error, WARC_NOMEM, "cannot allocate an input");
    *input = (struct memory_input){ bytes, 0 };
    *out = (warc_input){ input, memory_read, memory_seek, free };
    return WARC_OK;
}
