/* Base64 to bytes. [RFC 4648 §4] */
#include "eval/base64.h"

#include <stdint.h>

/* Value of a character, 64 when it has none. */
static uint32_t value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint32_t)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0') + 52;
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

bool th_base64_decode(th_view text, char *out, size_t *out_len)
{
    size_t len = text.len;
    while (len > 0 && text.len - len < 2 && text.data[len - 1] == '=')
        len--;
    uint32_t bits = 0;
    unsigned bit_count = 0;
    size_t written = 0;
    for (size_t i = 0; i < len; i++) {
        const uint32_t value = value_of(text.data[i]);
        if (value == 64)
            return false;
        bits = bits << 6 | value;
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            out[written++] = (char)(bits >> bit_count & 0xFF);
        }
    }
    *out_len = written;
    return bit_count < 6;
}
