/*
 * See the header. The lock of a file is on one byte, whose offset is the file's inode
 * number; two files with the same number only make one of them wait. Locks for reading
 * need no right to write another user's file, and asking for one for writing finds them:
 * fcntl(2), open file description locks.
 */
#include "spool/spool_claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct flock byte_of(const th_spool_id *id, short type)
{
    return (struct flock){ .l_type = type,
                           .l_whence = SEEK_SET,
                           .l_start = (off_t)(id->inode & (INT64_MAX >> 1)),
                           .l_len = 1 };
}

/* ---- ledgers ---- */

/* Represents all ledgers of an earlier version, which did not write their own line. */
#define EARLIER "an earlier version\n"

enum { MAX_LIST = 64 << 10 };

/* Reads the list up to its limit. @return its length; -1 if it cannot be read or is
 * longer */
static ssize_t read_list(int claims, char list[MAX_LIST])
{
    size_t len = 0;
    ssize_t got = 1;
    while (got > 0 && len < MAX_LIST) {
        got = pread(claims, list + len, MAX_LIST - len, (off_t)len);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            len += (size_t)got;
    }
    return got < 0 || len == MAX_LIST ? -1 : (ssize_t)len;
}

/* Finds a line in the list. @param has_others  receives whether there are other lines */
static bool find_line(const char *list, size_t len, const char *owner, bool *has_others)
{
    const size_t owner_len = strlen(owner);
    bool is_found = false;
    *has_others = false;
    for (size_t at = 0; at < len;) {
        const char *end = memchr(list + at, '\n', len - at);
        const size_t line = end ? (size_t)(end - (list + at)) : len - at;
        const bool is_ours = line == owner_len && memcmp(list + at, owner, line) == 0;
        is_found |= is_ours;
        *has_others |= !is_ours;
        at += line + 1;
    }
    return is_found;
}

/* Adds a ledger to the list. On failure the ledger is missing from it: its claims then
 * wait longer. */
static bool list_owner(int claims, bool is_new, const char *owner)
{
    char *list = malloc(MAX_LIST);
    char *line = NULL;
    bool has_others = true, is_listed = false;
    const ssize_t len = list ? read_list(claims, list) : -1;
    if (len >= 0)
        is_listed = find_line(list, (size_t)len, owner, &has_others);
    if (len >= 0 && !is_listed &&
        asprintf(&line, "%s%s\n", len == 0 && !is_new ? EARLIER : "", owner) > 0) {
        const ssize_t put = write(claims, line, strlen(line));
        (void)put;
        free(line);
    }
    free(list);
    return is_listed && !has_others;
}

int th_spool_claims_open(int dir_fd, const char *owner, bool *is_sole)
{
    static const char name[] = ".thresher.claims";
    const int flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
    int claims = openat(dir_fd, name, flags | O_CREAT | O_EXCL, 0666);
    const bool is_new = claims >= 0;
    *is_sole = false;
    if (!is_new && errno == EEXIST)
        claims = openat(dir_fd, name, flags);
    if (claims >= 0)
        *is_sole = list_owner(claims, is_new, owner);
    else /* another user's: its locks can be used, its list cannot be written */
        claims = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return claims;
}

/* ---- locks ---- */

void th_spool_claims_hold(int claims, const th_spool_id *id)
{
    struct flock lock = byte_of(id, F_RDLCK);
    if (claims >= 0)
        (void)fcntl(claims, F_OFD_SETLK, &lock);
}

void th_spool_claims_drop(int claims, const th_spool_id *id)
{
    struct flock lock = byte_of(id, F_UNLCK);
    if (claims >= 0)
        (void)fcntl(claims, F_OFD_SETLK, &lock);
}

bool th_spool_claims_are_held(int claims, const th_spool_id *id)
{
    struct flock lock = byte_of(id, F_WRLCK);
    return claims >= 0 && fcntl(claims, F_OFD_GETLK, &lock) == 0 &&
           lock.l_type != F_UNLCK;
}
