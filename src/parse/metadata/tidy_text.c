/* Tidies short texts of a page's metadata: titles, names, descriptions. */
#include "parse/metadata/tidy_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/unicode.h"

enum { REPLACEMENT = 0xFFFD, LONGEST_REFERENCE = 10 };

struct reader {
    th_view text;
    size_t at;
    size_t valid_end; /* bytes up to here are valid UTF-8 */
};

static uint32_t next_code_point(struct reader *reader)
{
    if (reader->at == reader->valid_end) {
        reader->valid_end +=
            th_utf8_valid(reader->text.data + reader->at, reader->text.len - reader->at);
        if (reader->at == reader->valid_end) {
            reader->valid_end = ++reader->at;
            return REPLACEMENT;
        }
    }
    return th_utf8_next(reader->text.data, &reader->at);
}

/* Returns the code point of "#39" or "#x27"; 0 if it is malformed. */
static uint32_t numeric_reference(th_view body)
{
    const bool is_hex = body.len > 1 && (body.data[1] | 0x20) == 'x';
    const uint32_t base = is_hex ? 16 : 10;
    uint32_t c = 0;
    for (size_t i = is_hex ? 2 : 1; i < body.len; i++) {
        const uint32_t digit = (uint32_t)th_hex_value(body.data[i]); /* huge if invalid */
        if (digit >= base)
            return 0;
        c = c * base + digit; /* at most LONGEST_REFERENCE digits, and checked below */
        if (c > 0x10FFFF)
            return 0;
    }
    return c >= 0xD800 && c <= 0xDFFF ? 0 : c;
}

/* Returns the code point of the text between '&' and ';'; 0 if it is unknown. */
static uint32_t reference_value(th_view body)
{
    static const struct {
        th_view name;
        uint32_t value;
    } names[] = {
        { { "amp", 3 }, '&' },  { { "lt", 2 }, '<' },    { { "gt", 2 }, '>' },
        { { "quot", 4 }, '"' }, { { "apos", 4 }, '\'' }, { { "nbsp", 4 }, ' ' },
    };
    if (body.len > 0 && body.data[0] == '#')
        return numeric_reference(body);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (th_view_same(names[i].name, body))
            return names[i].value;
    return 0;
}

/* Resolves the reference after an '&' that was read, or leaves the '&' unchanged. */
static uint32_t next_reference(struct reader *reader)
{
    const th_view rest = { reader->text.data + reader->at,
                           reader->text.len - reader->at };
    const char *end = memchr(rest.data, ';',
                             rest.len < LONGEST_REFERENCE ? rest.len : LONGEST_REFERENCE);
    const uint32_t c =
        end ? reference_value((th_view){ rest.data, (size_t)(end - rest.data) }) : 0;
    if (c == 0)
        return '&';
    /* The skipped bytes are ASCII, so the mark of validity is passed by ASCII only. */
    reader->at += (size_t)(end - rest.data) + 1;
    if (reader->valid_end < reader->at)
        reader->valid_end = reader->at;
    return c;
}

static bool is_blank(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || th_is_space(c);
}

/* Whether a byte is a character that is always copied. */
static bool is_plain(char c)
{
    return c > ' ' && c < 0x7F && c != '&';
}

/* Copies plain characters. @return the bytes of `out` in use */
static size_t copy_plain(struct reader *reader, char *out, size_t len, size_t max)
{
    const th_view text = reader->text;
    size_t at = reader->at;
    while (at < text.len && len < max && is_plain(text.data[at]))
        out[len++] = text.data[at++];
    reader->at = at;
    if (reader->valid_end < at) /* they are ASCII */
        reader->valid_end = at;
    return len;
}

size_t th_tidy_text(th_view text, unsigned how, char *out, size_t max)
{
    struct reader reader = { .text = text };
    size_t len = 0;
    bool is_blank_due = false;
    while (reader.at < text.len) {
        uint32_t c = next_code_point(&reader);
        if (c == '&' && (how & TH_TIDY_REFERENCES))
            c = next_reference(&reader);
        if (is_blank(c)) {
            is_blank_due = len > 0;
            continue;
        }
        char bytes[4];
        const size_t size = c < 0x80 ? 1 : th_utf8_put(c, bytes);
        if (is_blank_due + size > max - len)
            break;
        if (is_blank_due)
            out[len++] = ' ';
        if (size == 1) /* nearly always */
            out[len] = (char)c;
        else
            memcpy(out + len, bytes, size);
        len = copy_plain(&reader, out, len + size, max);
        is_blank_due = false;
    }
    return len;
}
