/*
 * Appending to a warc_buffer.
 */
#ifndef WARC_OUTPUT_BUFFER_H
#define WARC_OUTPUT_BUFFER_H

#include "warc/warc_writer.h"

/** Appends bytes; growing doubles the buffer. @return WARC_OK; WARC_NOMEM, buffer
 * unchanged */
warc_status warc_buffer_append(warc_buffer *buffer, warc_view bytes);

#endif
