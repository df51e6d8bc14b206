/*
 * External sort of byte strings, each with a number, in bounded memory. When the memory
 * is full, sorted runs go to a temporary file. They are merged at the end. The output
 * does not depend on the order of the input or on the amount of memory.
 */
#ifndef TH_TEXT_SORT_H
#define TH_TEXT_SORT_H

#include <stdint.h>

#include "thresher/status.h"

typedef struct th_text_sort th_text_sort;

enum {
    TH_TEXT_SORT_KEY_MAX = 16 << 10,    /* bytes of a key */
    TH_TEXT_SORT_MEMORY_MIN = 256 << 10 /* bytes; smaller values count as this */
};

/**
 * Makes an empty sort.
 * @param folder  for its temporary file, made when first needed. "" as in
 *                base/scratch_file.h. Borrowed for the sort's life.
 * @param memory  bytes that it may take. While runs are merged it takes at least 20 KiB
 *                for each of them.
 */
th_status th_text_sort_new(const char *folder, uint64_t memory, th_text_sort **out,
                           th_error *err);

/** NULL is legal. */
void th_text_sort_free(th_text_sort *sort);

/** Adds a row. TH_OK; TH_TOO_LARGE: the key is over its limit; TH_IO; TH_NOMEM. */
th_status th_text_sort_add(th_text_sort *sort, th_view key, uint64_t value,
                           th_error *err);

/** Ends the input. O(rows x log rows). TH_OK; TH_IO; TH_NOMEM. */
th_status th_text_sort_finish(th_text_sort *sort, th_error *err);

/**
 * Returns the next row, by the bytes of the key, then by the number. Call it after
 * th_text_sort_finish.
 * @param key  borrowed until the next call
 * @return TH_OK; TH_END; TH_IO
 */
th_status th_text_sort_next(th_text_sort *sort, th_view *key, uint64_t *value,
                            th_error *err);

/** Return the number of rows added, and of runs that went to the disk. */
uint64_t th_text_sort_count(const th_text_sort *sort);
uint64_t th_text_sort_runs(const th_text_sort *sort);

#endif
