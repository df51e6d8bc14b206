/*
 * JSON lines in a zstd file with two frames at its end that decompressors skip: an index
 * of ids, and the seek table of zstd's seekable format, so that a reader finds a record
 * and decompresses only its frame.
 *
 *   frame              one for each batch of lines
 *   ...
 *   index    0x184D2A5D, bytes of the rest (u32), "thrgids1", count (u64), then for each
 *            record XXH3-64 of its id (u64) and the number of its frame (u32), sorted;
 *            left out if it would exceed 4 GiB
 *   table    0x184D2A5E, bytes of the rest (u32), for each frame, and the index, stored
 *            and decompressed bytes (u32 each), number of entries (u32), 0 (u8),
 *            0x8F92EAB1
 *
 * Numbers are little-endian. [zstd, contrib/seekable_format]
 */
#ifndef TH_SEEKABLE_FILE_H
#define TH_SEEKABLE_FILE_H

#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"

enum { TH_SEEKABLE_FRAME_MAX = 256 << 20 }; /* bytes of a frame, decompressed */

/** Takes a piece of the frames at the end. TH_OK to continue */
typedef th_status (*th_seekable_write)(void *context, th_view bytes, th_error *err);

/**
 * Makes the two frames from the frames of a file, which it decompresses. Nothing else is
 * kept, so a run that was killed and resumed makes the same frames.
 * @param path  of the file
 * @param len   bytes of complete frames in it
 * @param temp  folder for sorting more than 64 MiB of the index; "" as in scratch_file.h
 * @return TH_OK; the status of `write`; TH_DAMAGED if the bytes are not such frames;
 *         TH_TOO_LARGE for a larger frame; TH_IO; TH_NOMEM
 */
th_status th_seekable_end(const char *path, uint64_t len, const char *temp,
                          th_seekable_write write, void *context, th_error *err);

typedef struct th_seekable_file th_seekable_file;

/**
 * Opens a file, of thresher or another writer of the format.
 * @param path  borrowed while it is open
 * @return TH_OK; TH_ABSENT if it has no seek table; TH_DAMAGED; TH_IO; TH_NOMEM. 12 bytes
 *         of memory for each frame
 */
th_status th_seekable_open(const char *path, th_seekable_file **out, th_error *err);

/** NULL is legal. */
void th_seekable_free(th_seekable_file *file);

/** Takes a line, without its end. TH_OK to continue */
typedef th_status (*th_seekable_found)(void *context, th_view line, th_error *err);

/**
 * Finds the records with an id, in their order, through the index; without an index, in
 * all frames.
 * @param count  out: how many
 * @return TH_OK; the status of `found`; TH_DAMAGED with the offset in err; TH_IO; TH_NOMEM
 */
th_status th_seekable_get(th_seekable_file *file, th_view id, th_seekable_found found,
                          void *context, uint64_t *count, th_error *err);

#endif
