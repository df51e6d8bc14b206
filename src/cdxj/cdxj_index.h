/*
 * An index of captures in CDXJ format: one line each, "key timestamp {...}", sorted by
 * their bytes, as pywb, OutbackCDX and WACZ require. [Webrecorder, CDXJ]
 */
#ifndef TH_CDXJ_INDEX_H
#define TH_CDXJ_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"
#include "thresher/view.h"

typedef struct th_cdxj_index th_cdxj_index;

/* A capture. Absent fields are omitted from its line. All views are borrowed. */
typedef struct th_cdxj_capture {
    th_view url;
    th_view date; /* as WARC-Date has it */
    th_view mime;
    th_view digest;
    int status; /* of HTTP; 0 if unknown */
    bool has_length;
    uint64_t length; /* bytes of the record in its file */
    uint64_t offset;
    th_view filename;
} th_cdxj_capture;

enum { TH_CDXJ_LINES_OF_A_BLOCK = 300 }; /* of a compressed index, as in ZipNum */

/** @param memory  bytes for sorting; further lines go to a file in $TMPDIR, or /tmp */
th_status th_cdxj_index_new(uint64_t memory, th_cdxj_index **out, th_error *err);

/** NULL is legal. */
void th_cdxj_index_free(th_cdxj_index *index);

/**
 * Adds a capture.
 * @return TH_OK; TH_NOT_WANTED: it can have no line (no URL, no date, a line over 16 KiB),
 *         and is not added; TH_IO; TH_NOMEM
 */
th_status th_cdxj_index_add(th_cdxj_index *index, const th_cdxj_capture *capture,
                            th_error *err);

/** Takes bytes of the output. */
typedef th_status (*th_cdxj_write)(void *context, th_view bytes, th_error *err);

/**
 * Writes all lines, sorted and without duplicates. Call it once, and then only _free.
 * @param blocks  if NULL, the lines go to `lines`. Otherwise they go to `blocks` in gzip
 *                members of TH_CDXJ_LINES_OF_A_BLOCK, and `lines` gets one for each
 *                member: its first key, offset and length (ZipNum)
 * @param name    of the file of blocks, for the first line of their index
 */
th_status th_cdxj_index_write(th_cdxj_index *index, th_cdxj_write lines,
                              th_cdxj_write blocks, void *context, const char *name,
                              th_error *err);

/** Captures added. */
uint64_t th_cdxj_index_count(const th_cdxj_index *index);

#endif
