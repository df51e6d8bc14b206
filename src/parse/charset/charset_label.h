/* The encodings of the web by number, and their labels. [WHATWG Encoding §4.2] */
#ifndef TH_CHARSET_LABEL_H
#define TH_CHARSET_LABEL_H

#include "thresher/view.h"

/* clang-format off */
#define TH_CHARSET_LIST(X) \
    X(UTF_8, "UTF-8") \
    X(IBM866, "IBM866") \
    X(ISO_8859_2, "ISO-8859-2") \
    X(ISO_8859_3, "ISO-8859-3") \
    X(ISO_8859_4, "ISO-8859-4") \
    X(ISO_8859_5, "ISO-8859-5") \
    X(ISO_8859_6, "ISO-8859-6") \
    X(ISO_8859_7, "ISO-8859-7") \
    X(ISO_8859_8, "ISO-8859-8") \
    X(ISO_8859_8_I, "ISO-8859-8-I") \
    X(ISO_8859_10, "ISO-8859-10") \
    X(ISO_8859_13, "ISO-8859-13") \
    X(ISO_8859_14, "ISO-8859-14") \
    X(ISO_8859_15, "ISO-8859-15") \
    X(ISO_8859_16, "ISO-8859-16") \
    X(KOI8_R, "KOI8-R") \
    X(KOI8_U, "KOI8-U") \
    X(MACINTOSH, "macintosh") \
    X(WINDOWS_874, "windows-874") \
    X(WINDOWS_1250, "windows-1250") \
    X(WINDOWS_1251, "windows-1251") \
    X(WINDOWS_1252, "windows-1252") \
    X(WINDOWS_1253, "windows-1253") \
    X(WINDOWS_1254, "windows-1254") \
    X(WINDOWS_1255, "windows-1255") \
    X(WINDOWS_1256, "windows-1256") \
    X(WINDOWS_1257, "windows-1257") \
    X(WINDOWS_1258, "windows-1258") \
    X(X_MAC_CYRILLIC, "x-mac-cyrillic") \
    X(GBK, "GBK") \
    X(GB18030, "gb18030") \
    X(BIG5, "Big5") \
    X(EUC_JP, "EUC-JP") \
    X(ISO_2022_JP, "ISO-2022-JP") \
    X(SHIFT_JIS, "Shift_JIS") \
    X(EUC_KR, "EUC-KR") \
    X(UTF_16BE, "UTF-16BE") \
    X(UTF_16LE, "UTF-16LE") \
    X(X_USER_DEFINED, "x-user-defined")
/* clang-format on */

/** An encoding, except the standard's "replacement". */
typedef enum th_charset_id {
#define TH_CHARSET_ENUM(name, text) TH_CHARSET_##name,
    TH_CHARSET_LIST(TH_CHARSET_ENUM)
#undef TH_CHARSET_ENUM
        TH_CHARSET_COUNT,
    TH_CHARSET_NONE = TH_CHARSET_COUNT
} th_charset_id;

/** Returns the standard's name, "windows-1252"; NULL for TH_CHARSET_NONE. Static
 * storage. */
const char *th_charset_name(th_charset_id id);

/**
 * Returns the encoding of a label, ASCII case and surrounding spaces ignored.
 * @return TH_CHARSET_NONE for labels that the standard does not know and for labels of
 *         "replacement". O(log labels), allocates nothing.
 */
th_charset_id th_charset_id_of_label(th_view label);

#endif
