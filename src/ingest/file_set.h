/* A set of files and folders, identified by inode, not by name. */
#ifndef TH_FILE_SET_H
#define TH_FILE_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "thresher/arena.h"
#include "thresher/status.h"

/** A set of files. { 0 } is empty; its memory is the arena's. */
typedef struct th_file_set {
    struct th_file_key *keys; /* open addressing; capacity a power of two */
    uint32_t count, capacity;
} th_file_set;

/**
 * Adds a file by device and inode. If it is not a folder, its length and time are also
 * compared, for file systems that give one inode to several files.
 * @param is_new  out: false if it was in the set
 * @return TH_OK or TH_NOMEM. Cost: O(1) amortised; a table of 32-byte keys that is at
 *         most 2/3 full, and the smaller ones before it, which stay in the arena.
 */
th_status th_file_set_add(th_file_set *set, th_arena *arena, const struct stat *facts,
                          bool *is_new);

#endif
