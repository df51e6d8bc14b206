/*
 * The legacy encodings of Chinese, Japanese and Korean. [WHATWG Encoding §10-13]
 */
#ifndef TH_DOUBLE_BYTE_H
#define TH_DOUBLE_BYTE_H

#include "parse/charset/charset_label.h"
#include "parse/charset/text_out.h"

/** The tables of the encodings used so far. Not thread-safe. */
typedef struct th_double_byte th_double_byte;

/** @return NULL without memory. Tables are filled on first use. */
th_double_byte *th_double_byte_new(void);
void th_double_byte_free(th_double_byte *tables);

/**
 * Decodes GBK, gb18030, Big5, EUC-JP, Shift_JIS, EUC-KR or ISO-2022-JP. Each bad sequence
 * becomes one U+FFFD. ASCII bytes are never part of a bad sequence, except the digits of
 * a four-byte sequence of gb18030 that is not assigned, and bytes of a two-byte set of
 * ISO-2022-JP.
 * @return TH_OK or TH_NOMEM. Linear; the first use of an encoding costs some
 *         milliseconds.
 */
th_status th_double_byte_decode(th_double_byte *tables, th_charset_id id, th_view bytes,
                                th_text_out *out);

#endif
