/*
 * Finds the encoding of a label: the complete table of WHATWG Encoding §4.2. A label that
 * is not in it has no encoding, even if a converter library knows the name: "utf-7" turns
 * text into markup.
 */
#include "parse/charset/charset_label.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

enum { MAX_LABEL = 24 }; /* longer than any label */

/* Sorted by label, for bsearch. NONE: the standard's "replacement". */
static const struct label {
    char text[MAX_LABEL];
    th_charset_id id;
} labels[] = {
    /* clang-format off */
    { "866", TH_CHARSET_IBM866 },
    { "ansi_x3.4-1968", TH_CHARSET_WINDOWS_1252 },
    { "arabic", TH_CHARSET_ISO_8859_6 },
    { "ascii", TH_CHARSET_WINDOWS_1252 },
    { "asmo-708", TH_CHARSET_ISO_8859_6 },
    { "big5", TH_CHARSET_BIG5 },
    { "big5-hkscs", TH_CHARSET_BIG5 },
    { "chinese", TH_CHARSET_GBK },
    { "cn-big5", TH_CHARSET_BIG5 },
    { "cp1250", TH_CHARSET_WINDOWS_1250 },
    { "cp1251", TH_CHARSET_WINDOWS_1251 },
    { "cp1252", TH_CHARSET_WINDOWS_1252 },
    { "cp1253", TH_CHARSET_WINDOWS_1253 },
    { "cp1254", TH_CHARSET_WINDOWS_1254 },
    { "cp1255", TH_CHARSET_WINDOWS_1255 },
    { "cp1256", TH_CHARSET_WINDOWS_1256 },
    { "cp1257", TH_CHARSET_WINDOWS_1257 },
    { "cp1258", TH_CHARSET_WINDOWS_1258 },
    { "cp819", TH_CHARSET_WINDOWS_1252 },
    { "cp866", TH_CHARSET_IBM866 },
    { "csbig5", TH_CHARSET_BIG5 },
    { "cseuckr", TH_CHARSET_EUC_KR },
    { "cseucpkdfmtjapanese", TH_CHARSET_EUC_JP },
    { "csgb2312", TH_CHARSET_GBK },
    { "csibm866", TH_CHARSET_IBM866 },
    { "csiso2022jp", TH_CHARSET_ISO_2022_JP },
    { "csiso2022kr", TH_CHARSET_NONE },
    { "csiso58gb231280", TH_CHARSET_GBK },
    { "csiso88596e", TH_CHARSET_ISO_8859_6 },
    { "csiso88596i", TH_CHARSET_ISO_8859_6 },
    { "csiso88598e", TH_CHARSET_ISO_8859_8 },
    { "csiso88598i", TH_CHARSET_ISO_8859_8_I },
    { "csisolatin1", TH_CHARSET_WINDOWS_1252 },
    { "csisolatin2", TH_CHARSET_ISO_8859_2 },
    { "csisolatin3", TH_CHARSET_ISO_8859_3 },
    { "csisolatin4", TH_CHARSET_ISO_8859_4 },
    { "csisolatin5", TH_CHARSET_WINDOWS_1254 },
    { "csisolatin6", TH_CHARSET_ISO_8859_10 },
    { "csisolatin9", TH_CHARSET_ISO_8859_15 },
    { "csisolatinarabic", TH_CHARSET_ISO_8859_6 },
    { "csisolatincyrillic", TH_CHARSET_ISO_8859_5 },
    { "csisolatingreek", TH_CHARSET_ISO_8859_7 },
    { "csisolatinhebrew", TH_CHARSET_ISO_8859_8 },
    { "cskoi8r", TH_CHARSET_KOI8_R },
    { "csksc56011987", TH_CHARSET_EUC_KR },
    { "csmacintosh", TH_CHARSET_MACINTOSH },
    { "csshiftjis", TH_CHARSET_SHIFT_JIS },
    { "csunicode", TH_CHARSET_UTF_16LE },
    { "cyrillic", TH_CHARSET_ISO_8859_5 },
    { "dos-874", TH_CHARSET_WINDOWS_874 },
    { "ecma-114", TH_CHARSET_ISO_8859_6 },
    { "ecma-118", TH_CHARSET_ISO_8859_7 },
    { "elot_928", TH_CHARSET_ISO_8859_7 },
    { "euc-jp", TH_CHARSET_EUC_JP },
    { "euc-kr", TH_CHARSET_EUC_KR },
    { "gb18030", TH_CHARSET_GB18030 },
    { "gb2312", TH_CHARSET_GBK },
    { "gb_2312", TH_CHARSET_GBK },
    { "gb_2312-80", TH_CHARSET_GBK },
    { "gbk", TH_CHARSET_GBK },
    { "greek", TH_CHARSET_ISO_8859_7 },
    { "greek8", TH_CHARSET_ISO_8859_7 },
    { "hebrew", TH_CHARSET_ISO_8859_8 },
    { "hz-gb-2312", TH_CHARSET_NONE },
    { "ibm819", TH_CHARSET_WINDOWS_1252 },
    { "ibm866", TH_CHARSET_IBM866 },
    { "iso-10646-ucs-2", TH_CHARSET_UTF_16LE },
    { "iso-2022-cn", TH_CHARSET_NONE },
    { "iso-2022-cn-ext", TH_CHARSET_NONE },
    { "iso-2022-jp", TH_CHARSET_ISO_2022_JP },
    { "iso-2022-kr", TH_CHARSET_NONE },
    { "iso-8859-1", TH_CHARSET_WINDOWS_1252 },
    { "iso-8859-10", TH_CHARSET_ISO_8859_10 },
    { "iso-8859-11", TH_CHARSET_WINDOWS_874 },
    { "iso-8859-13", TH_CHARSET_ISO_8859_13 },
    { "iso-8859-14", TH_CHARSET_ISO_8859_14 },
    { "iso-8859-15", TH_CHARSET_ISO_8859_15 },
    { "iso-8859-16", TH_CHARSET_ISO_8859_16 },
    { "iso-8859-2", TH_CHARSET_ISO_8859_2 },
    { "iso-8859-3", TH_CHARSET_ISO_8859_3 },
    { "iso-8859-4", TH_CHARSET_ISO_8859_4 },
    { "iso-8859-5", TH_CHARSET_ISO_8859_5 },
    { "iso-8859-6", TH_CHARSET_ISO_8859_6 },
    { "iso-8859-6-e", TH_CHARSET_ISO_8859_6 },
    { "iso-8859-6-i", TH_CHARSET_ISO_8859_6 },
    { "iso-8859-7", TH_CHARSET_ISO_8859_7 },
    { "iso-8859-8", TH_CHARSET_ISO_8859_8 },
    { "iso-8859-8-e", TH_CHARSET_ISO_8859_8 },
    { "iso-8859-8-i", TH_CHARSET_ISO_8859_8_I },
    { "iso-8859-9", TH_CHARSET_WINDOWS_1254 },
    { "iso-ir-100", TH_CHARSET_WINDOWS_1252 },
    { "iso-ir-101", TH_CHARSET_ISO_8859_2 },
    { "iso-ir-109", TH_CHARSET_ISO_8859_3 },
    { "iso-ir-110", TH_CHARSET_ISO_8859_4 },
    { "iso-ir-126", TH_CHARSET_ISO_8859_7 },
    { "iso-ir-127", TH_CHARSET_ISO_8859_6 },
    { "iso-ir-138", TH_CHARSET_ISO_8859_8 },
    { "iso-ir-144", TH_CHARSET_ISO_8859_5 },
    { "iso-ir-148", TH_CHARSET_WINDOWS_1254 },
    { "iso-ir-149", TH_CHARSET_EUC_KR },
    { "iso-ir-157", TH_CHARSET_ISO_8859_10 },
    { "iso-ir-58", TH_CHARSET_GBK },
    { "iso8859-1", TH_CHARSET_WINDOWS_1252 },
    { "iso8859-10", TH_CHARSET_ISO_8859_10 },
    { "iso8859-11", TH_CHARSET_WINDOWS_874 },
    { "iso8859-13", TH_CHARSET_ISO_8859_13 },
    { "iso8859-14", TH_CHARSET_ISO_8859_14 },
    { "iso8859-15", TH_CHARSET_ISO_8859_15 },
    { "iso8859-2", TH_CHARSET_ISO_8859_2 },
    { "iso8859-3", TH_CHARSET_ISO_8859_3 },
    { "iso8859-4", TH_CHARSET_ISO_8859_4 },
    { "iso8859-5", TH_CHARSET_ISO_8859_5 },
    { "iso8859-6", TH_CHARSET_ISO_8859_6 },
    { "iso8859-7", TH_CHARSET_ISO_8859_7 },
    { "iso8859-8", TH_CHARSET_ISO_8859_8 },
    { "iso8859-9", TH_CHARSET_WINDOWS_1254 },
    { "iso88591", TH_CHARSET_WINDOWS_1252 },
    { "iso885910", TH_CHARSET_ISO_8859_10 },
    { "iso885911", TH_CHARSET_WINDOWS_874 },
    { "iso885913", TH_CHARSET_ISO_8859_13 },
    { "iso885914", TH_CHARSET_ISO_8859_14 },
    { "iso885915", TH_CHARSET_ISO_8859_15 },
    { "iso88592", TH_CHARSET_ISO_8859_2 },
    { "iso88593", TH_CHARSET_ISO_8859_3 },
    { "iso88594", TH_CHARSET_ISO_8859_4 },
    { "iso88595", TH_CHARSET_ISO_8859_5 },
    { "iso88596", TH_CHARSET_ISO_8859_6 },
    { "iso88597", TH_CHARSET_ISO_8859_7 },
    { "iso88598", TH_CHARSET_ISO_8859_8 },
    { "iso88599", TH_CHARSET_WINDOWS_1254 },
    { "iso_8859-1", TH_CHARSET_WINDOWS_1252 },
    { "iso_8859-15", TH_CHARSET_ISO_8859_15 },
    { "iso_8859-1:1987", TH_CHARSET_WINDOWS_1252 },
    { "iso_8859-2", TH_CHARSET_ISO_8859_2 },
    { "iso_8859-2:1987", TH_CHARSET_ISO_8859_2 },
    { "iso_8859-3", TH_CHARSET_ISO_8859_3 },
    { "iso_8859-3:1988", TH_CHARSET_ISO_8859_3 },
    { "iso_8859-4", TH_CHARSET_ISO_8859_4 },
    { "iso_8859-4:1988", TH_CHARSET_ISO_8859_4 },
    { "iso_8859-5", TH_CHARSET_ISO_8859_5 },
    { "iso_8859-5:1988", TH_CHARSET_ISO_8859_5 },
    { "iso_8859-6", TH_CHARSET_ISO_8859_6 },
    { "iso_8859-6:1987", TH_CHARSET_ISO_8859_6 },
    { "iso_8859-7", TH_CHARSET_ISO_8859_7 },
    { "iso_8859-7:1987", TH_CHARSET_ISO_8859_7 },
    { "iso_8859-8", TH_CHARSET_ISO_8859_8 },
    { "iso_8859-8:1988", TH_CHARSET_ISO_8859_8 },
    { "iso_8859-9", TH_CHARSET_WINDOWS_1254 },
    { "iso_8859-9:1989", TH_CHARSET_WINDOWS_1254 },
    { "koi", TH_CHARSET_KOI8_R },
    { "koi8", TH_CHARSET_KOI8_R },
    { "koi8-r", TH_CHARSET_KOI8_R },
    { "koi8-ru", TH_CHARSET_KOI8_U },
    { "koi8-u", TH_CHARSET_KOI8_U },
    { "koi8_r", TH_CHARSET_KOI8_R },
    { "korean", TH_CHARSET_EUC_KR },
    { "ks_c_5601-1987", TH_CHARSET_EUC_KR },
    { "ks_c_5601-1989", TH_CHARSET_EUC_KR },
    { "ksc5601", TH_CHARSET_EUC_KR },
    { "ksc_5601", TH_CHARSET_EUC_KR },
    { "l1", TH_CHARSET_WINDOWS_1252 },
    { "l2", TH_CHARSET_ISO_8859_2 },
    { "l3", TH_CHARSET_ISO_8859_3 },
    { "l4", TH_CHARSET_ISO_8859_4 },
    { "l5", TH_CHARSET_WINDOWS_1254 },
    { "l6", TH_CHARSET_ISO_8859_10 },
    { "l9", TH_CHARSET_ISO_8859_15 },
    { "latin1", TH_CHARSET_WINDOWS_1252 },
    { "latin2", TH_CHARSET_ISO_8859_2 },
    { "latin3", TH_CHARSET_ISO_8859_3 },
    { "latin4", TH_CHARSET_ISO_8859_4 },
    { "latin5", TH_CHARSET_WINDOWS_1254 },
    { "latin6", TH_CHARSET_ISO_8859_10 },
    { "logical", TH_CHARSET_ISO_8859_8_I },
    { "mac", TH_CHARSET_MACINTOSH },
    { "macintosh", TH_CHARSET_MACINTOSH },
    { "ms932", TH_CHARSET_SHIFT_JIS },
    { "ms_kanji", TH_CHARSET_SHIFT_JIS },
    { "replacement", TH_CHARSET_NONE },
    { "shift-jis", TH_CHARSET_SHIFT_JIS },
    { "shift_jis", TH_CHARSET_SHIFT_JIS },
    { "sjis", TH_CHARSET_SHIFT_JIS },
    { "sun_eu_greek", TH_CHARSET_ISO_8859_7 },
    { "tis-620", TH_CHARSET_WINDOWS_874 },
    { "ucs-2", TH_CHARSET_UTF_16LE },
    { "unicode", TH_CHARSET_UTF_16LE },
    { "unicode-1-1-utf-8", TH_CHARSET_UTF_8 },
    { "unicode11utf8", TH_CHARSET_UTF_8 },
    { "unicode20utf8", TH_CHARSET_UTF_8 },
    { "unicodefeff", TH_CHARSET_UTF_16LE },
    { "unicodefffe", TH_CHARSET_UTF_16BE },
    { "us-ascii", TH_CHARSET_WINDOWS_1252 },
    { "utf-16", TH_CHARSET_UTF_16LE },
    { "utf-16be", TH_CHARSET_UTF_16BE },
    { "utf-16le", TH_CHARSET_UTF_16LE },
    { "utf-8", TH_CHARSET_UTF_8 },
    { "utf8", TH_CHARSET_UTF_8 },
    { "visual", TH_CHARSET_ISO_8859_8 },
    { "windows-1250", TH_CHARSET_WINDOWS_1250 },
    { "windows-1251", TH_CHARSET_WINDOWS_1251 },
    { "windows-1252", TH_CHARSET_WINDOWS_1252 },
    { "windows-1253", TH_CHARSET_WINDOWS_1253 },
    { "windows-1254", TH_CHARSET_WINDOWS_1254 },
    { "windows-1255", TH_CHARSET_WINDOWS_1255 },
    { "windows-1256", TH_CHARSET_WINDOWS_1256 },
    { "windows-1257", TH_CHARSET_WINDOWS_1257 },
    { "windows-1258", TH_CHARSET_WINDOWS_1258 },
    { "windows-31j", TH_CHARSET_SHIFT_JIS },
    { "windows-874", TH_CHARSET_WINDOWS_874 },
    { "windows-949", TH_CHARSET_EUC_KR },
    { "x-cp1250", TH_CHARSET_WINDOWS_1250 },
    { "x-cp1251", TH_CHARSET_WINDOWS_1251 },
    { "x-cp1252", TH_CHARSET_WINDOWS_1252 },
    { "x-cp1253", TH_CHARSET_WINDOWS_1253 },
    { "x-cp1254", TH_CHARSET_WINDOWS_1254 },
    { "x-cp1255", TH_CHARSET_WINDOWS_1255 },
    { "x-cp1256", TH_CHARSET_WINDOWS_1256 },
    { "x-cp1257", TH_CHARSET_WINDOWS_1257 },
    { "x-cp1258", TH_CHARSET_WINDOWS_1258 },
    { "x-euc-jp", TH_CHARSET_EUC_JP },
    { "x-gbk", TH_CHARSET_GBK },
    { "x-mac-cyrillic", TH_CHARSET_X_MAC_CYRILLIC },
    { "x-mac-roman", TH_CHARSET_MACINTOSH },
    { "x-mac-ukrainian", TH_CHARSET_X_MAC_CYRILLIC },
    { "x-sjis", TH_CHARSET_SHIFT_JIS },
    { "x-unicode20utf8", TH_CHARSET_UTF_8 },
    { "x-user-defined", TH_CHARSET_X_USER_DEFINED },
    { "x-x-big5", TH_CHARSET_BIG5 },
    /* clang-format on */
};

const char *th_charset_name(th_charset_id id)
{
    static const char *const names[TH_CHARSET_COUNT] = {
#define TH_CHARSET_TEXT(name, text) [TH_CHARSET_##name] = (text),
        TH_CHARSET_LIST(TH_CHARSET_TEXT)
#undef TH_CHARSET_TEXT
    };
    return id < TH_CHARSET_COUNT ? names[id] : NULL;
}

static int compare(const void *key, const void *member)
{
    return strcmp(key, ((const struct label *)member)->text);
}

th_charset_id th_charset_id_of_label(th_view label)
{
    while (label.len && th_is_html_blank(label.data[0])) {
        label.data++;
        label.len--;
    }
    while (label.len && th_is_html_blank(label.data[label.len - 1]))
        label.len--;
    if (label.len == 0 || label.len >= MAX_LABEL)
        return TH_CHARSET_NONE;

    char key[MAX_LABEL] = { 0 };
    for (size_t i = 0; i < label.len; i++) {
        const char c = label.data[i];
        if (c == '\0')
            return TH_CHARSET_NONE;
        key[i] = c;
        if (c >= 'A' && c <= 'Z')
            key[i] = (char)(c | 0x20);
    }
    const struct label *const found =
        bsearch(key, labels, sizeof labels / sizeof *labels, sizeof *labels, compare);
    return found ? found->id : TH_CHARSET_NONE;
}
