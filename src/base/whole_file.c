/* See the header. */
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 256 << 10 };

static th_status read_pieces(int fd, const char *path, const char *kind, size_t max,
                             th_status over, th_buffer *out, th_error *err)
{
    th_buffer_reset(out);
    for (;;) {
        if (!th_buffer_reserve(out, PIECE))
            return th_fail(err, TH_NOMEM, "out of memory to read %s'%s'", kind, path);
        const ssize_t count = read(fd, out->data + out->len, PIECE);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return th_fail(err, TH_IO, "cannot read %s'%s': %s", kind, path,
                           strerror(errno));
        if (!count)
            return TH_OK;
        out->len += (size_t)count;
        if (out->len > max)
            return th_fail(err, over, "%s'%s' is larger than the limit of %zu bytes",
                           kind, path, max);
    }
}

th_status th_whole_file_read(const char *path, const char *kind, size_t max,
                             th_status over, th_buffer *out, th_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return th_fail(err, errno == ENOENT || errno == ENOTDIR ? TH_ABSENT : TH_IO,
                       "cannot open %s'%s': %s", kind, path, strerror(errno));
    const th_status status = read_pieces(fd, path, kind, max, over, out, err);
    (void)close(fd);
    return status;
}
