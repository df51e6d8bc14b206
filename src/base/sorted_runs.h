/*
 * The second half of an external sort: sorted runs of rows in a temporary file, and their
 * merge through a heap. The caller sorts each run in memory (dedup/key_sort.h,
 * graph/text_sort.h), and states how a row is read and compared.
 */
#ifndef TH_SORTED_RUNS_H
#define TH_SORTED_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "thresher/status.h"

typedef struct th_sorted_runs th_sorted_runs;

/* A run that is being read. */
typedef struct th_run_reader th_run_reader;

/** Copies the next bytes of a run. TH_OK; TH_IO, also if the run ends within them. */
th_status th_run_take(th_run_reader *reader, void *out, size_t len, th_error *err);

/** The form of rows. */
typedef struct th_run_rows {
    size_t size; /* bytes of a row in memory; a multiple of its alignment */
    /** Reads a row with th_run_take, over the row before it. TH_OK; TH_IO */
    th_status (*read)(th_run_reader *reader, void *row, th_error *err);
    /** Returns -1, 0, 1. Equal rows are merged in the order of their runs. */
    int (*compare)(const void *a, const void *b);
} th_run_rows;

/**
 * Makes an empty list of runs.
 * @param folder  of the temporary file, as in scratch_file.h
 * @param rows    borrowed
 * @return TH_OK; TH_IO; TH_NOMEM
 */
th_status th_sorted_runs_new(const char *folder, const th_run_rows *rows,
                             th_sorted_runs **out, th_error *err);

/** NULL is legal. */
void th_sorted_runs_free(th_sorted_runs *runs);

/** Appends bytes of rows to the last run. TH_OK; TH_IO */
th_status th_sorted_runs_append(th_sorted_runs *runs, const void *bytes, size_t len,
                                th_error *err);

/** Ends the run. TH_OK; TH_NOMEM */
th_status th_sorted_runs_end(th_sorted_runs *runs, th_error *err);

/** Returns the number of runs. NULL has 0. */
uint64_t th_sorted_runs_count(const th_sorted_runs *runs);

/**
 * Starts the merge, after the last run. Each run takes its row, and 4 KiB to 1 MiB.
 * @param memory  bytes that all runs may take
 * @return TH_OK; TH_IO; TH_NOMEM
 */
th_status th_sorted_runs_merge(th_sorted_runs *runs, uint64_t memory, th_error *err);

/**
 * Returns the next row, in order. O(log runs).
 * @param row  out: borrowed until the next call
 * @return TH_OK; TH_END; TH_IO
 */
th_status th_sorted_runs_next(th_sorted_runs *runs, const void **row, th_error *err);

#endif
