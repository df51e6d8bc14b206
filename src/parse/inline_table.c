/* Tags and text to runs, insets and languages. */
#include "parse/inline_table.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/letter_pairs.h"
#include "parse/hiding.h"
#include "parse/table_room.h"

enum {
    KEPT_BYTES = 4 << 20, /* of a table, from page to page */
    NAME_MAX_LEN = 24,    /* of a language */
    TEX_MAX_LEN = 16 << 10,
    ALT_MAX_LEN = 4 << 10,
    NAMES_MAX = UINT16_MAX - 1,
};

const uint8_t th_styles[TH_TAG_COUNT] = {
    [TH_TAG_B] = TH_STYLE_STRONG,      [TH_TAG_STRONG] = TH_STYLE_STRONG,
    [TH_TAG_EM] = TH_STYLE_EMPHASIS,   [TH_TAG_I] = TH_STYLE_EMPHASIS,
    [TH_TAG_CITE] = TH_STYLE_EMPHASIS, [TH_TAG_DFN] = TH_STYLE_EMPHASIS,
    [TH_TAG_VAR] = TH_STYLE_EMPHASIS,  [TH_TAG_S] = TH_STYLE_STRUCK,
    [TH_TAG_STRIKE] = TH_STYLE_STRUCK, [TH_TAG_DEL] = TH_STYLE_STRUCK,
    [TH_TAG_CODE] = TH_STYLE_CODE,     [TH_TAG_TT] = TH_STYLE_CODE,
    [TH_TAG_KBD] = TH_STYLE_CODE,      [TH_TAG_SAMP] = TH_STYLE_CODE,
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
    table->tex = (th_view){ 0 };
    table->is_display = table->has_code_ended = false;
    table->status = TH_OK;
}

/* A copy that lasts as long as the page, white space collapsed, blanks around taken away;
 * {"", 0} when it is empty or too long. */
static th_view collapsed(th_inline_table *table, th_view text, size_t most)
{
    text = th_ascii_trimmed(text);
    if (!text.len || text.len > most)
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

/* An inset that stands between two characters. One in whose element the paragraph has
 * not begun waits for it. */
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
                    const th_flow *flow, th_view tex, bool is_display, uint32_t text_at,
                    bool is_spaced)
{
    tex = collapsed(table, tex, TEX_MAX_LEN);
    if (!tex.len)
        return;
    if (table->inset_count) { /* the same again, for readers without MathML */
        const th_inset *last = &table->insets[table->inset_count - 1];
        if (last->kind != TH_INSET_IMAGE && last->start + last->len == text_at &&
            last->words.len == tex.len &&
            memcmp(last->words.data, tex.data, tex.len) == 0)
            return;
    }
    const th_inset inset = { .words = tex,
                             .kind = is_display ? TH_INSET_MATH_DISPLAY : TH_INSET_MATH,
                             .is_spaced = is_spaced };
    add_inset(table, paragraphs, flow, inset, text_at);
}

void th_inline_annotation(th_inline_table *table, th_view tex)
{
    tex = collapsed(table, tex, TEX_MAX_LEN);
    if (tex.len)
        table->tex = tex;
}

void th_inline_math_end(th_inline_table *table, const th_paragraph_table *paragraphs,
                        const th_flow *flow, uint32_t text_at, uint32_t text_end)
{
    const th_view tex = table->tex;
    table->tex = (th_view){ 0 };
    if (!tex.len)
        return;
    if (text_end == text_at || !paragraphs->count) {
        th_inline_math(table, paragraphs, flow, tex, table->is_display, text_at, false);
        return;
    }
    const uint32_t count = table->inset_count;
    const uint32_t last = paragraphs->count - 1;
    const uint32_t from = paragraphs->rows[last].text_start;
    th_inset inset = { .words = tex,
                       .kind =
                           table->is_display ? TH_INSET_MATH_DISPLAY : TH_INSET_MATH };
    add_inset(table, paragraphs, flow, inset, text_at > from ? text_at : from);
    if (table->inset_count == count)
        return;
    th_inset *added = &table->insets[count];
    added->paragraph = last;
    added->is_alone = false;
    added->len = text_end - added->start;
}

/* Of an attribute; empty when there is none. */
static th_view value_of(const th_attribute *attrs, size_t count, const char *name)
{
    const th_attribute *attribute =
        th_attribute_find(attrs, count, (th_view){ name, strlen(name) });
    return attribute && attribute->value.len ? attribute->value : (th_view){ "", 0 };
}

/* Whether one of the words of a class list is that. */
static bool has_class(th_view list, const char *word)
{
    const size_t len = strlen(word);
    for (size_t at = 0; at + len <= list.len; at++)
        if (list.data[at] == word[0] && memcmp(list.data + at, word, len) == 0 &&
            (at == 0 || th_ascii_is_blank(list.data[at - 1])) &&
            (at + len == list.len || th_ascii_is_blank(list.data[at + len])))
            return true;
    return false;
}

/* Whether a picture's class says that it is a formula: nearly none does. */
static bool is_formula(th_view classes, bool *is_display)
{
    th_pair_search search = { .text = classes };
    *is_display = false;
    if (!th_pair_window(&search, TH_VIEW("mwtela")))
        return false;
    *is_display = has_class(classes, "mwe-math-fallback-image-display");
    return *is_display || has_class(classes, "mwe-math-fallback-image-inline") ||
           has_class(classes, "tex") || has_class(classes, "latex");
}

static void note_image(th_inline_table *table, const th_paragraph_table *paragraphs,
                       th_link_table *links, const th_flow *around,
                       const th_attribute *attrs, size_t count, uint32_t text_at,
                       bool is_spaced)
{
    const th_view alt = value_of(attrs, count, "alt");
    bool is_display;
    if (is_formula(value_of(attrs, count, "class"), &is_display)) {
        th_inline_math(table, paragraphs, around, alt, is_display, text_at, is_spaced);
        return;
    }
    if (th_attributes_hide(attrs, count))
        return;
    const th_view url = th_link_table_resolve(links, value_of(attrs, count, "src"));
    if (!url.len)
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

/* The name that stands at `at`, up to the next blank; empty when it is none. */
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

/* The language in a class list: "language-c", "lang-c", "highlight-source-c",
 * "brush: c", "sourceCode c". */
static th_view language_in(th_view classes)
{
    static const char *const starts[] = { "language-",   "lang-",   "highlight-source-",
                                          "highlight-",  "brush: ", "brush:",
                                          "sourceCode ", NULL };
    th_pair_search search = { .text = classes };
    for (size_t at = 0; th_pair_next(&search, TH_VIEW("lahibrso"), &at);) {
        if (at > 0 && !th_ascii_is_blank(classes.data[at - 1]))
            continue;
        for (size_t i = 0; starts[i]; i++) {
            const size_t len = strlen(starts[i]);
            if (len >= classes.len - at || memcmp(classes.data + at, starts[i], len) != 0)
                continue;
            const th_view name = name_at(classes, at + len);
            if (name.len)
                return name;
        }
    }
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

static void note_class(th_inline_table *table, th_flow *flow, const th_attribute *attrs,
                       size_t count)
{
    th_view name = language_in(value_of(attrs, count, "class"));
    if (!name.len && has_data_language(attrs, count)) {
        name = name_at(value_of(attrs, count, "data-lang"), 0);
        if (!name.len)
            name = name_at(value_of(attrs, count, "data-language"), 0);
    }
    if (!name.len || th_ascii_is(name, "none") || table->name_count >= NAMES_MAX)
        return;
    name = collapsed(table, name, NAME_MAX_LEN);
    if (!name.len || !HAS_ROOM(table, names, name_count, name_capacity))
        return;
    table->names[table->name_count++] = name;
    flow->language = (uint16_t)table->name_count;
}

/* ---- tags -------------------------------------------------------------------------- */

void th_inline_tag(th_inline_table *table, const th_paragraph_table *paragraphs,
                   th_link_table *links, th_flow *flow, const th_flow *around, th_tag tag,
                   const th_attribute *attrs, size_t attr_count, uint32_t text_at,
                   bool is_spaced, bool is_in_math)
{
    switch (tag) {
    case TH_TAG_IMG:
        if (!is_in_math)
            note_image(table, paragraphs, links, around, attrs, attr_count, text_at,
                       is_spaced);
        break;
    case TH_TAG_MATH:
        if (!flow)
            break; /* hidden: a picture stands for it */
        table->tex =
            collapsed(table, value_of(attrs, attr_count, "alttext"), TEX_MAX_LEN);
        table->is_display = th_ascii_is(value_of(attrs, attr_count, "display"), "block");
        break;
    case TH_TAG_PRE:
    case TH_TAG_CODE:
    case TH_TAG_DIV:
    case TH_TAG_FIGURE:
        if (flow && attr_count)
            note_class(table, flow, attrs, attr_count);
        break;
    default:
        break;
    }
}

bool th_inline_is_tex(const th_attribute *attrs, size_t attr_count)
{
    const th_view encoding = th_ascii_trimmed(value_of(attrs, attr_count, "encoding"));
    return th_ascii_is(encoding, "application/x-tex") || th_ascii_is(encoding, "tex") ||
           th_ascii_is(encoding, "latex") || th_ascii_is(encoding, "application/x-latex");
}

bool th_inline_wants_script(const th_attribute *attrs, size_t attr_count,
                            bool *is_display)
{
    static const char start[] = "math/tex";
    const th_view type = th_ascii_trimmed(value_of(attrs, attr_count, "type"));
    if (type.len < sizeof start - 1 ||
        !th_ascii_is((th_view){ type.data, sizeof start - 1 }, start))
        return false;
    *is_display = type.len > 12 && memmem(type.data, type.len, "mode=display", 12);
    return true;
}

/* Whether what stands by itself is in the item or quote in which its paragraph is. */
static bool is_inside(const th_paragraph_table *paragraphs, uint32_t box,
                      const th_paragraph *paragraph)
{
    if (box == TH_NONE || box != paragraph->box)
        return false;
    const uint8_t kind = paragraphs->boxes[box].kind;
    return kind == TH_BOX_ITEM || kind == TH_BOX_QUOTE;
}

void th_inline_table_finish(th_inline_table *table, const th_paragraph_table *paragraphs)
{
    uint32_t begun = TH_NONE; /* a paragraph of which one inset was its first part */
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
