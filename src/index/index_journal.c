/*
 * A journal: appended through a buffer, read through a mapping.
 *
 *     [head 64 B][entry][entry]...   │ tail, in memory
 *                                  written
 *
 * A checksum is seeded with the segment's number and the entry's position. After a crash,
 * a block of another file or position may be in the journal, but its checksum does not
 * match. Only an entry with a wrong checksum is lost, because the walk searches for the
 * next one every 8 bytes.
 */
#include "index/index_journal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/io_status.h"

enum {
    HEAD_LEN = 64,
    VERSION = 1,
    TAIL_MAX = 1 << 20, /* bytes kept in memory before they are written */
    MAP_LEAST = 1 << 22,
};

/* A file in another byte order has another number here, and is rejected. */
#define MAGIC 0x3178646968726574u

struct head {
    uint64_t magic;
    uint32_t version;
    uint32_t number;
    uint64_t epoch;
    uint64_t scheme;
    uint64_t checksum; /* of the bytes before it */
    uint64_t unused[3];
};

struct th_journal {
    const th_index_scheme *scheme;
    char *path;
    int fd; /* -1 if not created yet, or no longer needed */
    bool is_growing;
    uint64_t seed; /* of checksums */
    struct head head;
    uint64_t written; /* bytes of the file that count */
    th_buffer tail;   /* bytes to write after them */
    char *map;        /* of the file, and beyond its end; may be NULL */
    size_t map_len;
};

static uint64_t checksum_of(const th_journal *journal, uint64_t offset,
                            const th_index_entry *entry)
{
    const size_t skip = sizeof entry->checksum;
    return XXH3_64bits_withSeed((const char *)entry + skip, entry->len - skip,
                                journal->seed ^ offset);
}

static uint64_t checksum_of_head(const struct head *head)
{
    return XXH3_64bits(head, offsetof(struct head, checksum));
}

static th_status fail_io(const th_journal *journal, const char *what, th_error *err)
{
    return th_fail(err, th_io_status(errno), "cannot %s '%s': %s", what, journal->path,
                   strerror(errno));
}

static th_status write_at(const th_journal *journal, const char *bytes, size_t len,
                          uint64_t offset, th_error *err)
{
    while (len) {
        const ssize_t put = pwrite(journal->fd, bytes, len, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return fail_io(journal, "write", err);
        bytes += put;
        len -= (size_t)put;
        offset += (uint64_t)put;
    }
    return TH_OK;
}

static th_status write_head(th_journal *journal, th_error *err)
{
    journal->head.checksum = checksum_of_head(&journal->head);
    return write_at(journal, (const char *)&journal->head, sizeof journal->head, 0, err);
}

/* Maps the file. The mapping may exceed the file, but only written bytes are read. */
static th_status map_file(th_journal *journal, uint64_t written, th_error *err)
{
    if (written <= journal->map_len)
        return TH_OK;
    size_t len = journal->map_len ? journal->map_len : MAP_LEAST;
    while (len < written)
        len *= 2;
    void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, journal->fd, 0);
    if (map == MAP_FAILED)
        return fail_io(journal, "map", err);
    if (journal->map)
        (void)munmap(journal->map, journal->map_len);
    journal->map = map;
    journal->map_len = len;
    (void)madvise(map, len, MADV_RANDOM);
    return TH_OK;
}

static th_status new_journal(const char *path, const th_journal_head *head,
                             const th_index_scheme *scheme, bool is_growing,
                             th_journal **out, th_error *err)
{
    th_journal *journal = calloc(1, sizeof *journal);
    char *copy = strdup(path);
    if (!journal || !copy) {
        free(journal);
        free(copy);
        return th_fail(err, TH_NOMEM, "cannot allocate a journal");
    }
    *journal = (th_journal){
        .scheme = scheme,
        .path = copy,
        .fd = -1,
        .is_growing = is_growing,
        .seed = (uint64_t)head->number << 48 ^ head->scheme,
        .head = { .magic = MAGIC,
                  .version = VERSION,
                  .number = head->number,
                  .epoch = head->epoch,
                  .scheme = head->scheme },
    };
    *out = journal;
    return TH_OK;
}

static void close_file(th_journal *journal)
{
    if (journal->fd >= 0)
        (void)close(journal->fd);
    journal->fd = -1;
}

void th_journal_free(th_journal *journal)
{
    if (!journal)
        return;
    if (journal->map)
        (void)munmap(journal->map, journal->map_len);
    close_file(journal);
    th_buffer_done(&journal->tail);
    free(journal->path);
    free(journal);
}

/* Creates the file of a new journal, with its head. */
static th_status make_file(th_journal *journal, th_error *err)
{
    if (journal->fd >= 0)
        return TH_OK;
    journal->fd = open(journal->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (journal->fd < 0)
        return fail_io(journal, "make", err);
    th_status status = write_head(journal, err);
    if (status == TH_OK)
        status = map_file(journal, HEAD_LEN, err);
    if (status != TH_OK)
        close_file(journal);
    return status;
}

th_status th_journal_create(const char *path, const th_journal_head *head,
                            const th_index_scheme *scheme, th_journal **out,
                            th_error *err)
{
    th_journal *journal = NULL;
    const th_status status = new_journal(path, head, scheme, true, &journal, err);
    if (status != TH_OK)
        return status;
    assert(journal);
    journal->written = HEAD_LEN;
    (void)make_file(journal, NULL); /* if the disk is full, the next sync reports it */
    *out = journal;
    return TH_OK;
}

th_status th_journal_set_epoch(th_journal *journal, uint64_t epoch, th_error *err)
{
    journal->head.epoch = epoch;
    return journal->fd < 0 ? TH_OK : write_head(journal, err);
}

static th_status open_file(th_journal *journal, th_error *err)
{
    const int mode = journal->is_growing ? O_RDWR : O_RDONLY;
    journal->fd = open(journal->path, mode | O_CLOEXEC);
    if (journal->fd >= 0)
        return TH_OK;
    return errno == ENOENT ? th_fail(err, TH_ABSENT, "no file '%s'", journal->path)
                           : fail_io(journal, "open", err);
}

/* Checks that this is the expected journal. */
static th_status read_head(th_journal *journal, th_journal_head *head, th_error *err)
{
    struct head found;
    const ssize_t got = pread(journal->fd, &found, sizeof found, 0);
    if (got < 0)
        return fail_io(journal, "read", err);
    if (got != sizeof found || found.magic != MAGIC || found.version != VERSION ||
        found.number != head->number || found.scheme != head->scheme ||
        found.checksum != checksum_of_head(&found))
        return th_fail(err, TH_DAMAGED, "'%s' is not a journal of this index",
                       journal->path);
    journal->head = found;
    head->epoch = found.epoch;
    return TH_OK;
}

/* Finds how many bytes of the file count, and truncates it if the journal is to grow. */
static th_status find_end(th_journal *journal, uint64_t limit, th_error *err)
{
    struct stat facts;
    if (fstat(journal->fd, &facts) != 0)
        return fail_io(journal, "look at", err);
    const uint64_t len = (uint64_t)facts.st_size & ~(uint64_t)7;
    journal->written = len < limit ? len : limit;
    if (journal->written < HEAD_LEN)
        journal->written = HEAD_LEN;
    if (journal->is_growing && (uint64_t)facts.st_size != journal->written &&
        ftruncate(journal->fd, (off_t)journal->written) != 0)
        return fail_io(journal, "cut", err);
    return map_file(journal, journal->written, err);
}

th_status th_journal_open(const char *path, th_journal_head *head,
                          const th_index_scheme *scheme, uint64_t limit, bool is_growing,
                          th_journal **out, th_error *err)
{
    th_journal *journal = NULL;
    th_status status = new_journal(path, head, scheme, is_growing, &journal, err);
    if (status != TH_OK)
        return status;
    assert(journal);
    status = open_file(journal, err);
    if (status == TH_OK)
        status = read_head(journal, head, err);
    if (status == TH_OK)
        status = find_end(journal, limit & ~(uint64_t)7, err);
    if (status == TH_OK && !is_growing)
        th_journal_end(journal);
    if (status == TH_OK)
        *out = journal;
    else
        th_journal_free(journal);
    return status;
}

void th_journal_end(th_journal *journal)
{
    assert(!journal->tail.len);
    close_file(journal); /* the mapping remains */
    th_buffer_done(&journal->tail);
    journal->is_growing = false;
}

uint64_t th_journal_len(const th_journal *journal)
{
    return journal->written + journal->tail.len;
}

static th_status write_tail(th_journal *journal, th_error *err)
{
    const uint64_t end = th_journal_len(journal);
    th_status status = make_file(journal, err);
    if (status != TH_OK || !journal->tail.len)
        return status;
    status =
        write_at(journal, journal->tail.data, journal->tail.len, journal->written, err);
    if (status == TH_OK)
        status = map_file(journal, end, err);
    if (status != TH_OK)
        return status; /* the tail is kept for another attempt */
    journal->written = end;
    th_buffer_reset(&journal->tail);
    return TH_OK;
}

th_status th_journal_append(th_journal *journal, const th_index_entry *entry,
                            th_entry_ref *ref, th_error *err)
{
    const uint64_t offset = th_journal_len(journal);
    const size_t at = journal->tail.len;
    th_buffer_append(&journal->tail, (const char *)entry, entry->len);
    if (journal->tail.has_failed)
        return th_fail(err, TH_NOMEM, "out of memory for an entry of '%s'",
                       journal->path);
    th_index_entry *copy = (th_index_entry *)(void *)(journal->tail.data + at);
    copy->checksum = checksum_of(journal, offset, copy);
    *ref = (th_entry_ref)(offset / 8);
    /* If the disk is full, the tail remains in memory, and the next sync reports it. */
    if (journal->tail.len >= TAIL_MAX)
        (void)write_tail(journal, NULL);
    return TH_OK;
}

th_status th_journal_sync(th_journal *journal, th_error *err)
{
    if (!journal->is_growing)
        return TH_OK;
    const th_status status = write_tail(journal, err);
    if (status != TH_OK)
        return status;
    return fdatasync(journal->fd) == 0 ? TH_OK : fail_io(journal, "sync", err);
}

/* Returns the bytes at an offset and their number, from the mapping or the tail. */
static const char *bytes_at(const th_journal *journal, uint64_t offset, size_t *capacity)
{
    const bool is_written = offset < journal->written;
    const uint64_t end = is_written ? journal->written : th_journal_len(journal);
    *capacity = offset < end ? (size_t)(end - offset) : 0;
    return is_written ? journal->map + offset
                      : journal->tail.data + (offset - journal->written);
}

const th_index_entry *th_journal_entry(const th_journal *journal, th_entry_ref ref)
{
    const uint64_t offset = (uint64_t)ref * 8;
    size_t capacity;
    if (offset < HEAD_LEN || offset >= th_journal_len(journal))
        return NULL;
    const void *bytes = bytes_at(journal, offset, &capacity);
    const th_index_entry *entry = bytes;
    return th_index_entry_fits(journal->scheme, entry, capacity) &&
                   entry->checksum == checksum_of(journal, offset, entry)
               ? entry
               : NULL;
}

th_status th_journal_walk(const th_journal *journal, th_journal_visit visit,
                          void *context, uint64_t *damaged)
{
    const uint64_t len = th_journal_len(journal);
    const uint64_t end = len < TH_JOURNAL_MAX ? len : TH_JOURNAL_MAX;
    th_status status = TH_OK;
    uint64_t holes = 0;
    bool is_in_hole = false;
    if (journal->map)
        (void)madvise(journal->map, journal->map_len, MADV_SEQUENTIAL);
    for (uint64_t offset = HEAD_LEN; offset < end && status == TH_OK;) {
        const th_entry_ref ref = (th_entry_ref)(offset / 8);
        const th_index_entry *entry = th_journal_entry(journal, ref);
        holes += !entry && !is_in_hole;
        is_in_hole = !entry;
        if (entry)
            status = visit(context, ref, entry);
        offset += entry ? entry->len : 8;
    }
    if (journal->map)
        (void)madvise(journal->map, journal->map_len, MADV_RANDOM);
    if (damaged)
        *damaged = holes;
    return status;
}
