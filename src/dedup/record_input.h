/*
 * Reads emitted records from a file or an object of a store: JSON lines, WARC or WET (plain,
 * gzip or zstd), Parquet, or a shard of minhash-sig. The bytes decide. Another kind of
 * file is one error with its name.
 */
#ifndef TH_RECORD_INPUT_H
#define TH_RECORD_INPUT_H

#include <stdatomic.h>

#include "dedup/record_line.h"
#include "remote/remote.h"

typedef struct th_record_input th_record_input;

/** The part of a record that is read, as far as the kind of file has parts. */
typedef enum th_record_use {
    TH_RECORD_SIGNATURES, /* with digest.text, status and names */
    TH_RECORD_DIGESTS,    /* the same, and the text of a line without digest.text */
    TH_RECORD_TEXTS,      /* the text, status and names */
    TH_RECORD_LINKS,      /* the links and the URL */
} th_record_use;

typedef struct th_record_input_options {
    th_record_use use;
    size_t max_line;        /* maximum bytes of a record; a longer one is refused */
    th_remote *remote;      /* opens names of objects; NULL: every name is a file's */
    const atomic_int *stop; /* not 0: reading gives up with TH_INTERRUPTED; may be NULL */
} th_record_input_options;

/**
 * Opens a file.
 * @param path     "-" is stdin; borrowed
 * @param options  copied; its pointers are borrowed for the input's life
 * @return TH_OK; TH_ABSENT with the kind of file in err, if it has no records for this
 *         use; TH_BAD_CODING: it is damaged; TH_IO with the path in err; TH_TOO_LARGE;
 *         TH_NOMEM; TH_INTERRUPTED
 */
th_status th_record_input_open(const char *path, const th_record_input_options *options,
                               th_record_input **out, th_error *err);

/** Closes. NULL is legal. */
void th_record_input_free(th_record_input *input);

/**
 * Returns the JSON of the next record, for callers that read other members than
 * deduplication.
 * @param json   borrowed until the next call
 * @param fault  out: TH_RECORD_NONE, TH_RECORD_TOO_LONG or TH_RECORD_DAMAGED; with the
 *               last two there is no JSON
 * @return as th_record_input_next
 */
th_status th_record_input_json(th_record_input *input, th_view *json,
                               th_record_fault *fault, th_error *err);

/**
 * Reads the next record. Empty lines, and WARC records without JSON, do not count as
 * records.
 * @param record  filled; its borrowed parts are valid until the next call
 * @param fault   out: TH_RECORD_NONE when it can be used
 * @return TH_OK, TH_END, TH_IO, TH_NOMEM or TH_INTERRUPTED. TH_BAD_CODING with place and
 *         words if the file is damaged: the readable records, in a WARC file before and
 *         after the damage, have been returned. TH_ABSENT with words for a WARC file of
 *         other records only, or of text for TH_RECORD_LINKS.
 */
th_status th_record_input_next(th_record_input *input, th_record_line *record,
                               th_record_fault *fault, th_error *err);

/** Writes the position of the last record: "line 17"; in a WARC file "offset 4711", in
 * Parquet "row 17", in a shard of signatures "page 17". */
enum { TH_PLACE_MAX = 40 };
void th_record_input_place(const th_record_input *input, char place[TH_PLACE_MAX]);

/** Returns the bytes of the file read so far, as stored, for progress. */
uint64_t th_record_input_report(const th_record_input *input);

#endif
