/*
 * Exact deduplication: a record, or each paragraph of it, gets a digest by which it is
 * compared, and loses its signatures. [datatrove, pipeline/dedup]
 */
#ifndef TH_EXACT_UNIT_H
#define TH_EXACT_UNIT_H

#include "dedup/record_line.h"
#include "thresher/arena.h"

/** How records are compared. */
typedef enum th_dedup_by {
    TH_BY_SIMILARITY, /* by signatures, and by digest.text */
    TH_BY_TEXT,       /* by digest.text, or the digest of `text` without one */
    TH_BY_URL,        /* by URL without fragment */
} th_dedup_by;

/** The names similarity, text, url, and record, paragraph; the last rows are NULL. */
extern const char *const th_dedup_by_names[];
extern const char *const th_dedup_unit_names[];

/**
 * Prepares a record that is compared by TH_BY_TEXT or TH_BY_URL.
 * @param arena  scratch, reset here
 * @return TH_OK; TH_NOMEM
 */
th_status th_exact_record(th_record_line *record, th_dedup_by by, th_arena *arena);

enum { TH_PARAGRAPHS_MAX = 1000000 }; /* of a record; further lines are not read */

/** The paragraphs of a record, one after the other. On the stack. */
typedef struct th_paragraph_walk {
    const th_record_line *record; /* borrowed */
    size_t at;                    /* of its text */
    uint32_t number;              /* of the current line, from 0; blank lines count */
    bool has_begun;
    th_record_line unit; /* the current paragraph: id is ID#NUMBER in six digits */
    th_buffer *id;       /* borrowed: bytes of that id */
} th_paragraph_walk;

/**
 * Finds the next paragraph: a line of the text that is not blank. Its digest is that of
 * the line without spaces at both ends.
 * @return TH_OK with walk->unit; TH_END; TH_NOMEM
 */
th_status th_paragraph_next(th_paragraph_walk *walk);

#endif
