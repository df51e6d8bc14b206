/*
 * The writer of JSON; see json.h. A comma is due before whatever follows a value, which
 * is all the state there is: that keys and values come in turn is the caller's care, and
 * the tests read every document back.
 */
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/byte_scan.h"
#include "base/unicode.h"

enum { ESCAPE_MAX = 6 }; /* bytes of the longest escape, "\\u001F" */

static const char hex_digits[16] = { '0', '1', '2', '3', '4', '5', '6', '7',
                                     '8', '9', 'a', 'b', 'c', 'd', 'e', 'f' };

void th_json_begin(th_json *json, th_buffer *out)
{
    *json = (th_json){
        .out = out, .start = out->len, .had_failed = out->has_failed, .status = TH_OK
    };
}

th_status th_json_end(th_json *json)
{
    th_buffer_append_char(json->out, '\n');
    if (json->out->has_failed)
        json->status = TH_NOMEM;
    if (json->status != TH_OK) {
        json->out->len = json->start;
        json->out->has_failed = json->had_failed;
    }
    return json->status;
}

void th_json_fail(th_json *json, th_status status)
{
    if (json->status == TH_OK)
        json->status = status;
}

/* Room for `size` bytes and a comma, which stands there if one is due; what was written
 * is told to `written`. NULL without memory. */
static char *begin(th_json *json, size_t size)
{
    th_buffer *out = json->out;
    if (!th_buffer_reserve(out, size + 1))
        return NULL;
    if (json->is_comma_due)
        out->data[out->len++] = ',';
    return out->data + out->len;
}

static void written(th_json *json, const char *end)
{
    json->out->len = (size_t)(end - json->out->data);
}

static void put_bytes(th_json *json, const char *bytes, size_t len)
{
    char *at = begin(json, len);
    if (!at)
        return;
    memcpy(at, bytes, len);
    written(json, at + len);
}

static void open_bracket(th_json *json, char bracket)
{
    put_bytes(json, &bracket, 1);
    json->is_comma_due = false;
}

static void close_bracket(th_json *json, char bracket)
{
    th_buffer_append_char(json->out, bracket);
    json->is_comma_due = true;
}

static void put_value(th_json *json, const char *bytes, size_t len)
{
    put_bytes(json, bytes, len);
    json->is_comma_due = true;
}

void th_json_open_object(th_json *json)
{
    open_bracket(json, '{');
}

void th_json_close_object(th_json *json)
{
    close_bracket(json, '}');
}

void th_json_open_array(th_json *json)
{
    open_bracket(json, '[');
}

void th_json_close_array(th_json *json)
{
    close_bracket(json, ']');
}

void th_json_key(th_json *json, const char *key)
{
    const size_t len = strlen(key);
    char *at = begin(json, len + 3);
    if (!at)
        return;
    *at++ = '"';
    memcpy(at, key, len);
    at += len;
    *at++ = '"';
    *at++ = ':';
    written(json, at);
    json->is_comma_due = false;
}

/* Puts a byte that a string must escape. */
static void put_escape(th_buffer *out, unsigned char byte)
{
    static const char short_names[0x20] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'
    };
    if (!th_buffer_reserve(out, ESCAPE_MAX))
        return;
    char *at = out->data + out->len;
    *at++ = '\\';
    if (byte >= 0x20) {
        *at++ = (char)byte;
    } else if (short_names[byte]) {
        *at++ = short_names[byte];
    } else {
        memcpy(at, "u00", 3);
        at[3] = (char)('0' + (byte >> 4));
        at[4] = "0123456789ABCDEF"[byte & 15];
        at += 5;
    }
    out->len = (size_t)(at - out->data);
}

/* Puts UTF-8. */
static void put_escaped(th_buffer *out, const char *text, size_t len)
{
    size_t at = 0;
    for (;;) {
        const size_t plain = th_scan_json(text + at, len - at);
        th_buffer_append(out, text + at, plain);
        at += plain;
        if (at == len)
            return;
        put_escape(out, (unsigned char)text[at++]);
    }
}

void th_json_string(th_json *json, th_view text)
{
    put_value(json, "\"", 1);
    size_t at = 0;
    for (;;) {
        const size_t valid = th_utf8_valid(text.data + at, text.len - at);
        put_escaped(json->out, text.data + at, valid);
        at += valid;
        if (at == text.len)
            break;
        const unsigned char byte = (unsigned char)text.data[at++];
        const char shown[] = { '\\', '\\', 'x', hex_digits[byte >> 4],
                               hex_digits[byte & 15] };
        th_buffer_append(json->out, shown, sizeof shown);
    }
    th_buffer_append_char(json->out, '"');
}

void th_json_uint(th_json *json, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = hex_digits[value % 10];
        value /= 10;
    } while (value);
    put_value(json, digits + at, sizeof digits - at);
}

void th_json_bool(th_json *json, bool value)
{
    if (value)
        put_value(json, "true", 4);
    else
        put_value(json, "false", 5);
}

size_t th_decimal(double value, unsigned places, char out[TH_DECIMAL_MAX])
{
    static const unsigned powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
    assert(places < sizeof powers / sizeof *powers);
    const double inside = value > 0 ? fmin(value, 1e9) : 0;
    unsigned long long whole =
        (unsigned long long)llround(inside * (double)powers[places]);
    while (places && whole % 10 == 0) {
        whole /= 10;
        places--;
    }
    char digits[TH_DECIMAL_MAX];
    size_t len = 0;
    for (unsigned done = 0; whole || done <= places; done++) {
        if (done == places && done)
            digits[len++] = '.';
        digits[len++] = hex_digits[whole % 10];
        whole /= 10;
    }
    for (size_t i = 0; i < len; i++)
        out[i] = digits[len - 1 - i];
    out[len] = '\0';
    return len;
}

void th_json_decimal(th_json *json, double value, unsigned places)
{
    char text[TH_DECIMAL_MAX];
    put_value(json, text, th_decimal(value, places, text));
}

static char *put_hex(char *at, unsigned byte)
{
    at[0] = hex_digits[byte >> 4];
    at[1] = hex_digits[byte & 15];
    return at + 2;
}

void th_json_hex(th_json *json, const uint8_t *bytes, size_t len)
{
    char *at = begin(json, 2 * len + 2);
    json->is_comma_due = true;
    if (!at)
        return;
    *at++ = '"';
    for (size_t i = 0; i < len; i++)
        at = put_hex(at, bytes[i]);
    *at++ = '"';
    written(json, at);
}

void th_json_hex_words(th_json *json, const uint64_t *words, size_t count, unsigned width)
{
    char *at = begin(json, 2 * count * width + 2);
    json->is_comma_due = true;
    if (!at)
        return;
    *at++ = '"';
    for (size_t i = 0; i < count; i++)
        for (unsigned shift = 8 * width; shift; shift -= 8)
            at = put_hex(at, (unsigned)(words[i] >> (shift - 8)) & 0xFF);
    *at++ = '"';
    written(json, at);
}

void th_json_member(th_json *json, const char *key, th_view text)
{
    if (!text.data)
        return;
    th_json_key(json, key);
    th_json_string(json, text);
}

void th_json_member_text(th_json *json, const char *key, const char *text)
{
    if (text)
        th_json_member(json, key, (th_view){ text, strlen(text) });
}

void th_json_member_uint(th_json *json, const char *key, uint64_t value)
{
    th_json_key(json, key);
    th_json_uint(json, value);
}

void th_json_member_decimal(th_json *json, const char *key, double value, unsigned places)
{
    th_json_key(json, key);
    th_json_decimal(json, value, places);
}
