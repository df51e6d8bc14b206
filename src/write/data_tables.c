/* Counts the cells with content of each table, and decides by them. */
#include "write/data_tables.h"

enum {
    COLUMNS_MAX = 256,
    EMPTY_MOST = 8,   /* empty cells for each with text, at most, ... */
    EMPTY_FREE = 256, /* ... beyond so many: a page of spans must not make a huge grid */
};

/* The table of which the paragraph is in a cell, or TH_NONE. */
static uint32_t table_of(const th_page *page, const th_paragraph *paragraph)
{
    const th_box *box = paragraph->box == TH_NONE ? NULL : &page->boxes[paragraph->box];
    return box && box->kind == TH_BOX_CELL ? page->boxes[box->row].parent : TH_NONE;
}

static void count_cell(const th_page *page, th_table_shape *shape, const th_box *cell)
{
    const uint32_t row = (uint32_t)cell->number + 1;
    shape->is_layout |= page->boxes[cell->row].is_layout || row < shape->last_row;
    shape->rows += row != shape->last_row;
    shape->last_row = row;
    shape->cells++;
    if (cell->column >= shape->columns)
        shape->columns = cell->column + 1u;
}

static bool is_shown(const th_table_shape *shape)
{
    const uint64_t grid = (uint64_t)shape->columns * shape->rows;
    return !shape->is_layout && shape->columns > 1 && shape->columns <= COLUMNS_MAX &&
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
            count_cell(page, &shapes[table], &page->boxes[page->paragraphs[i].box]);
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
