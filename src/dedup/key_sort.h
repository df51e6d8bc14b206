/*
 * External sort: brings equal 64-bit keys together in bounded memory. Sorted runs go to
 * a temporary file when the memory is full and are merged at the end.
 */
#ifndef TH_KEY_SORT_H
#define TH_KEY_SORT_H

#include <stdint.h>

#include "thresher/status.h"

typedef struct th_key_sort th_key_sort;

/**
 * Makes an empty sort.
 * @param folder  for its temporary file, made when first needed. "" as in scratch_file.h.
 *                Borrowed for the sort's life.
 * @param memory  bytes that it may take. It takes 24 KiB in any case, and 4 KiB for each
 *                run while they are merged.
 * @return TH_OK or TH_NOMEM
 */
th_status th_key_sort_new(const char *folder, uint64_t memory, th_key_sort **out,
                          th_error *err);

/** NULL is legal. */
void th_key_sort_free(th_key_sort *sort);

/** Adds an item. TH_OK; TH_IO; TH_NOMEM. O(1), and O(1) for each item at a spill. */
th_status th_key_sort_add(th_key_sort *sort, uint64_t key, uint32_t value, th_error *err);

/** Ends the input. TH_OK; TH_IO; TH_NOMEM. */
th_status th_key_sort_finish(th_key_sort *sort, th_error *err);

/**
 * Returns the next item: by key, ascending, the values of one key in any order. Call it
 * after th_key_sort_finish.
 * @return TH_OK; TH_END; TH_IO. O(log runs).
 */
th_status th_key_sort_next(th_key_sort *sort, uint64_t *key, uint32_t *value,
                           th_error *err);

/** Return the number of items added, and of runs that went to the disk. */
uint64_t th_key_sort_count(const th_key_sort *sort);
uint64_t th_key_sort_runs(const th_key_sort *sort);

#endif
