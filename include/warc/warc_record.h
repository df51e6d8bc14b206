/*
 * One record as the reader found it: its header, its position, and its irregularities.
 * All views are borrowed. They are valid until the next warc_reader_next,
 * warc_reader_seek or warc_reader_free; reading the block does not change them.
 */
#ifndef WARC_RECORD_H
#define WARC_RECORD_H

#include "warc/warc_diag.h"
#include "warc/warc_digest.h"
#include "warc/warc_status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct warc_record warc_record;

/* X(CODE, "value of WARC-Type") */
#define WARC_TYPE_LIST(X)                                                                \
    X(WARCINFO, "warcinfo")                                                              \
    X(RESPONSE, "response")                                                              \
    X(RESOURCE, "resource")                                                              \
    X(REQUEST, "request")                                                                \
    X(METADATA, "metadata")                                                              \
    X(REVISIT, "revisit")                                                                \
    X(CONVERSION, "conversion")                                                          \
    X(CONTINUATION, "continuation")

typedef enum warc_type {
    WARC_TYPE_UNKNOWN, /* absent, or not in the list */
#define X(code, name) WARC_TYPE_##code,
    WARC_TYPE_LIST(X)
#undef X
        WARC_TYPE_COUNT
} warc_type;

/* Fields found in O(1). X(CODE, "Name"). All others: warc_record_find. */
#define WARC_FIELD_LIST(X)                                                               \
    X(TYPE, "WARC-Type")                                                                 \
    X(RECORD_ID, "WARC-Record-ID")                                                       \
    X(DATE, "WARC-Date")                                                                 \
    X(CONTENT_LENGTH, "Content-Length")                                                  \
    X(CONTENT_TYPE, "Content-Type")                                                      \
    X(TARGET_URI, "WARC-Target-URI")                                                     \
    X(IP_ADDRESS, "WARC-IP-Address")                                                     \
    X(BLOCK_DIGEST, "WARC-Block-Digest")                                                 \
    X(PAYLOAD_DIGEST, "WARC-Payload-Digest")                                             \
    X(TRUNCATED, "WARC-Truncated")                                                       \
    X(IDENTIFIED_PAYLOAD_TYPE, "WARC-Identified-Payload-Type")                           \
    X(CONCURRENT_TO, "WARC-Concurrent-To")                                               \
    X(REFERS_TO, "WARC-Refers-To")                                                       \
    X(REFERS_TO_TARGET_URI, "WARC-Refers-To-Target-URI")                                 \
    X(REFERS_TO_DATE, "WARC-Refers-To-Date")                                             \
    X(PROFILE, "WARC-Profile")                                                           \
    X(WARCINFO_ID, "WARC-Warcinfo-ID")                                                   \
    X(FILENAME, "WARC-Filename")                                                         \
    X(SEGMENT_NUMBER, "WARC-Segment-Number")                                             \
    X(SEGMENT_ORIGIN_ID, "WARC-Segment-Origin-ID")                                       \
    X(SEGMENT_TOTAL_LENGTH, "WARC-Segment-Total-Length")                                 \
    X(PROTOCOL, "WARC-Protocol")

typedef enum warc_field {
#define X(code, name) WARC_FIELD_##code,
    WARC_FIELD_LIST(X)
#undef X
        WARC_FIELD_COUNT
} warc_field;

/** A header field as stored: name and value without surrounding spaces and tabs, folded
 * lines joined by one space. May contain any byte except LF. */
typedef struct warc_header_field {
    warc_view name;
    warc_view value;
} warc_header_field;

#define WARC_NO_OFFSET UINT64_MAX /* "none" and "unknown" in a warc_position */

/** Position of a record. warc_record_position fills it in. To reach a record by the
 * numbers of an index, set offset and skip, and set the other two to WARC_NO_OFFSET. */
typedef struct warc_position {
    /* Offset in the file, of the member or frame (plain: the record) that contains the
     * record's first byte. */
    uint64_t offset;
    /* Unpacked bytes between the start of that member and the record. 0 in plain files,
     * and in files with one record per member. */
    uint64_t skip;
    uint64_t uoffset; /* of the record in the unpacked stream */
    /* Offset of the current zstd dictionary frame. WARC_NO_OFFSET: the dictionary frame
     * at the start of the file, if there is one. */
    uint64_t dict_offset;
} warc_position;

/** Returns the major and minor number of the version line, 1 and 1 for "WARC/1.1"; 0 and
 * 0 for ARC. */
WARC_API void warc_record_version(const warc_record *record, unsigned *major,
                                  unsigned *minor);

/** Returns true for a record of an ARC file. Its fields WARC-Type, WARC-Target-URI,
 * WARC-Date, WARC-IP-Address, Content-Type, WARC-Identified-Payload-Type (the type in
 * the ARC line) and Content-Length are derived from its URL line. It has no id. The
 * first block of an ARC file has type warcinfo. All others have type response, for
 * http(s) URLs with Content-Type application/http. */
WARC_API bool warc_record_is_arc(const warc_record *record);

/** Returns the type, case-insensitive, or WARC_TYPE_UNKNOWN if absent or not one of the
 * eight. */
WARC_API warc_type warc_record_type(const warc_record *record);

/** Returns the name of a type, "response"; "unknown" for WARC_TYPE_UNKNOWN. */
WARC_API const char *warc_type_name(warc_type type);

/** Returns the name of a field, "WARC-Date". */
WARC_API const char *warc_field_name(warc_field field);

/** Returns the value of a known field, its first occurrence as stored. Its data is NULL
 * if absent. O(1). */
WARC_API warc_view warc_record_get(const warc_record *record, warc_field field);

/** Like warc_record_get, for a field of any name, case-insensitive. O(fields). */
WARC_API warc_view warc_record_find(const warc_record *record, const char *name);

/** Returns the number of fields, including repeated ones, in file order: index 0 ..
 * warc_record_field_count - 1. */
WARC_API size_t warc_record_field_count(const warc_record *record);
WARC_API warc_header_field warc_record_field_at(const warc_record *record, size_t index);

/** Returns WARC-Target-URI without a surrounding <>. Its data is NULL if absent. */
WARC_API warc_view warc_record_target_uri(const warc_record *record);

/** Returns `text` without one surrounding pair <>, for ids and URIs. */
WARC_API warc_view warc_strip_brackets(warc_view text);

/**
 * Gets the declared length of the block in bytes.
 * @return false if Content-Length is absent or not a number; then *length is untouched
 */
WARC_API bool warc_record_content_length(const warc_record *record, uint64_t *length);

/** Returns true if the block is an HTTP message: its Content-Type is application/http, or
 * it has no Content-Type, its block starts with "HTTP/", and it is not a resource or a
 * conversion, whose block is the payload. Never decided by URI scheme (`dns:`
 * responses). */
WARC_API bool warc_record_is_http(const warc_record *record);

/** Returns the bytes of the header as stored, including the blank line. */
WARC_API size_t warc_record_header_len(const warc_record *record);

/** Returns the header as stored, from the version line to the blank line; lines of a
 * folded field can be joined. Absent for a record of an ARC file. Valid until the next
 * call of warc_reader_next. */
WARC_API warc_view warc_record_header(const warc_record *record);

/** Returns the bytes of the block that were read so far. After warc_reader_finish, or
 * after warc_reader_chunk has returned WARC_END: the block's true length. */
WARC_API uint64_t warc_record_block_len(const warc_record *record);

/** Returns the position of the record, for warc_reader_seek. */
WARC_API warc_position warc_record_position(const warc_record *record);

/**
 * Gets the bytes of the record in the file, from position.offset to the end of its last
 * member (plain: to the end of its terminator). Known after warc_reader_finish.
 * @return false before that, or if a later record shares the member; then *length is
 *         untouched
 */
WARC_API bool warc_record_length(const warc_record *record, uint64_t *length);

/** Returns true if the block is shorter than declared, is in a damaged member, or is
 * followed neither by the end of a record nor by another record or the end of the input.
 * The result is final after warc_reader_finish. The field WARC-Truncated does not set
 * it, because it is not damage. */
WARC_API bool warc_record_is_damaged(const warc_record *record);

/** Returns the result of checking the declared WARC-Block-Digest. WARC_DIGEST_UNCHECKED
 * unless options.verify_digests was set. The result is final after warc_reader_finish. */
WARC_API warc_digest_result warc_record_block_digest(const warc_record *record);

/* Maximum diagnostics kept per record; the stats count all. */
enum { WARC_RECORD_DIAGS = 32 };

/** Returns the number of the record's diagnostics, in the order found: index 0 ..
 * warc_record_diag_count - 1, at most WARC_RECORD_DIAGS. Grows while the block is
 * read. */
WARC_API size_t warc_record_diag_count(const warc_record *record);
WARC_API const warc_diag *warc_record_diag_at(const warc_record *record, size_t index);

#ifdef __cplusplus
}
#endif

#endif
