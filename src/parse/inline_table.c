/* Converts tags and text to runs, insets and languages. */
#include "parse/inline_table.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/letter_pairs.h"
#include "parse/hiding.h"
#include "parse/table_room.h"

enum {
    KEPT_BYTES = 4 << 20, /* of a table, from page to page */
    NAME_MAX_LEN = 24,    /* of a language */
    ALT_MAX_LEN = 4 << 10,
    NAMES_MAX = UINT16_MAX - 1,
};

const uint8_t th_styles[TH_TAG_COUNT] = {
    [TH_TAG_B] = TH_STYLE_STRONG,       [TH_TAG_STRONG] = TH_STYLE_STRONG,
    [TH_TAG_EM] = TH_STYLE_EMPHASIS,    [TH_TAG_I] = TH_STYLE_EMPHASIS,
    [TH_TAG_CITE] = TH_STYLE_EMPHASIS,  [TH_TAG_DFN] = TH_STYLE_EMPHASIS,
    [TH_TAG_VAR] = TH_STYLE_EMPHASIS,   [TH_TAG_S] = TH_STYLE_STRUCK,
    [TH_TAG_STRIKE] = TH_STYLE_STRUCK,  [TH_TAG_DEL] = TH_STYLE_STRUCK,
    [TH_TAG_CODE] = TH_STYLE_CODE,      [TH_TAG_TT] = TH_STYLE_CODE,
    [TH_TAG_KBD] = TH_STYLE_CODE,       [TH_TAG_SAMP] = TH_STYLE_CODE,
    [TH_TAG_SUP] = TH_STYLE_RAISED,     [TH_TAG_SUB] = TH_STYLE_LOWERED,
    [TH_TAG_SUMMARY] = TH_STYLE_STRONG,
};

/* ---- memory ------------------------------------------------------------------------ */

#define HAS_ROOM(table, items, count, capacity)                                          \
    TH_TABLE_HAS_ROOM((table)->items, (table)->count, (table)->capacity, (table)->status)

void th_inline_table_done(th_inline_table *table)
{
    free(table->runs);
    free(table->insets);
    free(table->inset_places);
    free(table->languages);
    free(table->names);
    free(table->alignments);
    *table = (th_inline_table){ 0 };
}

void th_inline_table_begin(th_inline_table *table, th_arena *arena, bool is_wanted)
{
    if (table->run_capacity * sizeof *table->runs > KEPT_BYTES ||
        table->inset_capacity * sizeof *table->insets > KEPT_BYTES)
        th_inline_table_done(table);
    table->run_count = table->inset_count = 0;
    table->language_count = table->name_count = 0;
    table->arena = arena;
    table->is_wanted = is_wanted;
    table->alignment_count = 0;
    table->unnamed = 0;
    table->has_code_ended = false;
    table->status = TH_OK;
}

/* Copies a text into the page's memory, with whitespace collapsed and trimmed. Returns
 * {"", 0} if it is empty or too long. */
static th_view collapsed(th_inline_table *table, th_view text, size_t max)
{
    text = th_ascii_trimmed(text);
    if (!text.len || text.len > max)
        return (th_view){ "", 0 };
    char *copy = th_arena_alloc(table->arena, text.len);
    if (!copy) {
        table->status = th_arena_is_full(table->arena) ? TH_TOO_LARGE : TH_NOMEM;
        return (th_view){ "", 0 };
    }
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        const bool is_blank = th_ascii_is_blank(text.data[i]);
        if (!is_blank || copy[len - 1] != ' ')
            copy[len++] = text.data[i];
        if (is_blank)
            copy[len - 1] = ' ';
    }
    return (th_view){ copy, len };
}

/* ---- runs -------------------------------------------------------------------------- */

static void note_language(th_inline_table *table, uint32_t paragraph, uint32_t number)
{
    if (table->language_count &&
        table->languages[table->language_count - 1].paragraph == paragraph)
        return;
    if (HAS_ROOM(table, languages, language_count, language_capacity))
        table->languages[table->language_count++] =
            (th_code_language){ paragraph, table->names[number - 1] };
}

void th_inline_text(th_inline_table *table, const th_paragraph_table *paragraphs,
                    const th_flow *flow, uint32_t start, uint32_t link)
{
    if (!paragraphs->count)
        return;
    const uint32_t paragraph = paragraphs->count - 1;
    const th_paragraph *row = &paragraphs->rows[paragraph];
    if (flow->language && row->is_space_kept)
        note_language(table, paragraph, flow->language);
    th_style_run now = { paragraph, TH_NONE, TH_NONE, 0 };
    if (table->run_count && table->runs[table->run_count - 1].paragraph == paragraph)
        now = table->runs[table->run_count - 1];
    const bool goes_on =
        now.style == flow->style && now.link == link && !table->has_code_ended;
    table->has_code_ended = false;
    if (goes_on)
        return;
    if (HAS_ROOM(table, runs, run_count, run_capacity))
        table->runs[table->run_count++] =
            (th_style_run){ .paragraph = paragraph,
                            .start = start > row->text_start ? start : row->text_start,
                            .link = link,
                            .style = flow->style };
}

/* ---- insets ------------------------------------------------------------------------ */

/* Adds an inset between two characters. If the paragraph has not begun in the inset's
 * element, the inset waits for it. */
static void add_inset(th_inline_table *table, const th_paragraph_table *paragraphs,
                      const th_flow *flow, th_inset inset, uint32_t text_at)
{
    if (!HAS_ROOM(table, insets, inset_count, inset_capacity) ||
        !HAS_ROOM(table, inset_places, inset_count, place_capacity))
        return;
    const bool is_in_last = paragraphs->count && paragraphs->part <= TH_LINE_BREAK;
    inset.is_alone = !is_in_last;
    inset.paragraph = is_in_last ? paragraphs->count - 1 : paragraphs->count;
    inset.start = text_at;
    table->inset_places[table->inset_count] =
        (th_inset_place){ .node = flow->node, .box = flow->box };
    table->insets[table->inset_count++] = inset;
}

void th_inline_math(th_inline_table *table, const th_paragraph_table *paragraphs,
                    th_view tex, bool is_display, uint32_t text_at, uint32_t text_end)
{
    if (!paragraphs->count || !HAS_ROOM(table, insets, inset_count, inset_capacity) ||
        !HAS_ROOM(table, inset_places, inset_count, place_capacity))
        return;
    table->inset_places[table->inset_count] = (th_inset_place){ TH_NONE, TH_NONE };
    table->insets[table->inset_count++] =
        (th_inset){ .words = tex,
                    .kind = is_display ? TH_INSET_MATH_DISPLAY : TH_INSET_MATH,
                    .paragraph = paragraphs->count - 1,
                    .start = text_at,
                    .len = text_end - text_at };
}

/* Whether a class list has this word of lower-case letters. */
static inline bool has_class(th_view list, const char *word)
{
    const size_t len = strlen(word);
    th_pair_search search = { .text = list };
    if (list.len < len)
        return false;
    for (size_t at = 0; th_pair_next(&search, (th_view){ word, 2 }, &at);)
        if (at + len <= list.len && memcmp(list.data + at, word, len) == 0 &&
            (at == 0 || th_ascii_is_blank(list.data[at - 1])) &&
            (at + len == list.len || th_ascii_is_blank(list.data[at + len])))
            return true;
    return false;
}

static void note_image(th_inline_table *table, const th_paragraph_table *paragraphs,
                       th_link_table *links, const th_flow *around,
                       const th_attribute *attrs, size_t count, uint32_t text_at,
                       bool is_spaced)
{
    const th_view alt = th_attribute_text(attrs, count, "alt");
    if (th_attributes_hide(attrs, count))
        return;
    const th_view url =
        th_link_table_resolve(links, th_attribute_text(attrs, count, "src"));
    if (!url.len && !th_ascii_trimmed(alt).len)
        return;
    const th_inset inset = { .words = collapsed(table, alt, ALT_MAX_LEN),
                             .url = url,
                             .kind = TH_INSET_IMAGE,
                             .is_spaced = is_spaced };
    add_inset(table, paragraphs, around, inset, text_at);
}

/* ---- languages --------------------------------------------------------------------- */

static bool is_name_char(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
           c == '+' || c == '#' || c == '-' || c == '.' || c == '_';
}

/* Returns the name at `at`, up to the next space. Empty if the text is not a name. */
static th_view name_at(th_view text, size_t at)
{
    size_t end = at;
    while (end < text.len && is_name_char(text.data[end]))
        end++;
    const bool is_whole =
        end == text.len || th_ascii_is_blank(text.data[end]) || text.data[end] == ';';
    if (!is_whole || end - at > NAME_MAX_LEN)
        return (th_view){ "", 0 };
    return (th_view){ text.data + at, end - at };
}

/* Whether a word names a language, and not a state or a theme. */
static bool is_language(th_view name)
{
    static const char *const others[] = { "none",     "id",       "ng-",     "default",
                                          "source",   "default-", "wrapper", "container",
                                          "block",    "inner",    "body",    "content",
                                          "fallback", "switcher", "dark",    "light" };
    if (!name.len || th_is_digit(name.data[0]) || name.data[0] == '-' ||
        name.data[0] == '.')
        return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (th_ascii_is(name, others[i]))
            return false;
    return true;
}

/* Returns the word after a word in a class list, such as "js" in "highlight js". */
static th_view word_behind(th_view classes, const char *word)
{
    static const char *const states[] = {
        "hljs",           "highlight",        "wrap", "copyable", "line-numbers",
        "code-with-copy", "show-line-numbers"
    };
    bool is_behind = false;
    for (th_view next; (next = th_ascii_next_word(&classes)).len;) {
        if (next.len == strlen(word) && memcmp(next.data, word, next.len) == 0) {
            is_behind = true;
            continue;
        }
        bool is_state = false;
        for (size_t i = 0; i < sizeof states / sizeof *states; i++)
            is_state |= next.len == strlen(states[i]) &&
                        memcmp(next.data, states[i], next.len) == 0;
        if (is_behind && !is_state) {
            const th_view name = name_at(next, 0);
            return name.len == next.len && is_language(name) ? name : (th_view){ "", 0 };
        }
    }
    return (th_view){ "", 0 };
}

/* The language in a class list: "language-c", "lang-c", "highlight-source-c",
 * "brush: c". "sourceCode c" (pandoc), "hljs c" and, of a FIGURE, "highlight c" (Hexo)
 * name it with a separate word. @param has_hilite  gets whether a word such as
 * "codehilite" may be in the list */
static th_view language_in(th_view classes, th_tag tag, bool *has_hilite)
{
    static const char *const starts[] = {
        "language-",       "lang-",       "highlight-source-",
        "highlight-text-", "highlight-",  "brush: ",
        "brush:",          "shiki-lang-", NULL
    };
    th_pair_search search = { .text = classes };
    bool has_source_code = false, has_hljs = false;
    for (size_t at = 0; th_pair_next(&search, TH_VIEW("lahibrsohlsh"), &at);) {
        const th_view rest = { classes.data + at, classes.len - at };
        *has_hilite |= rest.len >= 6 && memcmp(rest.data, "hilite", 6) == 0;
        if (at > 0 && !th_ascii_is_blank(classes.data[at - 1]))
            continue;
        has_source_code |= rest.len > 10 && memcmp(rest.data, "sourceCode", 10) == 0;
        has_hljs |= rest.len > 4 && memcmp(rest.data, "hljs", 4) == 0;
        for (size_t i = 0; starts[i]; i++) {
            const size_t len = strlen(starts[i]);
            if (len >= rest.len || memcmp(rest.data, starts[i], len) != 0)
                continue;
            const th_view name = name_at(classes, at + len);
            if (is_language(name))
                return name;
            break;
        }
    }
    if (has_source_code)
        return word_behind(classes, "sourceCode");
    if (has_hljs && (tag == TH_TAG_CODE || tag == TH_TAG_PRE))
        return word_behind(classes, "hljs");
    if (tag == TH_TAG_FIGURE)
        return word_behind(classes, "highlight");
    return (th_view){ "", 0 };
}

/* Whether an attribute may be "data-lang" or "data-language". */
static bool has_data_language(const th_attribute *attrs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (attrs[i].name.len >= 9 && memcmp(attrs[i].name.data, "data-lang", 9) == 0)
            return true;
    return false;
}

static void note_class(th_inline_table *table, th_flow *flow, th_tag tag, th_view classes,
                       const th_attribute *attrs, size_t count)
{
    bool has_hilite = false;
    th_view name = language_in(classes, tag, &has_hilite);
    if (!name.len && has_data_language(attrs, count)) {
        name = name_at(th_attribute_text(attrs, count, "data-lang"), 0);
        if (!name.len)
            name = name_at(th_attribute_text(attrs, count, "data-language"), 0);
    }
    if (!name.len && tag == TH_TAG_DIV && has_hilite && has_class(classes, "codehilite"))
        th_inline_unnamed_code(table, flow);
    if (!is_language(name) || table->name_count >= NAMES_MAX)
        return;
    name = collapsed(table, name, NAME_MAX_LEN);
    if (!name.len || !HAS_ROOM(table, names, name_count, name_capacity))
        return;
    table->names[table->name_count++] = name;
    flow->language = (uint16_t)table->name_count;
}

/* ---- cells and titles -------------------------------------------------------------- */

/* Returns a cell's alignment: by ALIGN, its style, or a class of Sphinx
 * ("text-center"). */
static uint8_t side_of(const th_attribute *attrs, size_t count)
{
    static const struct {
        const char *name, *style, *class;
        uint8_t side;
    } rows[] = {
        { "center", "center", "text-center", TH_ALIGN_CENTER },
        { "right", "right", "text-right", TH_ALIGN_RIGHT },
        { "left", "left", "text-left", TH_ALIGN_LEFT },
    };
    const th_view align = th_attribute_text(attrs, count, "align");
    const th_view style = th_attribute_text(attrs, count, "style");
    const th_view classes = th_attribute_text(attrs, count, "class");
    th_pair_search search = { .text = classes };
    const char *in_style =
        style.len ? memmem(style.data, style.len, "text-align:", 11) : NULL;
    th_view value = { "", 0 };
    if (!in_style && !align.len && !th_pair_window(&search, TH_VIEW("t-"))) /* "text-" */
        return 0;
    if (in_style) {
        value.data = in_style + 11;
        value.len = style.len - (size_t)(value.data - style.data);
        value = th_ascii_trimmed(value);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (th_ascii_is(align, rows[i].name) ||
            th_ascii_starts_with(value, rows[i].style) ||
            has_class(classes, rows[i].class))
            return rows[i].side;
    return 0;
}

static void note_alignment(th_inline_table *table, uint32_t box,
                           const th_attribute *attrs, size_t count)
{
    const uint8_t side = side_of(attrs, count);
    if (side && HAS_ROOM(table, alignments, alignment_count, alignment_capacity))
        table->alignments[table->alignment_count++] = (th_cell_alignment){ box, side };
}

/* Whether an element names the kind of an admonition: "Note". */
static bool is_admonition_title(th_view classes)
{
    static const char *const names[] = { "admonition-title",     "custom-block-title",
                                         "hint-container-title", "callout-title",
                                         "markdown-alert-title", "callout-header" };
    th_pair_search search = { .text = classes };
    if (!th_pair_window(&search, TH_VIEW("-tt-nh"))) /* in each of the names */
        return false;
    if (th_ascii_starts_with(classes, "admonitionHeading_")) /* of Docusaurus */
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has_class(classes, names[i]))
            return true;
    return false;
}

/* A P, SPAN or DIV may be the title of an admonition, and a DIV may be around code. */
static void note_text_box(th_inline_table *table, th_flow *flow, th_tag tag,
                          const th_attribute *attrs, size_t count)
{
    const th_view classes = th_attribute_text(attrs, count, "class");
    if (is_admonition_title(classes))
        flow->style |= flow->style & TH_STYLE_CODE ? 0 : TH_STYLE_STRONG;
    if (tag == TH_TAG_DIV)
        note_class(table, flow, tag, classes, attrs, count);
}

/* ---- tags -------------------------------------------------------------------------- */

void th_inline_tag(th_inline_table *table, const th_paragraph_table *paragraphs,
                   th_link_table *links, th_flow *flow, const th_flow *around, th_tag tag,
                   const th_attribute *attrs, size_t attr_count, uint32_t text_at,
                   bool is_spaced)
{
    switch (tag) {
    case TH_TAG_IMG:
        note_image(table, paragraphs, links, around, attrs, attr_count, text_at,
                   is_spaced);
        break;
    case TH_TAG_TD:
    case TH_TAG_TH:
        if (flow && flow->box != TH_NONE &&
            paragraphs->boxes[flow->box].kind == TH_BOX_CELL)
            note_alignment(table, flow->box, attrs, attr_count);
        break;
    case TH_TAG_P:
    case TH_TAG_SPAN:
    case TH_TAG_DIV:
        if (flow)
            note_text_box(table, flow, tag, attrs, attr_count);
        break;
    case TH_TAG_PRE:
    case TH_TAG_CODE:
    case TH_TAG_FIGURE:
        if (flow)
            note_class(table, flow, tag, th_attribute_text(attrs, attr_count, "class"),
                       attrs, attr_count);
        break;
    default:
        break;
    }
}

/* Whether an inset on its own is in the item or quote that its paragraph is in. */
static bool is_inside(const th_paragraph_table *paragraphs, uint32_t box,
                      const th_paragraph *paragraph)
{
    if (box == TH_NONE || box != paragraph->box)
        return false;
    const uint8_t kind = paragraphs->boxes[box].kind;
    return kind == TH_BOX_ITEM || kind == TH_BOX_QUOTE;
}

void th_inline_unnamed_code(th_inline_table *table, th_flow *flow)
{
    if (!table->is_wanted || flow->language)
        return;
    if (!table->unnamed) {
        if (table->name_count >= NAMES_MAX ||
            !HAS_ROOM(table, names, name_count, name_capacity))
            return;
        table->names[table->name_count++] = (th_view){ "", 0 };
        table->unnamed = (uint16_t)table->name_count;
    }
    flow->language = table->unnamed;
}

static bool has_part(th_view text, const char *part)
{
    return memmem(text.data, text.len, part, strlen(part));
}

/* Whether code contains an attribute of C++ without spaces, "[[nodiscard]]". */
static bool has_attribute(th_view code)
{
    const char *at = memmem(code.data, code.len, "[[", 2);
    if (!at)
        return false;
    const th_view rest = { at + 2, code.len - (size_t)(at + 2 - code.data) };
    size_t end = 0;
    while (end < rest.len && (is_name_char(rest.data[end]) || rest.data[end] == ':'))
        end++;
    return end && end + 1 < rest.len && rest.data[end] == ']' &&
           rest.data[end + 1] == ']';
}

/* Whether code is a command with the prompt of a shell. */
static bool is_command(th_view code)
{
    return code.len > 2 && code.data[0] == '$' && code.data[1] == ' ';
}

/* Whether code has a call without named arguments, "a(b". */
static bool has_call(th_view code)
{
    const char *at = memchr(code.data, '(', code.len);
    return at > code.data && is_name_char(at[-1]) && !has_part(code, "(name =");
}

/* Whether code has an end of a statement, a block, a scope, a directive, a comment or a
 * call. */
static bool is_like_c(th_view code)
{
    return has_call(code) || memchr(code.data, ';', code.len) ||
           memchr(code.data, '{', code.len) || has_part(code, "::") ||
           code.data[0] == '#' || has_part(code, "\n#") || has_part(code, "// ");
}

/* Whether code has a directive or an array that only C# has. */
static bool is_c_sharp(th_view code)
{
    return has_part(code, "using System;") || has_part(code, "using System.") ||
           has_part(code, "new[] {");
}

/*
 * Names the language of code that a highlighter marked without a name. Doxygen and some
 * references of C++ do so. The code of such a page is of one language, except commands of
 * a shell, and code that is not like C, or is C#. It is C++ if the page's code has "std::",
 * the scope of a template ("a<b>::"), "#pragma once", an attribute, or "::" and a template,
 * a namespace or an #include.
 */
static void name_unnamed(th_inline_table *table, const th_paragraph_table *paragraphs,
                         const char *text)
{
    bool has_sure = false, has_scope = false, has_word = false;
    for (uint32_t i = 0; i < table->language_count; i++) {
        const th_paragraph *row = &paragraphs->rows[table->languages[i].paragraph];
        const th_view code = { text + row->text_start, row->text_len };
        if (table->languages[i].name.len)
            continue;
        has_sure |= has_part(code, "std::") || has_part(code, ">::") ||
                    has_part(code, "#pragma once") || has_attribute(code);
        has_scope |= has_part(code, "::");
        has_word |= has_part(code, "#include <") || has_part(code, "template<") ||
                    has_part(code, "template <") || has_part(code, "namespace ") ||
                    has_part(code, "const ") || has_part(code, "#define ");
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->language_count; i++) {
        th_code_language language = table->languages[i];
        const th_paragraph *row = &paragraphs->rows[language.paragraph];
        const th_view code = { text + row->text_start, row->text_len };
        if (!language.name.len && is_c_sharp(code))
            language.name = TH_VIEW("cs");
        else if (!language.name.len && (has_sure || (has_scope && has_word)) &&
                 is_like_c(code) && !is_command(code))
            language.name = TH_VIEW("cpp");
        if (language.name.len)
            table->languages[count++] = language;
    }
    table->language_count = count;
}

void th_inline_table_finish(th_inline_table *table, const th_paragraph_table *paragraphs,
                            const char *text)
{
    if (table->unnamed)
        name_unnamed(table, paragraphs, text);
    uint32_t begun = TH_NONE; /* a paragraph that begins with one of the insets */
    for (uint32_t i = 0; i < table->inset_count; i++) {
        th_inset *inset = &table->insets[i];
        if (!inset->is_alone || inset->paragraph >= paragraphs->count)
            continue;
        const th_paragraph *row = &paragraphs->rows[inset->paragraph];
        const th_inset_place *place = &table->inset_places[i];
        if (row->node != place->node && begun != inset->paragraph) {
            inset->is_inside = is_inside(paragraphs, place->box, row);
            continue;
        }
        begun = inset->paragraph;
        inset->is_alone = false; /* the element's text begins with it */
        inset->start = row->text_start;
    }
}
