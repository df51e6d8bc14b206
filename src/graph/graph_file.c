#include "graph/graph_file.h"

#include <stdio.h>
#include <unistd.h>

#include "write/format.h"

enum { MEMBER_LEN = 1 << 20 }; /* bytes of rows in a gzip member, and a row more */

static th_status write_member(th_graph_file *file, th_error *err)
{
    th_buffer_reset(&file->packed);
    if (file->rows.has_failed ||
        th_compress(TH_GZIP, th_buffer_view(&file->rows), &file->packed) != TH_OK)
        return th_fail(err, TH_NOMEM, "out of memory to compress the output");
    th_buffer_reset(&file->rows);
    return th_file_sink_write(file->sink, th_buffer_view(&file->packed), err);
}

th_status th_graph_file_open(th_graph_file *file, const char *folder, const char *name,
                             th_error *err)
{
    const int len = snprintf(file->path, sizeof file->path - sizeof TH_PART_SUFFIX,
                             "%s/%s", folder, name);
    if (len < 0 || (size_t)len >= sizeof file->path - sizeof TH_PART_SUFFIX)
        return th_fail(err, TH_USAGE, "the path of the folder is too long");
    return th_file_sink_open(file->path, 0, &file->sink, err);
}

th_status th_graph_file_row(th_graph_file *file, th_error *err)
{
    return file->rows.len < MEMBER_LEN ? TH_OK : write_member(file, err);
}

th_status th_graph_file_finish(th_graph_file *file, th_error *err)
{
    th_status status = write_member(file, err);
    if (status == TH_OK)
        status = th_file_sink_finish(file->sink, err);
    if (status == TH_OK)
        file->path[0] = '\0';
    return status;
}

void th_graph_file_done(th_graph_file *file)
{
    char part[sizeof file->path + sizeof TH_PART_SUFFIX];
    (void)snprintf(part, sizeof part, "%s" TH_PART_SUFFIX, file->path);
    if (file->sink && file->path[0])
        (void)unlink(part);
    th_file_sink_free(file->sink);
    th_buffer_done(&file->rows);
    th_buffer_done(&file->packed);
    *file = (th_graph_file){ .sink = NULL };
}
