/* Decides which labels of tabs are printed, and which paragraphs they replace. */
#include "write/tab_labels.h"

#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "write/data_tables.h"

enum {
    LABEL_MAX = 200, /* bytes */
    VARIANTS = 2,    /* panels with content in a set */
};

/* A tab, and how it is printed. */
struct tab {
    th_view text;       /* of its label; empty if the page stays as it is */
    uint32_t paragraph; /* with the label */
};

/* A page in progress. */
struct find {
    const th_page *page;
    const uint8_t *label_of;
    uint32_t *next_kept; /* by paragraph: itself or the next paragraph of content */
    struct tab *tabs;    /* of the page's tabs */
    uint32_t *variants;  /* by set: its panels with content */
};

/* Finds the text of a label in one paragraph. @return its paragraph; TH_NONE if the text
 * is not a label */
static uint32_t find_text(const th_page *page, const th_tab *tab, th_view *text)
{
    const th_node *node = &page->nodes[tab->label];
    uint32_t block = node->first_block, start, len;
    if (tab->link != TH_NONE) { /* a link may share its block with others */
        const th_link *link = &page->links[tab->link];
        block = link->block;
        start = link->anchor_start;
        len = link->anchor_len;
    } else if (node->first_block < node->end_block) {
        const th_block *last = &page->blocks[node->end_block - 1];
        start = page->blocks[block].text_start;
        len = last->text_start + last->text_len - start;
    } else {
        return TH_NONE;
    }
    *text = th_ascii_trimmed((th_view){ page->text.data + start, len });
    if (!text->len || text->len > LABEL_MAX)
        return TH_NONE;
    const th_paragraph *row = &page->paragraphs[page->blocks[block].paragraph];
    return start + len <= row->text_start + row->text_len && !row->is_space_kept
               ? page->blocks[block].paragraph
               : TH_NONE;
}

/* Whether a label only counts: "3", "Slide 3". */
static bool is_count(th_view text, uint32_t number)
{
    static const char *const words[] = { "",     "item", "slide", "go to slide",
                                         "page", "tab",  "panel" };
    uint64_t value = 0, place = 1;
    for (; text.len && th_is_digit(text.data[text.len - 1]) && value < UINT32_MAX;
         text.len--, place *= 10)
        value += place * (uint64_t)(text.data[text.len - 1] - '0');
    text = th_ascii_trimmed(text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (value == number && th_ascii_is(text, words[i]))
            return true;
    return false;
}

/* Returns the first paragraph of a panel that is content, or TH_NONE. */
static uint32_t first_kept(const struct find *f, const th_tab *tab)
{
    const th_page *page = f->page;
    const th_node *panel = &page->nodes[tab->panel];
    if (panel->first_block >= panel->end_block)
        return TH_NONE;
    const uint32_t number = page->blocks[panel->first_block].paragraph;
    const uint32_t last = page->blocks[panel->end_block - 1].paragraph;
    const uint32_t kept = f->next_kept[number];
    return page->paragraphs[number].first_block >= panel->first_block && kept <= last
               ? kept
               : TH_NONE;
}

/* Returns the innermost box around a panel that contains a paragraph, or TH_NONE. */
static uint32_t box_around(const th_page *page, uint32_t panel, uint32_t paragraph)
{
    uint32_t box = page->paragraphs[paragraph].box;
    while (box != TH_NONE && page->boxes[box].node > panel)
        box = page->boxes[box].parent;
    return box;
}

static bool is_in_shown_table(const th_page *page, const th_table_shape *shapes,
                              uint32_t box)
{
    const uint32_t row = box == TH_NONE ? TH_NONE : page->boxes[box].row;
    return row != TH_NONE && shapes[page->boxes[row].parent].columns;
}

/* Whether a label with its panel is an accordion. */
static bool is_accordion(const struct find *f, th_view text, uint32_t label,
                         uint32_t first, uint32_t box)
{
    const th_page *page = f->page;
    const th_paragraph *row = &page->paragraphs[label];
    const uint32_t item = row->box == TH_NONE ? TH_NONE : page->boxes[row->box].item;
    const bool is_heading = row->kind == TH_PARAGRAPH_HEADING;
    const bool is_in_item =
        item != TH_NONE && box != TH_NONE && page->boxes[box].item == item;
    return (is_heading || is_in_item) && f->label_of[label] == TH_CONTENT &&
           f->next_kept[label + 1] == first &&
           th_paragraph_text(page, label).len == text.len;
}

/* Fills in next_kept. */
static void look_ahead(struct find *f)
{
    uint32_t next = TH_NONE;
    for (uint32_t i = f->page->paragraph_count + 1; i-- > 0;) {
        if (i < f->page->paragraph_count && f->label_of[i] == TH_CONTENT)
            next = i;
        f->next_kept[i] = next;
    }
}

/* Decides which labels are printed before their panels. */
static void choose(struct find *f, const th_table_shape *shapes)
{
    const th_page *page = f->page;
    for (uint32_t i = 0; i < page->tab_count; i++) {
        const th_tab *tab = &page->tabs[i];
        struct tab *own = &f->tabs[i];
        th_view text;
        own->text = (th_view){ "", 0 };
        own->paragraph = find_text(page, tab, &text);
        const uint32_t first = first_kept(f, tab);
        f->variants[tab->set] += first != TH_NONE;
        if (own->paragraph == TH_NONE || is_count(text, tab->number))
            continue;
        const uint32_t box =
            first == TH_NONE ? TH_NONE : box_around(page, tab->panel, first);
        const bool stays =
            first != TH_NONE && (is_in_shown_table(page, shapes, box) ||
                                 is_accordion(f, text, own->paragraph, first, box));
        if (!stays)
            own->text = text;
    }
    for (uint32_t i = 0; i < page->tab_count; i++)
        if (f->variants[page->tabs[i].set] < VARIANTS)
            f->tabs[i].text.len = 0;
}

static uint32_t letters_in(th_view text)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += !th_ascii_is_blank(text.data[i]);
    return count;
}

/* Returns labels of paragraphs in which paragraphs of nothing but labels of tabs are not
 * content. NULL without memory. */
static const uint8_t *without_labels(const struct find *f)
{
    const th_page *page = f->page;
    uint8_t *label_of = th_arena_alloc(page->arena, page->paragraph_count);
    uint32_t *letters =
        th_arena_calloc(page->arena, page->paragraph_count, sizeof *letters);
    if (!label_of || !letters)
        return NULL;
    memcpy(label_of, f->label_of, page->paragraph_count);
    for (uint32_t i = 0; i < page->tab_count; i++)
        if (f->tabs[i].text.len)
            letters[f->tabs[i].paragraph] += letters_in(f->tabs[i].text);
    for (uint32_t i = 0; i < page->tab_count; i++) {
        const uint32_t number = f->tabs[i].paragraph;
        if (!f->tabs[i].text.len || !letters[number])
            continue;
        if (letters_in(th_paragraph_text(page, number)) == letters[number])
            label_of[number] = TH_BOILERPLATE;
        letters[number] = 0; /* done, for all labels in it */
    }
    return label_of;
}

/* Writes the rows. Labels are not content any more. */
static void collect(const struct find *f, th_tab_labels *out)
{
    const th_page *page = f->page;
    for (uint32_t i = 0; i < page->tab_count; i++) {
        const th_tab *tab = &page->tabs[i];
        const th_view text = f->tabs[i].text;
        const uint32_t first = text.len ? first_kept(f, tab) : TH_NONE;
        if (first != TH_NONE && !th_ascii_same(text, th_paragraph_text(page, first)))
            out->rows[out->count++] =
                (th_tab_label){ text, first, box_around(page, tab->panel, first) };
    }
}

th_status th_tab_labels_find(const th_page *page, const uint8_t *label_of,
                             th_tab_labels *out)
{
    struct find f = { .page = page, .label_of = label_of };
    *out = (th_tab_labels){ .label_of = label_of };
    if (!page->tab_count || !page->paragraph_count)
        return TH_OK;
    out->rows = th_arena_alloc(page->arena, page->tab_count * sizeof *out->rows);
    f.tabs = th_arena_alloc(page->arena, page->tab_count * sizeof *f.tabs);
    f.variants = th_arena_calloc(page->arena, page->tab_count, sizeof *f.variants);
    f.next_kept = th_arena_alloc(page->arena, (page->paragraph_count + (size_t)1) *
                                                  sizeof *f.next_kept);
    const th_table_shape *shapes = th_data_tables(page, label_of);
    if (!out->rows || !f.tabs || !f.variants || !f.next_kept || !shapes)
        return TH_NOMEM;
    look_ahead(&f);
    choose(&f, shapes);
    f.label_of = out->label_of = without_labels(&f);
    if (!out->label_of)
        return TH_NOMEM;
    look_ahead(&f);
    collect(&f, out);
    return TH_OK;
}
