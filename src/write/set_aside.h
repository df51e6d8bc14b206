/* Records that are no pages, copied unchanged into a WARC file: PDF, office documents. */
#ifndef TH_SET_ASIDE_H
#define TH_SET_ASIDE_H

#include "page/record.h"
#include "write/format.h"

/** What is set aside, and where to. */
typedef struct th_set_aside {
    const char *file; /* NULL = nothing */
    /* Media types with commas. "*" at an end stands for any rest, "documents" for a list
     * of types. */
    const char *types;
    th_compression compression;
} th_set_aside;

/** Returns whether a media type is in the list. An absent one is only in "*". */
bool th_set_aside_wants(const th_set_aside *aside, th_view media_type);

/**
 * Appends a record with its own header, as a member or frame of its own.
 * @param record  with its header (th_record.head)
 * @return TH_OK; TH_ABSENT if the record is not complete: truncated or damaged, or of an
 *         ARC file; TH_NOMEM. `out` is unchanged unless TH_OK
 * Cost: linear in the record.
 */
th_status th_set_aside_write(const th_set_aside *aside, const th_record *record,
                             th_buffer *out);

#endif
