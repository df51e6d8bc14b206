/* Finds furniture by its classes. */
#include "parse/furniture.h"

#include "base/ascii.h"

/* Whether a word of a class list is in a list of words that ends with an empty one. */
static bool has_word(th_view list, const th_view *words)
{
    for (th_view word; (word = th_ascii_next_word(&list)).len;)
        for (const th_view *known = words; known->len; known++)
            if (word.len == known->len && *word.data == *known->data &&
                memcmp(word.data, known->data, word.len) == 0)
                return true;
    return false;
}

/* Lists of words that classes may have. */
enum list { IN_CODE, BESIDE_CODE, OUTSIDE_CODE, LABELS, EDIT_LINKS, COPY_BUTTONS };

#define W TH_VIEW_INIT
/* Line numbers, and lines that only a click shows. */
static const th_view in_code[] = {
    W("boring"),            /* mdBook: lines that a reader does not need */
    W("lineno"),            /* Pygments, Doxygen */
    W("linenos"),           /* Pygments */
    W("linenodiv"),         /* Pygments */
    W("lnt"),               /* Chroma: in a table */
    W("ln"),                /* Chroma: within the line */
    W("line-number"),       /* VuePress, Prism */
    W("line-numbers"),      /* VuePress */
    W("line-numbers-rows"), /* Prism */
    W("line-numbers-wrapper"),
    W("linenumber"), /* react-syntax-highlighter */
    W("react-syntax-highlighter-line-number"),
    W("hljs-ln-numbers"), /* highlightjs-line-numbers */
    W("gutter"),          /* Hexo, SyntaxHighlighter */
    W("rouge-gutter"),    /* Rouge */
    W("blob-num"),        /* GitHub */
    W("crayon-nums"),     /* Crayon */
    W("copybtn"),
    W("copy-button"),
    W("btn-copy"),
    W("ttc"), /* Doxygen: a tooltip */
    W(""),
};

/* Line numbers next to code. Prism puts the class "line-numbers" on the code itself, and
 * layouts use "gutter" for a DIV. */
static const th_view beside_code[] = {
    W("gutter"),          W("linenos"),
    W("lineno"),          W("rouge-gutter"),
    W("blob-num"),        W("crayon-nums"),
    W("hljs-ln-numbers"), W("line-numbers-wrapper"),
    W("linenodiv"),       W(""),
};
static const th_view outside_code[] = { W("line-numbers-wrapper"), W("linenodiv"),
                                        W("lineno"), W("") };

static const th_view labels[] = { W("code-label"), /* Carpentries */
                                  W("menu-title"), /* mdBook: the book's, in a bar */
                                  W("") };
static const th_view edit_links[] = { W("mw-editsection"), W("") };

/* Designers use "copy" for any text, so only a complete class counts. */
static const th_view copy_buttons[] = {
    W("copy"),
    W("copy-button"),
    W("copy-btn"),
    W("btn-copy"),
    W("copybtn"),
    W("clip-button"),
    W("clipboard"),
    W("code-copy-button"),
    W("btn-clipboard"),
    W("copy-code-button"),
    W("copyBtn"),
    W("copyButton"),
    W("clipboard-button"),
    W("copy-to-clipboard"),
    W(""),
};

/* Whether a class has a word of a list. */
static bool is_in(th_class *class, enum list list)
{
    static const th_view *const lists[] = {
        [IN_CODE] = in_code, [BESIDE_CODE] = beside_code, [OUTSIDE_CODE] = outside_code,
        [LABELS] = labels,   [EDIT_LINKS] = edit_links,   [COPY_BUTTONS] = copy_buttons
    };
    th_class_facts *const facts = th_class_facts_of(class);
    if (!facts)
        return false;
    if (!(facts->known & TH_KNOWS_FURNITURE << list)) {
        facts->known |= (uint8_t)(TH_KNOWS_FURNITURE << list);
        facts->furniture |= (uint8_t)(has_word(class->words, lists[list]) << list);
    }
    return facts->furniture >> list & 1;
}

static bool is_copy_button(th_class *class, const th_attribute *attrs, size_t count)
{
    static const char *const names[] = { "title", "aria-label" };
    if (is_in(class, COPY_BUTTONS) ||
        th_attribute_text(attrs, count, "data-clipboard-text").len ||
        th_attribute_text(attrs, count, "data-clipboard-target").len)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (th_ascii_starts_with(th_attribute_text(attrs, count, names[i]), "copy "))
            return true;
    return false;
}

/* Whether a style says that a selection leaves the element out. */
static bool is_unselectable(th_view style)
{
    const char *at = style.len ? memmem(style.data, style.len, "user-select:", 12) : NULL;
    if (!at)
        return false;
    th_view value = { at + 12, style.len - (size_t)(at + 12 - style.data) };
    while (value.len && *value.data == ' ') {
        value.data++;
        value.len--;
    }
    return value.len >= 4 && memcmp(value.data, "none", 4) == 0;
}

bool th_is_furniture(th_tag tag, th_class *class, const th_attribute *attrs,
                     size_t attr_count, bool is_pre)
{
    const char first = th_class_first(class);
    switch (tag) {
    case TH_TAG_BUTTON:
        return is_pre || is_copy_button(class, attrs, attr_count);
    case TH_TAG_TD:
        return is_in(class, BESIDE_CODE);
    case TH_TAG_H1:
    case TH_TAG_H2:
    case TH_TAG_H3:
    case TH_TAG_H4:
    case TH_TAG_H5:
    case TH_TAG_H6:
        return is_in(class, LABELS);
    default:
        break;
    }
    if (is_pre && tag == TH_TAG_PRE &&
        !th_attribute_find(attrs, attr_count, TH_VIEW("class")))
        return false;
    if (is_pre)
        return is_in(class, IN_CODE) ||
               is_unselectable(th_attribute_text(attrs, attr_count, "style"));
    if (first == 'M')
        return th_ascii_starts_with(class->words, "MathJax_Preview");
    if (first == 'm') /* MediaWiki: "[edit]" in a heading */
        return is_in(class, EDIT_LINKS);
    if (first == 'b') /* XenForo: "Click to expand..." in a quote */
        return th_ascii_starts_with(class->words, "bbCodeBlock-expandLink");
    return (tag == TH_TAG_DIV || tag == TH_TAG_PRE) && first == 'l' &&
           is_in(class, OUTSIDE_CODE);
}

/* Returns the first byte that is not a blank, or 0. */
static char first_shown(th_view text)
{
    size_t at = 0;
    while (at < text.len && th_ascii_is_blank(text.data[at]))
        at++;
    return (char)(at < text.len ? text.data[at] : '\0');
}

bool th_is_link_note(th_view text)
{
    const char first = th_lower(first_shown(text));
    if (first != 'o' && first != '(' && first != ',')
        return false;
    text = th_ascii_trimmed(text);
    if (text.len && (text.data[0] == '(' || text.data[0] == ','))
        text = th_ascii_trimmed((th_view){ text.data + 1, text.len - 1 });
    if (!text.len || th_lower(text.data[0]) != 'o')
        return false;
    return th_ascii_starts_with(text, "opens in ") ||
           th_ascii_starts_with(text, "opens a new ") ||
           th_ascii_starts_with(text, "opens new ") ||
           th_ascii_starts_with(text, "open in new window");
}

bool th_is_permalink_sign(th_view text, bool is_heading)
{
    static const char *const signs[] = { "\xC2\xB6", "\xEF\x83\x81", "\xE2\x80\x8B",
                                         "#",        "\xC2\xA7",     "\xF0\x9F\x94\x97" };
    const unsigned char first = (unsigned char)first_shown(text);
    if (first != '#' && first < 0x80)
        return false;
    text = th_ascii_trimmed(text);
    const size_t count = is_heading ? sizeof signs / sizeof *signs : 3;
    for (size_t i = 0; i < count; i++)
        if (text.len == strlen(signs[i]) && memcmp(text.data, signs[i], text.len) == 0)
            return true;
    return false;
}

int th_code_line_role(th_view classes)
{
    static const struct {
        const char *start;
        int role;
        bool is_whole;
    } rows[] = {
        { "fragment", TH_DOXYGEN_CODE, true },
        { "container", TH_CONTAINER, true },
        { "line number", TH_NUMBERED_LINE, false },
        { "line", TH_CODE_LINE, true },
    };
    for (size_t i = 0; classes.len && i < sizeof rows / sizeof *rows; i++) {
        const size_t len = strlen(rows[i].start);
        if (classes.len >= len && memcmp(classes.data, rows[i].start, len) == 0 &&
            (!rows[i].is_whole || classes.len == len))
            return rows[i].role;
    }
    return TH_NO_CODE_LINES;
}
