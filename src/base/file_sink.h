/*
 * Bytes into a file that appears whole: written under a temporary name in the same
 * folder, synced, renamed. An interrupted file keeps its temporary name and can be taken
 * up again.
 */
#ifndef TH_FILE_SINK_H
#define TH_FILE_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/status.h"
#include "thresher/view.h"

/* What a file is called until it is whole: its name and this. */
#define TH_PART_SUFFIX ".part"

typedef struct th_file_sink th_file_sink;

/** Whether a path is written as it is: "-" for stdout, the name of an open descriptor
 * (/dev/stdout, /dev/fd/N, /proc/self/fd/N), a device, a pipe. Beside such a name no file
 * can be made, and what was written cannot be taken up again. */
bool th_file_sink_is_stream(const char *path);

/**
 * Opens a sink.
 * @param path   final name, or a stream
 * @param start  length at which to go on: the temporary file is cut there. 0 starts anew
 * @return TH_OK; TH_NO_ROOM (the disk is full, or no descriptor is free); TH_IO, also
 *         when the temporary file is shorter than `start` or is being written by another
 *         sink; TH_NOMEM; err has the path
 */
th_status th_file_sink_open(const char *path, uint64_t start, th_file_sink **out,
                            th_error *err);

/** Appends bytes. TH_OK, TH_NO_ROOM, TH_IO; after a failure each further call fails. */
th_status th_file_sink_write(th_file_sink *sink, th_view bytes, th_error *err);

/** Makes what was written durable. TH_OK, TH_NO_ROOM, TH_IO. */
th_status th_file_sink_sync(th_file_sink *sink, th_error *err);

/** Length of the file so far. */
uint64_t th_file_sink_len(const th_file_sink *sink);

/**
 * A checksum (XXH3) of the last 64 KiB before `len`, or of less where there is less, read
 * back from the file: what --resume compares before it appends.
 * @param len  at most the length of the file
 * @param sum  out; 0 for a stream and for length 0
 * @return TH_OK; TH_IO: the bytes cannot be read; TH_NOMEM
 */
th_status th_file_sink_sum(const th_file_sink *sink, uint64_t len, uint64_t *sum,
                           th_error *err);

/** Syncs, closes and gives the file its final name, over a file that has it, then syncs
 * the folder. TH_OK, TH_NO_ROOM, TH_IO. */
th_status th_file_sink_finish(th_file_sink *sink, th_error *err);

/** Closes; an unfinished file keeps its temporary name. NULL is legal. */
void th_file_sink_free(th_file_sink *sink);

/**
 * Writes a small file whole: temporary name, sync, rename.
 * @return TH_OK; TH_NO_ROOM, TH_IO: a file that had the name is as it was, unless it was
 *         the folder that could not be synced; TH_NOMEM
 */
th_status th_file_replace(const char *path, th_view bytes, th_error *err);

/** Removes what a th_file_replace() of this path left that was killed before its rename;
 * nothing where there is nothing. The next one would write over it. TH_OK; TH_IO; TH_NOMEM. */
th_status th_file_forget_part(const char *path, th_error *err);

#endif
