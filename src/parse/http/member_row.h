/*
 * Steps through consecutive compressed members (gzip members, Zstandard frames). Each
 * starts with a mark, which may span two pieces of input. Junk after a complete member is
 * not damage but the end. The caller decodes each member.
 */
#ifndef TH_MEMBER_ROW_H
#define TH_MEMBER_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parse/http/decoder.h"

enum { TH_MEMBER_MARK_LEN = 4 };

/** The state of a row, at the start of its decoder's state. All zero: before its first
 * member. */
typedef struct th_member_row {
    char mark[TH_MEMBER_MARK_LEN];
    size_t mark_len;
    uint64_t ended; /* members read completely */
    bool is_in_member;
} th_member_row;

/** Functions that read one member; `state` begins with a th_member_row. */
typedef struct th_member_coding {
    /* Whether these `len` bytes, 1 to TH_MEMBER_MARK_LEN, may start a member. */
    bool (*may_start)(const char *bytes, size_t len);
    /* Prepares for a member's first byte. Returns false without memory. */
    bool (*open)(void *state);
    th_decode_result (*run)(void *state, th_decode_span *span); /* as th_decoder.step */
} th_member_coding;

/**
 * Continues reading, across the ends of members.
 * @return as th_decoder.step. TH_DECODE_END at the first byte after a complete member
 *         that does not start another; that byte stays in the span
 */
th_decode_result th_member_row_step(const th_member_coding *coding, void *state,
                                    th_decode_span *span);

/** Whether a member's mark was read. As th_decoder.is_proven. */
bool th_member_row_is_proven(const void *state);

/** Whether the row may end here. As th_decoder.is_complete. */
bool th_member_row_is_complete(const void *state);

#endif
