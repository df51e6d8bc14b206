/*
 * Reads emitted records from a file: JSON lines, or the metadata records of a WARC file
 * that `--format warc` wrote. The file may be plain, gzip or zstd. The bytes decide.
 */
#ifndef TH_RECORD_INPUT_H
#define TH_RECORD_INPUT_H

#include <stdatomic.h>

#include "dedup/record_line.h"

typedef struct th_record_input th_record_input;

/**
 * Opens a file.
 * @param path      "-" is stdin; borrowed
 * @param max_line  maximum bytes of a record; a longer one is refused
 * @param stop      not 0: this call and th_record_input_next give up with TH_INTERRUPTED;
 *                  borrowed for the input's life; may be NULL
 * @return TH_OK; TH_IO with the path in err; TH_NOMEM; TH_INTERRUPTED
 */
th_status th_record_input_open(const char *path, size_t max_line, const atomic_int *stop,
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
 *         other records only.
 */
th_status th_record_input_next(th_record_input *input, th_record_line *record,
                               th_record_fault *fault, th_error *err);

/** The position of the last record: "line 17", or in a WARC file "offset 4711". */
enum { TH_PLACE_MAX = 40 };
void th_record_input_place(const th_record_input *input, char place[TH_PLACE_MAX]);

/** Returns the bytes of the file read so far, compressed, for progress. */
uint64_t th_record_input_report(const th_record_input *input);

#endif
