/*
 * Content to Markdown.  [CommonMark 0.31, GitHub Flavored Markdown]
 *
 * Lists and quotes are frames around paragraphs. They open and close where the boxes
 * around one paragraph differ from the boxes around the last, so a part that is cut out
 * of a page leaves no open or half construct. Each line begins with the prefixes of its
 * frames.
 *
 * - Numbers are the page's. If a number does not follow the last, a new list begins, with
 *   the other delimiter. The same applies to two adjacent lists.
 * - The first row of a table is its head, because Markdown has no table without one. A
 *   cell that spans others is written in the first of them.
 * - A fence is longer than any in its code. The code's lines are copied.
 * - A footnote is a separate frame: its item leaves the list.
 * - A term is strong unless it has code or emphasis in it. Its definition is a paragraph,
 *   because CommonMark has no definition lists.
 * - The label of a tab is a strong paragraph before its panel.
 */
#include "write/markdown.h"

#include <string.h>

#include "page/post_line.h"
#include "write/data_tables.h"
#include "write/footnotes.h"
#include "write/inline_pieces.h"
#include "write/markdown_escape.h"
#include "write/tab_labels.h"

enum {
    FRAMES_MAX = 20, /* deeper lists and quotes are not indented further */
    NUMBER_MAX = 999999999,
    ROOT = -1,
};

enum { FRAME_ROOT, FRAME_QUOTE, FRAME_LIST, FRAME_ITEM, FRAME_NOTE };

/* A list, an item, a quote or a footnote that is open. */
struct frame {
    int kind;        /* FRAME_... */
    uint32_t box;    /* of the page */
    uint32_t indent; /* item: columns of its mark */
    char mark;       /* list: '-' or '*', '.' or ')' */
    char last_mark;  /* of the list that was the last thing in it; 0 if none */
    bool is_ordered;
    bool has_mark; /* item, note: whether it is printed */
    int64_t next;  /* ordered list: the number that Markdown counts next */
};

struct markdown {
    const th_page *page;
    th_buffer *out;
    th_pieces pieces;
    th_buffer line; /* a paragraph */
    const th_table_shape *shapes;
    struct frame frames[FRAMES_MAX + 1]; /* [0] is the page */
    uint32_t count;
    uint32_t kept;       /* frames that were open for the last block, and still are */
    bool has_block;      /* something is printed */
    bool was_plain;      /* the last block was a paragraph */
    uint32_t chain[256]; /* boxes around a paragraph, the innermost last */
    uint32_t chain_count;
    uint8_t *is_started; /* posts whose line is printed; NULL: the page has no thread */
    th_tab_labels tabs;
};

static struct frame *top(struct markdown *md)
{
    return &md->frames[md->count - 1];
}

/* ---- lines ------------------------------------------------------------------------- */

static void put_blanks(th_buffer *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        th_buffer_append_char(out, ' ');
}

/* Writes the prefixes of the frames at the beginning of a line. */
static void put_prefix(struct markdown *md, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct frame *frame = &md->frames[i];
        if (frame->kind == FRAME_QUOTE) {
            th_buffer_append_text(md->out, "> ");
        } else if (frame->kind == FRAME_NOTE && frame->has_mark) {
            put_blanks(md->out, 4);
        } else if (frame->kind == FRAME_NOTE) {
            th_buffer_printf(md->out, "[^%d]: ", (int)md->page->boxes[frame->box].number);
            frame->has_mark = true;
        } else if (frame->kind == FRAME_ITEM && frame->has_mark) {
            put_blanks(md->out, frame->indent);
        } else if (frame->kind == FRAME_ITEM) {
            const struct frame *list = frame - 1;
            if (list->is_ordered)
                th_buffer_printf(md->out, "%d%c ", (int)(list->next - 1), list->mark);
            else
                th_buffer_printf(md->out, "%c ", list->mark);
            frame->has_mark = true;
        }
    }
}

/* Writes an empty line within the first `count` frames. */
static void put_empty_line(struct markdown *md, uint32_t count)
{
    put_prefix(md, count);
    while (md->out->len && md->out->data[md->out->len - 1] == ' ')
        md->out->len--;
    th_buffer_append_char(md->out, '\n');
}

/* Whether a block may follow the last without an empty line, as an item may. */
static bool is_tight(const struct markdown *md, bool is_apart)
{
    const struct frame *item = &md->frames[md->count - 1];
    if (is_apart || !md->was_plain || item->kind != FRAME_ITEM || item->has_mark)
        return false;
    if (md->kept == md->count - 1) /* in the same list */
        return true;
    /* The first item of a list in an item. */
    return md->kept == md->count - 2 && md->frames[md->kept - 1].kind == FRAME_ITEM &&
           md->frames[md->kept - 1].has_mark &&
           (!item[-1].is_ordered || item[-1].next == 2) &&
           md->frames[md->kept - 1].last_mark == item[-1].mark;
}

/* Ends the block before and begins one. */
static void begin_block(struct markdown *md, bool is_apart, bool is_plain)
{
    if (md->has_block) {
        th_buffer_append_char(md->out, '\n');
        if (!is_tight(md, is_apart))
            put_empty_line(md, md->kept);
    }
    top(md)->last_mark = 0;
    if (top(md)->kind == FRAME_LIST) /* text between its items ends it */
        top(md)[-1].last_mark = 0;
    put_prefix(md, md->count);
    md->kept = md->count;
    md->has_block = true;
    md->was_plain = is_plain && top(md)->kind != FRAME_LIST;
}

static void put_line_end(struct markdown *md)
{
    th_buffer_append_char(md->out, '\n');
    put_prefix(md, md->count);
}

/* Writes text. Each line gets the prefixes of the frames. */
static void put_lines(struct markdown *md, th_view text)
{
    while (text.len) {
        const char *end = memchr(text.data, '\n', text.len);
        const size_t len = end ? (size_t)(end - text.data) : text.len;
        th_buffer_append(md->out, text.data, len);
        if (!end)
            return;
        put_line_end(md);
        text.data += len + 1;
        text.len -= len + 1;
    }
}

/* ---- frames ------------------------------------------------------------------------ */

static void close_to(struct markdown *md, uint32_t count)
{
    md->count = count;
    if (md->kept > count)
        md->kept = count;
}

static struct frame *open_frame(struct markdown *md, int kind, uint32_t box)
{
    struct frame *frame = &md->frames[md->count++];
    *frame = (struct frame){ .kind = kind, .box = box };
    return frame;
}

static void open_list(struct markdown *md, uint32_t box, bool is_ordered, int64_t number)
{
    struct frame *around = top(md);
    char mark = is_ordered ? '.' : '-';
    if (around->last_mark == mark)
        mark = is_ordered ? ')' : '*';
    around->last_mark = mark;
    struct frame *list = open_frame(md, FRAME_LIST, box);
    list->mark = mark;
    list->is_ordered = is_ordered;
    list->next = number;
}

/* Digits of a number that is not negative. */
static uint32_t digits(int64_t number)
{
    uint32_t count = 1;
    for (; number > 9; number /= 10)
        count++;
    return count;
}

static void open_item(struct markdown *md, uint32_t box)
{
    const th_box *item = &md->page->boxes[box];
    const uint32_t parent = item->parent;
    const bool is_ordered = parent != TH_NONE &&
                            md->page->boxes[parent].kind == TH_BOX_ORDERED &&
                            item->number >= 0 && item->number <= NUMBER_MAX;
    const bool has_list = top(md)->kind == FRAME_LIST;
    const bool goes_on = has_list && top(md)->is_ordered == is_ordered &&
                         (!is_ordered || top(md)->next == item->number);
    if (!goes_on) {
        const uint32_t list = has_list ? top(md)->box : TH_NONE;
        if (has_list)
            close_to(md, md->count - 1);
        open_list(md, list, is_ordered, item->number);
    }
    struct frame *list = top(md);
    list->next = (int64_t)item->number + 1;
    struct frame *frame = open_frame(md, FRAME_ITEM, box);
    frame->indent = is_ordered ? digits(item->number) + 2 : 2;
}

/* Fills the chain of boxes around a paragraph that become frames. */
static void find_chain(struct markdown *md, uint32_t of, uint32_t box)
{
    const uint32_t capacity = sizeof md->chain / sizeof *md->chain;
    uint32_t count = 0;
    for (; box != TH_NONE; box = md->page->boxes[box].parent) {
        const uint8_t kind = md->page->boxes[box].kind;
        if (md->is_started && th_is_around_post(md->page, of, box))
            break;
        if (kind != TH_BOX_LIST && kind != TH_BOX_ORDERED && kind != TH_BOX_ITEM &&
            kind != TH_BOX_QUOTE)
            continue;
        if (kind == TH_BOX_ORDERED && count && md->pieces.is_note[md->chain[count - 1]])
            continue;
        if (count == capacity) { /* the outermost count */
            memmove(md->chain, md->chain + 1, (capacity - 1) * sizeof *md->chain);
            count--;
        }
        md->chain[count++] = box;
    }
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint32_t other = md->chain[i];
        md->chain[i] = md->chain[count - 1 - i];
        md->chain[count - 1 - i] = other;
    }
    md->chain_count = count;
}

static bool is_list(const th_box *box)
{
    return box->kind == TH_BOX_LIST || box->kind == TH_BOX_ORDERED;
}

/* Whether an item of the list chain[at] follows in the chain. */
static bool has_item(const struct markdown *md, uint32_t at)
{
    return at + 1 < md->chain_count &&
           md->page->boxes[md->chain[at + 1]].kind == TH_BOX_ITEM;
}

/* Returns whether the frame stays open around chain[at], which is not its own box. */
static bool goes_around(const struct markdown *md, uint32_t frame, uint32_t at)
{
    const struct frame *own = &md->frames[frame];
    const uint32_t number = md->chain[at];
    const th_box *box = &md->page->boxes[number];
    if (own->kind == FRAME_LIST && own->box == TH_NONE) /* it goes with its item */
        return frame + 1 < md->count && md->frames[frame + 1].box == number;
    /* A list directly in a list is part of the item before it. */
    return own->kind == FRAME_ITEM && is_list(box) && own[-1].kind == FRAME_LIST &&
           own[-1].box == box->parent;
}

/* Opens and closes frames until they match the frames around the paragraph. */
static void enter(struct markdown *md, uint32_t paragraph, uint32_t box)
{
    find_chain(md, paragraph, box);
    uint32_t same = 1, at = 0;
    while (same < md->count && at < md->chain_count) {
        if (md->frames[same].box == md->chain[at]) {
            same++;
            at++;
        } else if (goes_around(md, same, at)) {
            same++;
        } else if (is_list(&md->page->boxes[md->chain[at]]) && !has_item(md, at)) {
            at++; /* it has no frame */
        } else {
            break;
        }
    }
    close_to(md, same);
    for (; at < md->chain_count && md->count + 2 <= FRAMES_MAX; at++) {
        const uint32_t number = md->chain[at];
        const th_box *next = &md->page->boxes[number];
        if (next->kind == TH_BOX_QUOTE) {
            (void)open_frame(md, FRAME_QUOTE, number);
            continue;
        }
        if (md->pieces.is_note[number]) {
            (void)open_frame(md, FRAME_NOTE, number);
            continue;
        }
        if (next->kind == TH_BOX_ITEM) {
            open_item(md, number);
            continue;
        }
        /* Opens a list. It opens with its first item, because it needs the item's
         * number. */
        if (!has_item(md, at))
            continue;
        const th_box *item = &md->page->boxes[md->chain[at + 1]];
        const bool is_ordered = next->kind == TH_BOX_ORDERED && item->number >= 0 &&
                                item->number <= NUMBER_MAX;
        open_list(md, number, is_ordered, item->number);
    }
}

/* ---- blocks ------------------------------------------------------------------------ */

static void put_heading(struct markdown *md, unsigned level)
{
    for (unsigned i = 0; i < level; i++)
        th_buffer_append_char(md->out, '#');
    th_buffer_append_char(md->out, ' ');
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n';
}

static bool ends_in_blank(th_view text)
{
    return text.len && is_blank(text.data[text.len - 1]);
}

/* Removes the links back from a footnote, and the spaces that they leave. */
static void drop_links_back(th_pieces *pieces)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pieces->count; i++) {
        th_piece piece = pieces->items[i];
        const th_view before =
            count ? pieces->items[count - 1].text : (th_view){ " ", 1 };
        if (piece.note && piece.note->is_back) {
            if (!ends_in_blank(piece.text) || ends_in_blank(before))
                continue;
            piece = (th_piece){ .text = { " ", 1 }, .link = TH_NONE };
        }
        pieces->items[count++] = piece;
    }
    const bool has_dropped = count < pieces->count;
    pieces->count = count;
    th_view *last = has_dropped && count ? &pieces->items[count - 1].text : NULL;
    while (last && ends_in_blank(*last))
        last->len--;
}

/* Makes a whole term strong unless parts of it are code or in emphasis. These parts
 * already distinguish it from its definition, and strong around them could not always
 * begin or end there. */
static void mark_term(th_pieces *pieces)
{
    bool is_marked = false;
    for (uint32_t i = 0; i < pieces->count; i++)
        is_marked |= pieces->items[i].style != 0;
    for (uint32_t i = 0; i < pieces->count && !is_marked; i++)
        pieces->items[i].style = TH_STYLE_STRONG;
}

static th_status put_text(struct markdown *md, uint32_t number)
{
    const th_paragraph *paragraph = &md->page->paragraphs[number];
    const bool is_heading = paragraph->kind == TH_PARAGRAPH_HEADING;
    const th_status status = th_pieces_of(&md->pieces, number);
    if (status)
        return status;
    drop_links_back(&md->pieces);
    if (paragraph->kind == TH_PARAGRAPH_TERM)
        mark_term(&md->pieces);
    th_buffer_reset(&md->line);
    th_markdown_inline(md->page, md->pieces.items, md->pieces.count,
                       (th_markdown_place){ .is_one_line = is_heading }, &md->line);
    if (md->line.has_failed)
        return TH_NOMEM;
    if (!md->line.len)
        return TH_OK;
    begin_block(md, paragraph->is_apart, !is_heading);
    if (is_heading)
        put_heading(md, paragraph->level);
    put_lines(md, th_buffer_view(&md->line));
    return TH_OK;
}

/* Returns the longest run of a character in a text, at least 2. */
static size_t longest_run(th_view text, char c)
{
    size_t max = 2, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.data[i] == c ? run + 1 : 0;
        max = run > max ? run : max;
    }
    return max;
}

static void put_code(struct markdown *md, uint32_t number)
{
    const th_view text = th_paragraph_text(md->page, number);
    const size_t fence = longest_run(text, '`') + 1;
    begin_block(md, true, false);
    for (size_t i = 0; i < fence; i++)
        th_buffer_append_char(md->out, '`');
    th_buffer_append_view(md->out, th_pieces_language(&md->pieces, number));
    put_line_end(md);
    put_lines(md, text);
    put_line_end(md);
    for (size_t i = 0; i < fence; i++)
        th_buffer_append_char(md->out, '`');
}

static void put_empty_cells(struct markdown *md, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        th_buffer_append_text(md->out, " |");
}

/* Writes the line after the head of a table. @param sides  of its columns:
 * TH_ALIGN_... */
static void put_ruler(struct markdown *md, const uint8_t *sides, uint32_t columns)
{
    static const char *const rulers[] = {
        [0] = " --- |",
        [TH_ALIGN_LEFT] = " :--- |",
        [TH_ALIGN_CENTER] = " :---: |",
        [TH_ALIGN_RIGHT] = " ---: |",
    };
    th_buffer_append_char(md->out, '|');
    for (uint32_t i = 0; i < columns; i++)
        th_buffer_append_text(md->out, rulers[sides[i]]);
}

/* Writes a paragraph of a cell, in Markdown, after its bar. */
static th_status put_cell_text(struct markdown *md, uint32_t number)
{
    const th_status status = th_pieces_of(&md->pieces, number);
    if (status)
        return status;
    th_buffer_reset(&md->line);
    th_markdown_inline(md->page, md->pieces.items, md->pieces.count,
                       (th_markdown_place){ .is_one_line = true, .is_cell = true },
                       &md->line);
    if (md->line.has_failed)
        return TH_NOMEM;
    th_buffer_append_view(md->out, th_buffer_view(&md->line));
    return TH_OK;
}

/* Writes a table. The paragraphs [first, end) are the texts of its cells, in order. */
static th_status put_table(struct markdown *md, const uint8_t *label_of, uint32_t table,
                           uint32_t first, uint32_t end)
{
    static const char bar[] = " |";
    const uint32_t columns = md->shapes[table].columns;
    uint8_t sides[256] = { 0 };
    uint32_t column = 0, rows = 0, last_cell = TH_NONE;
    int32_t row = ROOT;
    for (uint32_t i = first; i < end; i++) {
        if (label_of[i] != TH_CONTENT)
            continue;
        const uint32_t number = th_cell_of(md->page, &md->page->paragraphs[i]);
        const th_box *cell = &md->page->boxes[number];
        if (number == last_cell) { /* further paragraphs and items */
            md->out->len -= sizeof bar - 1;
            th_buffer_append_text(md->out, "<br>");
        } else {
            if (cell->number != row) {
                if (rows) {
                    put_empty_cells(md, columns - column);
                    put_line_end(md);
                } else {
                    begin_block(md, true, false);
                }
                if (rows == 1) {
                    put_ruler(md, sides, columns);
                    put_line_end(md);
                }
                th_buffer_append_char(md->out, '|');
                row = cell->number;
                column = 0;
                rows++;
            }
            put_empty_cells(md, cell->column - column);
            th_buffer_append_char(md->out, ' ');
            if (rows == 1 && cell->column < sizeof sides)
                sides[cell->column] = th_cell_side(md->page, number);
        }
        const th_status status = put_cell_text(md, i);
        if (status)
            return status;
        th_buffer_append_text(md->out, bar);
        column = cell->column + 1u;
        last_cell = number;
    }
    put_empty_cells(md, columns - column);
    if (rows == 1) {
        put_line_end(md);
        put_ruler(md, sides, columns);
    }
    return TH_OK;
}

/* ---- the page ---------------------------------------------------------------------- */

/* Returns the data table that has a paragraph as a cell, TH_NONE if none or if it is
 * around the paragraph's post. */
static uint32_t table_of(const struct markdown *md, uint32_t number)
{
    const th_page *page = md->page;
    const uint32_t table = th_data_table_of(page, md->shapes, &page->paragraphs[number]);
    return table != TH_NONE && md->is_started && th_is_around_post(page, number, table)
               ? TH_NONE
               : table;
}

/* Writes the line of a post before its first paragraph. */
static th_status begin_post(struct markdown *md, uint32_t number)
{
    const th_post *post = th_post_begins(md->page, md->is_started, number);
    if (!post)
        return TH_OK;
    close_to(md, 1);
    th_piece pieces[3];
    uint32_t count = 0;
    if (post->author.len)
        pieces[count++] =
            (th_piece){ .text = post->author, .style = TH_STYLE_STRONG, .link = TH_NONE };
    if (post->author.len && post->published.len)
        pieces[count++] = (th_piece){ .text = TH_VIEW(", "), .link = TH_NONE };
    if (post->published.len)
        pieces[count++] = (th_piece){ .text = post->published, .link = TH_NONE };
    th_buffer_reset(&md->line);
    th_markdown_inline(md->page, pieces, count,
                       (th_markdown_place){ .is_one_line = true }, &md->line);
    if (md->line.has_failed)
        return TH_NOMEM;
    begin_block(md, true, false);
    put_lines(md, th_buffer_view(&md->line));
    return TH_OK;
}

/* Writes the labels of the tabs that begin with a paragraph. */
static th_status put_tab_labels(struct markdown *md, uint32_t number)
{
    const th_tab_label *label;
    while ((label = th_tab_label_before(&md->tabs, number))) {
        th_piece piece = { .text = label->text,
                           .style = TH_STYLE_STRONG,
                           .link = TH_NONE };
        th_buffer_reset(&md->line);
        th_markdown_inline(md->page, &piece, 1,
                           (th_markdown_place){ .is_one_line = true }, &md->line);
        if (md->line.has_failed)
            return TH_NOMEM;
        enter(md, number, label->box);
        begin_block(md, true, false);
        put_lines(md, th_buffer_view(&md->line));
    }
    return TH_OK;
}

/* Returns the end of consecutive cells of the table. Dropped paragraphs do not end it. */
static uint32_t end_of_cells(const struct markdown *md, const uint8_t *label_of,
                             uint32_t table, uint32_t first)
{
    uint32_t end = first;
    int32_t row = 0;
    for (uint32_t i = first; i < md->page->paragraph_count; i++) {
        const th_paragraph *paragraph = &md->page->paragraphs[i];
        if (label_of[i] != TH_CONTENT)
            continue;
        if (table_of(md, i) != table)
            break;
        const int32_t own = md->page->boxes[th_cell_of(md->page, paragraph)].number;
        if (own < row)
            break;
        row = own;
        end = i + 1;
    }
    return end;
}

/* Writes pictures and formulas on their own between two paragraphs of content: in the
 * item or quote that begins with them, else where the text before them ends. */
static void put_alone(struct markdown *md, uint32_t number, bool is_shown)
{
    const th_inset *inset;
    while ((inset = th_pieces_alone(&md->pieces, number))) {
        if (!is_shown)
            continue;
        if (inset->is_inside)
            enter(md, number, md->page->paragraphs[number].box);
        th_buffer_reset(&md->line);
        th_markdown_inset(inset, (th_markdown_place){ .is_one_line = true }, &md->line);
        begin_block(md, true, false);
        put_lines(md, th_buffer_view(&md->line));
    }
}

static th_status put_all(struct markdown *md)
{
    const th_page *page = md->page;
    const uint8_t *label_of = md->tabs.label_of;
    th_status status = TH_OK;
    for (uint32_t i = 0; i < page->paragraph_count && status == TH_OK;) {
        const th_paragraph *paragraph = &page->paragraphs[i];
        const bool is_kept = label_of[i] == TH_CONTENT;
        put_alone(md, i, is_kept && i && md->has_block && label_of[i - 1] == TH_CONTENT);
        if (!is_kept) {
            i++;
            continue;
        }
        if (md->is_started && th_is_said_by_line(page, i)) {
            i++;
            continue;
        }
        if (md->is_started)
            status = begin_post(md, i);
        if (status == TH_OK)
            status = put_tab_labels(md, i);
        if (status)
            break;
        const uint32_t table = table_of(md, i);
        enter(md, i, table == TH_NONE ? paragraph->box : page->boxes[table].parent);
        uint32_t end = i + 1;
        if (table != TH_NONE) {
            end = end_of_cells(md, label_of, table, i);
            status = put_table(md, label_of, table, i, end);
        } else if (paragraph->is_space_kept) {
            put_code(md, i);
        } else {
            status = put_text(md, i);
        }
        i = end;
    }
    return status;
}

/* Writes the headline as the first heading. */
static th_status put_headline(struct markdown *md, const th_page_headline *headline)
{
    th_piece title = { .text = headline->title, .link = TH_NONE };
    th_pieces *pieces = &md->pieces;
    const th_pieces before = *pieces;
    const bool is_paragraph = headline->paragraph != TH_NONE;
    if (!is_paragraph && !title.text.len)
        return TH_OK;
    const th_status status =
        is_paragraph ? th_pieces_of(pieces, headline->paragraph) : TH_OK;
    if (status)
        return status;
    if (is_paragraph)
        drop_links_back(pieces);
    th_buffer_reset(&md->line);
    th_markdown_inline(md->page, is_paragraph ? pieces->items : &title,
                       is_paragraph ? pieces->count : 1,
                       (th_markdown_place){ .is_one_line = true }, &md->line);
    pieces->run = before.run; /* the paragraphs come from the first on */
    pieces->inset = before.inset;
    pieces->language = before.language;
    if (md->line.has_failed)
        return TH_NOMEM;
    if (!md->line.len)
        return TH_OK;
    begin_block(md, true, false);
    put_heading(md, 1);
    put_lines(md, th_buffer_view(&md->line));
    return TH_OK;
}

th_status th_markdown_write(const th_page *page, const th_options *opt,
                            const th_page_headline *headline, th_buffer *out)
{
    struct markdown md = { .page = page,
                           .out = out,
                           .pieces = { .page = page, .opt = opt } };
    md.count = md.kept = 1;
    th_status status = th_tab_labels_find(page, headline->label_of, &md.tabs);
    if (status)
        return status;
    md.shapes = th_data_tables(page, md.tabs.label_of);
    md.pieces.is_note = th_footnotes(page, md.tabs.label_of);
    if (page->thread)
        md.is_started = th_arena_calloc(page->arena, page->thread->count, 1);
    const bool has_all =
        md.shapes && md.pieces.is_note && (!page->thread || md.is_started);
    status = has_all ? put_headline(&md, headline) : TH_NOMEM;
    if (status == TH_OK)
        status = put_all(&md);
    th_buffer_done(&md.line);
    return status == TH_OK && out->has_failed ? TH_NOMEM : status;
}
