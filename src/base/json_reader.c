/* A pushdown automaton with one bit per level over the bytes of a document. [RFC 8259] */
#include "base/json_reader.h"

#include <string.h>

#include "base/ascii.h"
#include "base/byte_scan.h"
#include "base/unicode.h"

enum state {
    VALUE,          /* a value must come */
    VALUE_OR_CLOSE, /* after '[' */
    KEY,            /* after ',' in an object */
    KEY_OR_CLOSE,   /* after '{' */
    COMMA_OR_CLOSE, /* after a value in a container */
    NOTHING,        /* after the document */
    BROKEN
};

void th_json_reader_init(th_json_reader *reader, th_view document)
{
    *reader = (th_json_reader){ .at = document.data,
                                .end = document.data + document.len,
                                .state = VALUE };
}

static void skip_blanks(th_json_reader *reader)
{
    while (reader->at < reader->end && th_is_json_blank(*reader->at))
        reader->at++;
}

static th_json_token bad(th_json_reader *reader)
{
    reader->state = BROKEN;
    reader->at = reader->end;
    return TH_JSON_BAD;
}

/* Ends a value. The container determines what may follow. */
static th_json_token after_value(th_json_reader *reader, th_json_token token)
{
    reader->state = reader->depth ? COMMA_OR_CLOSE : NOTHING;
    return token;
}

/* Returns whether the quote at `quote` is escaped: an odd number of backslashes before
 * it. */
static bool is_escaped(const char *start, const char *quote)
{
    const char *at = quote;
    while (at > start && at[-1] == '\\')
        at--;
    return (quote - at) % 2 != 0;
}

/* Reads the string after the quote at reader->at. */
static bool take_string(th_json_reader *reader)
{
    const char *const start = reader->at + 1;
    const char *from = start;
    for (;;) {
        const char *quote =
            from < reader->end ? memchr(from, '"', (size_t)(reader->end - from)) : NULL;
        if (!quote)
            return false;
        if (!is_escaped(start, quote)) {
            reader->text = (th_view){ start, (size_t)(quote - start) };
            reader->at = quote + 1;
            return true;
        }
        from = quote + 1;
    }
}

static th_json_token take_key(th_json_reader *reader)
{
    if (!take_string(reader))
        return bad(reader);
    skip_blanks(reader);
    if (reader->at == reader->end || *reader->at != ':')
        return bad(reader);
    reader->at++;
    reader->state = VALUE;
    return TH_JSON_KEY;
}

static th_json_token take_literal(th_json_reader *reader, const char *literal)
{
    const size_t len = strlen(literal);
    if ((size_t)(reader->end - reader->at) < len || memcmp(reader->at, literal, len) != 0)
        return bad(reader);
    reader->text = (th_view){ reader->at, len };
    reader->at += len;
    return after_value(reader, TH_JSON_LITERAL);
}

static bool take_digits(th_json_reader *reader)
{
    const char *const start = reader->at;
    while (reader->at < reader->end && th_is_digit(*reader->at))
        reader->at++;
    return reader->at > start;
}

static bool take_char(th_json_reader *reader, char c)
{
    const bool is_there = reader->at < reader->end && *reader->at == c;
    reader->at += is_there;
    return is_there;
}

static th_json_token take_number(th_json_reader *reader)
{
    const char *const start = reader->at;
    (void)take_char(reader, '-');
    if (!take_char(reader, '0') && !take_digits(reader))
        return bad(reader);
    if (take_char(reader, '.') && !take_digits(reader))
        return bad(reader);
    if (take_char(reader, 'e') || take_char(reader, 'E')) {
        if (!take_char(reader, '+'))
            (void)take_char(reader, '-');
        if (!take_digits(reader))
            return bad(reader);
    }
    reader->text = (th_view){ start, (size_t)(reader->at - start) };
    return after_value(reader, TH_JSON_NUMBER);
}

static th_json_token open_container(th_json_reader *reader, bool is_object)
{
    if (reader->depth == TH_JSON_DEPTH)
        return bad(reader);
    const uint64_t bit = (uint64_t)1 << reader->depth++;
    reader->objects = is_object ? reader->objects | bit : reader->objects & ~bit;
    reader->state = is_object ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
    reader->at++;
    return is_object ? TH_JSON_OPEN_OBJECT : TH_JSON_OPEN_ARRAY;
}

static bool is_in_object(const th_json_reader *reader)
{
    return reader->depth && reader->objects >> (reader->depth - 1) & 1;
}

static th_json_token close_container(th_json_reader *reader)
{
    const bool is_object = is_in_object(reader);
    if (!reader->depth || *reader->at != (is_object ? '}' : ']'))
        return bad(reader);
    reader->at++;
    reader->depth--;
    return after_value(reader, is_object ? TH_JSON_CLOSE_OBJECT : TH_JSON_CLOSE_ARRAY);
}

static th_json_token take_value(th_json_reader *reader)
{
    switch (*reader->at) {
    case '{':
        return open_container(reader, true);
    case '[':
        return open_container(reader, false);
    case '"':
        return take_string(reader) ? after_value(reader, TH_JSON_STRING) : bad(reader);
    case 't':
        return take_literal(reader, "true");
    case 'f':
        return take_literal(reader, "false");
    case 'n':
        return take_literal(reader, "null");
    default:
        return take_number(reader);
    }
}

/* Parses the end of the container, or a comma and its next token, after a value. */
static bool take_comma(th_json_reader *reader)
{
    if (!take_char(reader, ','))
        return false;
    reader->state = is_in_object(reader) ? KEY : VALUE;
    skip_blanks(reader);
    return true;
}

th_json_token th_json_read(th_json_reader *reader)
{
    skip_blanks(reader);
    if (reader->at == reader->end)
        return reader->state == NOTHING ? TH_JSON_DONE : bad(reader);
    if (reader->state == COMMA_OR_CLOSE && !take_comma(reader))
        return close_container(reader);
    if (reader->at == reader->end)
        return bad(reader);
    const char c = *reader->at;
    switch (reader->state) {
    case VALUE:
        return take_value(reader);
    case VALUE_OR_CLOSE:
        return c == ']' ? close_container(reader) : take_value(reader);
    case KEY:
        return c == '"' ? take_key(reader) : bad(reader);
    case KEY_OR_CLOSE:
        return c == '"' ? take_key(reader) : close_container(reader);
    default: /* bytes after the document, or an earlier error */
        return bad(reader);
    }
}

bool th_json_skip(th_json_reader *reader)
{
    const uint32_t depth = reader->depth;
    do {
        if (th_json_read(reader) <= TH_JSON_BAD)
            return false;
    } while (reader->depth > depth || reader->state == VALUE);
    return true;
}

bool th_json_text_is(const th_json_reader *reader, const char *literal)
{
    const size_t len = strlen(literal);
    return reader->text.len == len && memcmp(reader->text.data, literal, len) == 0;
}

/* ---- escapes ---- */

/* Reads four hexadecimal digits. @return -1 if they are not digits */
static int32_t unit_at(const char *at, const char *end)
{
    int32_t unit = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const int digit = th_hex_value(at[i]);
        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

/* Parses the code point of \uXXXX, or of a pair of them, and moves `at`, which is after
 * the u. */
static int32_t take_code_point(const char **at, const char *end)
{
    const int32_t unit = unit_at(*at, end);
    if (unit < 0)
        return -1;
    *at += 4;
    if (unit < 0xD800 || unit > 0xDFFF)
        return unit;
    const bool has_second =
        unit < 0xDC00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u';
    const int32_t second = has_second ? unit_at(*at + 2, end) : -1;
    if (second < 0xDC00 || second > 0xDFFF)
        return 0xFFFD;
    *at += 6;
    return 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
}

/* Returns the character that a one-letter escape after a backslash represents, or 0. */
static char plain_escape(char c)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *found = c ? strchr(names, c) : NULL;
    if (!found)
        return '\0';
    return meanings[found - names];
}

bool th_json_text(const th_json_reader *reader, char *out, size_t *len)
{
    const char *at = reader->text.data;
    const char *const end = at + reader->text.len;
    size_t count = 0;
    for (;;) {
        const size_t plain = th_scan_json(at, (size_t)(end - at));
        if (plain)
            memmove(out + count, at, plain);
        count += plain;
        at += plain;
        if (at == end)
            break;
        const char c = *at++;
        if ((unsigned char)c < 0x20)
            return false;
        if (c != '\\') {
            out[count++] = c;
            continue;
        }
        const char escape = *at++; /* take_string leaves no lone backslash at the end */
        if (escape != 'u') {
            out[count] = plain_escape(escape);
            if (!out[count++])
                return false;
            continue;
        }
        const int32_t code_point = take_code_point(&at, end);
        if (code_point < 0)
            return false;
        count += th_utf8_put((uint32_t)code_point, out + count);
    }
    *len = count;
    return true;
}
