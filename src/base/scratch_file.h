/*
 * A temporary file that has no name while it is in use, so no file remains however the
 * program ends.
 */
#ifndef TH_SCRATCH_FILE_H
#define TH_SCRATCH_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "thresher/status.h"

typedef struct th_scratch_file th_scratch_file;

/**
 * Creates an empty file.
 * @param folder  its folder; "" is $TMPDIR, or /tmp
 * @return TH_OK; TH_IO with the folder in err; TH_NOMEM
 */
th_status th_scratch_open(const char *folder, th_scratch_file **out, th_error *err);

/** Closes the file and frees its disk space. NULL is legal. */
void th_scratch_free(th_scratch_file *file);

/** Appends through a buffer of 256 KiB. TH_OK; TH_IO, also when the disk is full. */
th_status th_scratch_append(th_scratch_file *file, const void *bytes, size_t len,
                            th_error *err);

/** Returns the bytes appended so far. */
uint64_t th_scratch_len(const th_scratch_file *file);

/**
 * Copies `len` bytes from `offset`; all of them must have been appended before. Flushes
 * the buffer first. Consecutive reads are read ahead. TH_OK or TH_IO.
 */
th_status th_scratch_read(th_scratch_file *file, uint64_t offset, void *bytes, size_t len,
                          th_error *err);

#endif
