/* Counts the cells with content of each table, and decides by them. */
#include "write/data_tables.h"

#include "base/array.h"

enum {
    COLUMNS_MAX = 256,
    EMPTY_MOST = 8,   /* at most 8 empty cells for each cell with text, ... */
    EMPTY_FREE = 256, /* ... beyond 256: a page of spans must not make a huge grid */
    TEXTS_MAX = 16,   /* paragraphs and items of a cell */
    BYTES_MAX = 2000, /* of their texts */
};

uint32_t th_cell_of(const th_page *page, const th_paragraph *paragraph)
{
    uint32_t box = paragraph->box;
    if (box == TH_NONE || page->boxes[box].row == TH_NONE)
        return TH_NONE;
    while (box != TH_NONE && page->boxes[box].kind != TH_BOX_CELL) {
        const uint8_t kind = page->boxes[box].kind;
        if (kind == TH_BOX_TABLE || kind == TH_BOX_ROW)
            return TH_NONE;
        box = page->boxes[box].parent;
    }
    return box;
}

uint8_t th_cell_side(const th_page *page, uint32_t cell)
{
    const uint32_t at =
        th_first_from(page->alignments, page->alignment_count, sizeof *page->alignments,
                      offsetof(th_cell_alignment, box), cell);
    return at < page->alignment_count && page->alignments[at].box == cell
               ? page->alignments[at].side
               : 0;
}

/* Returns the table that has the paragraph in a cell, or TH_NONE. */
static uint32_t table_of(const th_page *page, const th_paragraph *paragraph)
{
    const uint32_t cell = th_cell_of(page, paragraph);
    return cell == TH_NONE ? TH_NONE : page->boxes[page->boxes[cell].row].parent;
}

static void count_text(const th_page *page, th_table_shape *shape,
                       const th_paragraph *paragraph)
{
    const uint32_t number = th_cell_of(page, paragraph);
    const th_box *cell = &page->boxes[number];
    const uint32_t row = (uint32_t)cell->number + 1;
    const uint8_t layout = page->boxes[cell->row].is_layout;
    const bool is_new = !shape->cells || number != shape->last_cell;
    shape->texts = is_new ? 1 : shape->texts + 1;
    shape->bytes = is_new ? paragraph->text_len : shape->bytes + paragraph->text_len;
    shape->is_layout |= layout == TH_LAYOUT || row < shape->last_row ||
                        shape->texts > TEXTS_MAX || (layout && shape->bytes > BYTES_MAX);
    shape->has_texts |= layout == TH_LAYOUT_OF_TEXTS;
    shape->has_head |= page->nodes[cell->node].tag == TH_TAG_TH;
    shape->rows += row != shape->last_row;
    shape->last_row = row;
    shape->last_cell = number;
    shape->cells += is_new;
    if (cell->column >= shape->columns)
        shape->columns = cell->column + 1u;
}

static bool is_shown(const th_table_shape *shape)
{
    const uint64_t grid = (uint64_t)shape->columns * shape->rows;
    return !shape->is_layout && (!shape->has_texts || shape->has_head) &&
           shape->columns > 1 && shape->columns <= COLUMNS_MAX &&
           shape->cells > shape->rows &&
           grid <= EMPTY_FREE + (uint64_t)shape->cells * EMPTY_MOST;
}

th_table_shape *th_data_tables(const th_page *page, const uint8_t *label_of)
{
    th_table_shape *shapes =
        th_arena_calloc(page->arena, page->box_count, sizeof *shapes);
    for (uint32_t i = 0; shapes && i < page->paragraph_count; i++) {
        const uint32_t table = table_of(page, &page->paragraphs[i]);
        if (table != TH_NONE && label_of[i] == TH_CONTENT)
            count_text(page, &shapes[table], &page->paragraphs[i]);
    }
    for (uint32_t i = 0; shapes && i < page->box_count; i++)
        if (page->boxes[i].kind == TH_BOX_TABLE && !is_shown(&shapes[i]))
            shapes[i].columns = 0;
    return shapes;
}

uint32_t th_data_table_of(const th_page *page, const th_table_shape *shapes,
                          const th_paragraph *paragraph)
{
    const uint32_t table = table_of(page, paragraph);
    return table != TH_NONE && shapes[table].columns ? table : TH_NONE;
}
