/* Prints paragraphs as text. */
#include "page/page_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "page/post_line.h"

enum {
    INDENT = 2,
    DEPTH_MOST = 16, /* lists: deeper items are not indented further */
    NUMBER_ROOM = 16,
    /* Maximum bytes before a paragraph, except tabs: a row has fewer tabs than cells. */
    LEAD_ROOM = 2 + DEPTH_MOST * INDENT + NUMBER_ROOM,
};

/* A text in progress. */
struct print {
    const th_page *page;
    char *out; /* large enough for all of it */
    size_t len;
    size_t chars;
    uint8_t *is_marked;  /* items whose mark is printed, from `first_box` on */
    uint32_t first_box;  /* first of the boxes that may be printed */
    bool has_posts;      /* each post begins with a line of its author and date */
    uint8_t *is_started; /* posts with a printed line; NULL without posts */
    const th_paragraph *last;
    const th_box *last_line; /* the row with the last paragraph's line, or NULL */
    bool is_apart;           /* there is a gap after the last paragraph */
};

static void put_ascii(struct print *print, char c, uint32_t count)
{
    char *const out = print->out + print->len;
    if (count)
        *out = c; /* nearly always the only one */
    if (count > 1)
        memset(out + 1, c, count - 1);
    print->len += count;
    print->chars += count;
}

/* The row that is printed as one line with this paragraph in it, or NULL. */
static const th_box *line_of(const struct print *print, uint32_t number)
{
    const th_page *page = print->page;
    const th_paragraph *paragraph = &page->paragraphs[number];
    const th_box *box = paragraph->box == TH_NONE ? NULL : &page->boxes[paragraph->box];
    if (!box || box->kind != TH_BOX_CELL)
        return NULL;
    const th_box *row = &page->boxes[box->row];
    if (print->has_posts && th_is_around_post(page, number, box->row))
        return NULL;
    return row->is_layout || row->texts < 2 ? NULL : row;
}

static uint32_t ordinal_of(const th_page *page, const th_paragraph *paragraph)
{
    return page->boxes[paragraph->box].ordinal;
}

/* Marks an item and its enclosing items. @return whether it was not marked before */
static bool mark(struct print *print, uint32_t item)
{
    const bool is_new = !print->is_marked[item - print->first_box];
    while (item != TH_NONE && item >= print->first_box &&
           !print->is_marked[item - print->first_box]) {
        print->is_marked[item - print->first_box] = true;
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

/* Prints the indentation and the mark before a paragraph in a list. */
static void put_mark(struct print *print, uint32_t of)
{
    const th_page *page = print->page;
    const th_paragraph *paragraph = &page->paragraphs[of];
    const uint32_t number =
        paragraph->box == TH_NONE ? TH_NONE : page->boxes[paragraph->box].item;
    if (number == TH_NONE || (print->has_posts && th_is_around_post(page, of, number)))
        return;
    const th_box *item = &page->boxes[number];
    const uint32_t own =
        item->depth - (print->has_posts ? th_depth_around_post(page, of) : 0u);
    const uint32_t depth = own < DEPTH_MOST ? own : DEPTH_MOST;
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

/*
 * Prints the separator after the last paragraph, and the prefix of this one.
 * @param line  the row whose line it is in, or NULL
 */
static void put_lead(struct print *print, uint32_t number, const th_box *line)
{
    const th_page *page = print->page;
    const th_paragraph *paragraph = &page->paragraphs[number];
    const th_box *last_line = print->last_line;
    if (line && line == last_line) {
        const uint32_t from = ordinal_of(page, print->last);
        put_ascii(print, '\t', ordinal_of(page, paragraph) - from);
        return;
    }
    const bool is_same_table = line && last_line && line->parent == last_line->parent;
    if (print->last)
        put_ascii(print, '\n', print->is_apart && !is_same_table ? 2 : 1);
    put_mark(print, number);
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

static void put_text(struct print *print, th_view text)
{
    memcpy(print->out + print->len, text.data, text.len);
    print->len += text.len;
    for (size_t i = 0; i < text.len; i++)
        print->chars += ((unsigned char)text.data[i] & 0xC0) != 0x80;
}

/* Prints an empty line and the line of the post that starts with this paragraph. */
static void begin_post(struct print *print, uint32_t number)
{
    const th_post *post = th_post_begins(print->page, print->is_started, number);
    if (!post)
        return;
    if (print->last)
        put_ascii(print, '\n', 2);
    print->last = &print->page->paragraphs[number];
    print->last_line = NULL;
    print->is_apart = false;
    if (post->author.len)
        put_text(print, post->author);
    if (post->author.len && post->published.len)
        put_text(print, TH_VIEW(", "));
    if (post->published.len)
        put_text(print, post->published);
}

static void put_one(struct print *print, uint32_t number, th_text_place *places)
{
    const th_paragraph *paragraph = &print->page->paragraphs[number];
    if (print->is_started)
        begin_post(print, number);
    const th_box *line = line_of(print, number);
    put_lead(print, number, line);
    if (places)
        places[number] = (th_text_place){ (uint32_t)print->len, (uint32_t)print->chars };
    put_paragraph(print, paragraph, line);
    print->last = paragraph;
    print->last_line = line;
    print->is_apart = false;
}

static void put_all(struct print *print, const uint8_t *label_of, th_text_place *places)
{
    const th_page *page = print->page;
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        print->is_apart |= page->paragraphs[i].is_apart;
        if (label_of && label_of[i] != TH_CONTENT)
            continue;
        if (!print->is_started || !th_is_said_by_line(page, i))
            put_one(print, i, places);
    }
}

/* Returns a size for the text that is slightly more than needed. */
static size_t text_capacity(const th_page *page, const uint8_t *label_of, bool has_posts)
{
    size_t len = page->box_count; /* tabs */
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        if (!label_of || label_of[i] == TH_CONTENT)
            len += page->paragraphs[i].text_len + (size_t)LEAD_ROOM;
    for (uint32_t i = 0; has_posts && i < page->thread->count; i++)
        len += page->thread->posts[i].author.len + page->thread->posts[i].published.len +
               LEAD_ROOM;
    return len;
}

static th_view print_page(const th_page *page, const uint8_t *label_of, bool has_posts,
                          th_text_place *places, uint32_t *chars)
{
    const th_view none = { NULL, 0 };
    struct print print = { .page = page, .has_posts = has_posts };
    print.is_marked = th_arena_calloc(page->arena, page->box_count, 1);
    print.out = th_arena_alloc(page->arena, text_capacity(page, label_of, has_posts));
    if (has_posts)
        print.is_started = th_arena_calloc(page->arena, page->thread->count, 1);
    if (!print.is_marked || !print.out || (has_posts && !print.is_started))
        return none;
    put_all(&print, label_of, places);
    if (print.len > UINT32_MAX)
        return none;
    if (chars)
        *chars = (uint32_t)print.chars;
    return (th_view){ print.out, print.len };
}

th_view th_page_print(const th_page *page, const uint8_t *label_of, th_text_place *places,
                      uint32_t *chars)
{
    return print_page(page, label_of, false, places, chars);
}

th_view th_page_print_thread(const th_page *page, const uint8_t *label_of,
                             th_text_place *places, uint32_t *chars)
{
    return print_page(page, label_of, page->thread != NULL, places, chars);
}

static bool is_text_of(const th_page *page, uint32_t paragraph, uint32_t post)
{
    return page->thread->post_of[paragraph] == post &&
           page->thread->part_of[paragraph] == TH_POST_TEXT;
}

th_view th_page_print_post(const th_page *page, uint32_t post)
{
    const th_post *row = &page->thread->posts[post];
    struct print print = { .page = page, .has_posts = true, .first_box = TH_NONE };
    size_t len = 0;
    uint32_t last_box = 0;
    for (uint32_t i = row->first_paragraph; i < row->end_paragraph; i++) {
        if (!is_text_of(page, i, post))
            continue;
        len += page->paragraphs[i].text_len + (size_t)LEAD_ROOM;
        for (uint32_t box = page->paragraphs[i].box;
             box != TH_NONE && !th_is_around_post(page, i, box);
             box = page->boxes[box].parent) {
            print.first_box = box < print.first_box ? box : print.first_box;
            last_box = box > last_box ? box : last_box;
        }
    }
    const uint32_t boxes =
        print.first_box == TH_NONE ? 0 : last_box - print.first_box + 1;
    print.is_marked = th_arena_calloc(page->arena, boxes + (size_t)1, 1);
    print.out = th_arena_alloc(page->arena, len + boxes + 1); /* tabs */
    if (!print.is_marked || !print.out)
        return (th_view){ NULL, 0 };
    for (uint32_t i = row->first_paragraph; i < row->end_paragraph; i++) {
        print.is_apart |= page->paragraphs[i].is_apart;
        if (is_text_of(page, i, post))
            put_one(&print, i, NULL);
    }
    return (th_view){ print.out, print.len };
}
