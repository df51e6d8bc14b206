/*
 * The files that a command reads and writes. One that would be both read and written, or
 * written twice, is refused while nothing has been touched.
 *
 * Files that exist are identified by device and inode, so that a link and its target are
 * one file; those that do not exist yet by their folder and name. Devices, pipes and
 * folders are not data that can be lost: any number of uses may share them.
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
    const char *stdout_role; /* what goes to stdout already; NULL: nothing yet */
    th_arena *arena;         /* owned; NULL until it is needed */
} th_file_uses;

/** Notes a file that is read, "-" = stdin. One that cannot be found is left to the
 * reader's own words. TH_OK or TH_NOMEM. */
th_status th_file_uses_input(th_file_uses *uses, const char *path, th_error *err);

/**
 * Notes all that a command line's inputs stand for.
 * @param inputs     what became of the arguments
 * @param arguments  themselves: an @list is a file too
 * @return TH_OK or TH_NOMEM
 */
th_status th_file_uses_inputs(th_file_uses *uses, const th_input_list *inputs, int count,
                              char *const *arguments, th_error *err);

/**
 * Notes a file that is written, and the temporary one beside it.
 * @param role  what goes there, for the message: "output", "rejects"; borrowed
 * @param path  "-" = stdout, "" = not written
 * @return TH_OK; TH_USAGE when something else goes to stdout already; TH_NOMEM
 */
th_status th_file_uses_output(th_file_uses *uses, const char *role, const char *path,
                              th_error *err);

/** Whether every file has one use, inputs aside, which may come twice. TH_OK, or TH_USAGE
 * with both uses in err. O(n log n), reorders the uses. */
th_status th_file_uses_check(th_file_uses *uses, th_error *err);

void th_file_uses_done(th_file_uses *uses);

#endif
