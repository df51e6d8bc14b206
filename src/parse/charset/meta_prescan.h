/* What a document's first bytes say of its encoding. */
#ifndef TH_META_PRESCAN_H
#define TH_META_PRESCAN_H

#include "parse/charset/charset_label.h"

/**
 * The encoding that a document declares in its own bytes: meta elements, else the XML
 * declaration; UTF-16 in either is read as UTF-8, for the declaration itself was legible.
 * @param bytes  what may be looked at; the standard says 1,024 bytes
 * @return TH_CHARSET_NONE when there is none. Linear, allocates nothing.
 */
th_charset_id th_meta_prescan(th_view bytes);

#endif
