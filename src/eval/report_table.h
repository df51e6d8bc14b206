/* A table as a report shows it: as text in columns, or as Markdown. */
#ifndef TH_REPORT_TABLE_H
#define TH_REPORT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "thresher/arena.h"

typedef struct th_report_table th_report_table;

/**
 * An empty table.
 * @param heads  column heads, ends with NULL; the strings are copied into the arena
 * @return NULL without memory
 */
th_report_table *th_table_new(th_arena *arena, const char *const *heads);

/** Aligns column number i (0..31) to the left, as the first one always is. */
void th_table_left(th_report_table *table, uint32_t column);

/** Starts a row; cells that the one before lacks are empty. */
void th_table_row(th_report_table *table);

/** Adds a cell to the row. */
void th_table_text(th_report_table *table, const char *text);

/** The same with a number. @param places  decimals */
void th_table_number(th_report_table *table, double value, int places);

/** The same with a count. */
void th_table_count(th_report_table *table, uint64_t value);

/**
 * Appends the table. Columns are aligned to the right unless th_table_left was called for
 * them.
 * @return false when memory ran out while it was filled
 */
bool th_table_print(const th_report_table *table, bool is_markdown, th_buffer *out);

#endif
