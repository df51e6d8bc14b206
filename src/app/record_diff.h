/*
 * Compares records as JSON objects, field by field, and counts the differences. For
 * `thresher compare`.
 *
 * A field is a member of the record, or a member of an object in the record
 * ("minhash.main"). Values are compared as written, so 1 and 1.0 differ. The order of
 * members does not matter.
 */
#ifndef TH_RECORD_DIFF_H
#define TH_RECORD_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/arena.h"
#include "thresher/status.h"
#include "thresher/view.h"

enum {
    TH_DIFF_FIELDS = 512,  /* names that are counted; others are counted as "(other)" */
    TH_DIFF_EXAMPLES = 3,  /* records that are named for each field */
    TH_DIFF_MEMBERS = 4096 /* fields of a record; more make it bad */
};

/** The differences of a field. */
typedef struct th_diff_field {
    th_view name;
    uint64_t changed, added, removed;   /* records */
    th_view examples[TH_DIFF_EXAMPLES]; /* ids of the first ones; absent views follow */
} th_diff_field;

typedef struct th_record_diff {
    th_arena *arena;                      /* owned: names and ids */
    th_diff_field fields[TH_DIFF_FIELDS]; /* in the order of their first difference */
    uint32_t field_count;
    void *members[2]; /* private */
} th_record_diff;

/** @return TH_OK; TH_NOMEM. Free in both cases. */
th_status th_record_diff_init(th_record_diff *diff);
void th_record_diff_done(th_record_diff *diff);

/**
 * Returns the id of a record: its id, or its URL if it has none. Absent if it has
 * neither, or is not a JSON object. Only the start up to the id is checked, and the last byte.
 * @param line  borrowed by the result, which is as written: escapes are not decoded
 */
th_view th_record_key(th_view line);

/**
 * Compares two records.
 * @param id    for the examples
 * @param same  out: whether no field differs
 * @return TH_OK; TH_DAMAGED if one of them is not a JSON object or has too many members;
 *         TH_NOMEM
 */
th_status th_record_diff_add(th_record_diff *diff, th_view id, th_view old_line,
                             th_view new_line, bool *same);

#endif
