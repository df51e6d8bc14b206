/*
 * State of a folder that survives a crash, for a memory that goes with an output: the index
 * and the site memory.
 *
 * One process at a time has the folder. A file has the last two states of the memory: the
 * committed state, and the state that was prepared after it. Each has a mark. The output
 * stores a mark together with its records. At the start the memory returns to the state of
 * the mark that the output has, so a crash at any moment loses nothing of either.
 */
#ifndef TH_STATE_FOLDER_H
#define TH_STATE_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "thresher/status.h"

/**
 * Makes a folder, if it is missing, and locks it for this process.
 * @param what     for messages: "the index"
 * @param lock_fd  out: holds the lock until the caller closes it. -1 if it was not opened
 * @return TH_OK; TH_USAGE if another process has it; TH_IO; TH_NOMEM
 */
th_status th_state_folder_lock(const char *dir, const char *what, int *lock_fd,
                               th_error *err);

/**
 * Replaces a file of states atomically, and syncs it.
 * @param file  a struct without padding, or with zeros there; its last 8 bytes receive the
 *              checksum of the others
 * @return as th_file_replace
 */
th_status th_state_file_save(const char *path, void *file, size_t len, th_error *err);

/**
 * Reads a file of states.
 * @return TH_OK; TH_ABSENT; TH_DAMAGED, without a message, if it has another length or
 *         checksum; TH_NO_ROOM if no descriptor is free; TH_IO
 */
th_status th_state_file_load(const char *path, void *file, size_t len, th_error *err);

/** Returns the state with a mark, not 0, or NULL. Both states begin with their mark, a
 * uint64_t. */
const void *th_state_with_mark(const void *older, const void *newest, uint64_t mark);

#endif
