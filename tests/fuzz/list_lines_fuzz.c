/*
 * Any bytes as a list of inputs: its lines, plain and compressed, are the same. A reference
 * to a record has an archive name that leads nowhere else, and an offset.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz_target.h"
#include "ingest/archive_place.h"
#include "ingest/list_lines.h"
#include "ingest/pointer_line.h"
#include "write/format.h"

static void require(bool claim)
{
    if (!claim)
        abort();
}

/* A list in memory, by a name that can be opened. */
static th_list_lines *open_list(th_view bytes, int *fd, char name[64])
{
    th_list_lines *lines = NULL;
    *fd = memfd_create("list", MFD_CLOEXEC);
    require(*fd >= 0 && write(*fd, bytes.data, bytes.len) == (ssize_t)bytes.len);
    (void)snprintf(name, 64, "/proc/self/fd/%d", *fd);
    require(th_list_lines_open(name, NULL, NULL, &lines, NULL) == TH_OK);
    return lines;
}

static void check_line(const char *line, th_pointer_columns *columns, th_arena *arena)
{
    const char *name = NULL;
    bool is_pointer = false;
    th_archive_place place;
    const th_status status =
        th_pointer_line_read(line, columns, arena, &name, &is_pointer, NULL);
    require(status == TH_OK || status == TH_USAGE);
    if (status != TH_OK || !is_pointer || !name) {
        (void)th_archive_place_read(line, &place);
        return;
    }
    require(*name != '/' && strncmp(name, "../", 3) != 0);
    require(th_archive_place_read(name, &place));
    const char *part = name;
    for (const char *end = name + place.name_len; part < end;) {
        const char *slash = memchr(part, '/', (size_t)(end - part));
        const size_t len = (size_t)((slash ? slash : end) - part);
        require(len != 2 || memcmp(part, "..", 2) != 0);
        part += len + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static th_arena *arena;
    th_buffer packed = { 0 };
    char names[2][64];
    int fds[2];
    if (!arena)
        arena = th_arena_new(0);
    require(arena != NULL);
    const th_view bytes = { (const char *)data, size };
    require(th_compress(TH_GZIP, bytes, &packed) == TH_OK);
    const bool is_packed = size > 1 && data[0] == 0x1f && data[1] == 0x8b;
    th_list_lines *plain = open_list(bytes, &fds[0], names[0]);
    th_list_lines *other = open_list(th_buffer_view(&packed), &fds[1], names[1]);
    th_pointer_columns columns = { .rows = TH_ROWS_NONE };
    th_status status = TH_OK;
    while (status == TH_OK) {
        const char *line = NULL, *same = NULL;
        status = th_list_lines_next(plain, &line, NULL);
        if (!is_packed)
            require(th_list_lines_next(other, &same, NULL) == status);
        if (status != TH_OK)
            break;
        require(strlen(line) < TH_LIST_LINE_MAX && !strpbrk(line, "\r\n"));
        require(is_packed || strcmp(line, same) == 0);
        th_arena_reset(arena);
        check_line(line, &columns, arena);
    }
    require(status == TH_END || status == TH_USAGE || status == TH_DAMAGED);
    th_list_lines_close(plain);
    th_list_lines_close(other);
    (void)close(fds[0]);
    (void)close(fds[1]);
    th_buffer_done(&packed);
    return 0;
}
