/*
 * Escapes the text of a JSON string, copying from one escape to the next. The bytes are
 * the shortest that JSON permits: no character is escaped that need not be. Texts are
 * most of a record.
 */
#include "base/json_escape.h"

#include "base/byte_scan.h"

enum { ESCAPE_MAX = 6 }; /* bytes of the longest, "\u001F" */

/* Appends a byte that must be escaped. */
static void escape(th_buffer *out, unsigned char byte)
{
    static const char names[0x20] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'
    };
    if (!th_buffer_reserve(out, ESCAPE_MAX))
        return;
    char *at = out->data + out->len;
    *at++ = '\\';
    if (byte >= 0x20) {
        *at++ = (char)byte;
    } else if (names[byte]) {
        *at++ = names[byte];
    } else {
        *at++ = 'u';
        *at++ = '0';
        *at++ = '0';
        *at++ = (char)('0' + (byte >> 4));
        *at++ = "0123456789ABCDEF"[byte & 15];
    }
    out->len = (size_t)(at - out->data);
}

void th_json_escape(th_buffer *out, th_view text)
{
    size_t at = 0;
    for (;;) {
        const size_t plain = th_scan_json(text.data + at, text.len - at);
        th_buffer_append(out, text.data + at, plain);
        at += plain;
        if (at == text.len)
            return;
        escape(out, (unsigned char)text.data[at++]);
    }
}
