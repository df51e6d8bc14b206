#include "write/markup_check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/unicode.h"

#define HOLDS(claim, text)                                                               \
    do {                                                                                 \
        if (!(claim)) {                                                                  \
            (void)fprintf(stderr, "%s:%d: %s in:\n%.*s\n", __FILE__, __LINE__, #claim,   \
                          (int)(text).len, (text).data);                                 \
            abort();                                                                     \
        }                                                                                \
    } while (0)

/* The line without marks of quotes and items before it. */
static th_view bare(th_view line)
{
    for (;;) {
        size_t at = 0;
        while (at < line.len && line.data[at] == ' ')
            at++;
        size_t digits = at;
        while (digits < line.len && line.data[digits] >= '0' && line.data[digits] <= '9')
            digits++;
        if (digits > at && digits + 1 < line.len &&
            (line.data[digits] == '.' || line.data[digits] == ')') &&
            line.data[digits + 1] == ' ')
            at = digits + 2;
        else if (at < line.len && line.data[at] == '>')
            at++;
        else if (at + 1 < line.len && (line.data[at] == '-' || line.data[at] == '*') &&
                 line.data[at + 1] == ' ')
            at += 2;
        line.data += at;
        line.len -= at;
        if (!at)
            return line;
    }
}

static size_t fence_of(th_view line)
{
    size_t len = 0;
    while (len < line.len && line.data[len] == '`')
        len++;
    return len >= 3 && (len == line.len || !memchr(line.data + len, '`', line.len - len))
               ? len
               : 0;
}

static size_t bars_in(th_view line)
{
    size_t bars = 0;
    for (size_t i = 0; i < line.len; i++) {
        if (line.data[i] == '\\')
            i++;
        else
            bars += line.data[i] == '|';
    }
    return bars;
}

void check_markdown(th_view text)
{
    size_t fence = 0, bars = 0;
    HOLDS(th_utf8_valid(text.data, text.len) == text.len, text);
    for (size_t at = 0; at < text.len;) {
        const char *end = memchr(text.data + at, '\n', text.len - at);
        const size_t len = end ? (size_t)(end - text.data) - at : text.len - at;
        const th_view line = bare((th_view){ text.data + at, len });
        at += len + 1;
        const size_t ticks = fence_of(line);
        if (fence) {
            if (ticks >= fence && ticks == line.len)
                fence = 0;
            continue;
        }
        fence = ticks;
        const bool is_row = line.len && line.data[0] == '|';
        HOLDS(!is_row || !bars || bars_in(line) == bars, text);
        bars = is_row ? bars_in(line) : 0;
    }
    HOLDS(!fence, text);
}

enum { DEPTH_MAX = 2048 };

static bool is_allowed(th_view name)
{
    static const char *const names[] = {
        "h1",     "h2", "h3", "h4", "h5",         "h6", "p",   "ul",  "ol",
        "li",     "dl", "dt", "dd", "table",      "tr", "td",  "pre", "code",
        "strong", "em", "s",  "a",  "blockquote", "br", "img", "sup", "sub"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == name.len && memcmp(names[i], name.data, name.len) == 0)
            return true;
    return false;
}

void check_clean_html(th_view text)
{
    th_view open[DEPTH_MAX];
    size_t depth = 0;
    const char *const limit = text.data + text.len;
    for (const char *at = text.data;
         at < limit && (at = memchr(at, '<', (size_t)(limit - at)));) {
        const bool is_end = at[1] == '/';
        const char *start = at + 1 + is_end;
        const char *end = memchr(start, '>', (size_t)(limit - start));
        HOLDS(end, text);
        th_view name = { start, 0 };
        while (start + name.len < end && start[name.len] != ' ')
            name.len++;
        HOLDS(is_allowed(name), text);
        at = end + 1;
        if ((name.len == 2 && memcmp(name.data, "br", 2) == 0) ||
            (name.len == 3 && memcmp(name.data, "img", 3) == 0))
            continue;
        if (!is_end) {
            HOLDS(depth < DEPTH_MAX, text);
            open[depth++] = name;
            continue;
        }
        HOLDS(depth && open[depth - 1].len == name.len, text);
        HOLDS(memcmp(open[--depth].data, name.data, name.len) == 0, text);
    }
    HOLDS(!depth, text);
}
