/*
 * Lines of a corpus's text file, plain, gzip or zstd, each with a limit. Unlike the
 * inputs of dedup, a corpus must be complete. The first damage or overlong line ends the
 * reading.
 */
#ifndef TH_CORPUS_LINES_H
#define TH_CORPUS_LINES_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"

/* Limit of a line, which is a page in base64. A longer one is refused. */
enum { TH_CORPUS_LINE_MAX = 64 << 20 };

typedef struct th_corpus_lines th_corpus_lines;

/**
 * Opens a file.
 * @param stop  not 0: this call and th_corpus_lines_next give up with TH_INTERRUPTED;
 *              borrowed while the reader lives; may be NULL
 * @return TH_OK; TH_IO with the path in err; TH_NOMEM; TH_INTERRUPTED
 */
th_status th_corpus_lines_open(const char *path, const atomic_int *stop,
                               th_corpus_lines **out, th_error *err);
void th_corpus_lines_free(th_corpus_lines *reader);

/**
 * The next line that is not empty, without its end.
 * @param line  reset and filled
 * @return TH_OK; TH_END; TH_TOO_LARGE: longer than TH_CORPUS_LINE_MAX; TH_IO: damaged;
 *         TH_NOMEM; TH_INTERRUPTED. Words with path and line number in err
 */
th_status th_corpus_lines_next(th_corpus_lines *reader, th_buffer *line, th_error *err);

/** Number of the last line, from 1. */
uint64_t th_corpus_lines_number(const th_corpus_lines *reader);

/** Bytes read of the file as stored. */
uint64_t th_corpus_lines_offset(const th_corpus_lines *reader);

#endif
