/* The identity of a file of a spool. See the header. */
#include "spool/spool_id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { NUMBERS = 8, OLD_NUMBERS = 4 };

bool th_spool_id_is_inode(const th_spool_id *a, const th_spool_id *b)
{
    return a->inode == b->inode && a->device == b->device;
}

static bool is_digest_equal(const th_spool_id *a, const th_spool_id *b)
{
    return a->digest[0] == b->digest[0] && a->digest[1] == b->digest[1];
}

bool th_spool_id_has_digest(const th_spool_id *id)
{
    return id->digest[0] || id->digest[1];
}

bool th_spool_id_is_content(const th_spool_id *a, const th_spool_id *b)
{
    return th_spool_id_has_digest(a) && is_digest_equal(a, b) && a->size == b->size;
}

/* ---- bytes ---- */

/* Hashes up to TH_SPOOL_HASHED bytes from `start`, none at or after `end`; a file that
 * ends earlier gives fewer. `bytes` has room for them. */
static bool hash_range(int fd, uint64_t start, uint64_t end, char *bytes, uint64_t *hash)
{
    const uint64_t rest = end - start;
    const size_t want = rest < TH_SPOOL_HASHED ? (size_t)rest : TH_SPOOL_HASHED;
    size_t len = 0;
    ssize_t got = 1;
    while (got > 0 && len < want) {
        got = pread(fd, bytes + len, want - len, (off_t)(start + len));
        if (got < 0 && errno == EINTR) {
            got = 1;
            continue;
        }
        len += got > 0 ? (size_t)got : 0;
    }
    if (got >= 0)
        *hash = XXH3_64bits(bytes, len);
    return got >= 0;
}

static uint64_t tail_start(uint64_t end)
{
    return end > TH_SPOOL_HASHED ? end - TH_SPOOL_HASHED : 0;
}

bool th_spool_id_check(int fd, uint64_t offset, uint64_t *check)
{
    char *bytes = malloc(TH_SPOOL_HASHED);
    const bool is_read =
        bytes && hash_range(fd, tail_start(offset), offset, bytes, check);
    const int error = errno;
    free(bytes);
    errno = error;
    return is_read;
}

/* Hashes both ends. A short file has one. */
static bool hash_ends(int fd, th_spool_id *id)
{
    char *bytes = malloc(TH_SPOOL_HASHED);
    bool is_read = bytes && hash_range(fd, 0, id->size, bytes, &id->head);
    if (is_read && id->size > TH_SPOOL_HASHED)
        is_read = hash_range(fd, tail_start(id->size), id->size, bytes, &id->tail);
    else if (is_read)
        id->tail = id->head;
    const int error = errno;
    free(bytes);
    errno = error;
    return is_read;
}

static bool examine(int fd, th_spool_id *id)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0)
        return false;
    *id = (th_spool_id){ .device = (uint64_t)facts.st_dev,
                         .inode = facts.st_ino,
                         .size = (uint64_t)facts.st_size,
                         .written_ns = (int64_t)facts.st_mtim.tv_sec * 1000000000 +
                                       facts.st_mtim.tv_nsec };
    if (!id->written_ns)
        id->written_ns = 1; /* 0 is an earlier version's */
    return true;
}

bool th_spool_id_compute(int fd, th_spool_id *id)
{
    th_spool_id found;
    if (!examine(fd, &found) || !hash_ends(fd, &found))
        return false;
    *id = found;
    return true;
}

th_spool_relation th_spool_id_relate(int fd, const th_spool_id *known, uint64_t offset,
                                     uint64_t check, th_spool_id *now)
{
    th_spool_id found;
    uint64_t present = check;
    if (!examine(fd, &found))
        return TH_SPOOL_UNREADABLE;
    if (!th_spool_id_is_inode(&found, known))
        return TH_SPOOL_OTHER;
    if (found.written_ns == known->written_ns && found.size == known->size) {
        if (now)
            *now = *known;
        return TH_SPOOL_SAME;
    }
    if (!hash_ends(fd, &found) ||
        (offset > 0 && !th_spool_id_check(fd, offset, &present)))
        return TH_SPOOL_UNREADABLE;
    if (now)
        *now = found;
    if (found.size < offset || present != check ||
        (offset >= TH_SPOOL_HASHED && found.head != known->head))
        return TH_SPOOL_OTHER;
    return TH_SPOOL_CONTINUED;
}

/* ---- text ---- */

void th_spool_id_write(const th_spool_id *id, th_buffer *out)
{
    const uint64_t numbers[NUMBERS] = {
        id->device, id->inode,     id->size,     id->head, (uint64_t)id->written_ns,
        id->tail,   id->digest[0], id->digest[1]
    };
    for (size_t i = 0; i < NUMBERS; i++)
        th_buffer_printf(out, "%s%llx", i > 0 ? "-" : "", (unsigned long long)numbers[i]);
}

bool th_spool_id_read(th_view text, th_spool_id *id)
{
    uint64_t numbers[NUMBERS] = { 0 };
    size_t count = 0, at = 0;
    for (; count < NUMBERS; count++) {
        const size_t start = at;
        for (; at < text.len && th_spool_hex_value(text.data[at]) >= 0; at++)
            numbers[count] =
                numbers[count] << 4 | (unsigned)th_spool_hex_value(text.data[at]);
        if (at == start || at - start > 16)
            return false;
        if (at == text.len) {
            count++;
            break;
        }
        if (text.data[at++] != '-')
            return false;
    }
    if (at != text.len || (count != NUMBERS && count != OLD_NUMBERS))
        return false;
    *id = (th_spool_id){ .device = numbers[0],
                         .inode = numbers[1],
                         .size = numbers[2],
                         .head = numbers[3],
                         .written_ns = (int64_t)numbers[4],
                         .tail = numbers[5],
                         .digest = { numbers[6], numbers[7] } };
    return true;
}
