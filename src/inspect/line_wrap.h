/*
 * The lines of a block, for display: wrapped at w_max exactly as the text model wraps
 * them when it counts. [K11 §4.2.1]
 */
#ifndef TH_LINE_WRAP_H
#define TH_LINE_WRAP_H

#include <stdint.h>

#include "thresher/status.h"
#include "thresher/view.h"

/** A wrapper with its buffers. Not thread-safe. */
typedef struct th_line_wrap th_line_wrap;

/** Called with each line in order: a slice of the text, and the tokens that start on
 * it. */
typedef void th_line_sink(void *context, th_view line, uint32_t tokens);

/** @param w_max  columns of a line, at least 1. @return NULL without memory */
th_line_wrap *th_line_wrap_new(uint32_t w_max);
void th_line_wrap_free(th_line_wrap *wrap);

/**
 * Wraps a block's text.
 * @param text  as th_block_text returns it: valid UTF-8, whitespace collapsed
 * @return TH_OK, or TH_NOMEM when ICU cannot be opened. The number of lines, and of
 *         tokens on the last one, equals the block's row. Linear.
 */
th_status th_line_wrap_text(th_line_wrap *wrap, th_view text, th_line_sink *sink,
                            void *context);

#endif
