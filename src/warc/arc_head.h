/*
 * The URL line that begins a record of an ARC file, versions 1 and 2.
 * [Internet Archive, ARC file format, 1996]
 */
#ifndef WARC_ARC_HEAD_H
#define WARC_ARC_HEAD_H

#include "warc_head.h"

/** Does a URL line begin here: URL, address, date of 12 to 18 digits, type, [five more,]
 * length?
 * @param at_end  nothing follows bytes: never answers HEAD_MORE */
enum head_answer arc_head_begins(warc_view bytes, bool at_end);

/** True when the bytes begin the version block that opens an ARC file. */
bool arc_head_is_version_block(warc_view bytes);

/**
 * Reads a URL line as the WARC header that says the same (see warc_record_is_arc).
 * @param bytes  as found by arc_head_begins
 * @param len    out: bytes of the line, with its LF
 * @return WARC_OK; WARC_NOMEM
 */
warc_status arc_head_read(struct warc_head *head, warc_view bytes, size_t *len);

#endif
