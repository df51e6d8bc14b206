/*
 * The header of a record: finding where one begins, where it ends, and
 * reading its fields. Works on bytes in memory; knows no stream.
 */
#ifndef WARC_HEAD_H
#define WARC_HEAD_H

#include "warc/warc_record.h"

/** The answer to a question about bytes when more bytes may come. */
enum head_answer { HEAD_NO, HEAD_YES, HEAD_MORE };

/**
 * Checks whether a record begins here: a version line `WARC/n.n` (any case, spaces after
 * it, LF, CRLF or CR CR LF) and then a line that begins with a field name and a colon.
 * @param at_end  no bytes follow: never answers HEAD_MORE
 */
enum head_answer warc_head_begins(warc_view bytes, bool at_end);

/** Returns the offset, `from` or beyond, of the next "WARC/" in any letter case, or of a
 * part of it at the end of the bytes; the length of the bytes if there is none. */
size_t warc_head_find_word(warc_view bytes, size_t from);

/** How the search for the end of a header ended. */
enum head_end {
    HEAD_END_FOUND,  /* blank line: *len is the header's length with it */
    HEAD_END_MORE,   /* not in these bytes */
    HEAD_END_BROKEN, /* another record's version line comes first, at the beginning of a
                        line or within it: *len is the length up to it */
};

/**
 * Looks for the blank line that ends a header.
 * @param bytes  begin with the version line
 * @param len    in: where to look on, 0 at first, as left by HEAD_END_MORE; out: see
 * above Linear over all calls for one header.
 */
enum head_end warc_head_end(warc_view bytes, size_t *len);

/** Odd things about a header, as bits; each is reported once a record. */
struct head_findings {
    bool has_lf, has_crcrlf, is_folded, has_no_colon, is_version_unknown, is_version_odd;
    bool has_too_many, is_not_utf8, has_nul;
    uint32_t repeated; /* bit n: the field n of warc_field occurs again */
};

/** A header that was read. Everything points into text. */
struct warc_head {
    char *text; /* owned; grows, is used again for each record */
    size_t text_capacity;
    warc_header_field *fields;
    size_t field_count, field_capacity;
    warc_view known[WARC_FIELD_COUNT]; /* first occurrences; data NULL: absent */
    unsigned major, minor;
    struct head_findings findings;
};

/** Frees the memory. */
void warc_head_done(struct warc_head *head);

/**
 * Reads a header: copies it and notes its fields.
 * @param bytes       from version line to blank line, as found by warc_head_end
 * @param max_fields  fields kept; further ones are only checked for known names
 * @return WARC_OK; WARC_NOMEM
 */
warc_status warc_head_read(struct warc_head *head, warc_view bytes, size_t max_fields);

/** Returns the index of a known field by its name, case-blind; WARC_FIELD_COUNT for other
 * names. */
warc_field warc_field_by_name(warc_view name);

/** Returns true if both texts are equal except for the case of ASCII letters. */
bool warc_equal_nocase(warc_view text, const char *word);

/** True when `date` is of the form that `minor` (WARC/1.minor) allows: whole seconds in
 * UTC; from 1.1 on also coarser or with 1 to 9 digits of a second [W3CDTF]. */
bool warc_date_is_valid(warc_view date, bool is_1_1);

/** Returns the text without spaces and tabs at its ends. */
warc_view warc_trim(warc_view text);

/**
 * Parses a Content-Length: decimal digits, no sign, at most 2^63-1.
 * @return false for other text, without changing *length
 */
bool warc_length_parse(warc_view text, uint64_t *length);

#endif
