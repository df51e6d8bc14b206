/* Lines of a decompressed input, each complete in memory, with a limit on their
 * length. */
#ifndef TH_LINE_READER_H
#define TH_LINE_READER_H

#include "base/buffer.h"
#include "dedup/decompressed_input.h"

enum { TH_LINE_PIECE = 256 * 1024 };

typedef struct th_line_reader {
    th_decompressed_input *input; /* borrowed */
    size_t max_line;              /* bytes; longer lines are cut, the rest is skipped */
    uint64_t number;              /* of the last returned line, from 1 */
    th_status fate;               /* of the input: returned after all lines */
    size_t at, len;               /* of piece */
    th_buffer gathered;           /* a line that spans pieces */
    char piece[TH_LINE_PIECE];
} th_line_reader;

/** Starts on an input. Memory of an earlier input is kept. Zero the struct before the
 * first use. */
void th_line_reader_start(th_line_reader *reader, th_decompressed_input *input,
                          size_t max_line);
void th_line_reader_done(th_line_reader *reader);

/**
 * Reads the next line, without its line end. The last one may lack it.
 * @param line  borrowed until the next call
 * @return TH_OK; TH_TOO_LARGE for a line over the limit, whose start is in `line`;
 *         TH_END; TH_BAD_CODING, TH_IO, TH_NOMEM as from th_decompressed_read, after the
 *         lines that could be read; TH_INTERRUPTED at once
 */
th_status th_line_read(th_line_reader *reader, th_view *line, th_error *err);

#endif
