/* The layer over yajl's generator: yajl knows what follows what; see json.h. */
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <yajl/yajl_gen.h>

#include "base/json_escape.h"
#include "base/unicode.h"

static const char hex_digits[16] = { '0', '1', '2', '3', '4', '5', '6', '7',
                                     '8', '9', 'a', 'b', 'c', 'd', 'e', 'f' };

/*
 * yajl 2.1 writes through the second of its two pointers without checking that malloc
 * gave one. From a pool inside th_json both allocations succeed, and cost nothing.
 */
static void *pool_alloc(void *context, size_t size)
{
    th_json *json = context;
    const size_t unit = _Alignof(max_align_t);
    const size_t room = (size + unit - 1) / unit * unit;
    if (room < size || room > sizeof json->pool - json->pool_used)
        return NULL;
    void *piece = json->pool + json->pool_used;
    json->pool_used += room;
    return piece;
}

static void *pool_realloc(void *context, void *old, size_t size)
{
    (void)old; /* only yajl's own output buffer grows, and it is never used */
    return pool_alloc(context, size);
}

static void pool_free(void *context, void *piece)
{
    (void)context;
    (void)piece;
}

/* Two of three calls bring one character: a quote, a comma, a colon. */
static void print(void *context, const char *text, size_t len)
{
    th_buffer *out = context;
    if (len == 1 && out->len < out->capacity)
        out->data[out->len++] = *text;
    else
        th_buffer_append(out, text, len);
}

/* yajl refuses only calls in the wrong order. */
static void check(yajl_gen_status status)
{
    assert(status == yajl_gen_status_ok);
    (void)status;
}

void th_json_begin(th_json *json, th_buffer *out)
{
    json->out = out;
    json->start = out->len;
    json->had_failed = out->has_failed;
    json->status = TH_OK;
    json->scratch = (th_buffer){ 0 };
    json->pool_used = 0;
    const yajl_alloc_funcs pool = { pool_alloc, pool_realloc, pool_free, json };
    json->gen = yajl_gen_alloc(&pool);
    assert(json->gen);
    yajl_gen_config(json->gen, yajl_gen_print_callback, print, out);
}

th_status th_json_end(th_json *json)
{
    th_buffer_append_char(json->out, '\n');
    if (json->scratch.has_failed || json->out->has_failed)
        json->status = TH_NOMEM;
    if (json->status != TH_OK) {
        json->out->len = json->start;
        json->out->has_failed = json->had_failed;
    }
    yajl_gen_free(json->gen);
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
    check(yajl_gen_map_open(json->gen));
}

void th_json_close_object(th_json *json)
{
    check(yajl_gen_map_close(json->gen));
}

void th_json_open_array(th_json *json)
{
    check(yajl_gen_array_open(json->gen));
}

void th_json_close_array(th_json *json)
{
    check(yajl_gen_array_close(json->gen));
}

void th_json_key(th_json *json, const char *key)
{
    check(yajl_gen_string(json->gen, (const unsigned char *)key, strlen(key)));
}

/* The text with \xNN in place of each byte that is not UTF-8, in the scratch. */
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

void th_json_string(th_json *json, th_view text)
{
    const size_t valid = th_utf8_valid(text.data, text.len);
    const th_view shown = valid == text.len ? text : repair(json, text, valid);
    /* For yajl the first quote is the whole value: it does not look into a "number". */
    check(yajl_gen_number(json->gen, "\"", 1));
    th_json_escape(json->out, shown);
    th_buffer_append_char(json->out, '"');
}

/* yajl's own integers are signed, and pass through printf. */
void th_json_uint(th_json *json, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = hex_digits[value % 10];
        value /= 10;
    } while (value);
    check(yajl_gen_number(json->gen, digits + at, sizeof digits - at));
}

void th_json_bool(th_json *json, bool value)
{
    check(yajl_gen_bool(json->gen, value));
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
    check(yajl_gen_number(json->gen, text, th_decimal(value, places, text)));
}

void th_json_signed_decimal(th_json *json, double value, unsigned places)
{
    char text[1 + TH_DECIMAL_MAX] = "-";
    const size_t len = th_decimal(fabs(value), places, text + 1);
    const bool is_zero = len == 1 && text[1] == '0';
    const bool has_sign = value < 0 && !is_zero;
    check(yajl_gen_number(json->gen, text + !has_sign, len + has_sign));
}

/*
 * Room in the scratch for a string of `digits` hexadecimal ones, begun with its quote;
 * NULL without memory. end_hex passes it to yajl as a "number", which yajl does not look
 * into: there is nothing to escape.
 */
static char *begin_hex(th_json *json, size_t digits)
{
    json->scratch.len = 0;
    if (!th_buffer_reserve(&json->scratch, digits + 2))
        return NULL;
    *json->scratch.data = '"';
    return json->scratch.data + 1;
}

static char *put_hex(char *at, unsigned byte)
{
    at[0] = hex_digits[byte >> 4];
    at[1] = hex_digits[byte & 15];
    return at + 2;
}

static void end_hex(th_json *json, char *at)
{
    *at++ = '"';
    const char *text = json->scratch.data;
    check(yajl_gen_number(json->gen, text, (size_t)(at - text)));
}

void th_json_hex(th_json *json, const uint8_t *bytes, size_t len)
{
    char *at = begin_hex(json, 2 * len);
    for (size_t i = 0; at && i < len; i++)
        at = put_hex(at, bytes[i]);
    if (at)
        end_hex(json, at);
    else
        check(yajl_gen_null(json->gen)); /* keeps keys and values in turn */
}

void th_json_hex_words(th_json *json, const uint64_t *words, size_t count, unsigned width)
{
    char *at = begin_hex(json, 2 * count * width);
    for (size_t i = 0; at && i < count; i++)
        for (unsigned shift = 8 * width; shift; shift -= 8)
            at = put_hex(at, (unsigned)(words[i] >> (shift - 8)) & 0xFF);
    if (at)
        end_hex(json, at);
    else
        check(yajl_gen_null(json->gen));
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
