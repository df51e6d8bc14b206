/*
 * The state file, replaced atomically at each prepare. It has two states, because the
 * process may have ended before or after the newest one was acknowledged.
 */
#include "index/index_state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file_sink.h"
#include "base/io_status.h"

enum { VERSION = 1 };
#define MAGIC 0x3174617368726574u

struct file {
    uint64_t magic, version;
    th_index_states states;
    uint64_t checksum; /* of the bytes before it */
};

static uint64_t checksum_of(const struct file *file)
{
    return XXH3_64bits(file, offsetof(struct file, checksum));
}

th_status th_index_states_save(const th_index_states *states, const char *path,
                               th_error *err)
{
    struct file file;
    memset(&file, 0, sizeof file); /* also the padding: the checksum covers it */
    file.magic = MAGIC;
    file.version = VERSION;
    file.states = *states;
    file.checksum = checksum_of(&file);
    return th_file_replace(path, (th_view){ (const char *)&file, sizeof file }, err);
}

th_status th_index_states_load(th_index_states *states, const char *path, th_error *err)
{
    struct file file;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? TH_ABSENT
                               : th_fail(err, th_io_status(errno), "cannot open '%s': %s",
                                         path, strerror(errno));
    const ssize_t got = read(fd, &file, sizeof file);
    const int reason = errno;
    (void)close(fd);
    if (got < 0)
        return th_fail(err, TH_IO, "cannot read '%s': %s", path, strerror(reason));
    if (got != sizeof file || file.magic != MAGIC || file.version != VERSION ||
        file.checksum != checksum_of(&file))
        return TH_DAMAGED;
    *states = file.states;
    return TH_OK;
}
