/* Reads and writes the file of a site memory. See the header. */
#include "site/site_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file_sink.h"
#include "base/io_status.h"

enum { VERSION = 2, TOLD_DAMAGE = 20 };

/* Flag in th_site_file's head: segments are counted. */
enum { HAS_SEGMENTS = 1u << 8 };

static const char magic[16] = "thresher sites\n";

struct head {
    char magic[16];
    uint32_t version, grouping; /* and HAS_SEGMENTS */
    uint64_t site_count, page_count;
    uint64_t index_offset, index_checksum;
    uint64_t checksum; /* of the bytes before it */
};

struct place {
    uint64_t number, offset;
};

struct th_site_file {
    char *path;
    void *map;
    size_t len;
    struct head head;
    const struct place *index;
    th_warning_fn warn;
    void *warn_context;
    atomic_ullong damaged;
};

/* ---- reading ---- */

static th_status map_file(th_site_file *file, th_error *err)
{
    struct stat facts;
    const int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return th_fail(err, errno == ENOENT ? TH_ABSENT : TH_IO,
                       "cannot open '%.300s': %s", file->path, strerror(errno));
    th_status status = TH_OK;
    if (fstat(fd, &facts) != 0)
        status = th_fail(err, th_io_status(errno), "cannot read '%.300s': %s", file->path,
                         strerror(errno));
    else if (!S_ISREG(facts.st_mode))
        status = th_fail(err, TH_USAGE, "'%.300s' is not a sites file", file->path);
    else if ((size_t)facts.st_size < sizeof(struct head))
        status =
            th_fail(err, TH_USAGE, "'%.300s' is not a sites file: too short", file->path);
    if (status == TH_OK) {
        file->len = (size_t)facts.st_size;
        file->map = mmap(NULL, file->len, PROT_READ, MAP_SHARED, fd, 0);
        if (file->map == MAP_FAILED) {
            file->map = NULL;
            status = th_fail(err, th_io_status(errno), "cannot map '%.300s': %s",
                             file->path, strerror(errno));
        }
    }
    close(fd);
    return status;
}

static th_status fail_damaged(const th_site_file *file, const char *what, uint64_t at,
                              th_error *err)
{
    return th_fail(err, TH_DAMAGED, "'%.300s': %s at byte %" PRIu64, file->path, what,
                   at);
}

static th_status check_head(th_site_file *file, th_error *err)
{
    struct head *head = &file->head;
    assert(file->map);
    memcpy(head, file->map, sizeof *head);
    if (memcmp(head->magic, magic, sizeof magic) != 0)
        return th_fail(err, TH_USAGE, "'%.300s' is not a sites file", file->path);
    if (head->version != VERSION)
        return th_fail(err, TH_USAGE,
                       "'%.300s' is a sites file of version %u (expected version %d)",
                       file->path, head->version, VERSION);
    if (XXH3_64bits(head, offsetof(struct head, checksum)) != head->checksum)
        return fail_damaged(file, "its header is damaged", 0, err);
    const uint64_t index_len = head->site_count * sizeof(struct place);
    if (head->site_count > file->len / sizeof(struct place) || head->index_offset % 8 ||
        head->index_offset < sizeof *head || head->index_offset > file->len ||
        file->len - head->index_offset != index_len)
        return th_fail(
            err, TH_DAMAGED,
            "'%.300s' is truncated: %zu bytes, but its index starts at %" PRIu64
            " and has %" PRIu64 " bytes",
            file->path, file->len, head->index_offset, index_len);
    const char *index = (const char *)file->map + head->index_offset;
    file->index = (const struct place *)(const void *)index;
    if (XXH3_64bits(index, index_len) != head->index_checksum)
        return fail_damaged(file, "its index is damaged", head->index_offset, err);
    return TH_OK;
}

th_status th_site_file_open(const char *path, th_warning_fn warn, void *warn_context,
                            th_site_file **out, th_error *err)
{
    th_site_file *file = calloc(1, sizeof *file);
    if (!file || !(file->path = strdup(path))) {
        free(file);
        return th_fail(err, TH_NOMEM, "out of memory");
    }
    file->warn = warn;
    file->warn_context = warn_context;
    th_status status = map_file(file, err);
    if (status == TH_OK)
        status = check_head(file, err);
    if (status == TH_OK)
        *out = file;
    else
        th_site_file_close(file);
    return status;
}

void th_site_file_close(th_site_file *file)
{
    if (!file)
        return;
    if (file->map)
        munmap(file->map, file->len);
    free(file->path);
    free(file);
}

th_site_grouping th_site_file_grouping(const th_site_file *file)
{
    return file->head.grouping & ~(uint32_t)HAS_SEGMENTS ? TH_SITE_HOST : TH_SITE_DOMAIN;
}

bool th_site_file_has_segments(const th_site_file *file)
{
    return file->head.grouping & HAS_SEGMENTS;
}

uint64_t th_site_file_count(const th_site_file *file)
{
    return file->head.site_count;
}

uint64_t th_site_file_pages(const th_site_file *file)
{
    return file->head.page_count;
}

uint64_t th_site_file_checksum(const th_site_file *file)
{
    return file->head.checksum;
}

uint64_t th_site_file_damaged(const th_site_file *file)
{
    return atomic_load(&file->damaged);
}

uint64_t th_site_file_number(const th_site_file *file, uint64_t place)
{
    return file->index[place].number;
}

static th_status report_damage(th_site_file *file, uint64_t place)
{
    const unsigned long long told = atomic_fetch_add(&file->damaged, 1);
    if (!file->warn || told > TOLD_DAMAGE)
        return TH_DAMAGED;
    char line[600];
    (void)snprintf(line, sizeof line,
                   told < TOLD_DAMAGE ? "%.400s: site %016" PRIx64 " at byte %" PRIu64
                                        " is damaged"
                                      : "%.400s: further damaged sites are not listed",
                   file->path, file->index[place].number, file->index[place].offset);
    file->warn(file->warn_context, line);
    return TH_DAMAGED;
}

th_status th_site_file_at(th_site_file *file, uint64_t place, th_site *out)
{
    const struct place *at = &file->index[place];
    if (at->offset < sizeof(struct head) || at->offset % 8 ||
        at->offset >= file->head.index_offset)
        return report_damage(file, place);
    const th_view bytes = { (const char *)file->map + at->offset,
                            file->head.index_offset - at->offset };
    if (th_site_read(bytes, out, NULL) != TH_OK || out->number != at->number)
        return report_damage(file, place);
    return TH_OK;
}

th_status th_site_file_verify(th_site_file *file, th_error *err)
{
    for (uint64_t i = 0; i < file->head.site_count; i++) {
        th_site site;
        (void)th_site_file_at(file, i, &site);
    }
    const unsigned long long damaged = atomic_load(&file->damaged);
    return damaged ? th_fail(err, TH_DAMAGED,
                             "'%.300s': %llu of %" PRIu64
                             " sites are damaged; rebuild the file",
                             file->path, damaged, file->head.site_count)
                   : TH_OK;
}

th_status th_site_file_find(th_site_file *file, const th_site_name *name, th_site *out)
{
    uint64_t low = 0, high = file->head.site_count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (file->index[middle].number < name->number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == file->head.site_count || file->index[low].number != name->number)
        return TH_ABSENT;
    return th_site_file_at(file, low, out);
}

/* ---- writing ---- */

struct th_site_writer {
    th_file_sink *sink;
    char *part; /* temporary name until the file is complete */
    struct head head;
    th_buffer index;
    bool is_done;
};

static th_status write_head(th_site_writer *writer, th_error *err)
{
    return th_file_sink_write(
        writer->sink, (th_view){ (const char *)&writer->head, sizeof writer->head }, err);
}

th_status th_site_writer_open(const char *path, th_site_grouping grouping,
                              bool has_segments, th_site_writer **out, th_error *err)
{
    th_site_writer *writer = calloc(1, sizeof *writer);
    if (!writer || asprintf(&writer->part, "%s" TH_PART_SUFFIX, path) < 0) {
        free(writer);
        return th_fail(err, TH_NOMEM, "out of memory");
    }
    memcpy(writer->head.magic, magic, sizeof magic);
    writer->head.version = VERSION;
    writer->head.grouping = grouping | (has_segments ? HAS_SEGMENTS : 0u);
    th_status status = th_file_sink_open(path, 0, &writer->sink, err);
    if (status == TH_OK)
        status = write_head(writer, err);
    if (status == TH_OK)
        *out = writer;
    else
        th_site_writer_free(writer);
    return status;
}

th_status th_site_writer_add(th_site_writer *writer, th_view sites, th_error *err)
{
    th_view rest = sites;
    while (rest.len) {
        th_site site;
        size_t len = 0;
        if (th_site_read(rest, &site, &len) != TH_OK)
            return th_fail(err, TH_DAMAGED, "damaged site");
        const struct place place = { site.number, th_file_sink_len(writer->sink) +
                                                      (size_t)(rest.data - sites.data) };
        th_buffer_append(&writer->index, (const char *)&place, sizeof place);
        writer->head.site_count++;
        writer->head.page_count += site.pages;
        rest = (th_view){ rest.data + len, rest.len - len };
    }
    if (writer->index.has_failed)
        return th_fail(err, TH_NOMEM, "out of memory for an index of sites");
    return sites.len ? th_file_sink_write(writer->sink, sites, err) : TH_OK;
}

/* Writes the head last, into the temporary file before the rename. */
static th_status put_head(const th_site_writer *writer, th_error *err)
{
    const int fd = open(writer->part, O_WRONLY | O_CLOEXEC);
    const bool is_written = fd >= 0 && pwrite(fd, &writer->head, sizeof writer->head,
                                              0) == (ssize_t)sizeof writer->head;
    const th_status status = is_written ? TH_OK
                                        : th_fail(err, TH_IO, "cannot write '%.300s': %s",
                                                  writer->part, strerror(errno));
    if (fd >= 0)
        close(fd);
    return status;
}

th_status th_site_writer_finish(th_site_writer *writer, th_error *err)
{
    struct head *head = &writer->head;
    const th_view index = th_buffer_view(&writer->index);
    head->index_offset = th_file_sink_len(writer->sink);
    head->index_checksum = XXH3_64bits(index.data, index.len);
    head->checksum = XXH3_64bits(head, offsetof(struct head, checksum));
    th_status status = index.len ? th_file_sink_write(writer->sink, index, err) : TH_OK;
    if (status == TH_OK)
        status = th_file_sink_sync(writer->sink, err);
    if (status == TH_OK)
        status = put_head(writer, err);
    if (status == TH_OK)
        status = th_file_sink_finish(writer->sink, err);
    writer->is_done = status == TH_OK;
    return status;
}

void th_site_writer_free(th_site_writer *writer)
{
    if (!writer)
        return;
    th_file_sink_free(writer->sink);
    if (writer->sink && !writer->is_done)
        (void)unlink(writer->part);
    th_buffer_done(&writer->index);
    free(writer->part);
    free(writer);
}
