/*
 * A file, an object of a store, or stdin as decompressed bytes: plain, gzip or zstd, recognised by its first
 * bytes. The readable part of a damaged file is read, then the damage is reported.
 */
#ifndef TH_DECOMPRESSED_INPUT_H
#define TH_DECOMPRESSED_INPUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "remote/remote.h"
#include "thresher/status.h"

typedef struct th_decompressed_input th_decompressed_input;

enum { TH_DECOMPRESSED_PEEK = 4096 }; /* bytes */

/**
 * Opens a file or an object.
 * @param path    "-" is stdin; borrowed for the input's life
 * @param remote  opens names of objects; borrowed; NULL: every name is a file's
 * @param stop  not 0: this call and th_decompressed_read give up with TH_INTERRUPTED;
 *              borrowed for the input's life; may be NULL
 * @return TH_OK; TH_IO with the path in err; TH_NOMEM; TH_INTERRUPTED
 */
th_status th_decompressed_open(const char *path, th_remote *remote,
                               const atomic_int *stop, th_decompressed_input **out,
                               th_error *err);

/** Closes. NULL is legal. */
void th_decompressed_free(th_decompressed_input *input);

/**
 * Reads the next bytes.
 * @param got  out: 1 .. capacity bytes
 * @return TH_OK, TH_END, TH_IO, TH_NOMEM or TH_INTERRUPTED. TH_BAD_CODING, with the place
 *         in err, when the compressed bytes are damaged or end too early, after all
 *         readable bytes were returned.
 */
th_status th_decompressed_read(th_decompressed_input *input, char *bytes, size_t capacity,
                               size_t *got, th_error *err);

/**
 * Copies the first decompressed bytes without taking them. Call it before any read.
 * @return the number of bytes, at most `len` and at most TH_DECOMPRESSED_PEEK
 */
size_t th_decompressed_peek(th_decompressed_input *input, char *bytes, size_t len);

/** Goes back to the file's first byte and returns all bytes as stored, for a caller that
 * decompresses them itself. Call it before any read. It works on a pipe too. */
void th_decompressed_read_raw(th_decompressed_input *input);

/** Returns the bytes of the file read so far, compressed, for progress. */
uint64_t th_decompressed_report(const th_decompressed_input *input);

#endif
