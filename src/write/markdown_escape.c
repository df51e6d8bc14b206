/*
 * Pieces to inline Markdown.
 *
 *  - Emphasis is written for a piece of one style, never around others: delimiters that
 *    touch have more than one reading. Where the rules of flanking would not take the
 *    delimiters for any, the text stands without.
 *  - Blanks at the ends of emphasis, code and links stand outside.
 *  - A character is escaped where it could have a meaning, and only there: text is to be
 *    read by people and models too.
 */
#include "write/markdown_escape.h"

#include <string.h>

#include <unicode/uchar.h>

#include "base/unicode.h"

enum { REFERENCE_MAX = 40 }; /* bytes of "&CounterClockwiseContourIntegral;" and more */

/* ---- characters -------------------------------------------------------------------- */

static bool is_ascii_mark(uint32_t c)
{
    return c > ' ' && c < 0x7F && !th_is_alnum(c);
}

/* Versions of CommonMark differ in what symbols are. */
static bool is_mark_to_some(uint32_t c)
{
    return is_ascii_mark(c) ||
           (c >= 0x80 && (U_GET_GC_MASK((UChar32)c) & (U_GC_P_MASK | U_GC_S_MASK)));
}

static bool is_mark_to_all(uint32_t c)
{
    return is_ascii_mark(c) || (c >= 0x80 && (U_GET_GC_MASK((UChar32)c) & U_GC_P_MASK));
}

static uint32_t first_of(th_view text)
{
    size_t at = 0;
    return text.len ? th_utf8_next(text.data, &at) : ' ';
}

static uint32_t last_of(th_view text)
{
    if (!text.len)
        return ' ';
    size_t at = text.len - 1;
    while (at && ((unsigned char)text.data[at] & 0xC0) == 0x80)
        at--;
    return th_utf8_next(text.data, &at);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n';
}

/* ---- text -------------------------------------------------------------------------- */

static bool is_word_char(th_view text, size_t at)
{
    return at < text.len && ((unsigned char)text.data[at] >= 0x80 ||
                             th_is_alnum((unsigned char)text.data[at]));
}

/* Whether "&" at `at` could begin a character reference. @param behind  the character
 * that follows the text */
static bool begins_reference(th_view text, size_t at, uint32_t behind)
{
    size_t i = at + 1;
    while (i < text.len && i - at < REFERENCE_MAX &&
           (th_is_alnum((unsigned char)text.data[i]) || text.data[i] == '#'))
        i++;
    if (i == text.len)
        return behind == '#' || behind == ';' || (behind < 0x80 && th_is_alnum(behind));
    return text.data[i] == ';' && i > at + 1;
}

/* Whether the character means something there. @param behind  the character that follows
 * the text */
static bool has_meaning(th_view text, size_t at, uint32_t behind, bool is_in_link,
                        bool is_line_start, bool has_dollars, bool is_cell)
{
    const bool is_last = at + 1 == text.len;
    const uint32_t next = is_last ? behind : (unsigned char)text.data[at + 1];
    switch (text.data[at]) {
    case '\\':
    case '`':
    case '*':
    case '~':
        return true;
    case '_':
        return !is_word_char(text, at + 1) || at == 0 || !is_word_char(text, at - 1);
    case '[':
        return is_in_link || is_line_start || next == '^' ||
               (at && text.data[at - 1] == '!');
    case ']':
        return is_in_link || next == '(' || (is_last && next == '[');
    case '!':
        return next == '[';
    case '<':
        return next == '/' || next == '!' || next == '?' ||
               (next < 0x80 && th_is_alnum(next));
    case '&':
        return begins_reference(text, at, behind);
    case '$':
        return has_dollars;
    case '|':
        return is_cell;
    default:
        return false;
    }
}

static bool is_at_line_start(const th_buffer *line)
{
    return !line->len || line->data[line->len - 1] == '\n';
}

/* A text with a formula, or with two dollars, could be read as one. */
static bool has_dollars(const th_piece *pieces, uint32_t count)
{
    unsigned found = 0;
    for (uint32_t i = 0; i < count && found < 2; i++) {
        const th_view text = pieces[i].text;
        found += pieces[i].inset && pieces[i].inset->kind != TH_INSET_IMAGE ? 2 : 0;
        if (!text.len) /* an inset has none */
            continue;
        const char *at = text.data, *const end = text.data + text.len;
        while (found < 2 && at < end && (at = memchr(at, '$', (size_t)(end - at)))) {
            found++;
            at++;
        }
    }
    return found >= 2;
}

struct inline_text {
    const th_page *page; /* NULL: there are no footnotes */
    th_buffer *line;
    th_markdown_place place;
    bool has_dollars;
    bool is_in_link;
    bool is_after_emphasis; /* delimiters have just ended */
};

/* What put_text looks at twice: line ends, and what has_meaning knows. */
static const bool may_mean[256] = {
    ['\n'] = true, ['\\'] = true, ['`'] = true, ['*'] = true, ['~'] = true,
    ['_'] = true,  ['['] = true,  [']'] = true, ['!'] = true, ['<'] = true,
    ['&'] = true,  ['$'] = true,  ['|'] = true,
};

/* The first byte from `at` on that may mean something, or the text's end. */
static size_t next_meaning(th_view text, size_t at)
{
    const unsigned char *const bytes = (const unsigned char *)text.data;
    while (text.len - at >= 4 && !(may_mean[bytes[at]] | may_mean[bytes[at + 1]] |
                                   may_mean[bytes[at + 2]] | may_mean[bytes[at + 3]]))
        at += 4;
    while (at < text.len && !may_mean[bytes[at]])
        at++;
    return at;
}

/* Whether the line ends within an address that readers make a link of though nothing marks
 * it: "http://x/y", "www.x/y". */
static bool is_in_address(const th_buffer *line)
{
    enum { LOOK = 2048 };
    size_t start = line->len;
    if (!start)
        return false;
    while (start && line->len - start < LOOK &&
           !strchr(" \n\t<", line->data[start - 1])) /* '<' is never written as text */
        start--;
    const th_view word = { line->data + start, line->len - start };
    return memmem(word.data, word.len, "://", 3) != NULL ||
           memmem(word.data, word.len, "www.", 4) != NULL ||
           memmem(word.data, word.len, "WWW.", 4) != NULL;
}

/* Writes a character that has a meaning so that it has none. A backslash within an address
 * would be part of it, and what follows would be HTML. */
static void put_escaped(const struct inline_text *to, char c)
{
    th_buffer *line = to->line;
    const bool is_address = !to->is_in_link && is_in_address(line);
    if (c == '<')
        th_buffer_append_text(line, "&lt;");
    else if (is_address && strchr("[]`\\", c))
        th_buffer_printf(line, "%%%02X", (unsigned)(unsigned char)c);
    else if (is_address && c != '|')
        th_buffer_append_char(line, c);
    else
        th_buffer_append(line, (char[]){ '\\', c }, 2);
}

/* @param behind  the character that will follow the text; a blank where it is none */
static void put_text(struct inline_text *to, th_view text, uint32_t behind)
{
    th_buffer *line = to->line;
    size_t from = 0;
    if (!text.len)
        return;
    for (size_t at = next_meaning(text, 0); at < text.len;
         at = next_meaning(text, at + 1)) {
        const char c = text.data[at];
        if (c == '\n') {
            th_buffer_append(line, text.data + from, at - from);
            th_buffer_append_text(line, to->place.is_one_line ? " " : "\\\n");
            from = at + 1;
            continue;
        }
        const bool starts =
            !to->place.is_one_line && from == at && is_at_line_start(line);
        if (!has_meaning(text, at, behind, to->is_in_link, starts, to->has_dollars,
                         to->place.is_cell))
            continue;
        th_buffer_append(line, text.data + from, at - from);
        put_escaped(to, c);
        from = at + 1;
    }
    th_buffer_append(line, text.data + from, text.len - from);
}

/* Cuts blanks off both ends. @return the text between; *head and *tail are the blanks */
static th_view trimmed(th_view text, th_view *head, th_view *tail)
{
    size_t start = 0, end = text.len;
    while (start < end && is_blank(text.data[start]))
        start++;
    while (end > start && is_blank(text.data[end - 1]))
        end--;
    *head = (th_view){ text.data, start };
    *tail = (th_view){ text.data + end, text.len - end };
    return (th_view){ text.data + start, end - start };
}

/* ---- emphasis, code, links --------------------------------------------------------- */

static const char *delimiter_of(uint8_t style)
{
    if (style & TH_STYLE_STRUCK)
        return "~~";
    if ((style & TH_STYLE_STRONG) && (style & TH_STYLE_EMPHASIS))
        return "***";
    return style & TH_STYLE_STRONG ? "**" : style & TH_STYLE_EMPHASIS ? "*" : NULL;
}

/* Whether delimiters around the text are read as such. @param next  behind them */
static bool flanks(const struct inline_text *to, th_view text, uint32_t next)
{
    const uint32_t before = last_of(th_buffer_view(to->line));
    const uint32_t first = first_of(text), last = last_of(text);
    const bool opens =
        !th_is_space(first) &&
        (!is_mark_to_some(first) || th_is_space(before) || is_mark_to_all(before));
    const bool closes = !th_is_space(last) && (!is_mark_to_some(last) ||
                                               th_is_space(next) || is_mark_to_all(next));
    return opens && closes && before != '*' && before != '~' && before != '\\';
}

static void put_styled(struct inline_text *to, const th_piece *piece, uint32_t next)
{
    th_view head, tail;
    const th_view text = trimmed(piece->text, &head, &tail);
    const char *delimiter = delimiter_of(piece->style);
    const uint32_t behind = tail.len ? ' ' : next;
    put_text(to, head, ' ');
    const bool is_marked = text.len && delimiter && flanks(to, text, behind);
    if (is_marked)
        th_buffer_append_text(to->line, delimiter);
    put_text(to, text, behind);
    if (is_marked)
        th_buffer_append_text(to->line, delimiter);
    put_text(to, tail, ' ');
}

/* The longest run of backticks in a text. */
static size_t backticks(th_view text)
{
    size_t most = 0, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.data[i] == '`' ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most;
}

static void put_fence(th_buffer *line, size_t count)
{
    for (size_t i = 0; i < count; i++)
        th_buffer_append_char(line, '`');
}

/* Code on one line. */
static void put_code_line(struct inline_text *to, th_view whole)
{
    th_view head, tail;
    const th_view text = trimmed(whole, &head, &tail);
    put_text(to, head, ' ');
    if (text.len) {
        const size_t most = backticks(text);
        const bool pads = text.data[0] == '`' || text.data[text.len - 1] == '`';
        put_fence(to->line, most + 1);
        if (pads)
            th_buffer_append_char(to->line, ' ');
        for (size_t i = 0; i < text.len; i++) {
            if (text.data[i] == '|' && to->place.is_cell)
                th_buffer_append_char(to->line, '\\');
            th_buffer_append_char(to->line, text.data[i]);
        }
        if (pads)
            th_buffer_append_char(to->line, ' ');
        put_fence(to->line, most + 1);
    }
    put_text(to, tail, ' ');
}

static void put_code(struct inline_text *to, th_view text)
{
    const char *end;
    while (text.len && (end = memchr(text.data, '\n', text.len))) {
        const size_t len = (size_t)(end - text.data);
        put_code_line(to, (th_view){ text.data, len });
        put_text(to, (th_view){ text.data + len, 1 }, ' ');
        text.data += len + 1;
        text.len -= len + 1;
    }
    put_code_line(to, text);
}

/* A URL as a destination: what would end it, or mean something, is percent-encoded. */
static void put_url(th_buffer *line, th_view url)
{
    for (size_t i = 0; i < url.len; i++) {
        const unsigned char c = (unsigned char)url.data[i];
        if (c <= ' ' || c == 0x7F || strchr("()<>\\`|\"*_~[]{}^", c))
            th_buffer_printf(line, "%s%02X", "%", (unsigned)c);
        else if (c == '&' && begins_reference(url, i, ' '))
            th_buffer_append_text(line, "&amp;");
        else
            th_buffer_append_char(line, (char)c);
    }
}

static void put_inset(struct inline_text *to, const th_inset *inset)
{
    th_buffer *line = to->line;
    if (inset->kind == TH_INSET_IMAGE) {
        th_buffer_append_text(line, "![");
        const bool was_in_link = to->is_in_link;
        to->is_in_link = true;
        put_text(to, inset->words, ']');
        to->is_in_link = was_in_link;
        th_buffer_append_text(line, "](");
        put_url(line, inset->url);
        th_buffer_append_char(line, ')');
        return;
    }
    const bool is_display = inset->kind == TH_INSET_MATH_DISPLAY;
    th_buffer_append_text(line, is_display ? "$$" : "$");
    for (size_t i = 0; i < inset->words.len; i++) {
        if (inset->words.data[i] == '|' && to->place.is_cell)
            th_buffer_append_text(line, "\\vert ");
        else
            th_buffer_append_char(line, inset->words.data[i]);
    }
    th_buffer_append_text(line, is_display ? "$$" : "$");
}

/* What the character behind a piece is, as far as delimiters ask. */
static uint32_t char_behind(const th_piece *pieces, uint32_t count, uint32_t at)
{
    if (at + 1 >= count)
        return pieces[at].link != TH_NONE ? ']' : ' ';
    const th_piece *next = &pieces[at + 1];
    if (next->link != pieces[at].link)
        return pieces[at].link != TH_NONE ? ']' : '[';
    if (next->inset)
        return '!';
    if (next->note)
        return '[';
    return next->style & TH_STYLE_CODE ? (is_blank(next->text.data[0]) ? ' ' : '`')
                                       : first_of(next->text);
}

/* The mark of a footnote, once for all its pieces. */
static void put_mark(struct inline_text *to, const th_piece *pieces, uint32_t count,
                     uint32_t at)
{
    const th_piece *next = at + 1 < count ? &pieces[at + 1] : NULL;
    th_view head, tail;
    (void)trimmed(pieces[at].text, &head, &tail);
    if (!at || pieces[at - 1].note != pieces[at].note) {
        put_text(to, head, ' ');
        th_buffer_printf(to->line, "[^%d]",
                         (int)to->page->boxes[pieces[at].note->item].number);
    }
    if (next && next->note == pieces[at].note)
        return;
    put_text(to, tail, ' ');
    if (next && !tail.len && !next->inset && !next->style && next->link == TH_NONE &&
        next->text.len && (next->text.data[0] == '(' || next->text.data[0] == ':'))
        th_buffer_append_char(to->line, '\\'); /* neither a link nor the note itself */
}

static void put_piece(struct inline_text *to, const th_piece *pieces, uint32_t count,
                      uint32_t at)
{
    const th_piece *piece = &pieces[at];
    if (piece->note)
        put_mark(to, pieces, count, at);
    else if (piece->inset)
        put_inset(to, piece->inset);
    else if (piece->style & TH_STYLE_CODE)
        put_code(to, piece->text);
    else
        put_styled(to, piece, char_behind(pieces, count, at));
}

/* Whether the pieces of a link show anything. */
static bool is_shown(const th_piece *pieces, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        th_view head, tail;
        if (pieces[i].inset || trimmed(pieces[i].text, &head, &tail).len)
            return true;
    }
    return false;
}

/* The pieces of one link, from `from` on. */
static void put_link(struct inline_text *to, const th_page *page, th_piece *pieces,
                     uint32_t count)
{
    th_view head = { 0 }, tail = { 0 }, none;
    if (!pieces[0].inset)
        pieces[0].text = trimmed(pieces[0].text, &head, &none);
    if (!pieces[0].inset) /* only its beginning is cut */
        pieces[0].text.len += none.len;
    th_piece *last = &pieces[count - 1];
    if (!last->inset) {
        th_view text = last->text;
        last->text = trimmed(last->text, &none, &tail);
        last->text.data -= none.len;
        last->text.len = text.len - tail.len;
    }
    put_text(to, head, ' ');
    th_buffer_append_char(to->line, '[');
    to->is_in_link = true;
    for (uint32_t i = 0; i < count; i++)
        put_piece(to, pieces, count, i);
    to->is_in_link = false;
    th_buffer_append_text(to->line, "](");
    put_url(to->line, page->links[pieces[0].link].url);
    th_buffer_append_char(to->line, ')');
    put_text(to, tail, ' ');
}

/* ---- beginnings of lines ----------------------------------------------------------- */

static bool is_gap(th_view line, size_t at)
{
    return at >= line.len || line.data[at] == ' ';
}

/* Where a line needs a backslash so that it begins no block; its length: nowhere. */
static size_t danger_in(th_view line)
{
    size_t at = 0;
    if (!line.len)
        return line.len;
    switch (line.data[0]) {
    case '>':
    case '=':
    case '|':
        return 0;
    case '+':
        return is_gap(line, 1) ? 0 : line.len;
    case '-':
        return is_gap(line, 1) || line.data[1] == '-' || line.data[1] == '|' ||
                       line.data[1] == ':'
                   ? 0
                   : line.len;
    case ':':
        return is_gap(line, 1) || line.data[1] == '-' ? 0 : line.len;
    case '#':
        while (at < line.len && line.data[at] == '#')
            at++;
        return is_gap(line, at) ? 0 : line.len;
    default:
        while (at < line.len && line.data[at] >= '0' && line.data[at] <= '9')
            at++;
        return at && at < line.len && (line.data[at] == '.' || line.data[at] == ')') &&
                       is_gap(line, at + 1)
                   ? at
                   : line.len;
    }
}

/* Escapes what begins a block at the start of any line. */
static void guard_lines(th_buffer *line)
{
    for (size_t start = 0; start < line->len;) {
        const char *found = memchr(line->data + start, '\n', line->len - start);
        size_t end = found ? (size_t)(found - line->data) : line->len;
        /* The backslash of a hard break is no text. */
        const size_t len = end - start - (found && end > start);
        const size_t at = danger_in((th_view){ line->data + start, len });
        if (at < len) {
            th_buffer_append_char(line, '\0');
            if (line->has_failed)
                return;
            char *const place = line->data + start + at;
            memmove(place + 1, place, line->len - 1 - (start + at));
            *place = '\\';
            end++;
        }
        start = end + 1;
    }
}

/* A heading's last number signs would be taken for its end. */
static void guard_end(th_buffer *line)
{
    const size_t len = line->len;
    if (!len || line->data[len - 1] != '#' || (len > 1 && line->data[len - 2] == '\\'))
        return;
    line->data[len - 1] = '\\';
    th_buffer_append_char(line, '#');
}

void th_markdown_inset(const th_inset *inset, th_markdown_place place, th_buffer *line)
{
    struct inline_text to = { .line = line, .place = place, .has_dollars = true };
    put_inset(&to, inset);
}

void th_markdown_inline(const th_page *page, th_piece *pieces, uint32_t count,
                        th_markdown_place place, th_buffer *line)
{
    struct inline_text to = { .page = page,
                              .line = line,
                              .place = place,
                              .has_dollars = has_dollars(pieces, count) };
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i + 1;
        if (pieces[i].link == TH_NONE) {
            put_piece(&to, pieces, count, i);
        } else {
            while (end < count && pieces[end].link == pieces[i].link)
                end++;
            if (is_shown(pieces + i, end - i))
                put_link(&to, page, pieces + i, end - i);
            else
                for (uint32_t k = i; k < end; k++)
                    put_text(&to, pieces[k].text, ' ');
        }
        i = end;
    }
    if (!place.is_one_line) /* behind the signs of a heading no block begins */
        guard_lines(line);
    if (place.is_one_line && !place.is_cell)
        guard_end(line);
}
