/* Each run is read in pieces. The heap has the runs with a row left, the smallest first. */
#include "base/sorted_runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/scratch_file.h"

enum {
    MIN_PIECE = 4 << 10, /* bytes of a run that are read at once */
    MAX_PIECE = 1 << 20
};

struct th_run_reader {
    th_scratch_file *file;
    uint64_t next_at, end; /* bytes not yet read */
    char *piece;
    size_t at, len, capacity; /* of the piece */
    void *row;
};

struct th_sorted_runs {
    const th_run_rows *rows;
    th_scratch_file *file;
    uint64_t *ends; /* of the runs in the file */
    uint64_t count;
    th_run_reader *readers; /* while merging */
    char *pieces, *row_bytes;
    uint64_t *heap;
    uint64_t heap_count;
    bool is_read; /* the heap's first run has returned its row */
};

th_status th_sorted_runs_new(const char *folder, const th_run_rows *rows,
                             th_sorted_runs **out, th_error *err)
{
    th_sorted_runs *runs = calloc(1, sizeof *runs);
    if (!runs)
        return th_fail(err, TH_NOMEM, "out of memory for sorting");
    runs->rows = rows;
    const th_status status = th_scratch_open(folder, &runs->file, err);
    if (status == TH_OK)
        *out = runs;
    else
        free(runs);
    return status;
}

void th_sorted_runs_free(th_sorted_runs *runs)
{
    if (!runs)
        return;
    th_scratch_free(runs->file);
    free(runs->ends);
    free(runs->readers);
    free(runs->pieces);
    free(runs->row_bytes);
    free(runs->heap);
    free(runs);
}

uint64_t th_sorted_runs_count(const th_sorted_runs *runs)
{
    return runs ? runs->count : 0;
}

th_status th_sorted_runs_append(th_sorted_runs *runs, const void *bytes, size_t len,
                                th_error *err)
{
    return th_scratch_append(runs->file, bytes, len, err);
}

th_status th_sorted_runs_end(th_sorted_runs *runs, th_error *err)
{
    uint64_t *ends = realloc(runs->ends, (runs->count + 1) * sizeof *ends);
    if (!ends)
        return th_fail(err, TH_NOMEM, "out of memory for sorting");
    runs->ends = ends;
    ends[runs->count++] = th_scratch_len(runs->file);
    return TH_OK;
}

/* ---- rows ---- */

static th_status refill(th_run_reader *reader, th_error *err)
{
    const uint64_t left = reader->end - reader->next_at;
    reader->len = left < reader->capacity ? (size_t)left : reader->capacity;
    reader->at = 0;
    if (!reader->len)
        return th_fail(err, TH_IO, "a temporary file ends inside a row");
    const th_status status =
        th_scratch_read(reader->file, reader->next_at, reader->piece, reader->len, err);
    reader->next_at += reader->len;
    return status;
}

th_status th_run_take(th_run_reader *reader, void *out, size_t len, th_error *err)
{
    char *to = out;
    while (len) {
        if (reader->at == reader->len) {
            const th_status status = refill(reader, err);
            if (status != TH_OK)
                return status;
        }
        const size_t part =
            len < reader->len - reader->at ? len : reader->len - reader->at;
        memcpy(to, reader->piece + reader->at, part);
        reader->at += part;
        to += part;
        len -= part;
    }
    return TH_OK;
}

/* @return TH_OK; TH_END at the end of the run; TH_IO */
static th_status read_row(const th_sorted_runs *runs, th_run_reader *reader,
                          th_error *err)
{
    return reader->at == reader->len && reader->next_at == reader->end
               ? TH_END
               : runs->rows->read(reader, reader->row, err);
}

/* ---- the heap ---- */

static bool is_before(const th_sorted_runs *runs, uint64_t a, uint64_t b)
{
    const uint64_t x = runs->heap[a], y = runs->heap[b];
    const int order = runs->rows->compare(runs->readers[x].row, runs->readers[y].row);
    return order ? order < 0 : x < y;
}

static void sift_down(th_sorted_runs *runs, uint64_t at)
{
    for (;;) {
        uint64_t min = at;
        for (uint64_t child = 2 * at + 1; child <= 2 * at + 2; child++)
            if (child < runs->heap_count && is_before(runs, child, min))
                min = child;
        if (min == at)
            return;
        const uint64_t swap = runs->heap[at];
        runs->heap[at] = runs->heap[min];
        runs->heap[min] = swap;
        at = min;
    }
}

static size_t piece_capacity(const th_sorted_runs *runs, uint64_t memory)
{
    const uint64_t fraction = memory / runs->count;
    return fraction < MIN_PIECE   ? MIN_PIECE
           : fraction > MAX_PIECE ? MAX_PIECE
                                  : (size_t)fraction;
}

th_status th_sorted_runs_merge(th_sorted_runs *runs, uint64_t memory, th_error *err)
{
    const size_t capacity = runs->count ? piece_capacity(runs, memory) : 0;
    runs->readers = calloc(runs->count + 1, sizeof *runs->readers);
    runs->heap = calloc(runs->count + 1, sizeof *runs->heap);
    runs->pieces = malloc(runs->count * capacity + 1);
    runs->row_bytes = malloc(runs->count * runs->rows->size + 1);
    if (!runs->readers || !runs->heap || !runs->pieces || !runs->row_bytes)
        return th_fail(err, TH_NOMEM, "out of memory for merging %llu runs",
                       (unsigned long long)runs->count);
    for (uint64_t i = 0; i < runs->count; i++) {
        th_run_reader *reader = &runs->readers[i];
        *reader = (th_run_reader){ .file = runs->file,
                                   .next_at = i ? runs->ends[i - 1] : 0,
                                   .end = runs->ends[i],
                                   .piece = runs->pieces + i * capacity,
                                   .capacity = capacity,
                                   .row = runs->row_bytes + i * runs->rows->size };
        const th_status status = read_row(runs, reader, err);
        if (status == TH_OK)
            runs->heap[runs->heap_count++] = i;
        else if (status != TH_END)
            return status;
    }
    for (uint64_t i = runs->heap_count / 2; i-- > 0;)
        sift_down(runs, i);
    return TH_OK;
}

th_status th_sorted_runs_next(th_sorted_runs *runs, const void **row, th_error *err)
{
    if (runs->is_read && runs->heap_count) {
        const th_status status = read_row(runs, &runs->readers[runs->heap[0]], err);
        if (status == TH_END)
            runs->heap[0] = runs->heap[--runs->heap_count];
        else if (status != TH_OK)
            return status;
        sift_down(runs, 0);
    }
    if (!runs->heap_count)
        return TH_END;
    runs->is_read = true;
    *row = runs->readers[runs->heap[0]].row;
    return TH_OK;
}
