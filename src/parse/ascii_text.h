/* ASCII in attribute values: keywords and blanks, whatever the case. */
#ifndef TH_ASCII_TEXT_H
#define TH_ASCII_TEXT_H

#include <stdbool.h>

#include "thresher/view.h"

static inline bool th_ascii_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/** Whether a text is nothing but blanks. */
static inline bool th_ascii_all_blank(const char *bytes, size_t len)
{
    size_t i = 0;
    while (i < len && th_ascii_is_blank(bytes[i]))
        i++;
    return i == len;
}

/** Whether a text is that lower-case word, ASCII case ignored. */
static inline bool th_ascii_is(th_view text, const char *lower)
{
    size_t i = 0;
    for (; i < text.len && lower[i]; i++) {
        const char c = text.data[i];
        if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != lower[i])
            return false;
    }
    return i == text.len && !lower[i];
}

/** The text without the blanks around it. */
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

#endif
