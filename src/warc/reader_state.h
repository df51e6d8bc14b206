/*
 * The state of a reader, and the steps that its parts share. The parts:
 *   reader_marks  position of the reader in the container; diagnostics
 *   reader_find   from the end of one record to the header of the next
 *   reader_block  through the block to the end of the record
 *   reader_ahead  damage that the end of the member shows
 *   warc_reader   the calls that users make
 */
#ifndef WARC_READER_STATE_H
#define WARC_READER_STATE_H

#include "byte_stream.h"
#include "record_state.h"
#include "warc/warc_reader.h"

/** How far the current record has been read. */
enum reader_stage {
    STAGE_NONE,
    STAGE_SEARCH, /* for the next record */
    STAGE_LOOK,   /* its header is taken, its block's first bytes must be checked */
    STAGE_BLOCK,
    STAGE_TERMINATOR,
    STAGE_LENGTH, /* after the terminator: does the record's last member end here? */
    STAGE_FINISHED
};

/* Bytes passed over in search of a record. */
struct stray {
    bool is_any;
    warc_position begin;
};

enum {
    TERMINATOR_KEPT = 16,
    /* How far ahead the end of a block is searched for a record within the block. */
    READER_LOOK_AHEAD = 16 << 20,
    /* Twice that: bytes that wait are moved once for as many that were read. */
    READER_WINDOW_MAX = 2 * READER_LOOK_AHEAD,
};

/* The line ends after a block. */
struct terminator {
    warc_position place;
    char bytes[TERMINATOR_KEPT];
    size_t len;
};

struct warc_reader {
    warc_reader_options options;
    warc_reader_stats stats;
    struct byte_stream stream;
    struct warc_record record;
    bool is_started; /* the container is known */
    bool is_arc;

    warc_status failure; /* what every further call returns; WARC_OK: none */
    warc_error failure_error;

    bool is_seeking;      /* a seek has begun and is not over */
    warc_position sought; /* its place */
    bool is_placed;       /* it has come to the member */
    uint64_t seek_left;   /* then: bytes from here to the record */

    enum reader_stage stage;
    struct stray stray;
    size_t scanned; /* bytes of the header here in which its end is not */
    struct terminator terminator;
    bool is_framed; /* the block's length is known: left bytes are to come */
    uint64_t left;
    bool is_whole; /* a record is within the block, and the block's length is right */
    unsigned inner_heads; /* in the block, with which its length seems right */
    warc_view rest;       /* of a chunk, that warc_reader_read had no room for */
    bool at_line_start;   /* without a framing length: the next byte begins a line */
    warc_digest *digest;
    bool is_hashing;
    warc_digest_value declared;

    /* The member that contains the next byte; unused for plain files. */
    uint64_t member_offset, member_at, member_dict;
    bool is_member_over;    /* the last mark passed was its end, */
    uint64_t member_end;    /* which is here */
    uint64_t record_member; /* offset of the member in which the last record began */
    bool is_overrun;        /* from here the member contains bytes of the next one */
    uint64_t searched;      /* bytes that were searched for copies of records */

    warc_diag pending[WARC_RECORD_DIAGS]; /* met between records: for the next one */
    size_t pending_count;
};

/** To whom a diagnostic belongs. */
enum diag_owner { DIAG_OF_RECORD, DIAG_OF_NEXT, DIAG_OF_FILE };

/** Reports a diagnostic at the present place in the stream: counts it, tells the
 * callback, and keeps it for its owner. `detail` is printf's. */
void reader_diag(struct warc_reader *reader, enum diag_owner owner, warc_diag_code code,
                 const char *detail, ...) __attribute__((format(printf, 4, 5)));

/** reader_diag for another place in the file. */
void reader_diag_at(struct warc_reader *reader, enum diag_owner owner,
                    warc_diag_code code, warc_position place, const char *detail, ...)
    __attribute__((format(printf, 5, 6)));

/* All steps below that return a status may also return WARC_PAUSED. The same step then
 * continues where it was. */

/** Makes `count` bytes available; see byte_stream_need. If the input fails before that,
 * there are fewer, as at the end of the file. Steps that would judge by that return
 * WARC_IO instead: a record is never called damaged because its input failed. */
warc_status reader_need(struct warc_reader *reader, size_t count);

/** Whether the input has failed and its last byte has been read. Missing bytes do not
 * show then that the file is damaged. */
static inline bool reader_is_cut_off(const struct warc_reader *reader)
{
    return reader->stream.has_failed && decompressed_window_len(&reader->stream.out) == 0;
}

/** Returns the first waiting mark if it is at the next byte, else NULL. */
const struct mark *reader_mark_here(const struct warc_reader *reader);

/** Returns whether the mark says that the member is damaged. */
bool reader_is_damage(const struct mark *mark);

/** Notes damage of the member, which a mark ahead tells, as the record's own too. */
void reader_share_damage(struct warc_reader *reader, const struct mark *mark);

/** Passes the mark at the next byte. Damage that it tells is `owner`'s. */
void reader_take_mark(struct warc_reader *reader, enum diag_owner owner);

/** Passes all marks at the next byte, and makes at least one byte available if there is
 * one at all. @return WARC_OK, also at the end of the stream; WARC_IO; WARC_NOMEM */
warc_status reader_settle(struct warc_reader *reader, enum diag_owner owner);

/** Consumes bytes that are available, and the marks among them. */
void reader_consume(struct warc_reader *reader, size_t count, enum diag_owner owner);

/** Place in the file of the next byte. */
warc_position reader_place(const struct warc_reader *reader);

/** Does a record begin at the next byte? @return as reader_settle */
warc_status reader_begins(struct warc_reader *reader, bool *is_record);

/** Finds damage of the present member that shows up to READER_LOOK_AHEAD bytes ahead.
 * @param damage  out: its mark, valid until the next step; NULL if there is none
 * @return WARC_OK; WARC_IO: the input failed before the end of the member; WARC_NOMEM */
warc_status reader_damage_ahead(struct warc_reader *reader, const struct mark **damage);

/** Checks whether the record here is a copy: the member is damaged, and the record also
 * occurs after it, because the member runs over the beginning of the next one. Then no
 * record begins before the end of the member. @return as reader_damage_ahead */
warc_status reader_is_copy(struct warc_reader *reader, bool *is_copy);

/** Returns the number of bytes at the start of a run that can be skipped: after the
 * first, no record can begin in them. Moves at_line_start along. Used without a framing
 * length. */
size_t reader_scan(struct warc_reader *reader);

/** Finds the next record and reads its header. @return WARC_OK; WARC_END; WARC_IO;
 * WARC_NOMEM */
warc_status reader_find(struct warc_reader *reader);

/** Next piece of the block. @return WARC_OK; WARC_END; WARC_IO; WARC_NOMEM */
warc_status reader_block(struct warc_reader *reader, warc_view *chunk);

/** To the end of the record. @return WARC_OK; WARC_IO; WARC_NOMEM */
warc_status reader_finish(struct warc_reader *reader);

#endif
