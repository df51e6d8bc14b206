/* Finds formulas by their attributes. */
#include "parse/formula.h"

#include <string.h>

#include "base/ascii.h"
#include "parse/mathml.h"

/* ---- TeX --------------------------------------------------------------------------- */

/* Removes delimiters at both ends of a formula. */
static bool unwrap(th_view *tex, const char *open, const char *close)
{
    const size_t head = strlen(open), tail = strlen(close);
    if (tex->len <= head + tail || !th_starts_with(*tex, open) ||
        !th_ends_with(*tex, close))
        return false;
    *tex = th_ascii_trimmed((th_view){ tex->data + head, tex->len - head - tail });
    return true;
}

static th_view unwrapped(th_view tex)
{
    tex = th_ascii_trimmed(tex);
    if (!unwrap(&tex, "$$", "$$") && !unwrap(&tex, "\\(", "\\)") &&
        !unwrap(&tex, "\\[", "\\]"))
        (void)unwrap(&tex, "$", "$");
    if (th_starts_with(tex, "{\\displaystyle ") && th_tex_is_group(tex)) /* Wikipedia's */
        (void)unwrap(&tex, "{\\displaystyle ", "}");
    else if (th_starts_with(tex, "{\\textstyle ") && th_tex_is_group(tex))
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

/* A class of pictures that show a formula. */
struct picture_class {
    th_view name;
    bool is_display;
};

/* The first of these that is in a list. */
static const struct picture_class *picture_class_in(th_view list)
{
    static const struct picture_class rows[] = {
        { TH_VIEW_INIT("mwe-math-fallback-image-inline"), false }, /* Wikipedia */
        { TH_VIEW_INIT("mwe-math-fallback-image-display"), true },
        { TH_VIEW_INIT("tex"), false },                   /* Wikipedia, older */
        { TH_VIEW_INIT("latex"), false },                 /* WordPress */
        { TH_VIEW_INIT("math"), false },                  /* Sphinx */
        { TH_VIEW_INIT("ee_img"), false },                /* Zhihu */
        { TH_VIEW_INIT("ql-img-inline-formula"), false }, /* QuickLaTeX */
        { TH_VIEW_INIT("ql-img-displayed-equation"), true },
    };
    size_t first = sizeof rows / sizeof *rows;
    for (th_view word; first && (word = th_ascii_next_word(&list)).len;)
        for (size_t i = 0; i < first; i++)
            if (word.len == rows[i].name.len && *word.data == *rows[i].name.data &&
                memcmp(word.data, rows[i].name.data, word.len) == 0)
                first = i;
    return first < sizeof rows / sizeof *rows ? &rows[first] : NULL;
}

/* Whether an address has one of the parts, each of which ends with the byte `last`. */
static bool has_part(th_view address, char last, const th_view *parts, size_t count)
{
    const char *const end = address.data + address.len;
    for (const char *at = address.data;
         at < end && (at = memchr(at, last, (size_t)(end - at))) != NULL; at++)
        for (size_t i = 0; i < count; i++)
            if ((size_t)(at + 1 - address.data) >= parts[i].len &&
                memcmp(at + 1 - parts[i].len, parts[i].data, parts[i].len) == 0)
                return true;
    return false;
}

bool th_formula_in_image(const th_attribute *attrs, size_t attr_count, th_view *tex,
                         bool *is_display)
{
    static const th_view shown_apart[] = { TH_VIEW_INIT("_images/math/") }; /* Sphinx */
    static const th_view hosts[] = { TH_VIEW_INIT("codecogs.com/") };
    static const th_view programs[] = { TH_VIEW_INIT("latex.php?"),
                                        TH_VIEW_INIT("mimetex.cgi?"),
                                        TH_VIEW_INIT("mathtex.cgi?") };
    th_view alt = th_attribute_text(attrs, attr_count, "alt");
    const th_view classes =
        alt.len ? th_attribute_text(attrs, attr_count, "class") : (th_view){ "", 0 };
    const struct picture_class *class = classes.len ? picture_class_in(classes) : NULL;
    if (class && th_ascii_trimmed(alt).len) {
        *tex = alt;
        *is_display = class->is_display;
        return true;
    }
    if (!alt.len)
        alt = th_attribute_text(attrs, attr_count, "title");
    const th_view src = alt.len ? th_attribute_text(attrs, attr_count, "src") : alt;
    if (!alt.len || !src.len)
        return false;
    const bool is_apart = has_part(src, '/', shown_apart, 1);
    if (!is_apart && !has_part(src, '/', hosts, 1) && !has_part(src, '?', programs, 3))
        return false;
    *tex = alt;
    *is_display = is_apart;
    return true;
}

/* Words of classes that mark formulas. */
enum {
    ARITHMATEX = 1u << 0,
    MATH = 1u << 1,
    MATH_TEX = 1u << 2,
    TEX2JAX = 1u << 3,
    DISPLAY = 1u << 4,
    INLINE = 1u << 5,
    NOTRANSLATE = 1u << 6,
};

static unsigned class_word(th_view word)
{
#define IS(name) (memcmp(word.data, name, sizeof(name) - 1) == 0)
    switch (word.len) {
    case 4:
        return IS("math") ? MATH : 0;
    case 6:
        return IS("inline") ? INLINE : 0;
    case 7:
        return IS("display") ? DISPLAY : 0;
    case 8:
        return IS("math-tex") ? MATH_TEX : 0;
    case 10:
        return IS("arithmatex") ? ARITHMATEX : 0;
    case 11:
        return IS("notranslate") ? NOTRANSLATE : 0;
    case 15:
        return IS("tex2jax_process") ? TEX2JAX : 0;
    default:
        return 0;
    }
#undef IS
}

static unsigned class_words(th_view list)
{
    unsigned words = 0;
    for (th_view word; (word = th_ascii_next_word(&list)).len;)
        words |= class_word(word);
    return words;
}

unsigned th_formula_class(th_view classes)
{
    if (!classes.len ||
        (classes.data[0] != 'a' && classes.data[0] != 'm' && classes.data[0] != 't'))
        return 0;
    const unsigned words = class_words(classes);
    unsigned kind = words & (ARITHMATEX | MATH | TEX2JAX | MATH_TEX) ? TH_TEX_WITHIN : 0;
    if (classes.data[0] == 't')
        return kind;
    const unsigned ways = DISPLAY | INLINE | NOTRANSLATE;
    if (words & (ARITHMATEX | MATH_TEX) || (words & MATH && words & ways))
        kind |= TH_TEX_IS_TEXT | (words & DISPLAY ? TH_TEX_DISPLAYED : 0);
    return kind;
}

bool th_formula_is_display(th_view text)
{
    text = text.len ? th_ascii_trimmed(text) : text;
    return th_starts_with(text, "\\[") || th_starts_with(text, "$$") ||
           th_starts_with(text, "\\begin{");
}

th_view th_formula_in_math(th_arena *arena, const th_attribute *attrs, size_t attr_count,
                           bool *is_display)
{
    static const char *const names[] = { "alttext", "data-latex", "data-tex" };
    *is_display = th_ascii_is(th_attribute_text(attrs, attr_count, "display"), "block") ||
                  th_ascii_is(th_attribute_text(attrs, attr_count, "mode"), "display");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const th_view tex = th_attribute_text(attrs, attr_count, names[i]);
        if (tex.len)
            return th_formula_tex(arena, tex);
    }
    return (th_view){ "", 0 };
}

bool th_formula_in_span(const th_attribute *attrs, size_t attr_count)
{
    return th_attribute_text(attrs, attr_count, "data-tex").len ||
           th_attribute_text(attrs, attr_count, "data-latex").len;
}

bool th_formula_in_script(const th_attribute *attrs, size_t attr_count, bool *is_display)
{
    static const char start[] = "math/tex";
    const th_view type = th_ascii_trimmed(th_attribute_text(attrs, attr_count, "type"));
    if (!th_ascii_starts_with(type, start))
        return false;
    *is_display = memmem(type.data, type.len, "mode=display", 12);
    return true;
}

bool th_formula_script_renders(const th_attribute *attrs, size_t attr_count)
{
    static const th_view names[] = {
        TH_VIEW_INIT("mathjax"),
        TH_VIEW_INIT("MathJax"),
        TH_VIEW_INIT("katex"),
        TH_VIEW_INIT("KaTeX"),
    };
    const th_view src = th_attribute_text(attrs, attr_count, "src");
    if (has_part(src, 'x', names, 3) || has_part(src, 'X', names + 3, 1))
        return true;
    return th_ascii_is(th_attribute_text(attrs, attr_count, "type"),
                       "text/x-mathjax-config");
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
    } else if (th_starts_with(raised, "\xE2\x88\x92") ||
               th_starts_with(raised, "\xE2\x80\x93")) {
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
