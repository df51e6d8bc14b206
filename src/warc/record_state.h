/*
 * The parts of a record. The reader sets them; warc_record.c reads them.
 */
#ifndef WARC_RECORD_STATE_H
#define WARC_RECORD_STATE_H

#include "warc_head.h"

struct warc_record {
    struct warc_head head;
    size_t header_len; /* as stored */
    bool is_arc;
    bool is_http_block; /* the block begins with "HTTP/" */
    warc_type type;
    bool has_content_length;
    uint64_t content_length;
    warc_position position;

    /* Known bit by bit while the block passes. */
    uint64_t block_len;
    bool has_length;
    uint64_t length;
    bool is_damaged;
    warc_digest_result block_digest;
    warc_diag diags[WARC_RECORD_DIAGS];
    size_t diag_count;
};

/** The type that a word names, case-blind. */
warc_type warc_type_by_name(warc_view word);

#endif
