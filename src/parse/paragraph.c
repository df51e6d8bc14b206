/*
 * Blocks to paragraphs, and the lists and tables that contain them, in the pass that
 * makes the blocks. [HTML Living Standard 15.3; docs/text.md]
 *
 * - A paragraph ends where a block-level element begins or ends, by the standard's style
 *   sheet alone. No style sheet of the page is read. Elements with margins there, and
 *   elements that make sections of a page, are set apart from their surroundings.
 * - Controls and pictures are inline, but adjacent words are not joined.
 * - Items are numbered as the standard numbers them (start, value, reversed). Cells have
 *   their place in the grid that spans make.
 * - Boxes are kept for elements that have a node, so max_nodes bounds them.
 *
 * Each question is answered from the parent's flow or box, and a row is marked only once
 * as layout, so no function walks up a deep page.
 */
#include "parse/paragraph.h"

#include <assert.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "parse/table_room.h"

enum {
    SPAN_MAX = 1000,      /* of columns, as in the standard */
    ROW_SPAN_MAX = 65534, /* as in the standard */
    TO_THE_END = UINT16_MAX,
    COLUMNS_MAX = 256,  /* of a table in which row spans are followed */
    CELL_LINES_MAX = 2, /* this many line ends in a cell make its row layout */
    DEPTH_MAX = UINT8_MAX,
    NUMBER_MAX = 999999999,
    KEPT_BYTES = 4 << 20, /* of a table, from page to page */
};

/* clang-format off */
const uint8_t th_boundaries[TH_TAG_COUNT] = {
    [TH_TAG_BR] = TH_LINE_BREAK,

    [TH_TAG_AUDIO] = TH_INLINE_REPLACED, [TH_TAG_BUTTON] = TH_INLINE_REPLACED,
    [TH_TAG_CANVAS] = TH_INLINE_REPLACED, [TH_TAG_EMBED] = TH_INLINE_REPLACED,
    [TH_TAG_IFRAME] = TH_INLINE_REPLACED, [TH_TAG_IMG] = TH_INLINE_REPLACED,
    [TH_TAG_INPUT] = TH_INLINE_REPLACED, [TH_TAG_METER] = TH_INLINE_REPLACED,
    [TH_TAG_OBJECT] = TH_INLINE_REPLACED, [TH_TAG_PROGRESS] = TH_INLINE_REPLACED,
    [TH_TAG_SELECT] = TH_INLINE_REPLACED, [TH_TAG_SVG] = TH_INLINE_REPLACED,
    [TH_TAG_TEXTAREA] = TH_INLINE_REPLACED, [TH_TAG_VIDEO] = TH_INLINE_REPLACED,

    [TH_TAG_ADDRESS] = TH_BLOCK, [TH_TAG_BODY] = TH_BLOCK, [TH_TAG_CAPTION] = TH_BLOCK,
    [TH_TAG_CENTER] = TH_BLOCK, [TH_TAG_DD] = TH_BLOCK, [TH_TAG_DETAILS] = TH_BLOCK,
    [TH_TAG_DIV] = TH_BLOCK, [TH_TAG_DT] = TH_BLOCK, [TH_TAG_FIGCAPTION] = TH_BLOCK,
    [TH_TAG_FORM] = TH_BLOCK, [TH_TAG_FRAMESET] = TH_BLOCK, [TH_TAG_HGROUP] = TH_BLOCK,
    [TH_TAG_HTML] = TH_BLOCK, [TH_TAG_LEGEND] = TH_BLOCK, [TH_TAG_LI] = TH_BLOCK,
    [TH_TAG_OPTGROUP] = TH_BLOCK, [TH_TAG_SEARCH] = TH_BLOCK, [TH_TAG_SUMMARY] = TH_BLOCK,
    [TH_TAG_TABLE] = TH_BLOCK, [TH_TAG_TBODY] = TH_BLOCK, [TH_TAG_TD] = TH_BLOCK,
    [TH_TAG_TFOOT] = TH_BLOCK, [TH_TAG_TH] = TH_BLOCK, [TH_TAG_THEAD] = TH_BLOCK,
    [TH_TAG_TR] = TH_BLOCK,

    [TH_TAG_ARTICLE] = TH_BLOCK_APART, [TH_TAG_ASIDE] = TH_BLOCK_APART,
    [TH_TAG_BLOCKQUOTE] = TH_BLOCK_APART, [TH_TAG_DIALOG] = TH_BLOCK_APART,
    [TH_TAG_DIR] = TH_LIST, [TH_TAG_DL] = TH_LIST,
    [TH_TAG_FIELDSET] = TH_BLOCK_APART, [TH_TAG_FIGURE] = TH_BLOCK_APART,
    [TH_TAG_FOOTER] = TH_BLOCK_APART, [TH_TAG_H1] = TH_BLOCK_APART,
    [TH_TAG_H2] = TH_BLOCK_APART, [TH_TAG_H3] = TH_BLOCK_APART,
    [TH_TAG_H4] = TH_BLOCK_APART, [TH_TAG_H5] = TH_BLOCK_APART,
    [TH_TAG_H6] = TH_BLOCK_APART, [TH_TAG_HEADER] = TH_BLOCK_APART,
    [TH_TAG_HR] = TH_BLOCK_APART, [TH_TAG_LISTING] = TH_BLOCK_APART,
    [TH_TAG_MAIN] = TH_BLOCK_APART, [TH_TAG_MENU] = TH_LIST,
    [TH_TAG_NAV] = TH_BLOCK_APART, [TH_TAG_OL] = TH_LIST,
    [TH_TAG_P] = TH_BLOCK_APART, [TH_TAG_PLAINTEXT] = TH_BLOCK_APART,
    [TH_TAG_PRE] = TH_BLOCK_APART, [TH_TAG_SECTION] = TH_BLOCK_APART,
    [TH_TAG_UL] = TH_LIST, [TH_TAG_XMP] = TH_BLOCK_APART,
};
/* clang-format on */

/* ---- memory ------------------------------------------------------------------------ */

#define HAS_ROOM(table, items, count, capacity)                                          \
    TH_TABLE_HAS_ROOM((table)->items, (table)->count, (table)->capacity, (table)->status)

void th_paragraph_table_done(th_paragraph_table *table)
{
    free(table->rows);
    free(table->boxes);
    free(table->tables);
    free(table->taken);
    *table = (th_paragraph_table){ 0 };
}

void th_paragraph_table_reset(th_paragraph_table *table)
{
    if (table->capacity * sizeof *table->rows > KEPT_BYTES ||
        table->box_capacity * sizeof *table->boxes > KEPT_BYTES)
        th_paragraph_table_done(table);
    table->count = table->box_count = table->table_count = table->taken_count = 0;
    table->part = TH_INLINE;
    table->status = TH_OK;
}

/* ---- lists and tables -------------------------------------------------------------- */

/* Returns the integer at the start of an attribute, or `otherwise`. */
static int32_t number_of(const th_attribute *attrs, size_t count, th_view name,
                         int32_t otherwise)
{
    const th_attribute *attribute = th_attribute_find(attrs, count, name);
    if (!attribute)
        return otherwise;
    const th_view text = th_ascii_trimmed(attribute->value);
    size_t at = text.len && (text.data[0] == '-' || text.data[0] == '+');
    if (at == text.len || text.data[at] < '0' || text.data[at] > '9')
        return otherwise;
    int64_t value = 0;
    for (; at < text.len && text.data[at] >= '0' && text.data[at] <= '9'; at++)
        if (value <= NUMBER_MAX)
            value = value * 10 + (text.data[at] - '0');
    if (value > NUMBER_MAX)
        value = NUMBER_MAX;
    return (int32_t)(text.data[0] == '-' ? -value : value);
}

static th_box *box_of(const th_paragraph_table *table, const th_flow *flow)
{
    return flow->box == TH_NONE ? NULL : &table->boxes[flow->box];
}

static bool is_list(const th_box *box)
{
    return box && (box->kind == TH_BOX_LIST || box->kind == TH_BOX_ORDERED);
}

static uint8_t deeper(uint8_t depth)
{
    return depth == DEPTH_MAX ? depth : (uint8_t)(depth + 1);
}

/* Opens a box in the flow's. @return it, or NULL if the element has none */
static th_box *add_box(th_paragraph_table *table, th_flow *flow, uint8_t kind,
                       uint32_t node)
{
    if (node == TH_NONE || !HAS_ROOM(table, boxes, box_count, box_capacity))
        return NULL;
    assert(table->boxes);
    const uint32_t number = table->box_count++;
    const th_box *parent = box_of(table, flow);
    th_box *box = &table->boxes[number];
    *box = (th_box){ .parent = flow->box,
                     .node = node,
                     .item = parent ? parent->item : TH_NONE,
                     .row = parent ? parent->row : TH_NONE,
                     .column_span = 1,
                     .row_span = 1,
                     .kind = kind,
                     .depth = parent ? parent->depth : 0 };
    if (kind == TH_BOX_ITEM)
        box->item = number;
    if (kind == TH_BOX_ROW)
        box->row = number;
    flow->box = number;
    return box;
}

static void begin_list(th_paragraph_table *table, th_flow *flow, bool is_ordered,
                       const th_attribute *attrs, size_t count, uint32_t node)
{
    th_box *box = add_box(table, flow, is_ordered ? TH_BOX_ORDERED : TH_BOX_LIST, node);
    if (!box)
        return;
    box->depth = deeper(box->depth);
    if (!is_ordered)
        return;
    const bool is_reversed = th_attribute_find(attrs, count, TH_VIEW("reversed"));
    const bool has_start = th_attribute_find(attrs, count, TH_VIEW("start"));
    box->is_relative = is_reversed && !has_start;
    /* Sets the number of the next item. row_span holds the step until the list has
     * ended. */
    box->number = number_of(attrs, count, TH_VIEW("start"), is_reversed ? 0 : 1);
    box->row_span = is_reversed;
}

static void begin_item(th_paragraph_table *table, th_flow *flow,
                       const th_attribute *attrs, size_t count, uint32_t node)
{
    const uint32_t list_number = flow->box;
    const bool has_list = is_list(box_of(table, flow));
    th_box *item = add_box(table, flow, TH_BOX_ITEM, node);
    if (!item)
        return;
    if (!has_list) { /* shown with its mark all the same */
        item->depth = deeper(item->depth);
        return;
    }
    th_box *list = &table->boxes[list_number];
    const bool is_set = count && th_attribute_find(attrs, count, TH_VIEW("value"));
    if (is_set) {
        list->number = number_of(attrs, count, TH_VIEW("value"), list->number);
        list->is_relative = false;
    }
    item->number = list->number;
    item->is_relative = list->is_relative;
    list->number += list->row_span ? -1 : 1;
    list->count++;
}

static void begin_table(th_paragraph_table *table, th_flow *flow, uint32_t node)
{
    if (!add_box(table, flow, TH_BOX_TABLE, node) ||
        !HAS_ROOM(table, tables, table_count, table_capacity))
        return;
    table->tables[table->table_count++] =
        (th_open_table){ .box = flow->box, .first = table->taken_count };
}

/* Cells do not reach below their row group, as in browsers. */
static void begin_row_group(th_paragraph_table *table, const th_flow *flow)
{
    th_open_table *open =
        table->table_count ? &table->tables[table->table_count - 1] : NULL;
    if (!open || open->box != flow->box)
        return;
    open->count = 0;
    table->taken_count = open->first;
}

static void begin_row(th_paragraph_table *table, th_flow *flow, uint32_t node)
{
    const uint32_t in = flow->box;
    if (in == TH_NONE || table->boxes[in].kind != TH_BOX_TABLE)
        return;
    th_box *row = add_box(table, flow, TH_BOX_ROW, node);
    if (row)
        row->number = (int32_t)table->boxes[in].count++;
}

static uint16_t clamped(int32_t value, int32_t low, int32_t high)
{
    return (uint16_t)(value < low ? low : value > high ? high : value);
}

/* Returns the innermost open table, if it is the row's. */
static th_open_table *table_of(th_paragraph_table *table, const th_box *row)
{
    if (!table->table_count)
        return NULL;
    th_open_table *open = &table->tables[table->table_count - 1];
    return open->box == row->parent ? open : NULL;
}

/* Returns the next column of the row that no cell above covers. */
static uint16_t free_column(th_paragraph_table *table, const th_box *row)
{
    const th_open_table *open = table_of(table, row);
    uint16_t column = row->column;
    while (open && column < open->count &&
           table->taken[open->first + column] > (uint32_t)row->number)
        column++;
    return column;
}

/* Notes that a cell reaches into rows below. */
static void take_columns(th_paragraph_table *table, const th_box *row, const th_box *cell)
{
    th_open_table *open = table_of(table, row);
    const uint32_t end = (uint32_t)cell->column + cell->column_span;
    if (!open || cell->row_span == 1 || end > COLUMNS_MAX)
        return;
    while (open->count < end) {
        if (!HAS_ROOM(table, taken, taken_count, taken_capacity))
            return;
        table->taken[table->taken_count++] = 0;
        open->count++;
    }
    const uint32_t until = (uint32_t)row->number + cell->row_span;
    uint32_t *taken = table->taken + open->first;
    for (uint32_t column = cell->column; column < end; column++)
        if (taken[column] < until)
            taken[column] = until;
}

static void begin_cell(th_paragraph_table *table, th_flow *flow,
                       const th_attribute *attrs, size_t count, uint32_t node)
{
    const uint32_t in = flow->box;
    if (in == TH_NONE || table->boxes[in].kind != TH_BOX_ROW)
        return;
    th_box *cell = add_box(table, flow, TH_BOX_CELL, node);
    if (!cell)
        return;
    flow->kind = TH_PARAGRAPH_CELL;
    th_box *row = &table->boxes[in];
    cell->number = row->number;
    cell->ordinal = clamped((int32_t)row->count, 0, UINT16_MAX);
    row->count += row->count < UINT16_MAX;
    cell->column = free_column(table, row);
    if (count) {
        const int32_t columns = number_of(attrs, count, TH_VIEW("colspan"), 1);
        const int32_t rows = number_of(attrs, count, TH_VIEW("rowspan"), 1);
        cell->column_span = clamped(columns, 1, SPAN_MAX);
        cell->row_span = rows ? clamped(rows, 1, ROW_SPAN_MAX) : TO_THE_END;
        take_columns(table, row, cell);
    }
    row->column = clamped((int32_t)cell->column + cell->column_span, 0, UINT16_MAX);
}

void th_flow_begin(th_paragraph_table *table, th_flow *flow, th_tag tag,
                   const th_attribute *attrs, size_t attr_count, uint32_t node)
{
    if (tag == TH_TAG_BUTTON) {
        flow->kind = TH_PARAGRAPH_CONTROL;
        return;
    }
    switch (tag) {
    case TH_TAG_H1:
    case TH_TAG_H2:
    case TH_TAG_H3:
    case TH_TAG_H4:
    case TH_TAG_H5:
    case TH_TAG_H6:
        flow->kind = TH_PARAGRAPH_HEADING;
        flow->level = (uint8_t)(tag - TH_TAG_H1 + 1);
        return;
    case TH_TAG_UL:
    case TH_TAG_OL:
    case TH_TAG_MENU:
    case TH_TAG_DIR:
        begin_list(table, flow, tag == TH_TAG_OL, attrs, attr_count, node);
        return;
    case TH_TAG_LI:
        begin_item(table, flow, attrs, attr_count, node);
        flow->kind = TH_PARAGRAPH_ITEM;
        break;
    case TH_TAG_TABLE:
        begin_table(table, flow, node);
        return;
    case TH_TAG_THEAD:
    case TH_TAG_TBODY:
    case TH_TAG_TFOOT:
        begin_row_group(table, flow);
        return;
    case TH_TAG_TR:
        begin_row(table, flow, node);
        return;
    case TH_TAG_TD:
    case TH_TAG_TH:
        begin_cell(table, flow, attrs, attr_count, node);
        if (flow->kind == TH_PARAGRAPH_HEADING)
            return; /* not a cell, because it has no row */
        break;
    case TH_TAG_BLOCKQUOTE:
        (void)add_box(table, flow, TH_BOX_QUOTE, node);
        flow->kind = TH_PARAGRAPH_QUOTE;
        break;
    case TH_TAG_PRE:
    case TH_TAG_LISTING:
    case TH_TAG_XMP:
    case TH_TAG_PLAINTEXT:
        flow->kind = TH_PARAGRAPH_PRE;
        flow->is_pre = true;
        break;
    case TH_TAG_CAPTION:
    case TH_TAG_FIGCAPTION:
    case TH_TAG_LEGEND:
        flow->kind = TH_PARAGRAPH_CAPTION;
        break;
    case TH_TAG_DT:
        flow->kind = TH_PARAGRAPH_TERM;
        break;
    case TH_TAG_DD:
        flow->kind = TH_PARAGRAPH_DEFINITION;
        break;
    default:
        return; /* the enclosing paragraph continues */
    }
    flow->level = 0;
}

void th_flow_end(th_paragraph_table *table, const th_flow *flow, th_tag tag)
{
    if (tag != TH_TAG_TABLE || !table->table_count ||
        table->tables[table->table_count - 1].box != flow->box)
        return;
    table->table_count--;
    table->taken_count = table->tables[table->table_count].first;
}

/* ---- paragraphs -------------------------------------------------------------------- */

/* Marks rows as layout, from this one outwards. */
static void mark_layout(th_paragraph_table *table, uint32_t row, uint8_t layout)
{
    while (row != TH_NONE && table->boxes[row].is_layout < layout) {
        table->boxes[row].is_layout = layout;
        row = table->boxes[table->boxes[row].parent].row;
        layout = TH_LAYOUT; /* a table in a cell */
    }
}

/* A paragraph begins in a box: updates the rows that contain it. */
static void note_in_rows(th_paragraph_table *table, const th_flow *flow)
{
    th_box *box = box_of(table, flow);
    if (!box || box->row == TH_NONE)
        return;
    if (box->kind != TH_BOX_CELL || box->texts++ || flow->is_pre) {
        const bool is_text = !flow->is_pre && flow->kind != TH_PARAGRAPH_HEADING &&
                             flow->kind != TH_PARAGRAPH_QUOTE;
        mark_layout(table, box->row, is_text ? TH_LAYOUT_OF_TEXTS : TH_LAYOUT);
        return;
    }
    th_box *row = &table->boxes[box->row];
    row->texts++;
    mark_layout(table, table->boxes[row->parent].row, TH_LAYOUT);
}

/* A line ends in a paragraph. Many line ends in a cell make it a separate text. */
static void note_line_in_cell(th_paragraph_table *table, uint32_t number)
{
    if (number == TH_NONE || table->boxes[number].kind != TH_BOX_CELL)
        return;
    th_box *cell = &table->boxes[number];
    if (++cell->count == CELL_LINES_MAX)
        mark_layout(table, cell->row, TH_LAYOUT_OF_TEXTS);
}

void th_paragraph_take(th_paragraph_table *table, const th_flow *flow, uint32_t number,
                       th_block *block, uint32_t text_at, uint32_t char_at)
{
    const th_boundary part = table->part;
    /* A button in a heading is a control. */
    const uint8_t level = flow->kind == TH_PARAGRAPH_HEADING ? flow->level : 0;
    table->part = TH_INLINE;
    if (table->count && part <= TH_LINE_BREAK &&
        table->rows[table->count - 1].is_hidden == flow->is_hidden) {
        th_paragraph *last = &table->rows[table->count - 1];
        if (last->kind == TH_PARAGRAPH_CONTROL) {
            last->kind = flow->kind;
            last->level = level;
        }
        if (part == TH_LINE_BREAK)
            note_line_in_cell(table, last->box);
        last->end_block = number + 1;
        block->paragraph = table->count - 1;
        return;
    }
    if (!HAS_ROOM(table, rows, count, capacity))
        return;
    table->rows[table->count] = (th_paragraph){ .first_block = number,
                                                .end_block = number + 1,
                                                .text_start = text_at,
                                                .char_start = char_at,
                                                .node = flow->node,
                                                .box = flow->box,
                                                .kind = flow->kind,
                                                .level = level,
                                                .is_apart = part == TH_BLOCK_APART,
                                                .is_space_kept = flow->is_pre,
                                                .is_hidden = flow->is_hidden };
    block->paragraph = table->count++;
    note_in_rows(table, flow);
}

void th_paragraph_table_finish(th_paragraph_table *table, const th_block *blocks)
{
    for (uint32_t i = 0; i < table->count; i++) {
        th_paragraph *row = &table->rows[i];
        const th_block *last = &blocks[row->end_block - 1];
        row->text_len = last->text_start + last->text_len - row->text_start;
        row->char_len = last->char_start + last->char_len - row->char_start;
    }
    for (uint32_t i = 0; i < table->box_count; i++) {
        th_box *box = &table->boxes[i];
        if (box->kind == TH_BOX_ITEM && box->is_relative)
            box->number += (int32_t)table->boxes[box->parent].count;
        if (box->kind == TH_BOX_ORDERED)
            box->row_span = 1;
        box->is_relative = false;
    }
}
