/* Delimiters, and the text between them. */
#include "write/tex_span.h"

#include <string.h>

#include "base/ascii.h"

enum {
    INLINE_MAX = 1024, /* bytes of a formula within a line */
    DISPLAY_MAX = 8192,
};

/* Whether a text has a command or a script, which hardly any other text has. */
static bool is_surely_tex(th_view text)
{
    for (size_t i = 0; i + 1 < text.len; i++) {
        const char c = text.data[i], next = text.data[i + 1];
        if (c == '\\' && th_is_letter(next))
            return true;
        if (i && c == '^' && (next == '{' || th_is_letter(next) || th_is_digit(next)))
            return true;
        if (i && c == '_' &&
            (next == '{' || (th_is_letter(text.data[i - 1]) &&
                             (i + 2 == text.len || !th_is_letter(text.data[i + 2])))))
            return true;
    }
    return false;
}

/* Whether a text has two consecutive words of at least three letters. */
static bool has_words(th_view text)
{
    enum { WORD = 3 };
    size_t letters = 0, words = 0;
    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len && th_is_letter(text.data[i])) {
            letters++;
            continue;
        }
        const bool is_word = letters >= WORD;
        words = is_word ? words + 1 : letters ? 0 : words;
        if (words > 1)
            return true;
        if (i < text.len && text.data[i] != ' ')
            words = 0;
        letters = 0;
    }
    return false;
}

/* Returns the position of a part in a text from `from`, or the text's length. */
static size_t find(th_view text, size_t from, const char *part, size_t max)
{
    const size_t len = strlen(part);
    if (from >= text.len)
        return text.len;
    const size_t left = text.len - from < max ? text.len - from : max;
    const char *found = memmem(text.data + from, left, part, len);
    return found ? (size_t)(found - text.data) : text.len;
}

static bool between(th_view text, size_t at, const char *open, const char *close,
                    bool is_display, bool has_tex, th_tex_span *out)
{
    const size_t start = at + strlen(open);
    const size_t end = find(text, start, close, is_display ? DISPLAY_MAX : INLINE_MAX);
    if (end >= text.len)
        return false;
    const th_view tex = th_ascii_trimmed((th_view){ text.data + start, end - start });
    if (!tex.len || (!has_tex && !is_surely_tex(tex)) ||
        memmem(tex.data, tex.len, "$$", 2))
        return false;
    *out = (th_tex_span){ tex, end + strlen(close), is_display };
    return true;
}

/* A formula between single dollars, without spaces next to them, and without a letter or
 * digit after them. */
static bool in_dollars(th_view text, size_t at, bool has_tex, th_tex_span *out)
{
    const size_t start = at + 1;
    if (start >= text.len || th_ascii_is_blank(text.data[start]) ||
        (at && (th_is_letter(text.data[at - 1]) || th_is_digit(text.data[at - 1]))))
        return false;
    for (size_t end = start; end < text.len && end - start < INLINE_MAX; end++) {
        if (text.data[end] == '\\') {
            end++;
            continue;
        }
        if (text.data[end] != '$')
            continue;
        const th_view tex = { text.data + start, end - start };
        const bool is_followed =
            end + 1 < text.len &&
            (th_is_letter(text.data[end + 1]) || th_is_digit(text.data[end + 1]) ||
             text.data[end + 1] == '$');
        const bool is_price = th_is_digit((char)(tex.len ? tex.data[0] : '0'));
        if (!tex.len || th_ascii_is_blank(tex.data[tex.len - 1]) || is_followed)
            return false;
        if (!is_surely_tex(tex) &&
            (!has_tex || has_words(tex) ||
             (is_price && tex.len > 3 && memchr(tex.data, ' ', tex.len))))
            return false;
        if (has_words(tex) && !memchr(tex.data, '\\', tex.len))
            return false;
        *out = (th_tex_span){ tex, end + 1, false };
        return true;
    }
    return false;
}

static bool in_environment(th_view text, size_t at, th_tex_span *out)
{
    static const char *const names[] = { "equation", "equation*", "align",    "align*",
                                         "gather",   "gather*",   "eqnarray", "eqnarray*",
                                         "multline", "multline*", "aligned" };
    static const char begin[] = "\\begin{", end_of[] = "\\end{";
    if (text.len - at < sizeof begin ||
        memcmp(text.data + at, begin, sizeof begin - 1) != 0)
        return false;
    const size_t name_at = at + sizeof begin - 1;
    const size_t brace = find(text, name_at, "}", 16);
    const th_view name = { text.data + name_at, brace - name_at };
    bool is_known = false;
    for (size_t i = 0; brace < text.len && i < sizeof names / sizeof *names; i++)
        is_known |=
            name.len == strlen(names[i]) && memcmp(name.data, names[i], name.len) == 0;
    if (!is_known)
        return false;
    for (size_t from = brace; from < text.len;) {
        const size_t end = find(text, from, end_of, DISPLAY_MAX);
        if (end >= text.len)
            return false;
        from = end + sizeof end_of - 1;
        if (text.len - from > name.len &&
            memcmp(text.data + from, name.data, name.len) == 0 &&
            text.data[from + name.len] == '}') {
            const size_t stop = from + name.len + 1;
            *out = (th_tex_span){ { text.data + at, stop - at }, stop, true };
            return true;
        }
    }
    return false;
}

bool th_tex_span_at(th_view text, size_t at, bool has_tex, th_tex_span *out)
{
    const char next = (char)(at + 1 < text.len ? text.data[at + 1] : '\0');
    if (text.data[at] == '$' && next == '$')
        return between(text, at, "$$", "$$", true, has_tex, out);
    if (text.data[at] == '$')
        return in_dollars(text, at, has_tex, out);
    if (next == '(')
        return between(text, at, "\\(", "\\)", false, has_tex, out);
    if (next == '[')
        return between(text, at, "\\[", "\\]", true, has_tex, out);
    return next == 'b' && in_environment(text, at, out);
}
