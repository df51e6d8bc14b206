/*
 * Decides which tables of a page are shown as tables: data tables. Such a table has 2 to
 * 256 columns, more cells with content than rows, and at most 256 empty cells plus 8 for
 * each cell with content. No row is layout. If a cell is a TH, cells may also hold up to
 * 16 paragraphs or items and 2,000 bytes. The paragraphs of other tables are printed one
 * after another.
 */
#ifndef TH_DATA_TABLES_H
#define TH_DATA_TABLES_H

#include <stdbool.h>

#include "thresher/page.h"

/** Facts about a box that is a table. */
typedef struct th_table_shape {
    uint32_t columns; /* of the cells with content; 0 if it is not shown as a table */
    uint32_t cells;
    uint32_t rows;
    uint32_t last_row; /* while it is counted, as are the next members */
    uint32_t last_cell, texts, bytes;
    bool is_layout;
    bool has_texts; /* a cell has several paragraphs, items or lines */
    bool has_head;  /* a cell is a TH */
} th_table_shape;

/**
 * @param label_of  by paragraph; paragraphs with TH_CONTENT count
 * @return an entry for each box, in the page's arena; NULL without memory. Linear.
 */
th_table_shape *th_data_tables(const th_page *page, const uint8_t *label_of);

/** Returns the cell that contains a paragraph, also in a list; TH_NONE if none. */
uint32_t th_cell_of(const th_page *page, const th_paragraph *paragraph);

/** Returns a cell's alignment: TH_ALIGN_..., 0 if the page gives none. O(log n). */
uint8_t th_cell_side(const th_page *page, uint32_t cell);

/** Returns the table in which a paragraph is a cell's text, TH_NONE if no shown table has
 * it. */
uint32_t th_data_table_of(const th_page *page, const th_table_shape *shapes,
                          const th_paragraph *paragraph);

#endif
