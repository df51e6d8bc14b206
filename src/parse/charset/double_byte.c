/*
 * Decodes the legacy encodings of Chinese, Japanese and Korean by the standard's own
 * state machines [WHATWG Encoding §10-13], over tables that ICU fills when an encoding is
 * first used.
 *
 * ICU's converters themselves are not suitable: they let a bad lead byte swallow the next
 * '<', rotate some control characters, and map unassigned cells to private characters. Of
 * ICU's many mappings, this file uses the mappings that equal the standard's indexes.
 * They were compared with cp932, cp949, gb18030 and big5hkscs of a second implementation,
 * cell by cell.
 */
#include "parse/charset/double_byte.h"

#include <stdlib.h>

#include <unicode/ucnv.h>

#include "base/byte_scan.h"

enum {
    FIRST_LEAD = 0x81, /* rows 0x81..0xFE, columns 0x40..0xFE */
    FIRST_TRAIL = 0x40,
    LEADS = 0xFE - FIRST_LEAD + 1,
    TRAILS = 0xFE - FIRST_TRAIL + 1,
    PAIR = 1u << 30 /* two code points in a cell, 15 bits each */
};

/* Code points by lead and trail byte, or 0. */
typedef uint32_t index_table[LEADS][TRAILS];

enum { GB18030, BIG5, EUC_JP, JIS0212, SHIFT_JIS, EUC_KR, TABLES };

struct th_double_byte {
    index_table *indexes[TABLES]; /* NULL until first used */
    UConverter *gb18030; /* for its four-byte characters; NULL until first used */
};

static const struct mapping {
    const char *converter; /* ICU's name */
    bool has_private;      /* private characters belong to it */
} mappings[TABLES] = {
    [GB18030] = { "gb18030", true },
    [BIG5] = { "ibm-1375_P100-2008", false },
    [EUC_JP] = { "euc-jp-2007", false },
    [JIS0212] = { "euc-jp-2007", false },
    [SHIFT_JIS] = { "ibm-943_P15A-2003", true },
    [EUC_KR] = { "windows-949-2000", false },
};

th_double_byte *th_double_byte_new(void)
{
    return calloc(1, sizeof(th_double_byte));
}

void th_double_byte_free(th_double_byte *tables)
{
    if (!tables)
        return;
    for (size_t i = 0; i < TABLES; i++)
        free(tables->indexes[i]);
    if (tables->gb18030)
        ucnv_close(tables->gb18030);
    free(tables);
}

/* Returns the code point of the bytes, or 0 if they have none. */
static uint32_t convert(UConverter *converter, const char *bytes, size_t len,
                        bool has_private)
{
    UChar units[8];
    UErrorCode error = U_ZERO_ERROR;
    ucnv_reset(converter);
    const int32_t count =
        ucnv_toUChars(converter, units, (int32_t)(sizeof units / sizeof *units), bytes,
                      (int32_t)len, &error);
    if (U_FAILURE(error) || count < 1)
        return 0;
    if (count == 2 && U16_IS_LEAD(units[0]) && U16_IS_TRAIL(units[1]))
        return (uint32_t)U16_GET_SUPPLEMENTARY(units[0], units[1]);
    if (count != 1 || U16_IS_SURROGATE(units[0]) || units[0] == TH_REPLACEMENT ||
        units[0] == 0x1A)
        return 0;
    return units[0] >= 0xE000 && units[0] <= 0xF8FF && !has_private ? 0 : units[0];
}

/* A cell in which ICU's table is not the standard's. */
struct mended {
    uint16_t bytes;
    uint16_t c, mark; /* mark: a second code point, 0 = none */
};

/* clang-format off */
/* Cells for which ICU still has the old private characters. */
static const struct mended big5_cells[] = {
    { 0x8840, 0x31C0, 0 }, { 0x8841, 0x31C1, 0 }, { 0x8842, 0x31C2, 0 }, { 0x8843, 0x31C3, 0 },
    { 0x8844, 0x31C4, 0 }, { 0x8846, 0x31C5, 0 }, { 0x8849, 0x31C6, 0 }, { 0x884A, 0x31C7, 0 },
    { 0x884D, 0x31C8, 0 }, { 0x884F, 0x31C9, 0 }, { 0x8850, 0x31CA, 0 }, { 0x8851, 0x31CB, 0 },
    { 0x8852, 0x31CC, 0 }, { 0x8854, 0x31CD, 0 }, { 0x8855, 0x31CE, 0 }, { 0x88A9, 0x23DA, 0 },
    { 0x88AA, 0x23DB, 0 }, { 0x8C43, 0x9FA6, 0 }, { 0x8C6D, 0x9FA7, 0 }, { 0x8C74, 0x9FA8, 0 },
    { 0x8CB7, 0x9FA9, 0 }, { 0x8CB9, 0x9FAA, 0 }, { 0x8CBB, 0x9FAB, 0 }, { 0x8CC0, 0x9FAC, 0 },
    { 0x8CD7, 0x9FAD, 0 }, { 0x8CD8, 0x9FAE, 0 }, { 0x8CDA, 0x9FAF, 0 }, { 0x8CED, 0x9FB2, 0 },
    { 0x8D48, 0x9FB3, 0 }, { 0xC879, 0x31CF, 0 }, { 0xC8A1, 0x9FB0, 0 }, { 0xC8A3, 0x9FB1, 0 },
    { 0x8862, 0x00CA, 0x0304 }, { 0x8864, 0x00CA, 0x030C },
    { 0x88A3, 0x00EA, 0x0304 }, { 0x88A5, 0x00EA, 0x030C },
};

/* GB18030-2022, which ICU 72 has not. Pages use the first cell as a space. */
static const struct mended gb18030_cells[] = {
    { 0xA3A0, 0x3000, 0 }, { 0xA6D9, 0xFE10, 0 }, { 0xA6DA, 0xFE12, 0 }, { 0xA6DB, 0xFE11, 0 },
    { 0xA6DC, 0xFE13, 0 }, { 0xA6DD, 0xFE14, 0 }, { 0xA6DE, 0xFE15, 0 }, { 0xA6DF, 0xFE16, 0 },
    { 0xA6EC, 0xFE17, 0 }, { 0xA6ED, 0xFE18, 0 }, { 0xA6F3, 0xFE19, 0 }, { 0xFE59, 0x9FB4, 0 },
    { 0xFE61, 0x9FB5, 0 }, { 0xFE66, 0x9FB6, 0 }, { 0xFE67, 0x9FB7, 0 }, { 0xFE6D, 0x9FB8, 0 },
    { 0xFE7E, 0x9FB9, 0 }, { 0xFE90, 0x9FBA, 0 }, { 0xFEA0, 0x9FBB, 0 },
};
/* clang-format on */

static void mend(index_table index, const struct mended *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned row = (cells[i].bytes >> 8) - FIRST_LEAD;
        const unsigned column = (cells[i].bytes & 0xFF) - FIRST_TRAIL;
        index[row][column] = cells[i].mark
                                 ? PAIR | (uint32_t)cells[i].c << 15 | cells[i].mark
                                 : cells[i].c;
    }
}

static void fill(index_table index, UConverter *converter, int number)
{
    for (size_t row = 0; row < LEADS; row++) {
        for (size_t column = 0; column < TRAILS; column++) {
            const char cell[] = { '\x8F', (char)(FIRST_LEAD + row),
                                  (char)(FIRST_TRAIL + column) };
            const size_t prefix = number == JIS0212 ? 0 : 1;
            index[row][column] = convert(converter, cell + prefix, sizeof cell - prefix,
                                         mappings[number].has_private);
        }
    }
    if (number == BIG5)
        mend(index, big5_cells, sizeof big5_cells / sizeof *big5_cells);
    if (number == GB18030)
        mend(index, gb18030_cells, sizeof gb18030_cells / sizeof *gb18030_cells);
}

/* Returns NULL without memory, or if ICU has no data, which is treated the same. */
static index_table *get_index(th_double_byte *tables, int number)
{
    if (tables->indexes[number])
        return tables->indexes[number];
    UErrorCode error = U_ZERO_ERROR;
    UConverter *const converter = ucnv_open(mappings[number].converter, &error);
    index_table *const index = malloc(sizeof *index);
    if (index && U_SUCCESS(error)) {
        fill(*index, converter, number);
        tables->indexes[number] = index;
    } else {
        free(index);
    }
    if (converter)
        ucnv_close(converter);
    return tables->indexes[number];
}

static uint32_t look_up(const index_table index, unsigned lead, unsigned trail)
{
    if (lead < FIRST_LEAD || lead > 0xFE || trail < FIRST_TRAIL || trail > 0xFE)
        return 0;
    return index[lead - FIRST_LEAD][trail - FIRST_TRAIL];
}

static void put_cell(th_text_out *out, uint32_t cell)
{
    if (cell & PAIR) {
        th_text_out_put(out, cell >> 15 & 0x7FFF);
        th_text_out_put(out, cell & 0x7FFF);
    } else {
        th_text_out_put(out, cell);
    }
}

/* The input of a decoder. */
struct input {
    const unsigned char *bytes;
    size_t len;
    size_t at;
};

/* Returns the byte `ahead` of the current one. 0, which is never a trail byte, after the
 * end. */
static unsigned peek(const struct input *in, size_t ahead)
{
    return in->len - in->at > ahead ? in->bytes[in->at + ahead] : 0;
}

/* Decodes a lead and its trail to the cell, or U+FFFD. An ASCII byte stays for the next
 * character. */
static void take_pair(struct input *in, const index_table index, th_text_out *out)
{
    const unsigned trail = peek(in, 1);
    const uint32_t cell = look_up(index, in->bytes[in->at], trail);
    if (cell)
        put_cell(out, cell);
    else
        th_text_out_put_error(out);
    in->at += cell || trail >= 0x80 ? 2 : 1;
    if (in->at > in->len)
        in->at = in->len;
}

static bool is_between(unsigned byte, unsigned first, unsigned last)
{
    return byte >= first && byte <= last;
}

static void take_error(struct input *in, th_text_out *out)
{
    th_text_out_put_error(out);
    in->at++;
}

/* [§10.2.1], of GBK too: its decoder is gb18030's. false: no memory */
static bool take_gb18030(th_double_byte *tables, struct input *in,
                         const index_table index, th_text_out *out)
{
    const unsigned byte = in->bytes[in->at];
    const bool has_four = is_between(peek(in, 1), '0', '9');
    if (byte == 0x80) {
        th_text_out_put(out, 0x20AC);
        in->at++;
        return true;
    }
    if (byte != 0xFF && !has_four) {
        take_pair(in, index, out);
        return true;
    }
    if (byte == 0xFF || !is_between(peek(in, 2), 0x81, 0xFE) ||
        !is_between(peek(in, 3), '0', '9')) {
        take_error(in, out);
        return true;
    }
    UErrorCode error = U_ZERO_ERROR;
    if (!tables->gb18030)
        tables->gb18030 = ucnv_open(mappings[GB18030].converter, &error);
    if (!tables->gb18030)
        return false;
    const uint32_t c =
        convert(tables->gb18030, (const char *)in->bytes + in->at, 4, true);
    if (c)
        put_cell(out, c);
    else
        th_text_out_put_error(out);
    in->at += 4;
    return true;
}

/* [§12.1.1] */
static void take_euc_jp(struct input *in, const index_table jis0208,
                        const index_table jis0212, th_text_out *out)
{
    const unsigned byte = in->bytes[in->at];
    const unsigned next = peek(in, 1);
    if (byte == 0x8E && is_between(next, 0xA1, 0xDF)) {
        th_text_out_put(out, 0xFF61 - 0xA1 + next);
        in->at += 2;
    } else if (byte == 0x8F && is_between(next, 0xA1, 0xFE)) {
        in->at++;
        take_pair(in, jis0212, out);
    } else if (is_between(byte, 0xA1, 0xFE)) {
        take_pair(in, jis0208, out);
    } else {
        const bool is_lead = byte == 0x8E || byte == 0x8F;
        take_error(in, out);
        if (is_lead && next >= 0x80)
            in->at++;
    }
}

/* [§12.3.1] */
static void take_shift_jis(struct input *in, const index_table index, th_text_out *out)
{
    const unsigned byte = in->bytes[in->at];
    if (byte == 0x80 || is_between(byte, 0xA1, 0xDF)) {
        th_text_out_put(out, byte == 0x80 ? 0x80 : 0xFF61 - 0xA1 + byte);
        in->at++;
    } else if (byte == 0xA0 || byte > 0xFC) {
        take_error(in, out);
    } else {
        take_pair(in, index, out);
    }
}

/* Takes pairs of a lead and a trail while each is a character of three bytes in UTF-8, as
 * nearly all of a text are. */
static void take_usual_pairs(struct input *in, const index_table index, th_text_out *out)
{
    enum { PAIRS = 64, UTF8_LEN = 3, FIRST = 0x800, COUNT = 0x10000 - FIRST };
    while (th_text_out_reserve(out, (size_t)PAIRS * UTF8_LEN)) {
        unsigned char *to = (unsigned char *)out->data + out->len;
        size_t at = in->at, pairs = 0;
        for (; pairs < PAIRS && in->len - at >= 2; pairs++, at += 2) {
            const uint32_t c = look_up(index, in->bytes[at], in->bytes[at + 1]);
            if (c - FIRST >= COUNT)
                break;
            *to++ = (unsigned char)(0xE0 | c >> 12);
            *to++ = (unsigned char)(0x80 | (c >> 6 & 0x3F));
            *to++ = (unsigned char)(0x80 | (c & 0x3F));
        }
        in->at = at;
        out->len += pairs * UTF8_LEN;
        if (pairs < PAIRS)
            return;
    }
}

/* [§11.1.1, §13.1.1] */
static void take_plain_pair(struct input *in, const index_table index, th_text_out *out)
{
    if (is_between(in->bytes[in->at], FIRST_LEAD, 0xFE))
        take_pair(in, index, out);
    else
        take_error(in, out);
}

/* Whether the encoding keeps an ASCII byte at the start of a character unchanged. */
static th_status decode_extended_ascii(th_double_byte *tables, th_charset_id id,
                                       struct input *in, th_text_out *out)
{
    const int number = id == TH_CHARSET_BIG5        ? BIG5
                       : id == TH_CHARSET_EUC_JP    ? EUC_JP
                       : id == TH_CHARSET_SHIFT_JIS ? SHIFT_JIS
                       : id == TH_CHARSET_EUC_KR    ? EUC_KR
                                                    : GB18030;
    const index_table *const index = (const index_table *)get_index(tables, number);
    const index_table *const second =
        number == EUC_JP ? (const index_table *)get_index(tables, JIS0212) : index;
    if (!index || !second)
        return TH_NOMEM;
    /* In the others, some bytes of the rows of leads are characters alone. */
    const bool has_plain_pairs = number == GB18030 || number == BIG5 || number == EUC_KR;
    while (in->at < in->len) {
        if (has_plain_pairs && in->bytes[in->at] >= 0x80)
            take_usual_pairs(in, *index, out);
        if (in->at == in->len)
            break;
        if (in->bytes[in->at] < 0x80) {
            const char *const from = (const char *)in->bytes + in->at;
            const size_t ascii = th_scan_ascii(from, in->len - in->at);
            th_text_out_append(out, from, ascii);
            in->at += ascii;
        } else if (number == EUC_JP)
            take_euc_jp(in, *index, *second, out);
        else if (number == SHIFT_JIS)
            take_shift_jis(in, *index, out);
        else if (number != GB18030)
            take_plain_pair(in, *index, out);
        else if (!take_gb18030(tables, in, *index, out))
            return TH_NOMEM;
    }
    return TH_OK;
}

enum jis_set { JIS_ASCII, JIS_ROMAN, JIS_KATAKANA, JIS_0208, JIS_NO_SET };

static enum jis_set set_of_escape(const struct input *in)
{
    const unsigned kind = peek(in, 1);
    const unsigned final = peek(in, 2);
    if (kind == '(')
        return final == 'B'   ? JIS_ASCII
               : final == 'J' ? JIS_ROMAN
               : final == 'I' ? JIS_KATAKANA
                              : JIS_NO_SET;
    return kind == '$' && (final == '@' || final == 'B') ? JIS_0208 : JIS_NO_SET;
}

static void take_jis_0208(struct input *in, const index_table index, th_text_out *out)
{
    const unsigned lead = in->bytes[in->at];
    const unsigned trail = peek(in, 1);
    const bool is_pair = is_between(lead, 0x21, 0x7E) && is_between(trail, 0x21, 0x7E);
    const uint32_t cell = is_pair ? look_up(index, lead | 0x80, trail | 0x80) : 0;
    if (cell)
        put_cell(out, cell);
    else if (lead == '\n' || lead == '\r') /* a line that lost its closing escape */
        th_text_out_put(out, lead);
    else
        th_text_out_put_error(out);
    in->at += is_pair ? 2 : 1;
}

static void take_jis_byte(struct input *in, enum jis_set set, th_text_out *out)
{
    const unsigned byte = in->bytes[in->at++];
    if (set == JIS_KATAKANA && is_between(byte, 0x21, 0x5F))
        th_text_out_put(out, 0xFF61 - 0x21 + byte);
    else if (set == JIS_ROMAN && (byte == 0x5C || byte == 0x7E))
        th_text_out_put(out, byte == 0x5C ? 0xA5 : 0x203E);
    else if (byte >= 0x80 || byte == 0x0E || byte == 0x0F || byte == 0x1B ||
             (set == JIS_KATAKANA && byte > ' '))
        th_text_out_put_error(out);
    else
        th_text_out_put(out, byte);
}

/* [§12.2.1] except that two escapes in a row are not an error here. They lose nothing. */
static th_status decode_iso_2022_jp(th_double_byte *tables, struct input *in,
                                    th_text_out *out)
{
    const index_table *const index = (const index_table *)get_index(tables, EUC_JP);
    if (!index)
        return TH_NOMEM;
    enum jis_set set = JIS_ASCII;
    while (in->at < in->len) {
        const enum jis_set next =
            in->bytes[in->at] == 0x1B ? set_of_escape(in) : JIS_NO_SET;
        if (next != JIS_NO_SET) {
            set = next;
            in->at += 3;
        } else if (set == JIS_0208) {
            take_jis_0208(in, *index, out);
        } else {
            take_jis_byte(in, set, out);
        }
    }
    return TH_OK;
}

th_status th_double_byte_decode(th_double_byte *tables, th_charset_id id, th_view bytes,
                                th_text_out *out)
{
    struct input in = { (const unsigned char *)bytes.data, bytes.len, 0 };
    return id == TH_CHARSET_ISO_2022_JP ? decode_iso_2022_jp(tables, &in, out)
                                        : decode_extended_ascii(tables, id, &in, out);
}
