/* Reads and writes lines of the rules of hosts. See the header. */
#include "robots/robots_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/ascii.h"
#include "base/io_status.h"

#define LINE_START "{\"host\":\""

enum { LAST_LINE_MAX = 256 };

struct th_robots_file {
    void *map;
    size_t size;   /* of the map */
    th_view lines; /* of hosts */
    uint64_t count, checksum;
};

void th_robots_line_begin(th_view origin, th_buffer *out)
{
    th_buffer_append_text(out, LINE_START);
    th_buffer_append_view(out, origin);
    th_buffer_append_char(out, '"');
}

void th_robots_line_end(uint64_t hosts, uint64_t checksum, th_buffer *out)
{
    th_buffer_printf(out,
                     "{\"schema\":\"" TH_ROBOTS_SCHEMA "\",\"hosts\":%" PRIu64
                     ",\"xxh3\":\"%016" PRIx64 "\"}\n",
                     hosts, checksum);
}

/* Reads the last line. @return TH_OK, TH_USAGE if the file does not end with one, TH_NOMEM
 */
static th_status read_last_line(th_robots_file *file)
{
    char text[LAST_LINE_MAX];
    const char *const bytes = file->map;
    if (!bytes || !file->size)
        return TH_USAGE;
    size_t start = file->size - 1;
    while (start && bytes[start - 1] != '\n' && file->size - start < LAST_LINE_MAX)
        start--;
    const size_t len = file->size - start;
    if (!len || len >= LAST_LINE_MAX)
        return TH_USAGE;
    memcpy(text, bytes + start, len);
    text[len] = '\0';
    static const char form[] = "{\"schema\":\"" TH_ROBOTS_SCHEMA "\",\"hosts\":";
    if (strncmp(text, form, sizeof form - 1) != 0)
        return TH_USAGE;
    char *end = NULL;
    file->count = strtoull(text + sizeof form - 1, &end, 10);
    static const char next[] = ",\"xxh3\":\"";
    if (strncmp(end, next, sizeof next - 1) != 0)
        return TH_USAGE;
    file->checksum = strtoull(end + sizeof next - 1, NULL, 16);
    th_buffer line = { 0 };
    th_robots_line_end(file->count, file->checksum, &line);
    const th_status status = line.has_failed ? TH_NOMEM
                             : line.len == len && memcmp(line.data, text, len) == 0
                                 ? TH_OK
                                 : TH_USAGE;
    th_buffer_done(&line);
    file->lines = (th_view){ bytes, start };
    return status;
}

static th_status map_file(const char *path, th_robots_file *file, th_error *err)
{
    struct stat facts;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return th_fail(err, TH_IO, "cannot read '%.200s': %s", path, strerror(errno));
    th_status status = TH_OK;
    if (fstat(fd, &facts) != 0) {
        status = th_fail(err, th_io_status(errno), "cannot read '%.200s': %s", path,
                         strerror(errno));
    } else if (!S_ISREG(facts.st_mode) || facts.st_size == 0) {
        status = th_fail(err, TH_USAGE,
                         "'%.200s' is not a file of `thresher robots build`", path);
    } else {
        file->size = (size_t)facts.st_size;
        file->map = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file->map == MAP_FAILED) {
            file->map = NULL;
            status = th_fail(err, th_io_status(errno), "cannot map '%.200s': %s", path,
                             strerror(errno));
        }
    }
    (void)close(fd);
    return status;
}

th_status th_robots_file_open(const char *path, th_robots_file **out, th_error *err)
{
    th_robots_file *file = calloc(1, sizeof *file);
    *out = NULL;
    if (!file)
        return th_fail(err, TH_NOMEM, "out of memory for '%.200s'", path);
    th_status status = map_file(path, file, err);
    if (status == TH_OK)
        status = read_last_line(file);
    if (status == TH_NOMEM)
        (void)th_fail(err, status, "out of memory for '%.200s'", path);
    else if (status == TH_USAGE && file->map)
        (void)th_fail(err, status,
                      "'%.200s' is not a complete file of `thresher robots build`", path);
    if (status == TH_OK &&
        XXH3_64bits(file->lines.data, file->lines.len) != file->checksum)
        status = th_fail(err, TH_DAMAGED,
                         "'%.200s' is damaged; repeat `thresher robots build`", path);
    if (status == TH_OK)
        *out = file;
    else
        th_robots_file_free(file);
    return status;
}

void th_robots_file_free(th_robots_file *file)
{
    if (!file)
        return;
    if (file->map)
        (void)munmap(file->map, file->size);
    free(file);
}

uint64_t th_robots_file_checksum(const th_robots_file *file)
{
    return file->checksum;
}

th_view th_robots_file_lines(const th_robots_file *file)
{
    return file->lines;
}

/* Returns the origin at the start of a line, absent if the line is damaged. */
static th_view origin_of(th_view line)
{
    const size_t start = strlen(LINE_START);
    const char *const end =
        line.len > start ? memchr(line.data + start, '"', line.len - start) : NULL;
    if (!end || memcmp(line.data, LINE_START, start) != 0)
        return (th_view){ NULL, 0 };
    return (th_view){ line.data + start, (size_t)(end - line.data) - start };
}

th_view th_robots_file_find(const th_robots_file *file, th_view origin)
{
    const char *const bytes = file->lines.data;
    size_t low = 0, high = file->lines.len; /* starts of lines */
    while (low < high) {
        size_t start = low + (high - low) / 2;
        const char *const before = memrchr(bytes + low, '\n', start - low);
        start = before ? (size_t)(before - bytes) + 1 : low;
        const char *const end = memchr(bytes + start, '\n', file->lines.len - start);
        const size_t stop = end ? (size_t)(end - bytes) : file->lines.len;
        const th_view line = { bytes + start, stop - start };
        const int order = th_view_order(origin, origin_of(line));
        if (order == 0)
            return line;
        if (order < 0)
            high = start;
        else
            low = stop + 1 < high ? stop + 1 : high;
    }
    return (th_view){ NULL, 0 };
}
