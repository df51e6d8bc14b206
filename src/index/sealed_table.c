/*
 * A sealed table:   [head, 4096 B][filter lines, 64 B each][slots, 8 B each]
 *
 * The journal contains the same data, so a damaged file is rebuilt and not repaired. The
 * head has the checksum of the rest, and its own checksum.
 */
#include "index/sealed_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file_sink.h"
#include "base/io_status.h"

enum { HEAD_ROOM = 4096, VERSION = 1 };
#define MAGIC 0x3174626c68726574u

struct head {
    uint64_t magic;
    uint32_t version, number;
    uint64_t scheme, journal_len;
    uint64_t line_count, slot_count, used;
    uint64_t body;     /* checksum of filter and slots */
    uint64_t checksum; /* of the bytes before it */
};

static size_t filter_len(const struct head *head)
{
    return head->line_count * sizeof(th_filter_line);
}

static size_t file_len(const struct head *head)
{
    return HEAD_ROOM + filter_len(head) + head->slot_count * sizeof(th_slot);
}

static uint64_t checksum_of(const struct head *head)
{
    return XXH3_64bits(head, offsetof(struct head, checksum));
}

static uint64_t checksum_of_body(const struct head *head, const char *map)
{
    return XXH3_64bits(map + HEAD_ROOM, file_len(head) - HEAD_ROOM);
}

/* Sets the pointers of filter and table into a mapping. */
static void point(th_sealed_table *sealed, void *map, const struct head *head)
{
    char *bytes = map;
    *sealed = (th_sealed_table){
        .table = { .slots = (th_slot *)(void *)(bytes + HEAD_ROOM + filter_len(head)),
                   .slot_count = head->slot_count,
                   .used = head->used },
        .filter = { .lines = (th_filter_line *)(void *)(bytes + HEAD_ROOM),
                    .line_count = head->line_count },
        .map = map,
        .map_len = file_len(head),
    };
}

void th_sealed_table_close(th_sealed_table *sealed)
{
    if (sealed->map)
        (void)munmap(sealed->map, sealed->map_len);
    *sealed = (th_sealed_table){ 0 };
}

/* ---- writing ---- */

static void fill(void *map, struct head *head, const th_slot_table *table)
{
    th_sealed_table sealed;
    point(&sealed, map, head);
    sealed.table.used = 0;
    th_slot_table_move(table, &sealed.table);
    for (uint64_t i = 0; i < table->slot_count; i++)
        if (table->slots[i].ref)
            th_key_filter_add(&sealed.filter, table->slots[i].key);
    head->body = checksum_of_body(head, map);
    head->checksum = checksum_of(head);
    memcpy(map, head, sizeof *head);
}

/* Fills the file through a mapping. Its blocks are allocated first, so a full disk is an
 * error and not a signal. */
static th_status fill_file(int fd, const char *path, struct head *head,
                           const th_slot_table *table, th_error *err)
{
    const size_t len = file_len(head);
    const int refused = posix_fallocate(fd, 0, (off_t)len);
    if (refused)
        return th_fail(err, th_io_status(refused),
                       "cannot allocate %zu bytes for '%s': %s", len, path,
                       strerror(refused));
    void *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return th_fail(err, th_io_status(errno), "cannot map '%s': %s", path,
                       strerror(errno));
    fill(map, head, table);
    (void)munmap(map, len);
    return TH_OK;
}

th_status th_sealed_table_write(const char *path, const th_sealed_head *head,
                                const th_slot_table *table, th_error *err)
{
    struct head file = { .magic = MAGIC,
                         .version = VERSION,
                         .number = head->number,
                         .scheme = head->scheme,
                         .journal_len = head->journal_len,
                         .line_count = th_key_filter_size(table->used),
                         .slot_count = th_slot_table_size(table->used),
                         .used = table->used };
    th_file_sink *sink = NULL;
    char *part = NULL;
    if (asprintf(&part, "%s" TH_PART_SUFFIX, path) < 0)
        return th_fail(err, TH_NOMEM, "out of memory for the path of a table");
    int fd = open(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    th_status status = fd >= 0 ? fill_file(fd, part, &file, table, err)
                               : th_fail(err, th_io_status(errno), "cannot open '%s': %s",
                                         part, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    /* The file is complete. The sink continues after the last byte, so it only syncs and
     * renames. */
    if (status == TH_OK)
        status = th_file_sink_open(path, file_len(&file), &sink, err);
    if (status == TH_OK)
        status = th_file_sink_finish(sink, err);
    th_file_sink_free(sink);
    if (status != TH_OK)
        (void)unlink(part);
    free(part);
    return status;
}

/* ---- reading ---- */

/* @param wanted  if the head is intact, its journal_len is set to the head's */
static bool is_head_good(const struct head *found, th_sealed_head *wanted, uint64_t len)
{
    const uint64_t max = UINT64_MAX >> 8; /* no product below overflows */
    const uint64_t journal_len = wanted->journal_len;
    if (found->magic != MAGIC || found->version != VERSION ||
        found->checksum != checksum_of(found) || found->number != wanted->number ||
        found->scheme != wanted->scheme)
        return false;
    wanted->journal_len = found->journal_len;
    return found->journal_len == journal_len && found->line_count > 0 &&
           found->line_count < max && found->slot_count < max &&
           found->used < found->slot_count && file_len(found) == len;
}

static th_status map_file(int fd, const char *path, th_sealed_head *wanted,
                          th_sealed_table *out, th_error *err)
{
    struct stat facts;
    struct head head;
    if (fstat(fd, &facts) != 0)
        return th_fail(err, th_io_status(errno), "cannot stat '%s': %s", path,
                       strerror(errno));
    const ssize_t got = pread(fd, &head, sizeof head, 0);
    if (got < 0)
        return th_fail(err, th_io_status(errno), "cannot read '%s': %s", path,
                       strerror(errno));
    if (got != sizeof head || !is_head_good(&head, wanted, (uint64_t)facts.st_size))
        return th_fail(err, TH_DAMAGED, "table '%s' is truncated", path);
    void *map = mmap(NULL, file_len(&head), PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return th_fail(err, th_io_status(errno), "cannot map '%s': %s", path,
                       strerror(errno));
    (void)madvise(map, file_len(&head), MADV_SEQUENTIAL);
    point(out, map, &head);
    if (head.body != checksum_of_body(&head, map)) {
        th_sealed_table_close(out);
        return th_fail(err, TH_DAMAGED, "table '%s' is damaged", path);
    }
    (void)madvise(map, file_len(&head), MADV_RANDOM);
    return TH_OK;
}

th_status th_sealed_table_open(const char *path, th_sealed_head *head,
                               th_sealed_table *out, th_error *err)
{
    *out = (th_sealed_table){ 0 };
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return th_fail(err, TH_ABSENT, "no table '%s'", path);
    if (fd < 0)
        return th_fail(err, th_io_status(errno), "cannot open '%s': %s", path,
                       strerror(errno));
    const th_status status = map_file(fd, path, head, out, err);
    (void)close(fd);
    return status;
}
