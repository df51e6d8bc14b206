/* Open addressing with linear probing. A site is replaced as a whole. See the header. */
#include "site/site_table.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 1024 };

void th_site_table_done(th_site_table *table)
{
    for (size_t i = 0; i < table->capacity; i++)
        free(table->rows[i].bytes);
    free(table->rows);
    *table = (th_site_table){ .rows = NULL };
}

/* Returns the row of a number, or the free row where it belongs. */
static th_site_row *row_of(const th_site_table *table, uint64_t number)
{
    size_t at = number & (table->capacity - 1);
    while (table->rows[at].bytes && table->rows[at].number != number)
        at = (at + 1) & (table->capacity - 1);
    return &table->rows[at];
}

th_status th_site_table_find(const th_site_table *table, uint64_t number, th_site *out)
{
    const th_site_row *row = table->capacity ? row_of(table, number) : NULL;
    if (!row || !row->bytes)
        return TH_ABSENT;
    return th_site_read((th_view){ row->bytes, row->len }, out, NULL);
}

/* Moves all rows into a table of another size. */
static th_status resize(th_site_table *table, size_t capacity)
{
    th_site_table next = { .rows = calloc(capacity, sizeof *next.rows),
                           .capacity = capacity };
    if (!next.rows)
        return TH_NOMEM;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->rows[i].bytes)
            *row_of(&next, table->rows[i].number) = table->rows[i];
    free(table->rows);
    table->rows = next.rows;
    table->capacity = capacity;
    return TH_OK;
}

th_status th_site_table_put(th_site_table *table, const th_site *site, th_view bytes)
{
    if (4 * (table->count + 1) > 3 * table->capacity) {
        const size_t capacity = table->capacity ? 2 * table->capacity : LEAST_ROOM;
        if (resize(table, capacity) != TH_OK)
            return TH_NOMEM;
    }
    th_site_row *row = row_of(table, site->number);
    char *copy = malloc(bytes.len);
    if (!copy)
        return TH_NOMEM;
    memcpy(copy, bytes.data, bytes.len);
    table->count += row->bytes == NULL;
    table->bytes += bytes.len - (row->bytes ? row->len : 0);
    free(row->bytes);
    *row = (th_site_row){ site->number, copy, bytes.len };
    return TH_OK;
}

static int by_site(const void *left, const void *right)
{
    const th_site_entry *a = *(const th_site_entry *const *)left;
    const th_site_entry *b = *(const th_site_entry *const *)right;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    return (a->when > b->when) - (a->when < b->when);
}

static th_status add_to_site(th_site_table *table, const th_site_entry **entries,
                             size_t count, const th_site_limits *limits,
                             th_buffer *scratch)
{
    th_site before, after;
    const bool is_known = th_site_table_find(table, entries[0]->site, &before) == TH_OK;
    th_buffer_reset(scratch);
    th_status status =
        th_site_add(is_known ? &before : NULL, entries, count, limits, scratch);
    if (status == TH_OK)
        status = th_site_read(th_buffer_view(scratch), &after, NULL);
    return status == TH_OK ? th_site_table_put(table, &after, th_buffer_view(scratch))
                           : TH_NOMEM;
}

th_status th_site_table_add(th_site_table *table, th_view entries,
                            const th_site_limits *limits)
{
    size_t count = 0, i = 0;
    th_buffer scratch = { 0 };
    th_status status = TH_OK;
    for (size_t at = 0; at < entries.len; count++)
        at += th_site_entry_len((const th_site_entry *)(const void *)(entries.data + at));
    // NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers
    const th_site_entry **rows = calloc(count + 1, sizeof *rows);
    if (!rows)
        return TH_NOMEM;
    for (size_t at = 0; at < entries.len; at += th_site_entry_len(rows[i++]))
        rows[i] = (const th_site_entry *)(const void *)(entries.data + at);
    // NOLINTNEXTLINE(bugprone-sizeof-expression)
    qsort(rows, count, sizeof *rows, by_site);
    for (size_t first = 0, end; first < count && status == TH_OK; first = end) {
        for (end = first + 1; end < count && rows[end]->site == rows[first]->site;)
            end++;
        status = add_to_site(table, rows + first, end - first, limits, &scratch);
    }
    th_buffer_done(&scratch);
    free(rows);
    return status;
}

/* A site and the time when it was last seen. */
struct seen {
    uint64_t seen, number;
    size_t len;
};

static int by_seen(const void *left, const void *right)
{
    const struct seen *a = left, *b = right;
    if (a->seen != b->seen)
        return a->seen < b->seen ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

th_status th_site_table_bound(th_site_table *table, uint64_t bytes)
{
    static char dropped[1]; /* marks a deleted row, so probing continues after it */
    size_t count = 0;
    if (table->bytes <= bytes)
        return TH_OK;
    struct seen *rows = calloc(table->count + 1, sizeof *rows);
    if (!rows)
        return TH_NOMEM;
    for (size_t i = 0; i < table->capacity; i++) {
        th_site site;
        const th_site_row *row = &table->rows[i];
        if (row->bytes &&
            th_site_read((th_view){ row->bytes, row->len }, &site, NULL) == TH_OK)
            rows[count++] = (struct seen){ site.seen, site.number, row->len };
    }
    qsort(rows, count, sizeof *rows, by_seen);
    /* Removes a tenth more, so this is not needed in each epoch. Inserts all rows into a
     * new table, because an empty row would end the search for rows after it. */
    const uint64_t goal = bytes - bytes / 10;
    th_site_table kept = { .rows = calloc(table->capacity + 1, sizeof *kept.rows),
                           .capacity = table->capacity };
    size_t first = 0;
    for (uint64_t left = table->bytes; first < count && left > goal; first++)
        left -= rows[first].len;
    for (size_t i = 0; kept.rows && i < count; i++) {
        th_site_row *row = row_of(table, rows[i].number);
        if (i < first) {
            table->bytes -= row->len;
            table->count--;
            free(row->bytes);
            row->bytes = dropped;
        } else {
            *row_of(&kept, row->number) = *row;
        }
    }
    free(rows);
    if (!kept.rows)
        return TH_NOMEM;
    free(table->rows);
    table->rows = kept.rows;
    return TH_OK;
}

static int by_number(const void *left, const void *right)
{
    const th_site_row *a = *(const th_site_row *const *)left;
    const th_site_row *b = *(const th_site_row *const *)right;
    return (a->number > b->number) - (a->number < b->number);
}

th_status th_site_table_write(const th_site_table *table, th_site_writer *writer,
                              th_error *err)
{
    size_t count = 0;
    th_status status = TH_OK;
    // NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers
    const th_site_row **rows = calloc(table->count + 1, sizeof *rows);
    if (!rows)
        return th_fail(err, TH_NOMEM, "out of memory for sites");
    for (size_t i = 0; i < table->capacity; i++)
        if (table->rows[i].bytes)
            rows[count++] = &table->rows[i];
    // NOLINTNEXTLINE(bugprone-sizeof-expression)
    qsort(rows, count, sizeof *rows, by_number);
    for (size_t i = 0; i < count && status == TH_OK; i++)
        status =
            th_site_writer_add(writer, (th_view){ rows[i]->bytes, rows[i]->len }, err);
    free(rows);
    return status;
}
