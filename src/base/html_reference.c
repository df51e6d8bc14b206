/*
 * Named references by a walk through the automaton, longest name first. Numeric ones by
 * the standard's list of replacements.
 *
 * A walk counts the names that it has passed. The count is the number of its name; see
 * html_reference_table.py.
 */
#include "base/html_reference.h"

#include <string.h>

#include "base/ascii.h"
#include "base/html_reference_table.h"

static bool first_step(th_reference_walk *walk, char c)
{
    if (!th_is_letter(c))
        return false;
    const th_reference_root *root =
        &th_reference_roots[c >= 'a' ? c - 'a' + 26 : c - 'A'];
    walk->node = root->first;
    walk->number = root->skip;
    walk->letters = 1;
    return true;
}

bool th_reference_step(th_reference_walk *walk, char c)
{
    if (walk->letters == 0)
        return first_step(walk, c);
    if (walk->node == 0)
        return false;
    const th_reference_edge *edge = &th_reference_edges[walk->node];
    while (edge->symbol != c) {
        if (edge->rest & TH_REFERENCE_LAST)
            return false;
        edge++;
    }
    walk->letters++;
    walk->number = (uint16_t)(walk->number + edge->skip);
    walk->node = edge->rest & TH_REFERENCE_EDGE;
    if (edge->rest & TH_REFERENCE_FINAL) {
        walk->match = walk->number++;
        walk->match_letters = walk->letters;
        walk->has_semicolon = c == ';';
    }
    return true;
}

const char *th_reference_text_of(const th_reference_walk *walk, size_t *len)
{
    const th_reference_text *text = &th_reference_texts[walk->match];
    *len = text->len;
    return text->bytes;
}

/* The standard's replacements of the codes 0x80 to 0x9F, or 0 for the code itself. */
static const uint16_t windows_1252[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
    0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178,
};

static uint32_t replace_code(uint32_t code)
{
    if (code == 0 || code >= TH_REFERENCE_CODE_MAX || (code >= 0xD800 && code <= 0xDFFF))
        return 0xFFFD;
    if (code >= 0x80 && code < 0xA0 && windows_1252[code - 0x80])
        return windows_1252[code - 0x80];
    return code;
}

size_t th_reference_code_text(uint32_t code, char *out)
{
    code = replace_code(code);
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

static th_reference_result read_number(const char *start, const char *end,
                                       th_reference *reference)
{
    const char *at = start + 2; /* after "&#" */
    if (at == end)
        return TH_REFERENCE_MORE;
    const unsigned base = (*at | 0x20) == 'x' ? 16 : 10;
    at += base == 16;
    const char *const digits = at;
    uint32_t code = 0;
    for (; at < end; at++) {
        const unsigned value = (unsigned)th_hex_value(*at); /* huge if not a digit */
        if (value >= base)
            break;
        code = code * base + value;
        code = code < TH_REFERENCE_CODE_MAX ? code : TH_REFERENCE_CODE_MAX;
    }
    if (at == end)
        return TH_REFERENCE_MORE;
    if (at == digits)
        return TH_REFERENCE_NONE;
    reference->used = (size_t)(at - start) + (*at == ';');
    reference->len = th_reference_code_text(code, reference->bytes);
    return TH_REFERENCE_FOUND;
}

/* Reads a reference if it is `source`. Inline, so that compilers compare a literal's bytes
 * without a call. */
static inline __attribute__((always_inline)) bool is_source(const char *start,
                                                            const char *source,
                                                            const char *text,
                                                            th_reference *reference)
{
    if (memcmp(start, source, strlen(source)) != 0)
        return false;
    memcpy(reference->bytes, text, strlen(text));
    reference->len = strlen(text);
    reference->used = strlen(source);
    return true;
}

/* Reads the names that most references have. @return whether it is one of them */
static bool read_usual_name(const char *start, const char *end, th_reference *reference)
{
    enum { LONGEST = 6 };
    return end - start >= LONGEST && (is_source(start, "&amp;", "&", reference) ||
                                      is_source(start, "&quot;", "\"", reference) ||
                                      is_source(start, "&nbsp;", "\xC2\xA0", reference));
}

static th_reference_result read_name(const char *start, const char *end,
                                     bool in_attribute, th_reference *reference)
{
    th_reference_walk walk = { 0 };
    const char *at = start + 1;
    while (at < end && th_reference_step(&walk, *at))
        at++;
    /* At a node that no name continues, the next byte matters only in attributes. */
    const bool is_decided = walk.letters && walk.node == 0 && walk.has_semicolon;
    if (at == end && !is_decided)
        return TH_REFERENCE_MORE;
    if (!walk.match_letters)
        return TH_REFERENCE_NONE;
    if (in_attribute && !walk.has_semicolon) {
        const char next = start[1 + walk.match_letters];
        if (next == '=' || th_is_digit(next) || th_is_letter(next))
            return TH_REFERENCE_NONE;
    }
    const char *text = th_reference_text_of(&walk, &reference->len);
    memcpy(reference->bytes, text, TH_REFERENCE_TEXT_MAX);
    reference->used = 1u + walk.match_letters;
    return TH_REFERENCE_FOUND;
}

th_reference_result th_reference_read(const char *at, const char *end, bool in_attribute,
                                      th_reference *reference)
{
    if (end - at < 2)
        return TH_REFERENCE_MORE;
    if (at[1] == '#')
        return read_number(at, end, reference);
    if (!th_is_letter(at[1]))
        return TH_REFERENCE_NONE;
    if (read_usual_name(at, end, reference))
        return TH_REFERENCE_FOUND;
    return read_name(at, end, in_attribute, reference);
}
