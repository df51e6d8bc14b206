/* Two flags and a bit for each open container determine commas and colons. */
#include "base/json.h"

#include <assert.h>
#include <endian.h>
#include <math.h>
#include <string.h>

#include "base/json_escape.h"
#include "base/unicode.h"

static const char hex_digits[16] = { '0', '1', '2', '3', '4', '5', '6', '7',
                                     '8', '9', 'a', 'b', 'c', 'd', 'e', 'f' };

/* ---- order of tokens ---- */

/* Checks that the caller writes keys and values in the right order. */
static void check(bool is_in_turn)
{
    assert(is_in_turn);
    (void)is_in_turn;
}

/* Returns the place for `len` bytes if the buffer has space without growing, else NULL. */
static char *space_for(const th_json *json, size_t len)
{
    const th_buffer *out = json->out;
    return out->capacity - out->len >= len && !out->has_failed ? out->data + out->len
                                                               : NULL;
}

static bool is_in_object(const th_json *json)
{
    return json->depth && json->objects >> (json->depth - 1) & 1;
}

/* Writes the comma before a value, unless its key has written it. */
static void begin_value(th_json *json)
{
    check(json->has_key == is_in_object(json));
    if (json->needs_comma)
        th_buffer_append_char(json->out, ',');
    json->needs_comma = !json->is_packed;
    json->has_key = false;
}

static void open_container(th_json *json, bool is_object)
{
    begin_value(json);
    check(json->depth < TH_JSON_WRITER_DEPTH);
    const uint64_t bit = (uint64_t)1 << json->depth++;
    json->objects = is_object ? json->objects | bit : json->objects & ~bit;
    json->needs_comma = false;
    th_buffer_append_char(json->out, is_object ? '{' : '[');
}

static void close_container(th_json *json, bool is_object)
{
    check(json->depth && is_in_object(json) == is_object && !json->has_key);
    json->depth--;
    json->needs_comma = !json->is_packed;
    th_buffer_append_char(json->out, is_object ? '}' : ']');
}

/* Writes a value with ready bytes. */
static void write_value(th_json *json, const char *text, size_t len)
{
    begin_value(json);
    th_buffer_append(json->out, text, len);
}

/* Writes a token: its type, and a number in `bytes` bytes. */
static void write_token(th_json *json, char type, uint64_t number, unsigned bytes)
{
    const uint64_t little = htole64(number);
    char token[1 + sizeof little] = { type };
    char *at = space_for(json, sizeof token);
    memcpy(token + 1, &little, sizeof little);
    if (at) {
        memcpy(at, token, sizeof token);
        json->out->len += 1 + bytes;
    } else {
        th_buffer_append(json->out, token, 1 + bytes);
    }
}

static void write_number(th_json *json, char type, uint64_t bits)
{
    begin_value(json);
    write_token(json, type, bits, sizeof bits);
}

void th_json_begin_as(th_json *json, th_buffer *out, bool is_packed)
{
    *json = (th_json){ .out = out,
                       .start = out->len,
                       .had_failed = out->has_failed,
                       .status = TH_OK,
                       .is_packed = is_packed };
}

void th_json_begin(th_json *json, th_buffer *out)
{
    th_json_begin_as(json, out, false);
}

void th_json_begin_members(th_json *json, th_buffer *out, bool is_packed)
{
    th_json_begin_as(json, out, is_packed);
    json->is_inside = true;
    json->needs_comma = !is_packed;
    json->depth = 1;
    json->objects = 1;
}

th_status th_json_end(th_json *json)
{
    if (!json->is_packed && !json->is_inside)
        th_buffer_append_char(json->out, '\n');
    if (json->scratch.has_failed || json->out->has_failed)
        json->status = TH_NOMEM;
    if (json->status != TH_OK) {
        json->out->len = json->start;
        json->out->has_failed = json->had_failed;
    }
    check(json->depth == json->is_inside || json->status != TH_OK);
    th_buffer_done(&json->scratch);
    return json->status;
}

size_t th_json_len(const th_json *json)
{
    return json->out->len;
}

void th_json_fail(th_json *json, th_status status)
{
    if (json->status == TH_OK)
        json->status = status;
}

void th_json_open_object(th_json *json)
{
    open_container(json, true);
}

void th_json_close_object(th_json *json)
{
    close_container(json, true);
}

void th_json_open_array(th_json *json)
{
    open_container(json, false);
}

void th_json_close_array(th_json *json)
{
    close_container(json, false);
}

/* Writes the text of a key. @param at  space for it and five more bytes */
static void write_key(th_json *json, char *at, const char *key, size_t len)
{
    const char *start = at;
    if (json->needs_comma)
        *at++ = ',';
    *at++ = '"';
    memcpy(at, key, len);
    at += len;
    *at++ = '"';
    *at++ = ':';
    json->out->len += (size_t)(at - start);
}

/* Writes the token of a key. @param at  space for it and two more bytes */
static void write_packed_key(th_json *json, char *at, const char *key, size_t len)
{
    at[0] = 'k';
    at[1] = (char)len;
    memcpy(at + 2, key, len);
    json->out->len += 2 + len;
}

void th_json_key(th_json *json, const char *key)
{
    const size_t len = strlen(key);
    char *at = space_for(json, len + 5);
    check(is_in_object(json) && !json->has_key);
    if (at) {
        if (json->is_packed)
            write_packed_key(json, at, key, len);
        else
            write_key(json, at, key, len);
        json->needs_comma = false;
        json->has_key = true;
        return;
    }
    if (json->needs_comma)
        th_buffer_append_char(json->out, ',');
    json->needs_comma = false;
    json->has_key = true;
    if (json->is_packed) {
        write_token(json, 'k', len, 1);
        th_buffer_append(json->out, key, len);
        return;
    }
    th_buffer_append_char(json->out, '"');
    th_buffer_append(json->out, key, len);
    th_buffer_append(json->out, "\":", 2);
}

/* Returns the text, in the scratch buffer, with \xNN for each byte that is not UTF-8. */
static th_view repair(th_json *json, th_view text, size_t valid)
{
    th_buffer *const scratch = &json->scratch;
    scratch->len = 0;
    size_t at = 0;
    for (;;) {
        th_buffer_append(scratch, text.data + at, valid);
        at += valid;
        if (at == text.len)
            return th_buffer_view(scratch);
        const unsigned char byte = (unsigned char)text.data[at++];
        const char shown[4] = { '\\', 'x', hex_digits[byte >> 4], hex_digits[byte & 15] };
        th_buffer_append(scratch, shown, sizeof shown);
        valid = th_utf8_valid(text.data + at, text.len - at);
    }
}

/* Begins a packed string. Longer texts than 4 GiB cannot occur: pages have limits. */
static void begin_string(th_json *json, size_t len)
{
    begin_value(json);
    if (len > UINT32_MAX)
        th_json_fail(json, TH_TOO_LARGE);
    write_token(json, 's', len, sizeof(uint32_t));
}

void th_json_string(th_json *json, th_view text)
{
    const size_t valid = th_utf8_valid(text.data, text.len);
    const th_view shown = valid == text.len ? text : repair(json, text, valid);
    if (json->is_packed) {
        begin_string(json, shown.len);
        th_buffer_append_view(json->out, shown);
        return;
    }
    write_value(json, "\"", 1);
    th_json_escape(json->out, shown);
    th_buffer_append_char(json->out, '"');
}

void th_json_uint(th_json *json, uint64_t value)
{
    char digits[20];
    if (json->is_packed) {
        write_number(json, 'u', value);
        return;
    }
    size_t at = sizeof digits;
    do {
        digits[--at] = hex_digits[value % 10];
        value /= 10;
    } while (value);
    write_value(json, digits + at, sizeof digits - at);
}

void th_json_bool(th_json *json, bool value)
{
    if (json->is_packed)
        write_value(json, value ? "t" : "f", 1);
    else
        write_value(json, value ? "true" : "false", value ? 4 : 5);
}

static const unsigned powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };

/* Returns the value of th_decimal, times 10 to the power of `places`. */
static unsigned long long scaled(double value, unsigned places)
{
    assert(places < sizeof powers / sizeof *powers);
    const double inside = value > 0 ? fmin(value, 1e9) : 0;
    return (unsigned long long)llround(inside * (double)powers[places]);
}

size_t th_decimal(double value, unsigned places, char out[TH_DECIMAL_MAX])
{
    unsigned long long whole = scaled(value, places);
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

/* Writes the decimal as a token: an integer, or the double nearest to the decimal. The
 * quotient of two exact doubles is that double. */
static void write_packed_decimal(th_json *json, double value, unsigned places)
{
    const unsigned long long whole = scaled(fabs(value), places);
    uint64_t bits = whole;
    char type = 'u';
    if (places) {
        type = 'd';
        const double positive = (double)whole / (double)powers[places];
        const double quotient = value < 0 && whole ? -positive : positive;
        memcpy(&bits, &quotient, sizeof bits);
    } else if (value < 0) {
        type = 'i';
        bits = 0 - bits;
    }
    write_number(json, type, bits);
}

void th_json_decimal(th_json *json, double value, unsigned places)
{
    char text[TH_DECIMAL_MAX];
    if (json->is_packed)
        write_packed_decimal(json, value > 0 ? value : 0, places);
    else
        write_value(json, text, th_decimal(value, places, text));
}

void th_json_signed_decimal(th_json *json, double value, unsigned places)
{
    char text[1 + TH_DECIMAL_MAX] = "-";
    if (json->is_packed) {
        write_packed_decimal(json, value, places);
        return;
    }
    const size_t len = th_decimal(fabs(value), places, text + 1);
    const bool is_zero = len == 1 && text[1] == '0';
    const bool has_sign = value < 0 && !is_zero;
    write_value(json, text + !has_sign, len + has_sign);
}

/* Begins a string of `digits` hexadecimal digits. @return their place, or NULL if out of
 * memory */
static char *begin_hex(th_json *json, size_t digits)
{
    if (json->is_packed)
        begin_string(json, digits);
    else
        write_value(json, "\"", 1);
    return th_buffer_reserve(json->out, digits + 1) ? json->out->data + json->out->len
                                                    : NULL;
}

/* Writes two digits for each byte. Compilers vectorize it. */
static void put_hex(char *restrict at, const uint8_t *restrict bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const uint8_t high = bytes[i] >> 4, low = bytes[i] & 15;
        at[2 * i] = (char)(high + (high < 10 ? '0' : 'a' - 10));
        at[2 * i + 1] = (char)(low + (low < 10 ? '0' : 'a' - 10));
    }
}

static void end_hex(th_json *json, const char *at)
{
    if (at)
        json->out->len = (size_t)(at - json->out->data);
    if (!json->is_packed)
        th_buffer_append_char(json->out, '"');
}

void th_json_hex(th_json *json, const uint8_t *bytes, size_t len)
{
    char *at = begin_hex(json, 2 * len);
    if (at)
        put_hex(at, bytes, len);
    end_hex(json, at ? at + 2 * len : NULL);
}

void th_json_hex_words(th_json *json, const uint64_t *words, size_t count, unsigned width)
{
    enum { TOGETHER = 32 };
    uint8_t bytes[TOGETHER * sizeof *words];
    char *at = begin_hex(json, 2 * count * width);
    for (size_t i = 0; at && i < count;) {
        size_t len = 0;
        for (size_t n = 0; n < TOGETHER && i < count; n++, i++, len += width) {
            const uint64_t word = htobe64(words[i] << (64 - 8 * width));
            memcpy(bytes + len, &word, sizeof word);
        }
        put_hex(at, bytes, len);
        at += 2 * len;
    }
    end_hex(json, at);
}

void th_json_member(th_json *json, const char *key, th_view text)
{
    if (!text.data)
        return;
    th_json_key(json, key);
    th_json_string(json, text);
}

void th_json_member_buffer(th_json *json, const char *key, const th_buffer *text)
{
    if (text->has_failed)
        th_json_fail(json, TH_NOMEM);
    th_json_member(json, key, th_buffer_view(text));
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
