/*
 * gzip members to unpacked bytes and marks.  [RFC 1952]
 * A damaged member gives the bytes that inflate before the damage. Then the unpacker
 * looks for the next member with first bytes that begin a record.
 */
#ifndef WARC_GZIP_UNPACKER_H
#define WARC_GZIP_UNPACKER_H

#include "decompressed_window.h"
#include "input_window.h"
#include "resync.h"

struct gzip_unpacker;

/** @return WARC_OK, the caller owns *out; WARC_NOMEM */
warc_status gzip_unpacker_new(struct gzip_unpacker **out);

/** NULL is allowed. */
void gzip_unpacker_free(struct gzip_unpacker *gzip);

/** The next byte read begins a member. */
void gzip_unpacker_reset(struct gzip_unpacker *gzip);

/**
 * One step: appends some bytes or some marks to `out`, or finds the end.
 * @return WARC_OK; WARC_END; WARC_IO; WARC_NOMEM; WARC_PAUSED: a part of the step is
 * done, and the next call continues it. `out` is consistent only after the complete
 * step.
 */
warc_status gzip_unpacker_step(struct gzip_unpacker *gzip, struct input_window *in,
                               struct decompressed_window *out);

/** Tells the search that a member may begin with a URL line, as in an ARC file. */
void gzip_unpacker_set_arc(struct gzip_unpacker *gzip, bool is_arc);

/** True when `bytes` are the start of a gzip member that begins with a record. */
bool gzip_unpacker_probe(struct gzip_unpacker *gzip, warc_view bytes);

#endif
