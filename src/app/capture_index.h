/* `thresher records --cdxj`: writes an index of captures. */
#ifndef TH_CAPTURE_INDEX_H
#define TH_CAPTURE_INDEX_H

#include "cdxj/cdxj_index.h"
#include "parse/http/http_message.h"
#include "warc/warc.h"

typedef struct th_capture_index {
    th_cdxj_index *index;
    const char *blocks_path; /* borrowed; "": lines to stdout */
    uint64_t left_out;       /* captures that cannot have a line; each was reported */
} th_capture_index;

/** @param blocks_path  file of gzip blocks, or "": plain lines. TH_OK; TH_NOMEM */
th_status th_capture_index_init(th_capture_index *captures, const char *blocks_path,
                                th_error *err);

/** Legal for { 0 }. */
void th_capture_index_done(th_capture_index *captures);

/** Whether a record is a capture: a response, a revisit, a resource, or metadata that is
 * more than fields about another record. */
bool th_is_capture(const warc_record *record);

/** Whether a capture needs a digest of its payload, because the archive declares none. A
 * revisit has no payload. */
bool th_capture_needs_digest(const warc_record *record);

/**
 * Adds a record. Ignores a record that is not a capture.
 * @param path    of its file; the index contains its last part
 * @param http    NULL if the record has no HTTP head
 * @param digest  of the payload as it is stored; NULL if unknown
 * @return TH_OK, also for a capture that cannot have a line, which is reported on stderr;
 *         TH_IO; TH_NOMEM
 */
th_status th_capture_index_add(th_capture_index *captures, const char *path,
                               const warc_record *record, const th_http_head *http,
                               const warc_digest_value *digest, th_error *err);

/** Sorts, and writes the index to stdout and to the file of blocks. TH_OK; TH_IO; ... */
th_status th_capture_index_write(th_capture_index *captures, th_error *err);

#endif
