/* Escapes for log lines; see log_text.h. */
#include "log/log_text.h"

#include <string.h>

#include "base/unicode.h"

static const char hex_digits[] = "0123456789abcdef";

/* Writes '\', a letter, and `digits` hexadecimal digits of the value. */
static size_t put_escape(char letter, uint32_t value, unsigned digits, char *out)
{
    out[0] = '\\';
    out[1] = letter;
    for (unsigned i = 0; i < digits; i++)
        out[2 + i] = hex_digits[value >> 4 * (digits - 1 - i) & 15];
    return 2 + digits;
}

static size_t put_quoted(unsigned char c, char *out)
{
    static const struct {
        char c, letter;
    } short_escapes[] = {
        { '"', '"' }, { '\\', '\\' }, { '\n', 'n' }, { '\r', 'r' }, { '\t', 't' }
    };
    for (size_t i = 0; i < sizeof short_escapes / sizeof *short_escapes; i++) {
        if (c != (unsigned char)short_escapes[i].c)
            continue;
        out[0] = '\\';
        out[1] = short_escapes[i].letter;
        return 2;
    }
    if (c < 0x20)
        return put_escape('x', c, 2, out);
    *out = (char)c;
    return 1;
}

static bool is_printed(uint32_t c)
{
    /* ICU's u_isprint accepts the two separators of general categories Zl and Zp. */
    return u_isprint((UChar32)c) && c != 0x2028 && c != 0x2029;
}

static size_t put_character(const char *bytes, size_t len, uint32_t c, bool for_quotes,
                            char *out)
{
    if (c == 0x7F)
        return put_escape('x', c, 2, out);
    if (c < 0x80) {
        *out = (char)c;
        return for_quotes ? put_quoted((unsigned char)c, out) : 1;
    }
    if (!is_printed(c))
        return c < 0x10000 ? put_escape('u', c, 4, out) : put_escape('U', c, 8, out);
    memcpy(out, bytes, len);
    return len;
}

/* Returns the length of the text's beginning that is shown; a character on the border is
 * omitted. */
static size_t shown_len(th_view text)
{
    if (!text.data || text.len <= TH_LOG_TEXT_SHOWN)
        return text.data ? text.len : 0;
    size_t len = TH_LOG_TEXT_SHOWN;
    for (unsigned back = 0; back < 3 && ((unsigned char)text.data[len] & 0xC0) == 0x80;
         back++)
        len--;
    return len;
}

size_t th_log_text(th_view text, bool for_quotes, char out[TH_LOG_TEXT_MAX])
{
    const size_t shown = shown_len(text);
    size_t used = 0;
    for (size_t at = 0; at < shown;) {
        const size_t valid = at + th_utf8_valid(text.data + at, shown - at);
        while (at < valid) {
            const size_t start = at;
            const uint32_t c = th_utf8_next(text.data, &at);
            used +=
                put_character(text.data + start, at - start, c, for_quotes, out + used);
        }
        if (at < shown)
            used += put_escape('x', (unsigned char)text.data[at++], 2, out + used);
    }
    for (unsigned i = 0; i < 3 && text.data && shown < text.len; i++)
        out[used++] = '.';
    return used;
}
