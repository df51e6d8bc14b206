/* Packs JSON text, so that tests can state rows in text. */
#ifndef PACKED_TEXT_H
#define PACKED_TEXT_H

#include "base/buffer.h"

/** Appends the packed form of JSON text (base/json.h). Numbers are below 1e9 and have at most
 * six decimals. */
void pack_text(const char *text, th_buffer *out);

#endif
