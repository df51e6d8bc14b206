/* Paragraphs to text. */
#include "page/page_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    INDENT = 2,
    DEPTH_MOST = 16, /* lists: deeper items stand no further in */
    NUMBER_ROOM = 16,
    /* Bytes before a paragraph at most, but for tabs: a row has fewer than cells. */
    LEAD_ROOM = 2 + DEPTH_MOST * INDENT + NUMBER_ROOM,
};

/* A text under way. */
struct print {
    const th_page *page;
    char *out; /* has room for all of it */
    size_t len;
    size_t chars;
    uint8_t *is_marked; /* items whose mark is printed */
    const th_paragraph *last;
    const th_box *last_line; /* the row whose line the last paragraph is in, or NULL */
    bool is_apart;           /* a gap was seen since the last paragraph */
};

static void put_ascii(struct print *print, char c, uint32_t count)
{
    memset(print->out + print->len, c, count);
    print->len += count;
    print->chars += count;
}

/* The row that is printed as one line with this paragraph in it, or NULL. */
static const th_box *line_of(const th_page *page, const th_paragraph *paragraph)
{
    const th_box *box = paragraph->box == TH_NONE ? NULL : &page->boxes[paragraph->box];
    if (!box || box->kind != TH_BOX_CELL)
        return NULL;
    const th_box *row = &page->boxes[box->row];
    return row->is_layout || row->texts < 2 ? NULL : row;
}

static uint32_t ordinal_of(const th_page *page, const th_paragraph *paragraph)
{
    return page->boxes[paragraph->box].ordinal;
}

/* Marks an item and those around it. @return whether it was not marked before */
static bool mark(struct print *print, uint32_t item)
{
    const bool is_new = !print->is_marked[item];
    while (item != TH_NONE && !print->is_marked[item]) {
        print->is_marked[item] = true;
        const uint32_t parent = print->page->boxes[item].parent;
        item = parent == TH_NONE ? TH_NONE : print->page->boxes[parent].item;
    }
    return is_new;
}

static void put_number(struct print *print, const th_box *item)
{
    const int len =
        snprintf(print->out + print->len, NUMBER_ROOM, "%d. ", (int)item->number);
    print->len += (size_t)len;
    print->chars += (size_t)len;
}

/* Blanks and the mark before a paragraph that stands in a list. */
static void put_mark(struct print *print, const th_paragraph *paragraph)
{
    const th_page *page = print->page;
    const uint32_t number =
        paragraph->box == TH_NONE ? TH_NONE : page->boxes[paragraph->box].item;
    if (number == TH_NONE)
        return;
    const th_box *item = &page->boxes[number];
    const uint32_t depth = item->depth < DEPTH_MOST ? item->depth : DEPTH_MOST;
    if (!mark(print, number)) {
        if (!paragraph->is_space_kept)
            put_ascii(print, ' ', depth * INDENT);
        return;
    }
    put_ascii(print, ' ', (depth - 1) * INDENT);
    const uint32_t list = item->parent;
    if (list != TH_NONE && page->boxes[list].kind == TH_BOX_ORDERED) {
        put_number(print, item);
    } else {
        put_ascii(print, '-', 1);
        put_ascii(print, ' ', 1);
    }
}

/* What stands between the last paragraph and this one, and before this one.
 * @param line  the row whose line it is in, or NULL */
static void put_lead(struct print *print, const th_paragraph *paragraph,
                     const th_box *line)
{
    const th_page *page = print->page;
    const th_box *last_line = print->last_line;
    if (line && line == last_line) {
        const uint32_t from = ordinal_of(page, print->last);
        put_ascii(print, '\t', ordinal_of(page, paragraph) - from);
        return;
    }
    const bool is_same_table = line && last_line && line->parent == last_line->parent;
    if (print->last)
        put_ascii(print, '\n', print->is_apart && !is_same_table ? 2 : 1);
    put_mark(print, paragraph);
    if (line)
        put_ascii(print, '\t', ordinal_of(page, paragraph));
}

static void put_paragraph(struct print *print, const th_paragraph *paragraph,
                          bool is_in_line)
{
    char *out = print->out + print->len;
    memcpy(out, print->page->text.data + paragraph->text_start, paragraph->text_len);
    if (is_in_line) { /* the row is one line */
        char *const end = out + paragraph->text_len;
        for (char *at = out; (at = memchr(at, '\n', (size_t)(end - at)));)
            *at = ' ';
    }
    print->len += paragraph->text_len;
    print->chars += paragraph->char_len;
}

static void put_all(struct print *print, const uint8_t *label_of, th_text_place *places)
{
    const th_page *page = print->page;
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const th_paragraph *paragraph = &page->paragraphs[i];
        print->is_apart |= paragraph->is_apart;
        if (label_of && label_of[i] != TH_CONTENT)
            continue;
        const th_box *line = line_of(page, paragraph);
        put_lead(print, paragraph, line);
        if (places)
            places[i] = (th_text_place){ (uint32_t)print->len, (uint32_t)print->chars };
        put_paragraph(print, paragraph, line);
        print->last = paragraph;
        print->last_line = line;
        print->is_apart = false;
    }
}

/* Room for the text: a little more than it needs. */
static size_t room(const th_page *page, const uint8_t *label_of)
{
    size_t len = page->box_count; /* tabs */
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        if (!label_of || label_of[i] == TH_CONTENT)
            len += page->paragraphs[i].text_len + (size_t)LEAD_ROOM;
    return len;
}

th_view th_page_print(const th_page *page, const uint8_t *label_of, th_text_place *places,
                      uint32_t *chars)
{
    const th_view none = { NULL, 0 };
    struct print print = { .page = page };
    print.is_marked = th_arena_calloc(page->arena, page->box_count, 1);
    print.out = th_arena_alloc(page->arena, room(page, label_of));
    if (!print.is_marked || !print.out)
        return none;
    put_all(&print, label_of, places);
    if (print.len > UINT32_MAX)
        return none;
    if (chars)
        *chars = (uint32_t)print.chars;
    return (th_view){ print.out, print.len };
}
