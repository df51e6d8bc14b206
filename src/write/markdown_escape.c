/*
 * Pieces to inline Markdown.
 *
 * - Emphasis is written for a piece of one style, never around others: delimiters that
 *   touch are ambiguous. If the flanking rules would not accept the delimiters, the text
 *   is written without them.
 * - Spaces at the ends of emphasis, code and links are written outside.
 * - A character is escaped only where CommonMark or GitHub's Markdown would read
 *   something else. For '*', '_' and '~' that is known when the paragraph is complete
 *   (emphasis_escapes.h). The paragraph is searched for backticks and ">" before it is
 *   written (struct outlook).
 * - TeX that a page leaves to a script is written unchanged, between dollars.
 */
#include "write/markdown_escape.h"

#include <string.h>

#include <unicode/uchar.h>

#include "base/html_reference.h"
#include "base/unicode.h"
#include "write/emphasis_escapes.h"
#include "write/tex_span.h"

enum { REFERENCE_MAX = 40 }; /* bytes of "&CounterClockwiseContourIntegral;" and more */

/* ---- characters -------------------------------------------------------------------- */

static bool is_ascii_mark(uint32_t c)
{
    return c > ' ' && c < 0x7F && !th_is_alnum(c);
}

/* Returns whether any version of CommonMark counts the character as a symbol. */
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

/* A place in a paragraph: the number of a piece, and bytes into its text. 0 if
 * unknown. */
typedef uint64_t place_t;

enum { TICKS_MAX = 8, /* of runs of backticks; longer ones are always escaped */ };

/* The later symbols of a paragraph that give a symbol its meaning. */
struct outlook {
    bool is_known;
    place_t ticks[TICKS_MAX + 1]; /* the last run of that many backticks */
    place_t code[2];              /* the last two lines of code, the last first */
    place_t angle;                /* the last ">" */
    place_t comment;              /* the last "-->" */
    place_t address;              /* the last "@" or ":" */
};

struct inline_text {
    const th_page *page; /* NULL if there are no footnotes */
    th_buffer *line;
    th_markdown_place place;
    const th_piece *pieces;
    uint32_t count;
    uint32_t at; /* the piece that is being written */
    struct outlook outlook;
    th_emphasis *marks;
    uint32_t group,
        groups; /* the text of a link or picture that is open, and their number */
    bool is_in_link;
    bool is_alternative; /* the text is a picture's */
    uint32_t after;      /* the character after the text and its delimiter, or a space */
    bool has_bracket;    /* a "[" of the text was written that may begin a link */
};

static bool is_at_line_start(const th_buffer *line)
{
    return !line->len || line->data[line->len - 1] == '\n';
}

static place_t place_of(uint32_t piece, size_t at)
{
    return ((place_t)piece << 32 | at) + 1;
}

/* Returns the position of a byte of the piece that is being written, or the last position
 * if the text is not part of the piece. */
static place_t here(const struct inline_text *to, const char *byte)
{
    const th_view text =
        to->pieces && to->at < to->count ? to->pieces[to->at].text : (th_view){ NULL, 0 };
    if (!text.data || byte < text.data || byte >= text.data + text.len)
        return 0;
    return place_of(to->at, (size_t)(byte - text.data));
}

static size_t run_length(th_view text, size_t at)
{
    size_t end = at;
    while (end < text.len && text.data[end] == text.data[at])
        end++;
    return end - at;
}

static uint32_t char_at(th_view text, size_t at, uint32_t otherwise)
{
    return at < text.len ? th_utf8_next(text.data, &at) : otherwise;
}

static size_t backticks(th_view text);

static void add_ticks(struct outlook *out, size_t len, place_t place)
{
    if (len <= TICKS_MAX)
        out->ticks[len] = place;
}

/* Searches code, where a reader finds the runs of backticks too. */
static void survey_code(struct outlook *out, th_view text, uint32_t number)
{
    add_ticks(out, backticks(text) + 1, place_of(number, 0));
    for (size_t at = 0, len; at < text.len; at += len) {
        len = text.data[at] == '`' ? run_length(text, at) : 1;
        if (text.data[at] == '`')
            add_ticks(out, len, place_of(number, at));
        if (!at || text.data[at] == '\n') {
            out->code[1] = out->code[0];
            out->code[0] = place_of(number, at);
        }
    }
}

/* Searches a piece for symbols that may end a construct. */
static void survey_piece(struct outlook *out, const th_piece *piece, uint32_t number)
{
    const th_view text = piece->text;
    if (piece->style & TH_STYLE_CODE) {
        survey_code(out, text, number);
        return;
    }
    for (size_t at = 0; at < text.len;) {
        const size_t len = text.data[at] == '`' ? run_length(text, at) : 1;
        if (text.data[at] == '>') {
            out->angle = place_of(number, at);
            /* Its hyphens may be in the piece before, if no delimiter is between. */
            if (at < 2 ? number && piece[-1].style == piece->style
                       : memcmp(text.data + at - 2, "--", 2) == 0)
                out->comment = out->angle;
        }
        if (text.data[at] == '@' || text.data[at] == ':')
            out->address = place_of(number, at);
        if (text.data[at] == '`')
            add_ticks(out, len, place_of(number, at));
        at += len;
    }
}

static const struct outlook *outlook(struct inline_text *to)
{
    if (!to->outlook.is_known)
        for (uint32_t i = 0; i < to->count; i++)
            survey_piece(&to->outlook, &to->pieces[i], i);
    to->outlook.is_known = true;
    return &to->outlook;
}

/* Whether pieces after the one that is being written end a character reference. */
static bool ends_reference(const struct inline_text *to)
{
    size_t left = REFERENCE_MAX;
    for (uint32_t i = to->at + 1; i < to->count; i++) {
        const th_view text = to->pieces[i].text;
        for (size_t k = 0; k < text.len; k++) {
            if (text.data[k] == ';' || !left--)
                return true;
            if (!th_is_alnum((unsigned char)text.data[k]) && text.data[k] != '#')
                return false;
        }
    }
    return false;
}

/* Whether "&" at `at` begins a character reference. @param to  the paragraph, if pieces
 * may follow the text */
static bool begins_reference(const struct inline_text *to, th_view text, size_t at)
{
    size_t i = at + 1;
    while (i < text.len && i - at < REFERENCE_MAX &&
           (th_is_alnum((unsigned char)text.data[i]) || text.data[i] == '#'))
        i++;
    if (i == text.len)
        return to && ends_reference(to);
    th_reference reference;
    return text.data[i] == ';' &&
           th_reference_read(text.data + at, text.data + i + 1, false, &reference) ==
               TH_REFERENCE_FOUND &&
           reference.used == i + 1 - at;
}

/* Whether the line ends within an address that readers make a link without markup:
 * "http://x/y", "www.x/y". */
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

/* Writes a run of backticks that no later run makes code. Readers search the end of code
 * without regard to backslashes, so one backslash shortens a run only as a beginning.
 * After a run without an end, cmark-gfm reads only one of two later codes. */
static void put_ticks(struct inline_text *to, th_view text, size_t at, size_t len,
                      uint32_t behind, bool is_line_start)
{
    const th_view run = { text.data + at, len };
    const uint32_t before = last_of(th_buffer_view(to->line));
    const bool is_address = !to->is_in_link && is_in_address(to->line);
    const char *one = is_address ? "%60" : "\\`";
    if (!to->is_alternative && len <= TICKS_MAX && before != '`' &&
        (at + len < text.len || behind != '`')) {
        const place_t place = here(to, run.data);
        const place_t *last = outlook(to)->ticks;
        const bool harms_code = outlook(to)->code[1] > place;
        const bool is_fence = is_line_start && len > 2;
        const bool fits = len == 1 || last[len - 1] <= place;
        if (last[len] <= place && (!is_fence || fits) && !harms_code) {
            th_buffer_append_view(to->line, run);
            return;
        }
        if (fits && !is_address && (len == 1 || !harms_code)) {
            th_buffer_append_char(to->line, '\\');
            th_buffer_append_view(to->line, run);
            return;
        }
        one = is_address ? one : "&#96;";
    }
    for (size_t i = 0; i < len; i++)
        th_buffer_append_text(to->line, one);
}

static bool is_name_char(char c)
{
    return th_is_alnum((unsigned char)c) || c == '-';
}

static size_t skip_blanks(th_view text, size_t at)
{
    while (at < text.len && is_blank(text.data[at]))
        at++;
    return at;
}

/* Skips an attribute. @return its end, 0 without one. The next piece may continue it. */
static size_t skip_attribute(th_view text, size_t at)
{
    const size_t start = at;
    while (at < text.len && (is_name_char(text.data[at]) || strchr("_.:", text.data[at])))
        at++;
    if (at == start || (text.data[start] >= '0' && text.data[start] <= '9') ||
        strchr("-.", text.data[start]))
        return 0;
    const size_t sign = skip_blanks(text, at);
    if (sign == text.len || text.data[sign] != '=')
        return at;
    at = skip_blanks(text, sign + 1);
    if (at == text.len)
        return at;
    if (text.data[at] == '"' || text.data[at] == '\'') {
        const char *end = memchr(text.data + at + 1, text.data[at], text.len - at - 1);
        return end ? (size_t)(end - text.data) + 1 : text.len;
    }
    const size_t value = at;
    while (at < text.len && !is_blank(text.data[at]) && !strchr("\"'=<>`", text.data[at]))
        at++;
    return at > value ? at : 0;
}

/* Whether the text after "<" is a tag, as far as it is known. [CommonMark 6.6] */
static bool is_tag(th_view text, size_t at, uint32_t behind)
{
    const bool is_end = at < text.len && text.data[at] == '/';
    at += is_end;
    if (at < text.len &&
        !((text.data[at] | 0x20) >= 'a' && (text.data[at] | 0x20) <= 'z'))
        return false;
    while (at < text.len && is_name_char(text.data[at]))
        at++;
    if (at == text.len && (behind == '*' || behind == '~'))
        return false; /* they do not follow a name */
    for (;;) {
        const size_t next = skip_blanks(text, at);
        if (next == text.len || text.data[next] == '>' ||
            (!is_end && text.data[next] == '/' &&
             (next + 1 == text.len || text.data[next + 1] == '>')))
            return true;
        if (is_end || next == at)
            return false;
        at = skip_attribute(text, next);
        if (!at)
            return false;
    }
}

/* Whether the text after "<" is an address, as far as it is known: of a scheme with at
 * least two characters, or of mail. [CommonMark 6.5] */
static bool is_address(th_view text, size_t at, uint32_t behind)
{
    const size_t start = at;
    while (at < text.len && (th_is_alnum((unsigned char)text.data[at]) ||
                             strchr(".!#$%&'*+/=?^_`{|}~-", text.data[at])))
        at++;
    if (at == text.len)
        return !th_is_space(behind);
    if (text.data[at] == '@') {
        do
            at++;
        while (at < text.len && (is_name_char(text.data[at]) || text.data[at] == '.'));
        return at == text.len ? !th_is_space(behind) : text.data[at] == '>';
    }
    if (text.data[at] != ':' || at - start < 2)
        return false;
    while (at < text.len && !is_blank(text.data[at]) && text.data[at] != '<' &&
           text.data[at] != '>')
        at++;
    return at == text.len || text.data[at] == '>';
}

/* Whether the text after "<" at the beginning of a line may begin a block of HTML: the
 * name of an element of HTML, or a symbol. Other names need a complete tag. [CommonMark
 * 4.6] */
static bool begins_html_block(th_view text, size_t at, uint32_t behind)
{
    const uint32_t next = char_at(text, at, behind);
    if (next == '!' || next == '?')
        return true;
    at += next == '/';
    size_t end = at;
    while (end < text.len && is_name_char(text.data[end]))
        end++;
    const th_view name = { text.data + at, end - at };
    return end == text.len || th_tag_of(name) != TH_TAG_OTHER;
}

/* Whether "<" would begin HTML or an address. */
static bool marks_html(struct inline_text *to, th_view text, size_t at, uint32_t behind,
                       bool is_line_start)
{
    const uint32_t next = char_at(text, at + 1, behind);
    if (next != '/' && next != '!' && next != '?' && !(next < 0x80 && th_is_alnum(next)))
        return false;
    const bool is_digit = next >= '0' && next <= '9'; /* at most an address */
    if (to->is_alternative || (to->is_in_link && !is_digit) ||
        (is_line_start && !is_digit && begins_html_block(text, at + 1, behind)))
        return true;
    if (outlook(to)->angle <= here(to, text.data + at))
        return false;  /* nothing would end it */
    if (next == '!') { /* a declaration, a comment, CDATA */
        const uint32_t kind = char_at(text, at + 2, 'a');
        return kind == '-' ? outlook(to)->comment > here(to, text.data + at)
                           : kind == '[' || (kind < 0x80 && th_is_alnum(kind));
    }
    return next == '?' || is_tag(text, at + 1, behind) ||
           (outlook(to)->address > here(to, text.data + at) &&
            is_address(text, at + 1, behind));
}

/* Whether what follows "](" could be the rest of a link. */
static bool is_link_tail(th_view text, size_t at)
{
    while (at < text.len && is_blank(text.data[at]))
        at++;
    if (at < text.len && text.data[at] == '<')
        return true;
    int depth = 0;
    for (; at < text.len; at++) {
        const char c = text.data[at];
        if (is_blank(c)) {
            while (at < text.len && is_blank(text.data[at]))
                at++;
            return at == text.len || strchr("\"'()", text.data[at]);
        }
        if (c == ')' && depth-- == 0)
            return true;
        depth += c == '(';
    }
    return true; /* the next piece may end it */
}

/* Whether the text of a link has the bracket that matches one. */
static bool has_partner(th_view text, size_t at)
{
    enum { LOOK = 512 };
    int depth = 0;
    if (text.data[at] == '[') {
        for (size_t i = at; i < text.len && i - at < LOOK; i++) {
            depth += (text.data[i] == '[') - (text.data[i] == ']');
            if (depth == 0)
                return true;
        }
        return false;
    }
    for (size_t i = at + 1; i-- > 0 && at - i < LOOK;) {
        depth += (text.data[i] == ']') - (text.data[i] == '[');
        if (depth == 0)
            return true;
    }
    return false;
}

/* Whether a paragraph that begins with "[" may be a reference definition: a label, a
 * target, and a title or nothing. [CommonMark 4.7] */
static bool may_define(th_view text)
{
    const char *colon = memmem(text.data, text.len, "]:", 2);
    if (!colon)
        return false;
    size_t at = skip_blanks(text, (size_t)(colon - text.data) + 2);
    if (at < text.len && text.data[at] == '<')
        return true;
    while (at < text.len && !is_blank(text.data[at]))
        at++;
    while (at < text.len && text.data[at] == ' ')
        at++;
    return at == text.len || strchr("\n\"'(", text.data[at]);
}

static bool marks_bracket(struct inline_text *to, th_view text, size_t at,
                          uint32_t behind)
{
    const uint32_t next = char_at(text, at + 1, behind);
    if (to->is_alternative)
        return true;
    if (to->is_in_link)
        return !has_partner(text, at) || (text.data[at] == ']' && next == '(');
    if (text.data[at] == ']')
        return next == '(' && to->has_bracket && is_link_tail(text, at + 2);
    const bool defines =
        !to->line->len && at == 0 && !to->place.is_one_line && may_define(text);
    const bool is_note = next == '^' && to->page && to->page->note_link_count;
    to->has_bracket |= !defines && !is_note;
    return defines || is_note;
}

/* Whether a backslash would be read as an escape or the end of a line. */
static bool marks_escape(th_view text, size_t at, uint32_t behind)
{
    const uint32_t next = char_at(text, at + 1, behind);
    return next == '\n' || is_ascii_mark(next);
}

/* Bytes that put_text examines: line ends, and the bytes of has_meaning. */
static const bool may_mean[256] = {
    ['\n'] = true, ['\\'] = true, ['`'] = true, ['*'] = true, ['~'] = true,
    ['_'] = true,  ['['] = true,  [']'] = true, ['!'] = true, ['<'] = true,
    ['&'] = true,  ['$'] = true,  ['|'] = true,
};

/* Returns the first byte from `at` that may have a meaning, or the text's end. */
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

/* Writes a character so that it loses its meaning. Within an address a backslash would be
 * part of the address, and the text after it would be HTML. */
static void put_escaped(const struct inline_text *to, char c)
{
    th_buffer *line = to->line;
    const bool is_address = !to->is_in_link && is_in_address(line);
    if (c == '<')
        th_buffer_append_text(line, "&lt;");
    else if (is_address && strchr("[]\\", c))
        th_buffer_printf(line, "%%%02X", (unsigned)(unsigned char)c);
    else if (is_address && c != '|')
        th_buffer_append_char(line, c);
    else
        th_buffer_append(line, (char[]){ '\\', c }, 2);
}

/* Whether a symbol would have a meaning. */
static bool has_meaning(struct inline_text *to, th_view text, size_t at, uint32_t behind,
                        bool is_line_start)
{
    switch (text.data[at]) {
    case '\\':
        return marks_escape(text, at, behind);
    case '[':
    case ']':
        return marks_bracket(to, text, at, behind);
    case '!':
        return to->is_alternative ? at + 1 < text.len && text.data[at + 1] == '['
                                  : at + 1 == text.len && behind == '[';
    case '<':
        return marks_html(to, text, at, behind, is_line_start);
    case '&':
        return begins_reference(to, text, at);
    case '|':
        return to->place.is_cell;
    default:
        return false;
    }
}

/* Writes TeX between dollars. A bar in a cell is escaped. GitHub removes this escape
 * first. A space after "<" does not change a formula, and readers without TeX do not find
 * HTML. */
static void put_tex(struct inline_text *to, th_view tex, bool is_display)
{
    const char *dollars = is_display ? "$$" : "$";
    th_buffer_append_text(to->line, dollars);
    for (size_t i = 0; i < tex.len; i++) {
        const char c = tex.data[i],
                   next = (char)(i + 1 < tex.len ? tex.data[i + 1] : ' ');
        if (c == '|' && to->place.is_cell)
            th_buffer_append_char(to->line, '\\');
        th_buffer_append_char(to->line, (char)(c == '\n' ? ' ' : c));
        if (c == '<' && (th_is_alnum((unsigned char)next) || strchr("/!?", next)))
            th_buffer_append_char(to->line, ' ');
    }
    th_buffer_append_text(to->line, dollars);
}

/* Whether only signs follow up to a space, which readers do not take into an address. */
static bool ends_address(const struct inline_text *to, th_view text, size_t at)
{
    while (at < text.len && strchr("*_~.,:;?!\"')", text.data[at]))
        at++;
    return at < text.len ? is_blank(text.data[at]) : th_is_space(to->after);
}

/* Writes a run that may be emphasis. A reference at the end of an address is not a part of
 * it, unlike a backslash. */
static void put_emphasis_sign(struct inline_text *to, th_view text, size_t at, size_t len)
{
    const th_view run = { text.data + at, len };
    const bool is_address = !to->is_in_link && is_in_address(to->line);
    const bool is_end = is_address && *run.data != '~' && ends_address(to, text, at);
    const th_emphasis_kind kind = is_end       ? TH_EMPHASIS_REFERENCE
                                  : is_address ? TH_EMPHASIS_FIXED
                                               : TH_EMPHASIS_BACKSLASH;
    const bool is_noted = th_emphasis_note(to->marks, to->line, len, to->group, kind);
    for (size_t i = 0; i < len && !is_noted && !is_address; i++)
        th_buffer_append(to->line, (char[]){ '\\', run.data[i] }, 2);
    if (is_noted || is_address)
        th_buffer_append_view(to->line, run);
}

/* Writes a symbol, escaped if has_meaning requires it. @param at  of its symbol @return
 * its end */
static size_t put_sign(struct inline_text *to, th_view text, size_t at, uint32_t behind,
                       bool is_line_start)
{
    th_buffer *line = to->line;
    const char c = text.data[at];
    th_tex_span span;
    if (c == '\n') {
        th_buffer_append_text(line, to->place.is_cell       ? "<br>"
                                    : to->place.is_one_line ? " "
                                                            : "\\\n");
        return at + 1;
    }
    if ((c == '$' || c == '\\') && to->page && !to->is_in_link &&
        th_tex_span_at(text, at, to->page->has_tex, &span)) {
        put_tex(to, span.tex, span.is_display);
        return span.end;
    }
    const bool is_emphasis = c == '*' || c == '_' || c == '~';
    const size_t len = is_emphasis || c == '`' ? run_length(text, at) : 1;
    if (is_emphasis)
        put_emphasis_sign(to, text, at, len);
    else if (c == '`')
        put_ticks(to, text, at, len, behind, is_line_start);
    else if (has_meaning(to, text, at, behind, is_line_start))
        put_escaped(to, c);
    else
        th_buffer_append_char(line, c);
    return at + len;
}

/* Writes text. @param behind  the character that will follow the text; a space if none */
static void put_text(struct inline_text *to, th_view text, uint32_t behind)
{
    th_buffer *line = to->line;
    size_t from = 0;
    if (!text.len)
        return;
    for (size_t at = next_meaning(text, 0); at < text.len;
         at = next_meaning(text, from)) {
        th_buffer_append(line, text.data + from, at - from);
        const bool starts = !to->place.is_one_line && is_at_line_start(line);
        from = put_sign(to, text, at, behind, starts);
    }
    th_buffer_append(line, text.data + from, text.len - from);
}

/* Cuts spaces off both ends. @return the text between; *head and *tail are the spaces */
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

/* Whether the text without the waves at its ends begins or ends with a space. GitHub
 * ignores waves next to "*". */
static bool has_waves_with_space(th_view text)
{
    while (text.len && text.data[0] == '~') {
        text.data++;
        text.len--;
    }
    while (text.len && text.data[text.len - 1] == '~')
        text.len--;
    return !text.len || th_is_space(first_of(text)) || th_is_space(last_of(text));
}

/* Returns whether delimiters around the text count as such. @param next  the character
 * after */
static bool flanks(const struct inline_text *to, th_view text, uint32_t next)
{
    const uint32_t before = last_of(th_buffer_view(to->line));
    const uint32_t first = first_of(text), last = last_of(text);
    const bool opens =
        !th_is_space(first) &&
        (!is_mark_to_some(first) || th_is_space(before) || is_mark_to_all(before));
    const bool closes = !th_is_space(last) && (!is_mark_to_some(last) ||
                                               th_is_space(next) || is_mark_to_all(next));
    return opens && closes && before != '*' && before != '~' && before != '\\' &&
           !has_waves_with_space(text);
}

/* Returns the element of raised or lowered text, NULL if it is neither. */
static const char *element_of(uint8_t style)
{
    return style & TH_STYLE_RAISED ? "sup" : style & TH_STYLE_LOWERED ? "sub" : NULL;
}

static void put_delimiter(struct inline_text *to, const char *delimiter)
{
    (void)th_emphasis_note(to->marks, to->line, strlen(delimiter), to->group,
                           TH_EMPHASIS_FIXED);
    th_buffer_append_text(to->line, delimiter);
}

static void put_styled(struct inline_text *to, const th_piece *piece, uint32_t next)
{
    th_view head, tail;
    const th_view text = trimmed(th_piece_text(piece), &head, &tail);
    const char *element = text.len ? element_of(piece->style) : NULL;
    const char *delimiter = delimiter_of(piece->style);
    const uint32_t behind = tail.len ? ' ' : next;
    to->after = element ? '<' : behind;
    put_text(to, head, ' ');
    if (element)
        th_buffer_printf(to->line, "<%s>", element);
    const bool is_marked =
        text.len && delimiter && flanks(to, text, element ? '<' : behind);
    if (is_marked)
        put_delimiter(to, delimiter);
    put_text(to, text,
             is_marked ? (unsigned char)*delimiter
             : element ? (uint32_t)'<'
                       : behind);
    if (is_marked)
        put_delimiter(to, delimiter);
    if (element)
        th_buffer_printf(to->line, "</%s>", element);
    put_text(to, tail, ' ');
}

/* Returns the longest run of backticks in a text. */
static size_t backticks(th_view text)
{
    size_t max = 0, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.data[i] == '`' ? run + 1 : 0;
        max = run > max ? run : max;
    }
    return max;
}

static void put_fence(th_buffer *line, size_t count)
{
    for (size_t i = 0; i < count; i++)
        th_buffer_append_char(line, '`');
}

/* Writes code on one line. */
static void put_code_line(struct inline_text *to, th_view whole)
{
    th_view head, tail;
    const th_view text = trimmed(whole, &head, &tail);
    put_text(to, head, ' ');
    if (text.len) {
        const size_t max = backticks(text);
        const bool pads = text.data[0] == '`' || text.data[text.len - 1] == '`';
        put_fence(to->line, max + 1);
        if (pads)
            th_buffer_append_char(to->line, ' ');
        for (size_t i = 0; i < text.len; i++) {
            if (text.data[i] == '|' && to->place.is_cell)
                th_buffer_append_char(to->line, '\\');
            th_buffer_append_char(to->line, text.data[i]);
        }
        if (pads)
            th_buffer_append_char(to->line, ' ');
        put_fence(to->line, max + 1);
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

/* Writes a URL as a destination, with percent-encoded bytes where they would end it or
 * have a meaning. */
static void put_url(th_buffer *line, th_view url)
{
    for (size_t i = 0; i < url.len; i++) {
        const unsigned char c = (unsigned char)url.data[i];
        if (c <= ' ' || c == 0x7F || strchr("()<>\\`|\"*_~[]{}^", c))
            th_buffer_printf(line, "%s%02X", "%", (unsigned)c);
        else if (c == '&' && begins_reference(NULL, url, i))
            th_buffer_append_text(line, "&amp;");
        else
            th_buffer_append_char(line, (char)c);
    }
}

/* Begins the text of a link or picture. @return the group around it */
static uint32_t enter_group(struct inline_text *to)
{
    const uint32_t group = to->group;
    to->group = ++to->groups;
    return group;
}

static void put_inset(struct inline_text *to, const th_inset *inset)
{
    th_buffer *line = to->line;
    if (inset->kind == TH_INSET_IMAGE) {
        th_buffer_append_text(line, "![");
        const uint32_t group = enter_group(to);
        to->is_alternative = true;
        put_text(to, inset->words, ']');
        to->is_alternative = false;
        to->group = group;
        th_buffer_append_text(line, "](");
        put_url(line, inset->url);
        th_buffer_append_char(line, ')');
        return;
    }
    put_tex(to, inset->words, inset->kind == TH_INSET_MATH_DISPLAY);
}

/* Returns the character after a piece, as far as delimiters depend on it. */
static uint32_t char_behind(const th_piece *pieces, uint32_t count, uint32_t at)
{
    if (at + 1 >= count)
        return pieces[at].link != TH_NONE ? ']' : ' ';
    const th_piece *next = &pieces[at + 1];
    if (next->link != pieces[at].link)
        return pieces[at].link != TH_NONE ? ']' : '[';
    if (next->inset)
        return next->inset->kind == TH_INSET_IMAGE ? '!' : '$';
    if (next->note)
        return '[';
    if (!(next->style & TH_STYLE_CODE) && element_of(next->style))
        return is_blank(next->text.data[0]) ? ' ' : '<';
    return next->style & TH_STYLE_CODE ? (is_blank(next->text.data[0]) ? ' ' : '`')
                                       : first_of(next->text);
}

/* Writes the mark of a footnote, once for all its pieces. */
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
        next->text.len &&
        (next->text.data[0] == '(' || (!at && !head.len && next->text.data[0] == ':')))
        th_buffer_append_char(to->line, '\\'); /* neither a link nor the note itself */
}

static void put_piece(struct inline_text *to, const th_piece *pieces, uint32_t count,
                      uint32_t at)
{
    const th_piece *piece = &pieces[at];
    to->at = (uint32_t)(piece - to->pieces);
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

/* Writes the pieces of one link, from `from`. */
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
    const uint32_t group = enter_group(to);
    to->is_in_link = true;
    for (uint32_t i = 0; i < count; i++)
        put_piece(to, pieces, count, i);
    to->is_in_link = false;
    to->group = group;
    th_buffer_append_text(to->line, "](");
    put_url(to->line, page->links[pieces[0].link].url);
    th_buffer_append_char(to->line, ')');
    put_text(to, tail, ' ');
}

/* ---- beginnings of lines ----------------------------------------------------------- */

/* Whether a mark of a block ends at an offset. The backslash of a hard break follows any
 * line except the last. */
static bool is_gap(th_view line, size_t at, bool is_last)
{
    return at < line.len ? line.data[at] == ' ' : is_last;
}

/* Whether a line has only these characters. */
static bool has_only(th_view line, const char *chars)
{
    for (size_t i = 0; i < line.len; i++)
        if (!strchr(chars, line.data[i]))
            return false;
    return true;
}

/* Whether a line is its first symbol at least three times, and spaces. */
static bool is_rule(th_view line)
{
    size_t count = 0;
    for (size_t i = 0; i < line.len; i++) {
        if (line.data[i] != line.data[0] && line.data[i] != ' ')
            return false;
        count += line.data[i] == line.data[0];
    }
    return count > 2;
}

static bool is_fence(th_view line)
{
    const size_t len = run_length(line, 0);
    return len > 2 &&
           (line.data[0] == '~' || !memchr(line.data + len, '`', line.len - len));
}

/* Returns the length of the number of a list item, or 0. After another line only "1"
 * begins a list. */
static size_t item_number(th_view line, bool is_first, bool is_last)
{
    enum { DIGITS_MAX = 9 };
    size_t at = 0;
    while (at < line.len && line.data[at] >= '0' && line.data[at] <= '9')
        at++;
    if (!at || at > DIGITS_MAX || at == line.len ||
        (line.data[at] != '.' && line.data[at] != ')') || !is_gap(line, at + 1, is_last))
        return 0;
    return is_first || (at == 1 && line.data[0] == '1' && at + 2 < line.len) ? at : 0;
}

/* Whether a line makes a heading or a table of the line before it. */
static bool is_underline(th_view line)
{
    return has_only(line, "= ") ||
           (has_only(line, "-:| ") && memchr(line.data, '-', line.len));
}

/* Returns where a line needs a backslash so that it does not begin a block, or its length
 * if it needs none. The backslash of a hard break is part of any line except the last, so
 * such a line is not a rule. */
static size_t danger_in(th_view line, bool is_first, bool is_last)
{
    if (!line.len)
        return line.len;
    const bool begins_item = is_gap(line, 1, is_last) && (is_first || line.len > 2);
    bool is_dangerous = false;
    switch (line.data[0]) {
    case '>':
        return 0;
    case '=':
    case ':':
    case '|':
        is_dangerous = !is_first && is_last && is_underline(line);
        break;
    case '+':
        is_dangerous = begins_item;
        break;
    case '-':
        is_dangerous = begins_item ||
                       (is_last && (is_rule(line) || (!is_first && is_underline(line))));
        break;
    case '*':
        is_dangerous = begins_item || (is_last && is_rule(line));
        break;
    case '_':
        is_dangerous = is_last && is_rule(line);
        break;
    case '`':
    case '~':
        is_dangerous = is_fence(line);
        break;
    case '#':
        is_dangerous =
            run_length(line, 0) <= 6 && is_gap(line, run_length(line, 0), is_last);
        break;
    default: {
        const size_t at = item_number(line, is_first, is_last);
        return at ? at : line.len;
    }
    }
    return is_dangerous ? 0 : line.len;
}

/* Escapes the start of every line that would begin a block. */
static void guard_lines(th_buffer *line)
{
    for (size_t start = 0; start < line->len;) {
        const char *found = memchr(line->data + start, '\n', line->len - start);
        size_t end = found ? (size_t)(found - line->data) : line->len;
        /* The backslash of a hard break is not text. */
        const size_t len = end - start - (found && end > start);
        const size_t at = danger_in((th_view){ line->data + start, len }, !start, !found);
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

/* Escapes a heading's last number signs, which after a space would end it. */
static void guard_end(th_buffer *line)
{
    size_t at = line->len;
    while (at && line->data[at - 1] == '#')
        at--;
    if (at == line->len || (at && line->data[at - 1] != ' '))
        return;
    line->data[line->len - 1] = '\\';
    th_buffer_append_char(line, '#');
}

void th_markdown_inset(const th_inset *inset, th_markdown_place place, th_buffer *line)
{
    th_emphasis marks;
    marks.count = 0;
    marks.has_text = false;
    struct inline_text to = { .line = line, .place = place, .marks = &marks };
    put_inset(&to, inset);
    th_emphasis_escape(&marks, line);
}

void th_markdown_inline(const th_page *page, th_piece *pieces, uint32_t count,
                        th_markdown_place place, th_buffer *line)
{
    th_emphasis marks;
    marks.count = 0;
    marks.has_text = false;
    struct inline_text to = { .page = page,
                              .line = line,
                              .place = place,
                              .pieces = pieces,
                              .count = count,
                              .marks = &marks };
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
                for (uint32_t k = i; k < end; k++) {
                    to.at = k;
                    put_text(&to, pieces[k].text, ' ');
                }
        }
        i = end;
    }
    th_emphasis_escape(&marks, line);
    if (!place.is_one_line) /* after the symbols of a heading no block begins */
        guard_lines(line);
    if (place.is_one_line && !place.is_cell)
        guard_end(line);
}
