/*
 * Diagnostics: each repair that the reader made and each oddity that it met, with its
 * position in the file. The reader continues after all of them.
 */
#ifndef WARC_DIAG_H
#define WARC_DIAG_H

#include "warc/warc_status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(CODE, "stable_name", damage): damage is 1 if bytes of the archive are lost,
 * untrustworthy or had to be skipped, and 0 if a deviation of the writer is understood
 * without doubt. */
#define WARC_DIAG_LIST(X)                                                                \
    /* the container */                                                                  \
    X(MEMBER_DAMAGED, "member_damaged", 1)     /* inflate failed, or a bad checksum */   \
    X(MEMBER_TRUNCATED, "member_truncated", 1) /* the file ends within the member */     \
    X(MEMBER_GARBAGE, "member_garbage", 1)     /* bytes that belong to no member */      \
    X(MEMBER_PADDING, "member_padding", 0)     /* only NUL bytes to the end of file */   \
    X(DICT_MISSING, "dict_missing", 1)         /* frame needs a dictionary not here */   \
    X(DICT_BAD, "dict_bad", 1)                 /* dictionary frame cannot be used */     \
    X(SHARED_MEMBER, "several_records_in_one_member", 0)                                 \
    /* the frame of a record */                                                          \
    X(GARBAGE_BEFORE, "garbage_before", 1)         /* skipped to reach this record */    \
    X(GARBAGE_AT_END, "garbage_at_end", 1)         /* skipped, and no record follows */  \
    X(NOT_WARC, "not_warc", 1)                     /* whole input without a record */    \
    X(HEADER_EOF, "header_eof", 1)                 /* header without an end: dropped */  \
    X(HEADER_TOO_LARGE, "header_too_large", 1)     /* over max_header: dropped */        \
    X(TOO_MANY_FIELDS, "too_many_fields", 1)       /* over max_fields: rest dropped */   \
    X(NO_CONTENT_LENGTH, "no_content_length", 1)   /* block runs to the next record */   \
    X(BAD_CONTENT_LENGTH, "bad_content_length", 1) /* the same */                        \
    X(TRUNCATED_BLOCK, "truncated_block", 1)       /* fewer bytes than declared */       \
    X(TERMINATOR_MISSING, "terminator_missing", 0) /* block ends in the middle of it */  \
    X(TERMINATOR_ODD, "terminator", 0)             /* not CRLF CRLF; detail says what */ \
    /* the header */                                                                     \
    X(LF_LINE_ENDS, "lf_line_ends", 0)                                                   \
    X(CRCRLF_LINE_ENDS, "crcrlf_line_ends", 0)                                           \
    X(VERSION_UNKNOWN, "version_unknown", 0)                                             \
    X(VERSION_CASE, "version_case", 0)                                                   \
    X(HEADER_FOLDED, "header_folded", 0)                                                 \
    X(HEADER_NO_COLON, "header_no_colon", 1)                                             \
    X(HEADER_NOT_UTF8, "header_not_utf8", 0)                                             \
    X(HEADER_NUL, "header_nul", 0)                                                       \
    X(REPEATED_FIELD, "dup", 0)                                                          \
    X(NO_TYPE, "no_type", 0)                                                             \
    X(UNKNOWN_TYPE, "unknown_type", 0)                                                   \
    X(NO_RECORD_ID, "no_record_id", 0)                                                   \
    X(NO_DATE, "no_date", 0)                                                             \
    X(DATE_FORMAT, "date_format", 0)                                                     \
    X(URI_ANGLE_BRACKETS, "uri_angle_brackets", 0)                                       \
    X(URI_SPACE, "uri_space", 0)                                                         \
    /* the block digest, on request */                                                   \
    X(BLOCK_DIGEST_BAD, "block_digest_bad", 0)                                           \
    X(BLOCK_DIGEST_MALFORMED, "block_digest_malformed", 0)                               \
    X(BLOCK_DIGEST_UNKNOWN, "block_digest_unknown_alg", 0)

typedef enum warc_diag_code {
#define X(code, name, damage) WARC_DIAG_##code,
    WARC_DIAG_LIST(X)
#undef X
        WARC_DIAG_COUNT
} warc_diag_code;

/** One self-contained diagnostic: may be copied and kept. */
typedef struct warc_diag {
    warc_diag_code code;
    uint64_t offset;  /* in the file; within a compressed member: the member's offset */
    uint64_t uoffset; /* in the unpacked stream; equals offset in a plain file */
    char detail[104]; /* details, NUL-terminated printable ASCII; may be empty */
} warc_diag;

/** Returns a stable short name for output and filters, "truncated_block", or "?" if
 * unknown. */
WARC_API const char *warc_diag_name(warc_diag_code code);

/** Returns true if bytes of the archive are lost or had to be skipped (a run should then
 * exit with 1), and false for an irregularity without loss. */
WARC_API bool warc_diag_is_damage(warc_diag_code code);

#ifdef __cplusplus
}
#endif

#endif
