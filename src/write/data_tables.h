/*
 * Which tables of a page are shown as tables: those of data. Such a table has no row that
 * is layout, 2 to 256 columns, more cells with content than rows, and at most 256 empty
 * cells and 8 more for each with content. The paragraphs of the others are printed one
 * after another.
 */
#ifndef TH_DATA_TABLES_H
#define TH_DATA_TABLES_H

#include <stdbool.h>

#include "thresher/page.h"

/** What is known of a box that is a table. */
typedef struct th_table_shape {
    uint32_t columns; /* of the cells with content; 0: it is not shown as a table */
    uint32_t cells;
    uint32_t rows;
    uint32_t last_row; /* while it is counted */
    bool is_layout;
} th_table_shape;

/**
 * @param label_of  by paragraph: those with TH_CONTENT count
 * @return an entry for each box, in the page's arena; NULL without memory. Linear.
 */
th_table_shape *th_data_tables(const th_page *page, const uint8_t *label_of);

/** The table in which a paragraph is a cell's text, TH_NONE: in no table that is
 * shown. */
uint32_t th_data_table_of(const th_page *page, const th_table_shape *shapes,
                          const th_paragraph *paragraph);

#endif
