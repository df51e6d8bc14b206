/* Escapes the contents of a JSON string; see json_escape.c. */
#ifndef TH_JSON_ESCAPE_H
#define TH_JSON_ESCAPE_H

#include "base/buffer.h"

/**
 * Appends a text with only the escapes that JSON requires: '"', '\\' and controls below
 * 0x20, by their short names if they have one. O(length).
 * @param text  UTF-8, which is not checked
 */
void th_json_escape(th_buffer *out, th_view text);

#endif
