/*
 * One file of a spool. Every step is one rename by name that replaces nothing, so that of
 * several processes one wins and the others find nothing. A name may have gone to another
 * file since ours was taken: that is looked at before, and again behind the rename.
 */
#include "spool/spool_file.h"

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
#include "base/free_name.h"
#include "base/json.h"
#include "spool/spool_claims.h"
#include "spool/spool_scan.h"

enum {
    MAX_COPIES = 9999, /* files of one name in a folder */
    CLAIMED_NAME = TH_SPOOL_NAME + sizeof TH_SPOOL_CLAIMED
};

static void present_name(const th_spool_file *file, char out[CLAIMED_NAME])
{
    (void)snprintf(out, CLAIMED_NAME, "%s%s", file->name,
                   file->is_claimed ? TH_SPOOL_CLAIMED : "");
}

/* Reads up to TH_SPOOL_HASHED bytes, and no more than `size`; short reads are continued
 * until the file ends. */
static th_status hash_start(int fd, uint64_t size, uint64_t *hash)
{
    const size_t most = size < TH_SPOOL_HASHED ? (size_t)size : TH_SPOOL_HASHED;
    char *bytes = malloc(TH_SPOOL_HASHED);
    size_t len = 0;
    ssize_t got = bytes ? 1 : -1;
    while (got > 0 && len < most) {
        got = pread(fd, bytes + len, most - len, (off_t)len);
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

static int64_t written_ns(const struct stat *facts)
{
    return (int64_t)facts->st_mtim.tv_sec * 1000000000 + facts->st_mtim.tv_nsec;
}

static int open_for_reading(int dir, const char *name)
{
    return openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

th_status th_spool_file_take(int dir, int claims, const char *name, bool is_claimed,
                             th_spool_file *out, th_error *err)
{
    char present[CLAIMED_NAME];
    struct stat facts, named;
    th_status status = TH_NOT_YET;
    th_spool_file file = { .fd = -1, .is_claimed = is_claimed };
    (void)snprintf(file.name, sizeof file.name, "%s", name);
    present_name(&file, present);
    file.fd = open_for_reading(dir, present);
    if (file.fd < 0)
        return is_passing(errno)
                   ? TH_NOT_YET
                   : th_fail(err, TH_IO, "cannot open it: %s", strerror(errno));
    if (is_locked(file.fd) || fstat(file.fd, &facts) != 0 || !S_ISREG(facts.st_mode))
        goto done;
    file.id.device = facts.st_dev;
    file.id.inode = facts.st_ino;
    /* Under the lock, and behind the claim, which its owner gives up last: is it still
     * called so? If not, somebody was faster. */
    if (th_spool_claims_are_held(claims, &file.id) ||
        fstatat(dir, present, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
        named.st_ino != facts.st_ino || named.st_dev != facts.st_dev)
        goto done;
    file.written_ns = written_ns(&facts);
    file.id.size = (uint64_t)facts.st_size;
    if (hash_start(file.fd, file.id.size, &file.id.hash) != TH_OK) {
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

/* ---- whether a name still leads to the file ---- */

enum holder { OURS, NOBODY, ANOTHER, UNKNOWN /* with errno */ };

/* Whether an open file, which has our number, is ours: it may have grown since, but a
 * number may also go to another file once ours is removed. Its first bytes decide. */
static enum holder holder_by_bytes(int fd, const th_spool_file *file)
{
    uint64_t hash;
    if (hash_start(fd, file->id.size, &hash) != TH_OK)
        return UNKNOWN;
    return hash == file->id.hash ? OURS : ANOTHER;
}

static enum holder holder_of(int dir, const char *name, const th_spool_file *file)
{
    struct stat facts;
    if (fstatat(dir, name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? NOBODY : UNKNOWN;
    if (!file->id.inode)
        return OURS; /* it could not be opened: all that is known is its name */
    if (facts.st_ino != file->id.inode || facts.st_dev != file->id.device)
        return ANOTHER;
    if (written_ns(&facts) == file->written_ns &&
        (uint64_t)facts.st_size == file->id.size)
        return OURS;
    const int fd = open_for_reading(dir, name);
    if (fd < 0)
        return errno == ENOENT ? NOBODY : UNKNOWN;
    const enum holder holder = holder_by_bytes(fd, file);
    const int error = errno;
    (void)close(fd);
    errno = error;
    return holder;
}

th_status th_spool_file_reopen(int dir, th_spool_file *file, th_error *err)
{
    char present[CLAIMED_NAME];
    present_name(file, present);
    const enum holder holder = holder_of(dir, present, file);
    if (holder == NOBODY)
        return th_fail(err, TH_IO, "it was taken away before it was read to its end");
    if (holder == ANOTHER)
        return th_fail(err, TH_IO, "it was replaced before it was read to its end");
    file->fd = holder == OURS ? open_for_reading(dir, present) : -1;
    if (file->fd < 0)
        return errno != ENOENT && is_passing(errno)
                   ? TH_NO_ROOM
                   : th_fail(err, TH_IO, "cannot open it again: %s", strerror(errno));
    (void)is_locked(file->fd); /* locks it, where nobody else does */
    return TH_OK;
}

/* ---- claims ---- */

static void claimed_name(const char *name, char out[CLAIMED_NAME])
{
    (void)snprintf(out, CLAIMED_NAME, "%s" TH_SPOOL_CLAIMED, name);
}

bool th_spool_file_must_wait(int dir, const char *name)
{
    char claimed[CLAIMED_NAME];
    claimed_name(name, claimed);
    return faccessat(dir, claimed, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

th_status th_spool_file_claim(int dir, th_spool_file *file, th_error *err)
{
    char claimed[CLAIMED_NAME];
    if (file->is_claimed)
        return TH_OK;
    claimed_name(file->name, claimed);
    if (th_rename_to_free(dir, file->name, dir, claimed) != 0)
        return th_fail(err, errno == ENOENT || errno == EEXIST ? TH_NOT_YET : TH_IO,
                       "cannot claim '%s': %s", file->name, strerror(errno));
    file->is_claimed = true;
    return TH_OK;
}

/* ---- where it belongs ---- */

/* What of a name is kept where a number of any length follows it. */
enum { COPIED_NAME = TH_SPOOL_NAME - sizeof ".-2147483648" };

/* Makes the folders that lead to a path. */
static void make_folders(int dir, const char *path)
{
    char folder[TH_SPOOL_NAME];
    for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
        (void)snprintf(folder, sizeof folder, "%.*s", (int)(at - path), path);
        (void)mkdirat(dir, folder, 0777); /* where it fails the rename says so */
    }
}

/* Gives the file the first of its names that is free: its own, then with a number. */
static int move_to_free(int dir, const char *present, int to, const char *name,
                        char as[TH_SPOOL_NAME])
{
    int result = -1;
    errno = EEXIST;
    for (int copy = 0; result != 0 && errno == EEXIST && copy <= MAX_COPIES; copy++) {
        if (copy == 0)
            (void)snprintf(as, TH_SPOOL_NAME, "%s", name);
        else
            (void)snprintf(as, TH_SPOOL_NAME, "%.*s.%d", (int)COPIED_NAME, name, copy);
        result = th_rename_to_free(dir, present, to, as);
    }
    return result;
}

/* What follows from whose a name is: TH_OK for ours. */
static th_status check_holder(enum holder holder, const char *name, th_error *err)
{
    if (holder == UNKNOWN)
        return th_fail(err, TH_IO, "cannot look at '%s': %s", name, strerror(errno));
    return holder == OURS ? TH_OK : TH_ABSENT;
}

th_status th_spool_file_move(int dir, const th_spool_file *file, int to,
                             char as[TH_SPOOL_NAME], th_error *err)
{
    char present[CLAIMED_NAME];
    present_name(file, present);
    th_status status = check_holder(holder_of(dir, present, file), present, err);
    if (status != TH_OK)
        return status;
    int result = move_to_free(dir, present, to, file->name, as);
    if (result != 0 && errno == ENOENT && strchr(file->name, '/')) {
        make_folders(to, file->name);
        result = move_to_free(dir, present, to, file->name, as);
    }
    if (result != 0) {
        const int error = errno;
        if (error == ENOENT && holder_of(dir, present, file) == NOBODY)
            return TH_ABSENT;
        return th_fail(err, TH_IO, "cannot move '%s' out of the spool: %s", present,
                       strerror(error));
    }
    if (holder_of(to, as, file) != ANOTHER)
        return TH_OK;
    /* Another file got the name between the look and the rename: it is moved back. */
    (void)th_rename_to_free(to, as, dir, present);
    return TH_ABSENT;
}

th_status th_spool_file_remove(int dir, const th_spool_file *file, th_error *err)
{
    char present[CLAIMED_NAME], claimed[CLAIMED_NAME];
    present_name(file, present);
    claimed_name(file->name, claimed);
    th_status status = check_holder(holder_of(dir, present, file), present, err);
    if (status != TH_OK)
        return status;
    /* A name that a crawler may give to another file is left first. */
    if (!file->is_claimed && th_rename_to_free(dir, present, dir, claimed) == 0) {
        if (holder_of(dir, claimed, file) == ANOTHER) {
            (void)th_rename_to_free(dir, claimed, dir, present);
            return TH_ABSENT;
        }
        memcpy(present, claimed, sizeof present);
    }
    if (unlinkat(dir, present, 0) == 0)
        return TH_OK;
    return errno == ENOENT
               ? TH_ABSENT
               : th_fail(err, TH_IO, "cannot remove '%s': %s", present, strerror(errno));
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
    /* Over the reason of an earlier file of that name, which was taken away. */
    if (status == TH_OK)
        status = th_file_replace(path, th_buffer_view(&text), err);
    free(path);
    th_buffer_done(&text);
    return status;
}
