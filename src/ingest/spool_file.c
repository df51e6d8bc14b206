/*
 * One file of a spool. Every step is one rename or unlink by name under a lock, so that
 * of several processes one wins and the others find nothing.
 */
#include "ingest/spool_file.h"

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
#include "base/json.h"
#include "ingest/spool_scan.h"

enum {
    HASHED = 64 << 10, /* bytes at the start that identify a file */
    MAX_COPIES = 9999, /* files of one name in a folder */
    CLAIMED_NAME = TH_SPOOL_NAME + sizeof TH_SPOOL_CLAIMED
};

static void present_name(const th_spool_file *file, char out[CLAIMED_NAME])
{
    (void)snprintf(out, CLAIMED_NAME, "%s%s", file->name,
                   file->is_claimed ? TH_SPOOL_CLAIMED : "");
}

/* Reads up to HASHED bytes; files are read until they end, however short reads are. */
static th_status hash_start(int fd, uint64_t *hash)
{
    char *bytes = malloc(HASHED);
    size_t len = 0;
    ssize_t got = bytes ? 1 : -1;
    while (got > 0 && len < HASHED) {
        got = pread(fd, bytes + len, HASHED - len, (off_t)len);
        if (got < 0 && errno == EINTR) {
            got = 1;
            continue;
        }
        len += got > 0 ? (size_t)got : 0;
    }
    const int error = errno;
    if (got >= 0)
        *hash = XXH3_64bits(bytes, len);
    free(bytes);
    errno = error;
    return got >= 0 ? TH_OK : TH_IO;
}

/* Whether a process that works, or a writer that locks instead of renaming, has it. */
static bool is_locked(int fd)
{
    struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return true;
    return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}

/* No words: what lacks is the process's, not the file's. */
static bool is_passing(int error)
{
    return error == ENOENT || error == EMFILE || error == ENFILE || error == ENOMEM ||
           error == EINTR || error == ESTALE;
}

th_status th_spool_file_take(int dir, const char *name, bool is_claimed,
                             th_spool_file *out, th_error *err)
{
    char present[CLAIMED_NAME];
    struct stat facts, named;
    th_status status = TH_EMPTY;
    th_spool_file file = { .fd = -1, .is_claimed = is_claimed };
    (void)snprintf(file.name, sizeof file.name, "%s", name);
    present_name(&file, present);
    file.fd = openat(dir, present, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file.fd < 0)
        return is_passing(errno)
                   ? TH_EMPTY
                   : th_fail(err, TH_IO, "cannot open it: %s", strerror(errno));
    /* Under the lock: is it still called so? If not, somebody was faster. */
    if (is_locked(file.fd) || fstat(file.fd, &facts) != 0 || !S_ISREG(facts.st_mode) ||
        fstatat(dir, present, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
        named.st_ino != facts.st_ino || named.st_dev != facts.st_dev)
        goto done;
    file.id = (th_spool_id){ .device = facts.st_dev,
                             .inode = facts.st_ino,
                             .size = (uint64_t)facts.st_size };
    if (hash_start(file.fd, &file.id.hash) != TH_OK) {
        if (!is_passing(errno))
            status = th_fail(err, TH_IO, "cannot read it: %s", strerror(errno));
        goto done;
    }
    *out = file;
    return TH_OK;
done:
    th_spool_file_close(&file);
    return status;
}

th_status th_spool_file_claim(int dir, th_spool_file *file, th_error *err)
{
    char claimed[CLAIMED_NAME];
    if (file->is_claimed)
        return TH_OK;
    (void)snprintf(claimed, sizeof claimed, "%s" TH_SPOOL_CLAIMED, file->name);
    if (renameat(dir, file->name, dir, claimed) != 0)
        return th_fail(err, errno == ENOENT ? TH_EMPTY : TH_IO, "cannot claim '%s': %s",
                       file->name, strerror(errno));
    file->is_claimed = true;
    return TH_OK;
}

/* rename that never replaces; where the file system has no such call, look first. */
static int rename_to_free(int from_dir, const char *from, int to_dir, const char *to)
{
    const int result = renameat2(from_dir, from, to_dir, to, RENAME_NOREPLACE);
    if (result == 0 || (errno != EINVAL && errno != ENOSYS))
        return result;
    if (faccessat(to_dir, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return -1;
    }
    return renameat(from_dir, from, to_dir, to);
}

/* What of a name is kept where a number of any length follows it. */
enum { COPIED_NAME = TH_SPOOL_NAME - sizeof ".-2147483648" };

th_status th_spool_file_move(int dir, const th_spool_file *file, int to,
                             char as[TH_SPOOL_NAME], th_error *err)
{
    char present[CLAIMED_NAME];
    present_name(file, present);
    (void)snprintf(as, TH_SPOOL_NAME, "%s", file->name);
    for (int copy = 1;; copy++) {
        if (rename_to_free(dir, present, to, as) == 0 || errno == ENOENT)
            return TH_OK;
        if (errno != EEXIST || copy > MAX_COPIES)
            return th_fail(err, TH_IO, "cannot move '%s' out of the spool: %s", present,
                           strerror(errno));
        (void)snprintf(as, TH_SPOOL_NAME, "%.*s.%d", (int)COPIED_NAME, file->name, copy);
    }
}

th_status th_spool_file_remove(int dir, const th_spool_file *file, th_error *err)
{
    char present[CLAIMED_NAME];
    present_name(file, present);
    if (unlinkat(dir, present, 0) == 0 || errno == ENOENT)
        return TH_OK;
    return th_fail(err, TH_IO, "cannot remove '%s': %s", present, strerror(errno));
}

void th_spool_file_close(th_spool_file *file)
{
    if (file->fd >= 0)
        (void)close(file->fd);
    file->fd = -1;
}

th_status th_spool_file_explain(const char *dir, const char *name,
                                const th_spool_entry *entry, const char *reason,
                                th_error *err)
{
    char *path = NULL;
    th_buffer text = { 0 };
    th_json json;
    th_json_begin(&json, &text);
    th_json_open_object(&json);
    th_json_member_text(&json, "name", entry->name);
    th_json_member_uint(&json, "size", entry->id.size);
    th_json_member_text(&json, "reason", reason);
    th_json_member_uint(&json, "records", entry->records);
    th_json_member_uint(&json, "offset", entry->next.offset);
    th_json_close_object(&json);
    th_status status = th_json_end(&json);
    if (status != TH_OK || asprintf(&path, "%s/%s.reason", dir, name) < 0) {
        path = NULL;
        status = th_fail(err, TH_NOMEM, "cannot explain '%s'", name);
    }
    if (status == TH_OK)
        status = th_file_replace(path, th_buffer_view(&text), err);
    free(path);
    th_buffer_done(&text);
    return status;
}
