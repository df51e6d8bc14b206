/* Lines of a text file, plain or gzip'd, each with a limit. */
#ifndef TH_LINE_READER_H
#define TH_LINE_READER_H

#include <stdint.h>

#include "base/buffer.h"
#include "thresher/status.h"

/* A line of a corpus is a page in base64; a longer one is refused. */
enum { TH_LINE_MAX = 64 << 20 };

typedef struct th_line_reader th_line_reader;

/** Opens a file. TH_OK; TH_IO with the path in err; TH_NOMEM. */
th_status th_line_reader_open(const char *path, th_line_reader **out, th_error *err);
void th_line_reader_free(th_line_reader *reader);

/**
 * The next line that is not empty, without its end.
 * @param line  reset and filled
 * @return TH_OK; TH_END; TH_TOO_LARGE: longer than TH_LINE_MAX; TH_IO: damaged; TH_NOMEM.
 *         Words with path and line number in err
 */
th_status th_line_reader_next(th_line_reader *reader, th_buffer *line, th_error *err);

/** Number of the last line, from 1. */
uint64_t th_line_reader_number(const th_line_reader *reader);

/** Bytes read of the file as it is stored. */
uint64_t th_line_reader_offset(const th_line_reader *reader);

/** Length of a file, 0 when it cannot be told. */
uint64_t th_file_len(const char *path);

#endif
