/*
 * The indexes of the standard's single-byte encodings. [WHATWG Encoding §5 Indexes]
 *
 * The build makes the tables (single_byte_table.py). A converter library at run time would
 * not do: libraries omit the unassigned bytes of the windows encodings, which the web reads
 * as C1 controls. They use older mappings (KOI8-U, windows-1255), lack iso-8859-16, and
 * change between releases.
 */
#include "parse/charset/single_byte.h"

#include "parse/charset/single_byte_table.h"

const uint16_t *th_single_byte_table(th_charset_id id)
{
    if (id == TH_CHARSET_ISO_8859_8_I) /* differs in the direction of the text only */
        id = TH_CHARSET_ISO_8859_8;
    /* No table in use starts with 0, so 0 marks encodings without a table. */
    return id < TH_CHARSET_COUNT && tables[id][0] ? tables[id] : NULL;
}
