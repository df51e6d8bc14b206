/* A table: cells in one list, row by row. */
#include "eval/report_table.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/unicode.h"

struct th_report_table {
    th_arena *arena;
    const char **cells; /* the heads are the first row */
    size_t cell_count, capacity;
    size_t columns;
    uint32_t left; /* bits of columns */
    bool has_failed;
};

void th_table_text(th_report_table *table, const char *text)
{
    if (table->cell_count == table->capacity) {
        const size_t capacity = table->capacity ? 2 * table->capacity : 64;
        const char **cells = th_arena_alloc(table->arena, capacity * sizeof *cells);
        if (!cells) {
            table->has_failed = true;
            return;
        }
        if (table->cell_count)
            memcpy(cells, table->cells, table->cell_count * sizeof *cells);
        table->cells = cells;
        table->capacity = capacity;
    }
    const th_view copy = th_arena_copy(table->arena, (th_view){ text, strlen(text) + 1 });
    if (!copy.data)
        table->has_failed = true;
    else
        table->cells[table->cell_count++] = copy.data;
}

th_report_table *th_table_new(th_arena *arena, const char *const *heads)
{
    th_report_table *table = th_arena_calloc(arena, 1, sizeof *table);
    if (!table)
        return NULL;
    table->arena = arena;
    table->left = 1;
    for (; heads[table->columns]; table->columns++)
        th_table_text(table, heads[table->columns]);
    return table->has_failed ? NULL : table;
}

void th_table_left(th_report_table *table, uint32_t column)
{
    table->left |= 1u << column;
}

static bool is_left(const th_report_table *table, size_t column)
{
    return column < 32 && table->left >> column & 1;
}

void th_table_row(th_report_table *table)
{
    while (!table->has_failed && table->cell_count % table->columns)
        th_table_text(table, "");
}

void th_table_number(th_report_table *table, double value, int places)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%.*f", places, value);
    th_table_text(table, text);
}

void th_table_count(th_report_table *table, uint64_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    th_table_text(table, text);
}

static void pad(th_buffer *out, size_t blanks)
{
    while (blanks-- > 0)
        th_buffer_append_char(out, ' ');
}

static size_t width_of(const char *cell)
{
    return th_utf8_count(cell, strlen(cell));
}

static size_t column_width(const th_report_table *table, size_t column)
{
    size_t widest = 0;
    for (size_t i = column; i < table->cell_count; i += table->columns) {
        const size_t width = width_of(table->cells[i]);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void print_text(const th_report_table *table, th_buffer *out)
{
    for (size_t i = 0; i < table->cell_count; i++) {
        const char *cell = table->cells[i];
        const size_t column = i % table->columns;
        const size_t blanks = column_width(table, column) - width_of(cell);
        const bool is_last = column + 1 == table->columns;
        if (column > 0)
            pad(out, 2);
        if (!is_left(table, column))
            pad(out, blanks);
        th_buffer_append_text(out, cell);
        if (is_left(table, column) && !is_last)
            pad(out, blanks);
        if (is_last)
            th_buffer_append_char(out, '\n');
    }
}

static void print_markdown(const th_report_table *table, th_buffer *out)
{
    for (size_t i = 0; i < table->cell_count; i++) {
        th_buffer_append_text(out, i % table->columns ? " | " : "| ");
        th_buffer_append_text(out, table->cells[i]);
        if ((i + 1) % table->columns)
            continue;
        th_buffer_append_text(out, " |\n");
        for (size_t j = 0; i < table->columns && j < table->columns; j++)
            th_buffer_append_text(out, is_left(table, j) ? "|---" : "|---:");
        if (i < table->columns)
            th_buffer_append_text(out, "|\n");
    }
}

bool th_table_print(const th_report_table *table, bool is_markdown, th_buffer *out)
{
    if (is_markdown)
        print_markdown(table, out);
    else
        print_text(table, out);
    return !table->has_failed && !out->has_failed;
}
