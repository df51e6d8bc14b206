/* The folder of an index: its lock, its scheme, the segments that lie in it. */
#ifndef TH_INDEX_FOLDER_H
#define TH_INDEX_FOLDER_H

#include "index/index_scheme.h"

/**
 * Takes a folder for this process alone, makes it where it is missing, and checks that it
 * is an index of the scheme: what is new gets a file `scheme`. Files of others are left
 * alone.
 * @param lock_fd  out: holds the lock until closed; -1 where it was not got
 * @return TH_OK; TH_USAGE: another process has it, it was made with another scheme, or is
 *         none; TH_IO; TH_NOMEM
 */
th_status th_index_folder_take(const char *dir, const th_index_scheme *scheme,
                               int *lock_fd, th_error *err);

/** Finds segments by their journals. @return false when there are none */
bool th_index_folder_segments(const char *dir, uint32_t *first, uint32_t *last);

#endif
