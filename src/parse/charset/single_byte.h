/* Encodings whose characters are one byte each, as tables. [WHATWG Encoding §9, §14.5] */
#ifndef TH_SINGLE_BYTE_H
#define TH_SINGLE_BYTE_H

#include <stdint.h>

#include "parse/charset/charset_label.h"

/**
 * Returns the code points of the bytes 0x80 to 0xFF, uint16_t[128], 0 for undefined
 * bytes. NULL if the encoding does not use single bytes. Bytes below 0x80 are ASCII in
 * all of them.
 */
const uint16_t *th_single_byte_table(th_charset_id id);

#endif
