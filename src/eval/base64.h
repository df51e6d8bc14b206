/* Base64 to bytes. [RFC 4648 §4] */
#ifndef TH_BASE64_H
#define TH_BASE64_H

#include <stdbool.h>

#include "thresher/view.h"

/**
 * Decodes base64. Padding may be missing.
 * @param out      text.len / 4 * 3 + 2 bytes; may be the address of the text
 * @param out_len  written on success
 * @return false when the text has a character outside the base64 alphabet, or one
 *         character too many
 */
bool th_base64_decode(th_view text, char *out, size_t *out_len);

#endif
