/* The folder of an index: its lock, its scheme, and its segments. */
#ifndef TH_INDEX_FOLDER_H
#define TH_INDEX_FOLDER_H

#include "index/index_scheme.h"

/**
 * Locks a folder for this process, creates it if it is missing, and checks that it is an
 * index of the scheme. A new index gets a file `scheme`. Other files are not changed.
 * @param lock_fd  out: the lock's descriptor, which the caller closes, also after a
 *                 failure; with TH_OK it holds the lock until then. -1 if none is open
 * @return TH_OK; TH_USAGE if another process has it, it was made with another scheme, or
 *         the folder is not an index; TH_NO_ROOM; TH_IO; TH_NOMEM
 */
th_status th_index_folder_take(const char *dir, const th_index_scheme *scheme,
                               int *lock_fd, th_error *err);

/** Finds the lowest and highest number of the segments, by their journals. @return false
 * if there are no segments; then neither is set */
bool th_index_folder_segments(const char *dir, uint32_t *first, uint32_t *last);

#endif
