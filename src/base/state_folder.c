/* See the header. */
#include "base/state_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file_sink.h"
#include "base/io_status.h"

th_status th_state_folder_lock(const char *dir, const char *what, int *lock_fd,
                               th_error *err)
{
    char *path = NULL;
    th_status status = TH_OK;
    *lock_fd = -1;
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return th_fail(err, TH_IO, "cannot make folder '%.300s': %s", dir,
                       strerror(errno));
    if (asprintf(&path, "%s/lock", dir) < 0)
        return th_fail(err, TH_NOMEM, "out of memory");
    *lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*lock_fd < 0)
        status = th_fail(err, TH_IO, "cannot open '%.300s': %s", path, strerror(errno));
    else if (flock(*lock_fd, LOCK_EX | LOCK_NB) != 0)
        status = th_fail(err, TH_USAGE, "another process uses %s '%.300s'", what, dir);
    free(path);
    return status;
}

static uint64_t checksum_of(const void *file, size_t len)
{
    return XXH3_64bits(file, len - sizeof(uint64_t));
}

th_status th_state_file_save(const char *path, void *file, size_t len, th_error *err)
{
    const uint64_t checksum = checksum_of(file, len);
    memcpy((char *)file + len - sizeof checksum, &checksum, sizeof checksum);
    return th_file_replace(path, (th_view){ file, len }, err);
}

th_status th_state_file_load(const char *path, void *file, size_t len, th_error *err)
{
    uint64_t checksum;
    char more;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT
                   ? TH_ABSENT
                   : th_fail(err, th_io_status(errno), "cannot open '%.300s': %s", path,
                             strerror(errno));
    const ssize_t got = read(fd, file, len);
    const int reason = errno;
    const bool is_longer = got == (ssize_t)len && read(fd, &more, 1) > 0;
    (void)close(fd);
    if (got < 0)
        return th_fail(err, TH_IO, "cannot read '%.300s': %s", path, strerror(reason));
    if (got != (ssize_t)len || is_longer)
        return TH_DAMAGED;
    memcpy(&checksum, (const char *)file + len - sizeof checksum, sizeof checksum);
    return checksum == checksum_of(file, len) ? TH_OK : TH_DAMAGED;
}

static uint64_t mark_of(const void *state)
{
    uint64_t mark;
    memcpy(&mark, state, sizeof mark);
    return mark;
}

const void *th_state_with_mark(const void *older, const void *newest, uint64_t mark)
{
    return !mark                     ? NULL
           : mark == mark_of(newest) ? newest
           : mark == mark_of(older)  ? older
                                     : NULL;
}
