/*
 * MathML to TeX in one pass.
 *
 * The output of an element is in place when its children have ended: a row leaves it as
 * it is, and an element whose children have different meanings rewrites it. An element of
 * d parents is copied at most d times, and both are limited.
 */
#include "parse/mathml.h"

#include <string.h>

#include "base/ascii.h"
#include "base/unicode.h"
#include "parse/tex_symbols.h"

/* Kinds of elements. */
enum {
    ROW,
    IDENTIFIER,
    NUMBER,
    OPERATOR,
    TEXT,
    STRING,
    FRACTION,
    SQUARE_ROOT,
    ROOT,
    SUB,
    SUP,
    SUB_SUP,
    UNDER,
    OVER,
    UNDER_OVER,
    TABLE,
    TABLE_ROW,
    CELL,
    FENCED,
    SPACE,
    PHANTOM,
    ENCLOSED,
    OVERLINED,
    SCRIPTS,
    PRESCRIPTS,
    NOTHING,
    SEMANTICS,
    SKIPPED,
    ANNOTATION,
};

static const struct {
    const char *name;
    uint8_t kind;
} elements[] = {
    { "mfrac", FRACTION },
    { "msqrt", SQUARE_ROOT },
    { "mroot", ROOT },
    { "msub", SUB },
    { "msup", SUP },
    { "msubsup", SUB_SUP },
    { "munder", UNDER },
    { "mover", OVER },
    { "munderover", UNDER_OVER },
    { "mtable", TABLE },
    { "mtr", TABLE_ROW },
    { "mlabeledtr", TABLE_ROW },
    { "mtd", CELL },
    { "mfenced", FENCED },
    { "mspace", SPACE },
    { "mphantom", PHANTOM },
    { "menclose", ENCLOSED },
    { "mmultiscripts", SCRIPTS },
    { "none", NOTHING },
    { "mprescripts", PRESCRIPTS },
    { "semantics", SEMANTICS },
    { "annotation", ANNOTATION },
    { "annotation-xml", SKIPPED },
};
enum { ELEMENTS = sizeof elements / sizeof *elements };
_Static_assert(ELEMENTS <= (int)TH_MATHML_NAMES, "each element has a hash");

/* The alphabet of a token. */
enum { PLAIN, UPRIGHT, BOLD, DOUBLE, SCRIPT, FRAKTUR, SANS, MONO };

/* Marks in the output. They are not TeX, and never part of a text. */
enum { MARK_PRESCRIPTS = 1 };

void th_mathml_done(th_mathml *math)
{
    th_buffer_done(&math->out);
    th_buffer_done(&math->part);
    th_buffer_done(&math->tex);
    th_buffer_done(&math->text);
    *math = (th_mathml){ 0 };
}

/* ---- attributes -------------------------------------------------------------------- */

static th_view value_of(const th_attribute *attrs, size_t count, const char *name)
{
    return th_ascii_trimmed(th_attribute_text(attrs, count, name));
}

/* Whether a start tag begins an annotation in TeX. */
static bool is_tex(const th_attribute *attrs, size_t attr_count)
{
    const th_view encoding = value_of(attrs, attr_count, "encoding");
    return th_ascii_is(encoding, "application/x-tex") || th_ascii_is(encoding, "tex") ||
           th_ascii_is(encoding, "latex") ||
           th_ascii_is(encoding, "application/x-latex") ||
           th_ascii_is(encoding, "text/x-tex") || th_ascii_is(encoding, "text/x-latex");
}

static uint8_t variant_of(th_view value)
{
    static const struct {
        const char *name;
        uint8_t variant;
    } rows[] = {
        { "normal", UPRIGHT },
        { "bold", BOLD },
        { "bold-italic", BOLD },
        { "double-struck", DOUBLE },
        { "script", SCRIPT },
        { "bold-script", SCRIPT },
        { "fraktur", FRAKTUR },
        { "sans-serif", SANS },
        { "monospace", MONO },
        { "bold-fraktur", FRAKTUR },
        { "-tex-calligraphic", SCRIPT },
    };
    for (size_t i = 0; value.len && i < sizeof rows / sizeof *rows; i++)
        if (th_ascii_is(value, rows[i].name))
            return rows[i].variant;
    return PLAIN;
}

/* ---- output ------------------------------------------------------------------------ */

static th_mathml_frame *top(th_mathml *math)
{
    return &math->frames[math->count - 1];
}

static th_view out_from(const th_mathml *math, uint32_t start)
{
    return (th_view){ math->out.data + start, math->out.len - start };
}

/* Whether a text ends within a command that letters would continue: "\alpha". */
static bool ends_in_command(th_view text)
{
    size_t at = text.len;
    while (at && th_is_letter(text.data[at - 1]))
        at--;
    return at && at < text.len && text.data[at - 1] == '\\' &&
           !(at > 1 && text.data[at - 2] == '\\');
}

/* Whether a text ends in a script without braces: "x^2". */
static bool ends_in_script(th_view text)
{
    const char *end = text.data + text.len;
    return text.len > 1 && (end[-2] == '^' || end[-2] == '_') &&
           (th_is_letter(end[-1]) || th_is_digit(end[-1]));
}

/* Appends TeX to other TeX. @param from  where the other begins */
static void append(th_buffer *out, size_t from, th_view tex)
{
    if (!tex.len)
        return;
    const th_view before = { out->data + from, out->len - from };
    const bool is_letter = th_is_letter(tex.data[0]) || th_is_digit(tex.data[0]);
    if (before.len && ((th_is_letter(tex.data[0]) && ends_in_command(before)) ||
                       (is_letter && ends_in_script(before))))
        th_buffer_append_char(out, ' ');
    th_buffer_append_view(out, tex);
}

static void put(th_buffer *out, const char *tex)
{
    append(out, 0, (th_view){ tex, strlen(tex) });
}

static bool is_word_char(char c)
{
    return th_is_letter(c) || th_is_digit(c);
}

/* Replaces the output of an element. Two variables or numbers that follow each other are
 * two words to a reader of plain text: "4 a c". TeX ignores the space. */
static void replace(th_mathml *math, uint32_t start)
{
    math->out.has_failed |= math->part.has_failed; /* no memory: not only the formula */
    math->has_failed |= math->out.has_failed;
    math->out.len = start;
    if (start && math->part.len && is_word_char(math->out.data[start - 1]) &&
        is_word_char(math->part.data[0]))
        th_buffer_append_char(&math->out, ' ');
    append(&math->out, 0, th_buffer_view(&math->part));
    th_buffer_reset(&math->part);
}

static th_view trimmed(th_view tex)
{
    return tex.len ? th_ascii_trimmed(tex) : tex;
}

/* Returns child number `i` of an ended element. The last one includes all that follow. */
static th_view child(const th_mathml *math, const th_mathml_frame *frame, unsigned i)
{
    if (i >= frame->child_count)
        return (th_view){ "", 0 };
    const uint32_t from = frame->child_at[i];
    const uint32_t to =
        i + 1u < frame->child_count ? frame->child_at[i + 1] : (uint32_t)math->out.len;
    return trimmed((th_view){ math->out.data + from, to - from });
}

static bool is(th_view text, const char *other)
{
    return text.len == strlen(other) &&
           (!text.len || memcmp(text.data, other, text.len) == 0);
}

bool th_tex_is_group(th_view tex)
{
    int depth = 0;
    for (size_t i = 0; i < tex.len; i++) {
        if (tex.data[i] == '\\')
            i++;
        else if (tex.data[i] == '{')
            depth++;
        else if (tex.data[i] == '}' && --depth == 0)
            return i + 1 == tex.len;
    }
    return false;
}

/* Whether TeX is one atom: a character, a command without arguments, a group. */
static bool is_atom(th_view tex)
{
    if (!tex.len)
        return false;
    if (tex.data[0] == '\\') {
        size_t at = 1;
        while (at < tex.len && th_is_letter(tex.data[at]))
            at++;
        if (at == 1)
            return tex.len == 2;
        if (at == tex.len)
            return true;
        if (tex.data[at] != '{' || th_starts_with(tex, "\\begin"))
            return false;
        tex.data += at;
        tex.len -= at;
    }
    if (tex.data[0] == '{')
        return th_tex_is_group(tex);
    size_t at = 0;
    (void)th_utf8_next(tex.data, &at);
    return at == tex.len;
}

static bool is_number(th_view tex)
{
    for (size_t i = 0; i < tex.len; i++)
        if ((tex.data[i] < '0' || tex.data[i] > '9') && tex.data[i] != '.')
            return false;
    return tex.len;
}

/* Writes a base, with braces if it is more than one atom. */
static void put_base(th_buffer *out, th_view tex)
{
    const bool is_plain = is_atom(tex) || is_number(tex);
    if (!is_plain)
        th_buffer_append_char(out, '{');
    append(out, 0, tex);
    if (!is_plain)
        th_buffer_append_char(out, '}');
}

static void put_group(th_buffer *out, th_view tex)
{
    th_buffer_append_char(out, '{');
    th_buffer_append_view(out, tex);
    th_buffer_append_char(out, '}');
}

/* Writes an argument. A letter or digit needs no braces. */
static void put_script(th_buffer *out, char mark, th_view tex)
{
    if (!tex.len)
        return;
    th_buffer_append_char(out, mark);
    if (tex.len == 1 || (tex.len <= 2 && tex.data[0] == '\''))
        th_buffer_append_view(out, tex);
    else
        put_group(out, tex);
}

/* ---- tokens ------------------------------------------------------------------------ */

static bool is_function(th_view name)
{
    static const char names[] =
        " arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker "
        "lg "
        "lim liminf limsup ln log max min Pr sec sin sinh sup tan tanh ";
    if (name.len < 2 || name.len > 6)
        return false;
    for (const char *at = names; (at = memmem(at, strlen(at), name.data, name.len));
         at += name.len)
        if (at[-1] == ' ' && at[name.len] == ' ')
            return true;
    return false;
}

/* Writes a character of a formula as TeX. */
static void put_char(th_buffer *out, uint32_t c)
{
    th_tex_letter letter;
    char bytes[4];
    if (th_tex_letter_of(c, &letter)) {
        if (letter.alphabet) {
            put(out, letter.alphabet);
            th_buffer_append_char(out, '{');
        }
        put_char(out, letter.letter);
        if (letter.alphabet)
            th_buffer_append_char(out, '}');
        return;
    }
    const char *symbol = th_tex_symbol(c);
    if (symbol) {
        put(out, symbol);
        return;
    }
    if (c < 0x80 && strchr("{}%#$&_", (char)c)) {
        th_buffer_append(out, (const char[]){ '\\', (char)c }, 2);
        return;
    }
    if (c == '\\') {
        put(out, "\\backslash");
        return;
    }
    append(out, 0, (th_view){ bytes, th_utf8_put(c, bytes) });
}

static void put_chars(th_buffer *out, th_view text)
{
    for (size_t at = 0; at < text.len;)
        put_char(out, th_utf8_next(text.data, &at));
}

/* Writes words within a formula. */
static void put_words(th_buffer *out, th_view text)
{
    put(out, "\\text{");
    for (size_t i = 0; i < text.len; i++) {
        if (strchr("{}%#$&_", text.data[i]))
            th_buffer_append_char(out, '\\');
        if (text.data[i] == '\\')
            th_buffer_append_text(out, "\\textbackslash ");
        else
            th_buffer_append_char(out, text.data[i]);
    }
    th_buffer_append_char(out, '}');
}

static size_t chars_in(th_view text)
{
    size_t count = 0;
    for (size_t at = 0; at < text.len; count++)
        (void)th_utf8_next(text.data, &at);
    return count;
}

static void put_identifier(th_mathml *math, const th_mathml_frame *frame, th_view text)
{
    static const char *const alphabets[] = { NULL,       "\\mathrm",  "\\mathbf",
                                             "\\mathbb", "\\mathcal", "\\mathfrak",
                                             "\\mathsf", "\\mathtt" };
    th_buffer *out = &math->part;
    const bool is_word = chars_in(text) > 1;
    const char *alphabet = alphabets[frame->variant];
    if (is_word && is_function(text)) {
        th_buffer_append_char(out, '\\');
        th_buffer_append_view(out, text);
        return;
    }
    if (!alphabet && is_word && th_is_letter(text.data[0]))
        alphabet = "\\mathrm";
    if (frame->variant == UPRIGHT && !is_word &&
        !th_is_letter((char)(text.len ? text.data[0] : ' ')))
        alphabet = NULL; /* upright is TeX's default */
    if (alphabet) {
        put(out, alphabet);
        th_buffer_append_char(out, '{');
    }
    put_chars(out, text);
    if (alphabet)
        th_buffer_append_char(out, '}');
}

/* Whether spaces around an operator help a reader. */
static bool is_relation(th_view tex)
{
    static const char names[] = " = < > \\leq \\geq \\neq \\approx \\equiv \\sim \\simeq "
                                "\\cong \\in \\notin \\to "
                                "\\rightarrow \\leftarrow \\Rightarrow \\Leftrightarrow "
                                "\\mapsto \\subset \\subseteq "
                                "\\ll \\gg \\propto := ";
    if (!tex.len || tex.len > 16)
        return false;
    for (const char *at = names; (at = memmem(at, strlen(at), tex.data, tex.len));
         at += tex.len)
        if (at[-1] == ' ' && at[tex.len] == ' ')
            return true;
    return false;
}

static void end_token(th_mathml *math, const th_mathml_frame *frame)
{
    th_view text = trimmed(out_from(math, frame->start));
    text.len = th_utf8_valid(text.data, text.len);
    if (frame->kind == TEXT || frame->kind == STRING) {
        /* Whitespace is kept. */
        th_view whole = out_from(math, frame->start);
        whole.len = th_utf8_valid(whole.data, whole.len);
        if (text.len)
            put_words(&math->part, whole);
        replace(math, frame->start);
        return;
    }
    if (frame->kind == IDENTIFIER || frame->variant > UPRIGHT)
        put_identifier(math, frame, text);
    else if (frame->kind == OPERATOR && chars_in(text) > 1 && text.data[0] > 0 &&
             th_is_letter(text.data[0]) && is_function(text))
        th_buffer_printf(&math->part, "\\%.*s", (int)text.len, text.data);
    else if (frame->kind == OPERATOR && chars_in(text) > 2 && th_is_letter(text.data[0]))
        th_buffer_printf(&math->part, "\\operatorname{%.*s}", (int)text.len, text.data);
    else
        put_chars(&math->part, text);
    const bool is_spaced =
        frame->kind == OPERATOR && is_relation(th_buffer_view(&math->part));
    if (is_spaced)
        th_buffer_append_char(&math->part, ' ');
    if (is_spaced && frame->start &&
        math->out.data[frame->start - 1] != ' ') { /* the text advances by one */
        math->out.len = frame->start;
        th_buffer_append_char(&math->out, ' ');
        replace(math, frame->start + 1);
        return;
    }
    replace(math, frame->start);
}

/* ---- elements ---------------------------------------------------------------------- */

static bool is_large(th_view tex)
{
    static const char *const names[] = {
        "\\sum",       "\\prod",     "\\coprod", "\\lim",      "\\max",
        "\\min",       "\\sup",      "\\inf",    "\\int",      "\\iint",
        "\\iiint",     "\\oint",     "\\bigcup", "\\bigcap",   "\\bigoplus",
        "\\bigotimes", "\\bigwedge", "\\bigvee", "\\limsup",   "\\liminf",
        "\\det",       "\\gcd",      "\\Pr",     "\\biguplus", "\\operatorname",
        "\\bigsqcup",  "\\bigodot",  NULL
    };
    for (size_t i = 0; names[i]; i++)
        if (is(tex, names[i]) || (th_starts_with(tex, names[i]) &&
                                  tex.data[strlen(names[i])] == '{' && is_atom(tex)))
            return true;
    return false;
}

/* Returns the command of an accent over a base. NULL if the mark is not an accent. */
static const char *accent_over(th_view mark, bool is_long)
{
    static const struct {
        const char *mark, *one, *many;
    } rows[] = {
        { "^", "\\hat", "\\widehat" },
        { "\xCB\x86", "\\hat", "\\widehat" },
        { "~", "\\tilde", "\\widetilde" },
        { "\\sim", "\\tilde", "\\widetilde" },
        { "\xC2\xAF", "\\bar", "\\overline" },
        { "\xE2\x80\xBE", "\\bar", "\\overline" },
        { "\xE2\x80\x95", "\\bar", "\\overline" },
        { "\xCC\x84", "\\bar", "\\overline" },
        { "_", "\\overline", "\\overline" },
        { "\xE2\x80\x93", "\\bar", "\\overline" },
        { "\xCB\x99", "\\dot", "\\dot" },
        { ".", "\\dot", "\\dot" },
        { "\xC2\xA8", "\\ddot", "\\ddot" },
        { "\xCB\x87", "\\check", "\\check" },
        { "\xCB\x98", "\\breve", "\\breve" },
        { "\\rightarrow", "\\vec", "\\overrightarrow" },
        { "\\leftarrow", "\\overleftarrow", "\\overleftarrow" },
        { "\xE2\x83\x97", "\\vec", "\\vec" },
        { "\xE2\x8F\x9E", "\\overbrace", "\\overbrace" },
        { "-", "\\bar", "\\overline" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is(mark, rows[i].mark))
            return is_long ? rows[i].many : rows[i].one;
    return NULL;
}

static const char *accent_under(th_view mark)
{
    return is(mark, "\xE2\x8F\x9F") ? "\\underbrace"
           : is(mark, "\\_") || is(mark, "_") || is(mark, "\xCC\xB2") ||
                   is(mark, "\xC2\xAF") || is(mark, "\xE2\x80\xBE")
               ? "\\underline"
               : NULL;
}

static void put_over(th_buffer *out, th_view base, th_view mark)
{
    size_t at = 0;
    if (base.len)
        (void)th_utf8_next(base.data, &at);
    const char *accent = accent_over(mark, !is_atom(base));
    if (is_large(base) || th_starts_with(base, "\\overbrace")) {
        th_buffer_append_view(out, base);
        put_script(out, '^', mark);
    } else if (accent) {
        put(out, accent);
        put_group(out, base);
    } else if (mark.len) {
        put(out, "\\overset");
        put_group(out, mark);
        put_group(out, base);
    } else {
        th_buffer_append_view(out, base);
    }
}

static void put_under(th_buffer *out, th_view base, th_view mark)
{
    const char *accent = accent_under(mark);
    if (is_large(base) || th_starts_with(base, "\\underbrace")) {
        th_buffer_append_view(out, base);
        put_script(out, '_', mark);
    } else if (accent) {
        put(out, accent);
        put_group(out, base);
    } else if (mark.len) {
        put(out, "\\underset");
        put_group(out, mark);
        put_group(out, base);
    } else {
        th_buffer_append_view(out, base);
    }
}

static void put_scripts(th_mathml *math, const th_mathml_frame *frame)
{
    th_buffer *out = &math->part;
    unsigned at = 1;
    unsigned first = frame->child_count; /* of the scripts before the base */
    for (unsigned i = 1; i < frame->child_count; i++)
        if (child(math, frame, i).len == 1 &&
            child(math, frame, i).data[0] == MARK_PRESCRIPTS)
            first = i;
    for (unsigned i = first + 1; i < frame->child_count; i += 2) {
        put(out, "{}");
        put_script(out, '_', child(math, frame, i));
        put_script(out, '^', child(math, frame, i + 1));
    }
    put_base(out, child(math, frame, 0));
    for (; at < first; at += 2) {
        put_script(out, '_', child(math, frame, at));
        if (at + 1 < first)
            put_script(out, '^', child(math, frame, at + 1));
    }
}

static size_t count_of(th_view text, const char *part)
{
    size_t count = 0;
    const size_t len = strlen(part);
    if (!text.len)
        return 0;
    const char *at = text.data, *const end = text.data + text.len;
    while ((at = memmem(at, (size_t)(end - at), part, len))) {
        count++;
        at += len;
    }
    return count;
}

/* A row that is a matrix between brackets has a name in TeX. */
static void name_matrix(th_mathml *math, uint32_t start)
{
    static const struct {
        const char *open, *close, *name;
    } rows[] = {
        { "(", ")", "pmatrix" }, { "[", "]", "bmatrix" },     { "\\{", "\\}", "Bmatrix" },
        { "|", "|", "vmatrix" }, { "\\|", "\\|", "Vmatrix" }, { "\\{", "", "cases" },
    };
    static const char begin[] = "\\begin{matrix}", end[] = "\\end{matrix}";
    const th_view row = trimmed(out_from(math, start));
    if (count_of(row, begin) != 1)
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t open = strlen(rows[i].open), close = strlen(rows[i].close);
        if (!th_starts_with(row, rows[i].open) || !th_ends_with(row, rows[i].close) ||
            row.len < open + close)
            continue;
        const th_view inner =
            trimmed((th_view){ row.data + open, row.len - open - close });
        if (!th_starts_with(inner, begin) || !th_ends_with(inner, end))
            continue;
        const size_t head = sizeof begin - 1, tail = sizeof end - 1;
        th_buffer_printf(&math->part, "\\begin{%s}", rows[i].name);
        th_buffer_append(&math->part, inner.data + head, inner.len - head - tail);
        th_buffer_printf(&math->part, "\\end{%s}", rows[i].name);
        replace(math, start);
        return;
    }
}

static void end_fenced(th_mathml *math, const th_mathml_frame *frame)
{
    th_buffer *out = &math->part;
    put_chars(out, (th_view){ frame->open, strlen(frame->open) });
    for (unsigned i = 0; i < frame->child_count; i++) {
        if (i)
            put_chars(out, (th_view){ frame->separator, strlen(frame->separator) });
        append(out, 0, child(math, frame, i));
    }
    put_chars(out, (th_view){ frame->close, strlen(frame->close) });
    replace(math, frame->start);
    name_matrix(math, frame->start);
}

/* Cells and rows write their separator. A table removes the last one. */
static void end_table_part(th_mathml *math, const th_mathml_frame *frame)
{
    static const char cell[] = " & ", row[] = " \\\\ ";
    if (frame->kind == CELL) {
        th_buffer_append_text(&math->out, cell);
        return;
    }
    if (th_ends_with(out_from(math, frame->start), cell))
        math->out.len -= sizeof cell - 1;
    if (frame->kind == TABLE_ROW) {
        th_buffer_append_text(&math->out, row);
        return;
    }
    if (th_ends_with(out_from(math, frame->start), row))
        math->out.len -= sizeof row - 1;
    const char *name = frame->has_alignment ? "aligned" : "matrix";
    th_buffer_printf(&math->part, "\\begin{%s} ", name);
    th_buffer_append_view(&math->part, trimmed(out_from(math, frame->start)));
    th_buffer_printf(&math->part, " \\end{%s}", name);
    replace(math, frame->start);
}

static void end_frame(th_mathml *math, const th_mathml_frame *frame)
{
    th_buffer *out = &math->part;
    const th_view first = child(math, frame, 0), second = child(math, frame, 1);
    switch (frame->kind) {
    case IDENTIFIER:
    case NUMBER:
    case OPERATOR:
    case TEXT:
    case STRING:
        end_token(math, frame);
        return;
    case ROW:
        name_matrix(math, frame->start);
        return;
    case FRACTION:
        if (frame->has_no_line) {
            put(out, "{");
            th_buffer_append_view(out, first);
            put(out, " \\atop ");
            th_buffer_append_view(out, second);
            put(out, "}");
        } else {
            put(out, "\\frac");
            put_group(out, first);
            put_group(out, second);
        }
        break;
    case SQUARE_ROOT:
        put(out, "\\sqrt");
        put_group(out, trimmed(out_from(math, frame->start)));
        break;
    case ROOT:
        put(out, "\\sqrt[");
        th_buffer_append_view(out, second);
        put(out, "]");
        put_group(out, first);
        break;
    case SUB:
    case SUP:
        put_base(out, first);
        if (frame->kind == SUP && (is(second, "'") || is(second, "''")))
            th_buffer_append_view(out, second);
        else
            put_script(out, frame->kind == SUB ? '_' : '^', second);
        break;
    case SUB_SUP:
        put_base(out, first);
        put_script(out, '_', second);
        put_script(out, '^', child(math, frame, 2));
        break;
    case UNDER:
        put_under(out, first, second);
        break;
    case OVER:
        put_over(out, first, second);
        break;
    case UNDER_OVER:
        if (is_large(first)) {
            th_buffer_append_view(out, first);
            put_script(out, '_', second);
            put_script(out, '^', child(math, frame, 2));
        } else {
            put(out, "\\underset");
            put_group(out, second);
            th_buffer_append_char(out, '{');
            put_over(out, first, child(math, frame, 2));
            th_buffer_append_char(out, '}');
        }
        break;
    case TABLE:
    case TABLE_ROW:
    case CELL:
        end_table_part(math, frame);
        return;
    case FENCED:
        end_fenced(math, frame);
        return;
    case PHANTOM:
        put(out, "\\phantom");
        put_group(out, trimmed(out_from(math, frame->start)));
        break;
    case ENCLOSED:
        put(out, frame->has_no_line ? "\\boxed" : "\\cancel");
        put_group(out, trimmed(out_from(math, frame->start)));
        break;
    case OVERLINED:
        put(out, "\\overline");
        put_group(out, trimmed(out_from(math, frame->start)));
        break;
    case SCRIPTS:
        put_scripts(math, frame);
        break;
    case PRESCRIPTS:
        math->out.len = frame->start;
        th_buffer_append_char(&math->out, MARK_PRESCRIPTS);
        return;
    case NOTHING:
        math->out.len = frame->start;
        return;
    default:
        return;
    }
    replace(math, frame->start);
}

/* ---- events ------------------------------------------------------------------------ */

void th_mathml_begin(th_mathml *math, bool is_text)
{
    math->is_text = is_text;
    if (!math->names[0])
        for (size_t i = 0; i < ELEMENTS; i++)
            math->names[i] =
                th_tag_name_hash((th_view){ elements[i].name, strlen(elements[i].name) });
    th_buffer_reset(&math->out);
    th_buffer_reset(&math->part);
    th_buffer_reset(&math->tex);
    th_buffer_reset(&math->text);
    math->is_open = true;
    math->is_annotation = math->has_failed = false;
    math->skipped = 0;
    math->count = 1;
    math->frames[0] = (th_mathml_frame){ .kind = ROW };
}

static uint8_t kind_of(const th_mathml *math, th_tag tag, uint32_t name)
{
    switch (tag) {
    case TH_TAG_MI:
        return IDENTIFIER;
    case TH_TAG_MN:
        return NUMBER;
    case TH_TAG_MO:
        return OPERATOR;
    case TH_TAG_MTEXT:
        return TEXT;
    case TH_TAG_MS:
        return STRING;
    case TH_TAG_OTHER:
        break;
    default:
        return ROW;
    }
    for (size_t i = 0; i < ELEMENTS; i++)
        if (math->names[i] == (name & 0xFFFFFF))
            return elements[i].kind;
    return ROW;
}

/* Whether an element next to TeX is a rendered copy, as of MathJax and KaTeX. */
static bool is_left_out(th_tag tag, const th_attribute *attrs, size_t attr_count)
{
    const th_view classes = value_of(attrs, attr_count, "class");
    return tag == TH_TAG_STYLE || tag == TH_TAG_SVG ||
           th_starts_with(classes, "MathJax") || is(classes, "katex-html") ||
           th_ascii_is(value_of(attrs, attr_count, "aria-hidden"), "true");
}

static void copy_fence(char *to, size_t size, const th_attribute *attrs, size_t count,
                       const char *name, const char *otherwise)
{
    th_view value = { otherwise, strlen(otherwise) };
    if (th_attribute_value(attrs, count, name).data)
        value = value_of(attrs, count, name);
    if (value.len >= size)
        value.len = 0;
    value.len = value.len ? th_utf8_valid(value.data, value.len) : 0;
    if (value.len)
        memcpy(to, value.data, value.len);
    to[value.len] = '\0';
}

/* Notes in the parent where the child begins. */
static void begin_child(th_mathml *math)
{
    th_mathml_frame *parent = top(math);
    if (parent->child_count < TH_MATHML_CHILDREN)
        parent->child_at[parent->child_count++] = (uint32_t)math->out.len;
    else if (parent->kind == SCRIPTS || parent->kind == FENCED)
        math->has_failed = true; /* no other kind needs more children */
}

void th_mathml_start(th_mathml *math, th_tag tag, uint32_t name,
                     const th_attribute *attrs, size_t attr_count)
{
    uint8_t kind = kind_of(math, tag, name);
    if (tag == TH_TAG_SCRIPT) /* MathJax, in an element with TeX */
        kind = th_starts_with(value_of(attrs, attr_count, "type"), "math/tex")
                   ? ANNOTATION
                   : SKIPPED;
    const bool is_second = top(math)->kind == SEMANTICS && top(math)->child_count;
    if (math->is_text && is_left_out(tag, attrs, attr_count)) {
        math->skipped++;
        return;
    }
    if (math->is_text && (tag == TH_TAG_SUP || tag == TH_TAG_SUB))
        th_buffer_append_text(&math->text, tag == TH_TAG_SUP ? "^{" : "_{");
    if (math->skipped || math->count == TH_MATHML_DEPTH || kind == SKIPPED ||
        (kind == ANNOTATION && tag != TH_TAG_SCRIPT && !is_tex(attrs, attr_count)) ||
        (is_second && kind != ANNOTATION)) {
        math->has_failed |= math->count == TH_MATHML_DEPTH;
        math->skipped++;
        return;
    }
    begin_child(math);
    th_mathml_frame *frame = &math->frames[math->count++];
    *frame = (th_mathml_frame){ .kind = kind, .start = (uint32_t)math->out.len };
    frame->is_group = math->is_text && (tag == TH_TAG_SUP || tag == TH_TAG_SUB);
    if (kind == ANNOTATION) {
        math->is_annotation = true;
        th_buffer_reset(&math->tex);
    }
    frame->is_text = kind >= IDENTIFIER && kind <= STRING;
    if (kind == IDENTIFIER || kind == NUMBER || kind == OPERATOR)
        frame->variant = variant_of(value_of(attrs, attr_count, "mathvariant"));
    if (kind == FRACTION) {
        const th_view line = value_of(attrs, attr_count, "linethickness");
        frame->has_no_line =
            line.len && line.data[0] == '0' && !memchr(line.data, '.', line.len);
    }
    if (kind == TABLE)
        frame->has_alignment =
            th_starts_with(value_of(attrs, attr_count, "columnalign"), "right left");
    if (kind == ENCLOSED) {
        const th_view notation = value_of(attrs, attr_count, "notation");
        frame->has_no_line = is(notation, "box");
        if (is(notation, "top"))
            frame->kind = OVERLINED;
        else if (!frame->has_no_line &&
                 !(notation.len && memmem(notation.data, notation.len, "strike", 6)))
            frame->kind = ROW;
    }
    if (kind == FENCED) {
        copy_fence(frame->open, sizeof frame->open, attrs, attr_count, "open", "(");
        copy_fence(frame->close, sizeof frame->close, attrs, attr_count, "close", ")");
        copy_fence(frame->separator, sizeof frame->separator, attrs, attr_count,
                   "separators", ",");
    }
}

void th_mathml_end(th_mathml *math)
{
    if (math->skipped) {
        math->skipped--;
        return;
    }
    if (math->count <= 1)
        return;
    const th_mathml_frame frame = *top(math);
    if (frame.is_group)
        th_buffer_append_char(&math->text, '}');
    math->is_annotation &= frame.kind != ANNOTATION;
    if (!math->has_failed && frame.kind != ANNOTATION)
        end_frame(math, &frame);
    math->has_failed |= math->out.len > TH_TEX_MAX || math->out.has_failed;
    math->count--;
}

void th_mathml_text(th_mathml *math, const char *bytes, size_t len)
{
    if (math->skipped)
        return;
    th_buffer *to = math->is_annotation ? &math->tex : &math->text;
    if (to->len + len > TH_TEX_MAX) {
        math->has_failed |= !math->is_annotation;
        return;
    }
    th_buffer_append(to, bytes, len);
    /* Text outside tokens is also shown. */
    const bool is_shown =
        top(math)->is_text || (!math->is_text && !th_ascii_all_blank(bytes, len));
    if (!math->is_annotation && is_shown && !math->has_failed)
        th_buffer_append(&math->out, bytes, len);
}

th_view th_mathml_finish(th_mathml *math)
{
    while (math->count > 1 || math->skipped)
        th_mathml_end(math);
    math->is_open = false;
    const th_view tex = trimmed(th_buffer_view(&math->tex));
    if (tex.len)
        return tex;
    if (math->is_text && !math->out.len)
        return trimmed(th_buffer_view(&math->text));
    if (!math->has_failed)
        name_matrix(math, 0);
    if (math->has_failed || math->out.has_failed || !math->out.len)
        return (th_view){ "", 0 };
    return trimmed(th_buffer_view(&math->out));
}
