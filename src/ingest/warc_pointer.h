/*
 * A pointer to a record: one JSON object with the name of an archive and an offset in it,
 * as Heritrix writes its crawl log and as indexes of Common Crawl name records.
 */
#ifndef TH_WARC_POINTER_H
#define TH_WARC_POINTER_H

#include <stdint.h>

#include "thresher/arena.h"
#include "thresher/status.h"

/* Longest pointer and longest file name in one. */
enum { TH_POINTER_MAX = 64 << 10, TH_POINTER_NAME_MAX = 1024 };

typedef struct th_warc_pointer {
    th_view file;    /* relative path: no "..", no leading '/', no control character */
    uint64_t offset; /* of the record, or of its gzip member or zstd frame */
    uint64_t length; /* bytes of the archive that it takes; 0 if missing */
    th_view url;     /* absent when the object names none */
} th_warc_pointer;

/**
 * Reads a pointer. File: `warc_filename` or `filename`. Offset: `warc_offset`,
 * `warc_record_offset` or `offset`, a number or a string of digits. Length:
 * `warc_record_length` or `length`, the same; any other value is ignored. URL: `url`. If
 * a member occurs twice the last counts, as in most readers. Other members are skipped.
 * @param text   at most TH_POINTER_MAX bytes
 * @param arena  receives the strings
 * @return TH_OK; TH_BAD_WARC with words; TH_TOO_LARGE; TH_NOMEM
 */
th_status th_warc_pointer_read(th_view text, th_arena *arena, th_warc_pointer *out,
                               th_error *err);

/** Whether the file is a name as above. TH_OK; TH_BAD_WARC with words. */
th_status th_warc_pointer_check(const th_warc_pointer *pointer, th_error *err);

/** Accepted names of members, or columns; each list ends with NULL. */
extern const char *const th_pointer_file_names[];
extern const char *const th_pointer_offset_names[];
extern const char *const th_pointer_length_names[];

#endif
