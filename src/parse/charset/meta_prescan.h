/* Finds the encoding that a document's first bytes declare. */
#ifndef TH_META_PRESCAN_H
#define TH_META_PRESCAN_H

#include "parse/charset/charset_label.h"

/**
 * Returns the encoding that a document declares in its own bytes: meta elements, else the
 * XML declaration. A label of UTF-16 is read as UTF-8, because the declaration is in
 * ASCII, and x-user-defined as windows-1252. UTF-16 is returned only if the bytes start
 * with an XML declaration in UTF-16.
 * @param bytes  the bytes to search; the standard says 1,024 bytes
 * @return TH_CHARSET_NONE when there is none. Linear, allocates nothing.
 */
th_charset_id th_meta_prescan(th_view bytes);

#endif
