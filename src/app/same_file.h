/*
 * The files that a command reads and writes. A file that would be both read and written,
 * or written twice, is rejected before any file is changed.
 *
 * Files that exist are identified by device and inode, so that a link and its target are
 * one file. Files that do not exist yet are identified by folder and name. Devices, pipes
 * and folders are not data that can be lost: any number of uses may share them.
 */
#ifndef TH_SAME_FILE_H
#define TH_SAME_FILE_H

#include <stdint.h>

#include "ingest/input_list.h"
#include "thresher/arena.h"
#include "thresher/status.h"

/** Uses of files, gathered until they are checked. { 0 } is empty. */
typedef struct th_file_uses {
    struct th_file_use *items; /* in the arena */
    uint32_t count, capacity;
    const char *stdout_role; /* current use of stdout; NULL if unused */
    th_arena *arena;         /* owned; NULL until it is needed */
} th_file_uses;

/**
 * Notes a file that is read, "-" = stdin. If a file cannot be found, the reader reports
 * it. TH_OK or TH_NOMEM.
 */
th_status th_file_uses_input(th_file_uses *uses, const char *path, th_error *err);

/**
 * Notes all input files of a command line.
 * @param inputs     the list made from the arguments
 * @param arguments  the arguments, because an @list is also a file
 * @return TH_OK or TH_NOMEM
 */
th_status th_file_uses_inputs(th_file_uses *uses, const th_input_list *inputs, int count,
                              char *const *arguments, th_error *err);

/**
 * Notes a file that is written, and the temporary one next to it.
 * @param role  the data written there, for the message: "output", "rejects"; borrowed
 * @param path  "-" = stdout, "" = not written
 * @return TH_OK; TH_USAGE if other data already goes to stdout; TH_NOMEM
 */
th_status th_file_uses_output(th_file_uses *uses, const char *role, const char *path,
                              th_error *err);

/**
 * Checks that every file has one use, except inputs, which may occur twice. TH_OK, or
 * TH_USAGE with both uses in err. O(n log n), reorders the uses.
 */
th_status th_file_uses_check(th_file_uses *uses, th_error *err);

void th_file_uses_done(th_file_uses *uses);

#endif
