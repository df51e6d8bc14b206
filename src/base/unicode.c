/* Classes of code points that ICU's fast predicates do not provide, and UTF-8. */
#include "base/unicode.h"

#include "base/byte_scan.h"

bool th_is_unspaced_slow(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        { 0x0E00, 0x0EFF },   /* Thai, Lao */
        { 0x1000, 0x109F },   /* Myanmar */
        { 0x1780, 0x17FF },   /* Khmer */
        { 0x19E0, 0x19FF },   /* Khmer symbols */
        { 0x2E80, 0x2FDF },   /* CJK and Kangxi radicals */
        { 0x3005, 0x3007 },   /* iteration mark, closing mark, number zero */
        { 0x3021, 0x3029 },   /* Hangzhou numerals */
        { 0x3038, 0x303B },   /* the same, and the vertical iteration mark */
        { 0x3040, 0x30FF },   /* Hiragana, Katakana */
        { 0x31F0, 0x31FF },   /* Katakana phonetic extensions */
        { 0x3400, 0x4DBF },   /* Han extension A */
        { 0x4E00, 0x9FFF },   /* Han */
        { 0xA9E0, 0xA9FF },   /* Myanmar extended B */
        { 0xAA60, 0xAA7F },   /* Myanmar extended A */
        { 0xF900, 0xFAFF },   /* Han compatibility */
        { 0xFF66, 0xFF9F },   /* halfwidth Katakana */
        { 0x1B000, 0x1B16F }, /* Kana supplement, extended A, small */
        { 0x20000, 0x3FFFF }, /* Han extension B and later */
    };
    if (c >= 0x4E00 && c <= 0x9FFF)
        return true; /* the answer for nearly all calls */
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c <= ranges[i].last)
            return c >= ranges[i].first;
    return false;
}

uint32_t th_columns_slow(uint32_t c)
{
    switch (u_getIntPropertyValue((UChar32)c, UCHAR_EAST_ASIAN_WIDTH)) {
    case U_EA_WIDE:
    case U_EA_FULLWIDTH:
        return 2;
    default:
        return 1;
    }
}

/* Returns the length of the valid sequence that starts with a byte over 0x7F; 0 if it is
 * invalid. */
static size_t sequence_len(const unsigned char *p, size_t left)
{
    if (p[0] < 0xC2 || p[0] > 0xF4)
        return 0;
    const size_t len = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (left < len)
        return 0;
    /* Only the second byte's range depends on the first. */
    const unsigned low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    const unsigned high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < len; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    return len;
}

size_t th_utf8_survey(const char *bytes, size_t len, size_t *sequences)
{
    const unsigned char *p = (const unsigned char *)bytes;
    size_t count = 0;
    size_t at = th_scan_ascii(bytes, len);
    while (at < len) {
        const size_t step = sequence_len(p + at, len - at);
        if (!step)
            break;
        count++;
        at += step;
        if (at < len && p[at] < 0x80)
            at += th_scan_ascii(bytes + at, len - at);
    }
    *sequences = count;
    return at;
}

size_t th_utf8_valid(const char *bytes, size_t len)
{
    size_t sequences;
    return th_utf8_survey(bytes, len, &sequences);
}

size_t th_utf8_count(const char *bytes, size_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += ((unsigned char)bytes[i] & 0xC0) != 0x80;
    return count;
}

size_t th_utf8_put(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | (c >> 6));
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | (c >> 12));
        out[1] = (char)(0x80 | ((c >> 6) & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | (c >> 18));
    out[1] = (char)(0x80 | ((c >> 12) & 0x3F));
    out[2] = (char)(0x80 | ((c >> 6) & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}
