/* The files that were moved last, in a ring. See the header. */
#include "spool/spool_moved.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct row {
    th_spool_file file; /* as it is in the folder; inode 0: none */
};

struct th_spool_moved {
    struct row rows[TH_SPOOL_MOVED];
    size_t next; /* row of the next file */
};

th_spool_moved *th_spool_moved_new(void)
{
    return calloc(1, sizeof(th_spool_moved));
}

void th_spool_moved_free(th_spool_moved *moved)
{
    free(moved);
}

void th_spool_moved_add(th_spool_moved *moved, const th_spool_file *file, const char *as)
{
    th_spool_file *row = &moved->rows[moved->next].file;
    moved->next = (moved->next + 1) % TH_SPOOL_MOVED;
    *row = *file;
    row->fd = -1;
    row->is_claimed = false;
    (void)snprintf(row->present, sizeof row->present, "%s", as);
}

/* Moves a file that has grown. The row gets its present identity; the ledger knows the
 * old one. @return 0, or an errno */
static int move_back(const th_spool_file *row, const struct stat *facts, int from, int to)
{
    char as[TH_SPOOL_PRESENT];
    th_error why = { .text = "" };
    th_spool_file file = *row;
    file.id.size = (uint64_t)facts->st_size;
    file.id.written_ns =
        (int64_t)facts->st_mtim.tv_sec * 1000000000 + facts->st_mtim.tv_nsec;
    errno = 0;
    const th_status status = th_spool_file_move(from, &file, to, as, &why);
    if (status == TH_OK || status == TH_NOT_YET)
        return 0; /* NOT_YET: it is written to right now, and looked at again */
    return errno ? errno : ENOENT;
}

void th_spool_moved_look(th_spool_moved *moved, int from, int to,
                         void (*warn)(void *context, const char *name, int error),
                         void *context)
{
    for (size_t i = 0; i < TH_SPOOL_MOVED; i++) {
        th_spool_file *row = &moved->rows[i].file;
        struct stat facts;
        if (!row->id.inode)
            continue;
        if (fstatat(from, row->present, &facts, AT_SYMLINK_NOFOLLOW) != 0 ||
            facts.st_ino != row->id.inode || (uint64_t)facts.st_dev != row->id.device) {
            row->id.inode = 0;
            continue;
        }
        if ((uint64_t)facts.st_size <= row->id.size)
            continue;
        warn(context, row->name, move_back(row, &facts, from, to));
        row->id.inode = 0;
    }
}
