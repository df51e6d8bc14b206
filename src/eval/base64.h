/* Base64 to bytes. [RFC 4648 §4] */
#ifndef TH_BASE64_H
#define TH_BASE64_H

#include <stdbool.h>

#include "thresher/view.h"

/**
 * Decodes; padding may be missing.
 * @param out      text.len / 4 * 3 + 2 bytes; may be where the text is
 * @param out_len  written on success
 * @return false when the text has a character that is none of base64's, or one too many
 */
bool th_base64_decode(th_view text, char *out, size_t *out_len);

#endif
