/*
 * One file of a spool. Every step is one rename by name that replaces nothing. So if
 * several processes try it, one wins and the others find nothing. A name may have gone
 * to another file since ours was taken: the inode is compared before the rename and
 * after it.
 */
#include "spool/spool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/file_sink.h"
#include "base/json.h"
#include "base/unique_name.h"
#include "spool/spool_claims.h"
#include "spool/spool_scan.h"

enum {
    MAX_COPIES = 9999,   /* files of one name in a folder */
    SEARCHED_COPIES = 16 /* names under which a moved file is searched */
};

/* Returns whether a working process has the file, or a writer that locks instead of
 * renaming. */
static bool is_locked(int fd)
{
    struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return true;
    return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}

/* Returns whether an error is a temporary failure of this process, not of the file. */
static bool is_passing(int error)
{
    return error == ENOENT || error == EMFILE || error == ENFILE || error == ENOMEM ||
           error == EINTR || error == ESTALE;
}

static int open_for_reading(int dir, const char *name)
{
    return openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Returns whether a name leads to an open file. */
static bool leads_to(int dir, const char *name, const th_spool_id *id)
{
    struct stat named;
    return fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           named.st_ino == id->inode && (uint64_t)named.st_dev == id->device;
}

th_status th_spool_file_acquire(int dir, int claims, const char *present, bool is_claimed,
                                th_spool_file *out, th_error *err)
{
    struct stat facts;
    th_status status = TH_NOT_YET;
    th_spool_file file = { .is_claimed = is_claimed };
    (void)snprintf(file.present, sizeof file.present, "%s", present);
    const size_t len = strlen(present) - (is_claimed ? strlen(TH_SPOOL_CLAIMED) : 0);
    if (len >= sizeof file.name)
        return TH_NOT_YET; /* reported when folders are read */
    memcpy(file.name, present, len);
    file.fd = open_for_reading(dir, present);
    if (file.fd < 0)
        return is_passing(errno)
                   ? TH_NOT_YET
                   : th_fail(err, TH_IO, "cannot open it: %s", strerror(errno));
    if (is_locked(file.fd) || fstat(file.fd, &facts) != 0 || !S_ISREG(facts.st_mode))
        goto done;
    file.id.device = (uint64_t)facts.st_dev;
    file.id.inode = facts.st_ino;
    /* Checks, under the lock and after the claim, which its owner gives up last, whether
     * the file still has this name. If not, another process was faster. */
    if (th_spool_claims_are_held(claims, &file.id) || !leads_to(dir, present, &file.id))
        goto done;
    if (!th_spool_id_compute(file.fd, &file.id)) {
        if (!is_passing(errno))
            status = th_fail(err, TH_IO, "cannot read it: %s", strerror(errno));
        goto done;
    }
    th_spool_claims_hold(claims, &file.id);
    *out = file;
    return TH_OK;
done:
    th_spool_file_close(&file);
    return status;
}

/*
 * A read lease is granted only if no process has the file open for writing: fcntl(2). The
 * lease is released at once. A writer that opens the file in between waits for the
 * release. The signal that reports such a writer must not be SIGIO, which would end the
 * process.
 */
th_spool_writer th_spool_file_writer(const th_spool_file *file)
{
    (void)fcntl(file->fd, F_SETSIG, SIGURG); /* ignored by default */
    if (fcntl(file->fd, F_SETLEASE, F_RDLCK) == 0) {
        (void)fcntl(file->fd, F_SETLEASE, F_UNLCK);
        return TH_SPOOL_NO_WRITER;
    }
    return errno == EAGAIN ? TH_SPOOL_WRITER : TH_SPOOL_UNKNOWN_WRITER;
}

/* ---- whether a name still leads to the file ---- */

enum holder { OURS, GROWN, NOBODY, ANOTHER, UNKNOWN /* with errno */ };

/* Compares an open file that has our inode with the identity at the end of reading. The
 * file may be ours, or have grown, or be another one. */
static enum holder holder_by_bytes(int fd, const th_spool_file *file)
{
    th_spool_id now;
    switch (th_spool_id_relate(fd, &file->id, file->id.size, file->id.tail, &now)) {
    case TH_SPOOL_SAME:
        return OURS;
    case TH_SPOOL_CONTINUED:
        return now.size > file->id.size ? GROWN : OURS;
    case TH_SPOOL_OTHER:
        return ANOTHER;
    case TH_SPOOL_UNREADABLE:
    default:
        return UNKNOWN;
    }
}

static enum holder holder_of(int dir, const char *name, const th_spool_file *file)
{
    if (!file->id.inode)
        return OURS; /* it could not be opened: only its name is known */
    if (!leads_to(dir, name, &file->id))
        return faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? ANOTHER
               : errno == ENOENT                                    ? NOBODY
                                                                    : UNKNOWN;
    const int fd = open_for_reading(dir, name);
    if (fd < 0)
        return errno == ENOENT ? NOBODY : UNKNOWN;
    const enum holder holder = holder_by_bytes(fd, file);
    const int error = errno;
    (void)close(fd);
    errno = error;
    return holder;
}

th_spool_relation th_spool_file_relate(int fd, const th_spool_id *known,
                                       const th_checkpoint *next, th_spool_id *now)
{
    if (next->skip == 0 || next->offset >= TH_SPOOL_HASHED)
        return th_spool_id_relate(fd, known, next->offset, next->version, now);
    const uint64_t head = known->size < TH_SPOOL_HASHED ? known->size : TH_SPOOL_HASHED;
    return th_spool_id_relate(fd, known, head, known->head, now);
}

th_status th_spool_file_reopen(int dir, th_spool_file *file, const th_checkpoint *next,
                               th_error *err)
{
    th_spool_id now = file->id;
    file->fd = open_for_reading(dir, file->present);
    if (file->fd < 0 && errno == ENOENT)
        return th_fail(err, TH_ABSENT, "it was removed before it was read completely");
    if (file->fd < 0)
        return is_passing(errno)
                   ? TH_NO_ROOM
                   : th_fail(err, TH_IO, "cannot reopen it: %s", strerror(errno));
    const th_spool_relation relation =
        th_spool_file_relate(file->fd, &file->id, next, &now);
    if (relation == TH_SPOOL_SAME || relation == TH_SPOOL_CONTINUED) {
        file->id = now;
        (void)is_locked(file->fd); /* locks it, unless another process has */
        return TH_OK;
    }
    const int error = errno;
    th_spool_file_close(file);
    if (relation == TH_SPOOL_OTHER)
        return th_fail(err, TH_ABSENT, "it was replaced before it was read completely");
    return is_passing(error)
               ? TH_NO_ROOM
               : th_fail(err, TH_IO, "cannot read it again: %s", strerror(error));
}

/* ---- names ---- */

/* Returns the length of a path without its type suffix, such as ".warc.gz". */
static size_t stem_len(const char *path)
{
    static const char *const packed[] = { ".gz", ".zst", ".bz2", ".xz" };
    const char *name = th_last_name(path);
    size_t len = strlen(path);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        const size_t end = strlen(packed[i]);
        if (strlen(name) > end && strcmp(path + strlen(path) - end, packed[i]) == 0) {
            len -= end;
            break;
        }
    }
    for (size_t at = len; at > (size_t)(name - path) + 1; at--)
        if (path[at - 1] == '.')
            return at - 1;
    return len;
}

/* The name that a file has as the `copy`th of its name, in a folder: x.warc, x.1.warc. */
static void numbered_name(const char *name, int copy, const char *suffix,
                          char out[TH_SPOOL_PRESENT])
{
    const size_t stem = stem_len(name);
    if (copy == 0)
        (void)snprintf(out, TH_SPOOL_PRESENT, "%s%s", name, suffix);
    else
        (void)snprintf(out, TH_SPOOL_PRESENT, "%.*s.%d%s%s", (int)stem, name, copy,
                       name + stem, suffix);
}

/* Gives the file the first of its names that is free: its own, then with a number. A path
 * that is too long for the spool is not used, because it would not be read again. */
static int move_to_free(int dir, const char *present, int to, const char *name,
                        const char *suffix, char as[TH_SPOOL_PRESENT])
{
    int result = -1;
    errno = EEXIST;
    for (int copy = 0; result != 0 && errno == EEXIST && copy <= MAX_COPIES; copy++) {
        numbered_name(name, copy, suffix, as);
        if (copy > 0 && strlen(as) - strlen(suffix) >= TH_SPOOL_NAME)
            errno = ENAMETOOLONG;
        else
            result = th_rename_to_free(dir, present, to, as);
    }
    return result;
}

bool th_spool_file_find(int dir, const th_spool_file *file, char as[TH_SPOOL_PRESENT])
{
    for (int copy = 0; copy < SEARCHED_COPIES; copy++) {
        numbered_name(file->name, copy, "", as);
        if (leads_to(dir, as, &file->id))
            return true;
    }
    return false;
}

/* ---- claims ---- */

th_status th_spool_file_claim(int dir, th_spool_file *file, th_error *err)
{
    char claimed[TH_SPOOL_PRESENT];
    if (file->is_claimed)
        return TH_OK;
    if (move_to_free(dir, file->present, dir, file->name, TH_SPOOL_CLAIMED, claimed) != 0)
        return th_fail(err, errno == ENOENT ? TH_NOT_YET : TH_IO, "cannot claim '%s': %s",
                       file->present, strerror(errno));
    memcpy(file->present, claimed, sizeof file->present);
    file->is_claimed = true;
    return leads_to(dir, claimed, &file->id) ? TH_OK : TH_ABSENT;
}

/* ---- where it belongs ---- */

/* Makes the folders that lead to a path. */
static void make_folders(int dir, const char *path)
{
    char folder[TH_SPOOL_NAME];
    for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
        (void)snprintf(folder, sizeof folder, "%.*s", (int)(at - path), path);
        (void)mkdirat(dir, folder, 0777); /* on failure the rename reports the error */
    }
}

/* Returns the status for the holder of a name: TH_OK if it is our file. */
static th_status check_holder(enum holder holder, const char *name, th_error *err)
{
    if (holder == UNKNOWN)
        return th_fail(err, TH_IO, "cannot stat '%s': %s", name, strerror(errno));
    if (holder == GROWN)
        return TH_NOT_YET;
    return holder == OURS ? TH_OK : TH_ABSENT;
}

th_status th_spool_file_move(int dir, const th_spool_file *file, int to,
                             char as[TH_SPOOL_PRESENT], th_error *err)
{
    const char *present = file->present;
    th_status status = check_holder(holder_of(dir, present, file), present, err);
    if (status != TH_OK)
        return status;
    int result = move_to_free(dir, present, to, file->name, "", as);
    if (result != 0 && errno == ENOENT && strchr(file->name, '/')) {
        make_folders(to, file->name);
        result = move_to_free(dir, present, to, file->name, "", as);
    }
    if (result != 0) {
        const int error = errno;
        if (error == ENOENT && holder_of(dir, present, file) == NOBODY)
            return TH_ABSENT;
        return th_fail(err, TH_IO, "cannot move '%s' out of the spool: %s", present,
                       strerror(error));
    }
    if (!file->id.inode || leads_to(to, as, &file->id))
        return TH_OK;
    /* Another file got the name between the check and the rename. It is moved back. */
    (void)th_rename_to_free(to, as, dir, present);
    return TH_ABSENT;
}

th_status th_spool_file_remove(int dir, const th_spool_file *file, th_error *err)
{
    char present[TH_SPOOL_PRESENT], claimed[TH_SPOOL_PRESENT];
    memcpy(present, file->present, sizeof present);
    th_status status = check_holder(holder_of(dir, present, file), present, err);
    if (status != TH_OK)
        return status;
    /* A name that a crawler may give to another file is given up first. */
    if (!file->is_claimed &&
        move_to_free(dir, present, dir, file->name, TH_SPOOL_CLAIMED, claimed) == 0) {
        if (file->id.inode && !leads_to(dir, claimed, &file->id)) {
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
    /* Replaces the reason of an earlier file of that name, which was removed. */
    if (status == TH_OK)
        status = th_file_replace(path, th_buffer_view(&text), err);
    free(path);
    th_buffer_done(&text);
    return status;
}
