/*
 * ASCII characters and words, by byte: independent of the locale and of the sign of char.
 * Functions return false for bytes that are not ASCII. Unicode characters are in
 * base/unicode.h.
 *
 * Formats define whitespace differently, so each function's name contains its format.
 * There is no is_blank here.
 */
#ifndef TH_ASCII_H
#define TH_ASCII_H

#include <stdbool.h>
#include <string.h>

#include "thresher/view.h"

static inline bool th_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool th_is_letter(char c)
{
    const char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'z';
}

static inline char th_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/** Returns the value of a hexadecimal digit of either case, or -1 if it is not one. */
static inline int th_hex_value(char c)
{
    if (th_is_digit(c))
        return c - '0';
    const char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/** Whitespace of HTML and of the Encoding standard: TAB, LF, FF, CR, SP. */
static inline bool th_is_html_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r';
}

/** Whitespace of JSON: TAB, LF, CR, SP. [RFC 8259 §2] */
static inline bool th_is_json_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/** ASCII whitespace, the same as isspace in C's own locale: TAB, LF, VT, FF, CR, SP. */
static inline bool th_ascii_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/** Returns whether a text contains only ASCII whitespace. */
static inline bool th_ascii_all_blank(const char *bytes, size_t len)
{
    size_t i = 0;
    while (i < len && th_ascii_is_blank(bytes[i]))
        i++;
    return i == len;
}

/** Returns the text without leading and trailing ASCII whitespace. */
static inline th_view th_ascii_trimmed(th_view text)
{
    while (text.len && th_ascii_is_blank(text.data[0])) {
        text.data++;
        text.len--;
    }
    while (text.len && th_ascii_is_blank(text.data[text.len - 1]))
        text.len--;
    return text;
}

/* Compares the bytes of two texts, as strcmp. */
static inline int th_view_order(th_view a, th_view b)
{
    const size_t len = a.len < b.len ? a.len : b.len;
    const int order = len ? memcmp(a.data, b.data, len) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

/** Returns whether two texts have the same bytes. */
static inline bool th_view_same(th_view a, th_view b)
{
    return a.len == b.len && (!a.len || memcmp(a.data, b.data, a.len) == 0);
}

/** Returns whether a text has bytes, and none is a control character of ASCII. */
static inline bool th_is_one_line(th_view text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7F)
            return false;
    return text.len > 0;
}

/** Returns whether `len` bytes are equal, ignoring the case of letters. */
static inline bool th_ascii_equal(const char *a, const char *b, size_t len)
{
    size_t i = 0;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): NULL has length 0
    while (i < len && th_lower(a[i]) == th_lower(b[i]))
        i++;
    return i == len;
}

/** Returns whether two texts are equal, ignoring the case of letters. */
static inline bool th_ascii_same(th_view a, th_view b)
{
    return a.len == b.len && th_ascii_equal(a.data, b.data, a.len);
}

/** Returns whether a text equals the word, ignoring the case of letters. */
static inline bool th_ascii_is(th_view text, const char *word)
{
    return th_ascii_same(text, (th_view){ word, strlen(word) });
}

/** Returns whether the text is exactly these bytes; false if it is absent. */
static inline bool th_view_is(th_view text, const char *literal)
{
    return text.data && text.len == strlen(literal) &&
           memcmp(text.data, literal, text.len) == 0;
}

/** Removes the first word of a whitespace-separated list. @return it, empty at the end */
static inline th_view th_ascii_next_word(th_view *list)
{
    while (list->len && th_ascii_is_blank(list->data[0])) {
        list->data++;
        list->len--;
    }
    th_view word = { list->data, 0 };
    while (word.len < list->len && !th_ascii_is_blank(word.data[word.len]))
        word.len++;
    list->data += word.len;
    list->len -= word.len;
    return word;
}

/** Returns whether a whitespace-separated list has a word, ignoring the case. */
static inline bool th_ascii_has_word(th_view list, const char *wanted)
{
    for (th_view word = th_ascii_next_word(&list); word.len > 0;
         word = th_ascii_next_word(&list))
        if (th_ascii_is(word, wanted))
            return true;
    return false;
}

/**
 * Returns the first occurrence of a part in a text, byte for byte, or NULL. For short
 * texts, mostly words: memmem has a higher startup cost.
 */
static inline const char *th_ascii_find(th_view text, const char *part)
{
    const size_t len = strlen(part);
    for (size_t i = 0; i + len <= text.len; i++)
        if (text.data[i] == part[0] && memcmp(text.data + i, part, len) == 0)
            return text.data + i;
    return NULL;
}

static inline bool th_ascii_has(th_view text, const char *part)
{
    return th_ascii_find(text, part) != NULL;
}

/** Returns whether a text starts with these bytes, ignoring the case of letters. */
static inline bool th_ascii_starts_with(th_view text, const char *start)
{
    const size_t len = strlen(start);
    return text.len >= len && th_ascii_equal(text.data, start, len);
}

/** Returns whether a text has these bytes at its start. */
static inline bool th_starts_with(th_view text, const char *start)
{
    const size_t len = strlen(start);
    return text.len >= len && memcmp(text.data, start, len) == 0;
}

/** Returns whether the text ends with these bytes, case-sensitive. */
static inline bool th_ends_with(th_view text, const char *end)
{
    const size_t len = strlen(end);
    return text.len >= len && memcmp(text.data + text.len - len, end, len) == 0;
}

#endif
