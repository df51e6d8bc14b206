/* Finds formulas by their attributes. */
#include "parse/formula.h"

#include <string.h>

#include "base/ascii.h"
#include "parse/mathml.h"

static th_view value_of(const th_attribute *attrs, size_t count, const char *name)
{
    const th_attribute *attribute =
        th_attribute_find(attrs, count, (th_view){ name, strlen(name) });
    return attribute && attribute->value.len ? attribute->value : (th_view){ "", 0 };
}

/* ---- TeX --------------------------------------------------------------------------- */

static bool starts(th_view text, const char *start)
{
    const size_t len = strlen(start);
    return text.len >= len && memcmp(text.data, start, len) == 0;
}

/* Removes delimiters at both ends of a formula. */
static bool unwrap(th_view *tex, const char *open, const char *close)
{
    const size_t head = strlen(open), tail = strlen(close);
    if (tex->len <= head + tail || !starts(*tex, open) || !th_ends_with(*tex, close))
        return false;
    *tex = th_ascii_trimmed((th_view){ tex->data + head, tex->len - head - tail });
    return true;
}

/* Whether the brace at the start of a text closes with the last byte. */
static bool is_group(th_view tex)
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

static th_view unwrapped(th_view tex)
{
    tex = th_ascii_trimmed(tex);
    if (!unwrap(&tex, "$$", "$$") && !unwrap(&tex, "\\(", "\\)") &&
        !unwrap(&tex, "\\[", "\\]"))
        (void)unwrap(&tex, "$", "$");
    if (starts(tex, "{\\displaystyle ") && is_group(tex)) /* Wikipedia's */
        (void)unwrap(&tex, "{\\displaystyle ", "}");
    else if (starts(tex, "{\\textstyle ") && is_group(tex))
        (void)unwrap(&tex, "{\\textstyle ", "}");
    return tex;
}

th_view th_formula_tex(th_arena *arena, th_view tex)
{
    const th_view none = { "", 0 };
    if (!tex.len)
        return none;
    tex = unwrapped(tex);
    if (!tex.len || tex.len > TH_TEX_MAX)
        return none;
    char *copy = th_arena_alloc(arena, tex.len);
    if (!copy)
        return (th_view){ NULL, 0 };
    size_t len = 0;
    bool is_comment = false;
    for (size_t i = 0; i < tex.len; i++) {
        const char c = tex.data[i];
        const bool is_blank = th_ascii_is_blank(c);
        is_comment =
            c != '\n' && (is_comment || (c == '%' && (!i || tex.data[i - 1] != '\\')));
        if (is_comment || (is_blank && (!len || copy[len - 1] == ' ')))
            continue;
        copy[len++] = (char)(is_blank ? ' ' : c);
    }
    while (len && copy[len - 1] == ' ')
        len--;
    return (th_view){ copy, len };
}

/* ---- elements ---------------------------------------------------------------------- */

static bool has_class(th_view list, const char *name)
{
    for (th_view word; (word = th_ascii_next_word(&list)).len;)
        if (word.len == strlen(name) && memcmp(word.data, name, word.len) == 0)
            return true;
    return false;
}

bool th_formula_in_image(const th_attribute *attrs, size_t attr_count, th_view *tex,
                         bool *is_display)
{
    static const struct {
        const char *class;
        bool is_display;
    } rows[] = {
        { "mwe-math-fallback-image-inline", false }, /* Wikipedia */
        { "mwe-math-fallback-image-display", true },
        { "tex", false },                   /* Wikipedia, older */
        { "latex", false },                 /* WordPress */
        { "math", false },                  /* Sphinx */
        { "ee_img", false },                /* Zhihu */
        { "ql-img-inline-formula", false }, /* QuickLaTeX */
        { "ql-img-displayed-equation", true },
    };
    th_view alt = value_of(attrs, attr_count, "alt");
    const th_view classes = value_of(attrs, attr_count, "class");
    for (size_t i = 0; classes.len && i < sizeof rows / sizeof *rows; i++) {
        if (!has_class(classes, rows[i].class) || !th_ascii_trimmed(alt).len)
            continue;
        *tex = alt;
        *is_display = rows[i].is_display;
        return true;
    }
    const th_view src = value_of(attrs, attr_count, "src");
    if (!alt.len)
        alt = value_of(attrs, attr_count, "title");
    if (!alt.len || !src.len)
        return false;
    if (!memmem(src.data, src.len, "_images/math/", 13) && /* Sphinx, displayed */
        !memmem(src.data, src.len, "codecogs.com/", 13) &&
        !memmem(src.data, src.len, "latex.php?", 10) &&
        !memmem(src.data, src.len, "mimetex.cgi?", 12) &&
        !memmem(src.data, src.len, "mathtex.cgi?", 12))
        return false;
    *tex = alt;
    *is_display = memmem(src.data, src.len, "_images/math/", 13);
    return true;
}

bool th_formula_in_class(const th_attribute *attrs, size_t attr_count, bool *is_display)
{
    const th_view classes = value_of(attrs, attr_count, "class");
    if (!classes.len || (classes.data[0] != 'a' && classes.data[0] != 'm'))
        return false;
    *is_display = has_class(classes, "display");
    return has_class(classes, "arithmatex") || has_class(classes, "math-tex") ||
           (has_class(classes, "math") && (*is_display || has_class(classes, "inline") ||
                                           has_class(classes, "notranslate")));
}

bool th_formula_is_display(th_view text)
{
    text = text.len ? th_ascii_trimmed(text) : text;
    return starts(text, "\\[") || starts(text, "$$") || starts(text, "\\begin{");
}

th_view th_formula_in_math(th_arena *arena, const th_attribute *attrs, size_t attr_count,
                           bool *is_display)
{
    static const char *const names[] = { "alttext", "data-latex", "data-tex" };
    *is_display = th_ascii_is(value_of(attrs, attr_count, "display"), "block") ||
                  th_ascii_is(value_of(attrs, attr_count, "mode"), "display");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const th_view tex = value_of(attrs, attr_count, names[i]);
        if (tex.len)
            return th_formula_tex(arena, tex);
    }
    return (th_view){ "", 0 };
}

bool th_formula_in_span(const th_attribute *attrs, size_t attr_count)
{
    return value_of(attrs, attr_count, "data-tex").len ||
           value_of(attrs, attr_count, "data-latex").len;
}

bool th_formula_in_script(const th_attribute *attrs, size_t attr_count, bool *is_display)
{
    static const char start[] = "math/tex";
    const th_view type = th_ascii_trimmed(value_of(attrs, attr_count, "type"));
    if (!th_ascii_starts_with(type, start))
        return false;
    *is_display = memmem(type.data, type.len, "mode=display", 12);
    return true;
}

bool th_formula_script_renders(const th_attribute *attrs, size_t attr_count)
{
    static const char *const names[] = { "mathjax", "MathJax", "katex", "KaTeX" };
    const th_view src = value_of(attrs, attr_count, "src");
    for (size_t i = 0; src.len && i < sizeof names / sizeof *names; i++)
        if (memmem(src.data, src.len, names[i], strlen(names[i])))
            return true;
    return th_ascii_is(value_of(attrs, attr_count, "type"), "text/x-mathjax-config");
}

bool th_formula_class(const th_attribute *attrs, size_t attr_count)
{
    const th_view classes = value_of(attrs, attr_count, "class");
    if (!classes.len ||
        (classes.data[0] != 'a' && classes.data[0] != 'm' && classes.data[0] != 't'))
        return false;
    return has_class(classes, "arithmatex") || has_class(classes, "math") ||
           has_class(classes, "tex2jax_process") || has_class(classes, "math-tex");
}

/* ---- exponents --------------------------------------------------------------------- */

/* Whether a word is a unit, such as "m". */
static bool is_unit(th_view word)
{
    static const char *const units[] = { "m",  "km", "cm", "dm", "mm", "nm", "ft",
                                         "in", "mi", "yd", "s",  "kg", "mc" };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (word.len == strlen(units[i]) && memcmp(word.data, units[i], word.len) == 0)
            return true;
    return false;
}

static bool is_all_digits(th_view text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!th_is_digit(text.data[i]))
            return false;
    return text.len;
}

/* Whether a number may be a year, or one of many digits that a note belongs to. */
static bool is_year(th_view number)
{
    return number.len > 3 && !(number.len == 4 && number.data[0] > '2');
}

bool th_is_exponent(th_view before, th_view raised)
{
    enum { DIGITS_MAX = 3, WORD_MAX = 8 };
    th_view base = { before.data + before.len, 0 };
    while (base.len < before.len && base.len <= WORD_MAX &&
           (th_is_letter(base.data[-1]) || th_is_digit(base.data[-1]))) {
        base.data--;
        base.len++;
    }
    raised = th_ascii_trimmed(raised);
    if (!base.len || base.len > WORD_MAX || !raised.len)
        return false;
    const char before_base = (char)(base.data > before.data ? base.data[-1] : ' ');
    /* "$2,899.00" has its cents raised; more of the word is before it, as "é" in "café". */
    if (strchr(",.$", before_base) || (before_base == '/' && !is_unit(base)))
        return false;
    if ((before_base < 0 || before_base == '\'') && !th_is_digit(*base.data))
        return false;
    bool is_signed = false;
    if (raised.data[0] == '-' || raised.data[0] == '+') {
        is_signed = true;
        raised.data++;
        raised.len--;
    } else if (starts(raised, "\xE2\x88\x92") || starts(raised, "\xE2\x80\x93")) {
        is_signed = true;
        raised.data += 3;
        raised.len -= 3;
    }
    const bool is_number = is_all_digits(base);
    const bool is_variable = base.len == 1 && !is_number;
    const bool has_digits = is_all_digits(raised) && raised.len <= DIGITS_MAX;
    if (is_number && is_signed)
        return (has_digits || !raised.len) && !is_year(base);
    if (has_digits)
        return is_number ? !is_year(base) : is_variable || is_unit(base);
    if (raised.len != 1 || is_signed)
        return false;
    /* "2e", "1o" and "n" with an "o" are ordinals and abbreviations. */
    return strchr("nmkxyzijpqrtNMKT", raised.data[0]) &&
           (is_variable || (is_number && !is_year(base)));
}
