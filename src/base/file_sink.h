/*
 * Writes a file atomically: under a temporary name in the same folder, then sync and
 * rename. An interrupted file keeps its temporary name and can be resumed.
 */
#ifndef TH_FILE_SINK_H
#define TH_FILE_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"
#include "thresher/view.h"

/* Suffix of a file's name until the file is complete. */
#define TH_PART_SUFFIX ".part"

typedef struct th_file_sink th_file_sink;

/** Returns whether a path is written directly: "-" for stdout, the name of an open
 * descriptor (/dev/stdout, /dev/fd/N, /proc/self/fd/N), a device, a pipe. Such a path
 * cannot have a temporary file, and its output cannot be resumed. */
bool th_file_sink_is_stream(const char *path);

/**
 * Opens a sink.
 * @param path   final name, or a stream
 * @param start  length at which to continue: the temporary file is truncated to it. 0
 *               starts again
 * @return TH_OK. TH_NO_ROOM if the disk is full or no descriptor is free. TH_IO, also
 *         when the temporary file is shorter than `start` or is being written by another
 *         sink. TH_NOMEM. err has the path
 */
th_status th_file_sink_open(const char *path, uint64_t start, th_file_sink **out,
                            th_error *err);

/** Appends bytes. TH_OK, TH_NO_ROOM, TH_IO; after a failure each further call fails. */
th_status th_file_sink_write(th_file_sink *sink, th_view bytes, th_error *err);

/** Makes all written bytes durable. TH_OK, TH_NO_ROOM, TH_IO. */
th_status th_file_sink_sync(th_file_sink *sink, th_error *err);

/** Returns the length of the file so far. */
uint64_t th_file_sink_len(const th_file_sink *sink);

/**
 * Computes a checksum (XXH3) of the last 64 KiB before `len`, or of all bytes if there
 * are fewer, read back from the file. --resume compares it before it appends.
 * @param len  at most the length of the file
 * @param sum  out; 0 for a stream and for length 0
 * @return TH_OK; TH_IO if the bytes cannot be read; TH_NOMEM
 */
th_status th_file_sink_sum(const th_file_sink *sink, uint64_t len, uint64_t *sum,
                           th_error *err);

/** Syncs and closes the file, renames it to its final name, replacing an existing file,
 * and syncs the folder. TH_OK, TH_NO_ROOM, TH_IO. */
th_status th_file_sink_finish(th_file_sink *sink, th_error *err);

/** Closes the sink; an unfinished file keeps its temporary name. NULL is legal. */
void th_file_sink_free(th_file_sink *sink);

/**
 * Replaces a small file atomically: temporary name, sync, rename.
 * @return TH_OK; TH_NO_ROOM or TH_IO: an existing file is unchanged, unless only the sync
 *         of the folder failed; TH_NOMEM
 */
th_status th_file_replace(const char *path, th_view bytes, th_error *err);

/** Removes the temporary file that a killed th_file_replace() of this path left, if there
 * is one. The next call would overwrite it. TH_OK; TH_IO; TH_NOMEM. */
th_status th_file_forget_part(const char *path, th_error *err);

#endif
