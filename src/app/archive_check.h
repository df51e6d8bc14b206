/*
 * The verdict of `thresher records --validate` on one archive: ok, or the number of its
 * problems and the first three.
 */
#ifndef TH_ARCHIVE_CHECK_H
#define TH_ARCHIVE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"

enum { TH_LISTED_PROBLEMS = 3 };

/** A problem of an archive. */
typedef struct th_archive_problem {
    bool has_offset;
    uint64_t offset; /* bytes from the start of the archive */
    char text[160];  /* stable name, and ": " with details if there are any */
} th_archive_problem;

/** Starts as { 0 } for each archive. */
typedef struct th_archive_check {
    uint64_t record_count;
    uint64_t problem_count;
    th_archive_problem first[TH_LISTED_PROBLEMS];
} th_archive_check;

/** Counts a problem. @param offset  NULL: of the archive as a whole @param detail  may be
 * empty */
void th_archive_check_add(th_archive_check *check, const uint64_t *offset,
                          const char *name, const char *detail);

/**
 * Appends the verdict: a line for people or a JSON object on a line.
 * @return TH_OK or TH_NOMEM
 */
th_status th_archive_check_write(const th_archive_check *check, const char *path,
                                 bool is_json, th_buffer *out);

#endif
