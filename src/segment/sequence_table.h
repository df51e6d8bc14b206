/*
 * Assigns numbers to sequences of numbers. Equal sequences get equal numbers, dense from
 * 0 in order of first occurrence. With it the shapes of subtrees can be compared in one
 * step.
 */
#ifndef TH_SEQUENCE_TABLE_H
#define TH_SEQUENCE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "thresher/arena.h"

typedef struct th_sequence_table {
    uint32_t *items; /* of all sequences, concatenated */
    size_t used;
    size_t *ends; /* sequence i is items[ends[i - 1] .. ends[i]) */
    uint32_t count;
    uint32_t *slots; /* sequence number + 1; 0: free */
    uint64_t mask;   /* slots - 1; they are a power of two */
} th_sequence_table;

/**
 * Initialises an empty table.
 * @param max_sequences  maximum number of lookups; equal sequences count each time
 * @param max_items      total items of all of them
 * @param arena           owns the table
 * @return false if out of memory
 */
bool th_sequence_table_init(th_sequence_table *table, uint32_t max_sequences,
                            size_t max_items, th_arena *arena);

/** Returns the place where the caller writes the next sequence. */
static inline uint32_t *th_sequence_open(th_sequence_table *table)
{
    return table->items + table->used;
}

/** Returns the number of the sequence of `len` items that was just written. O(len). */
uint32_t th_sequence_close(th_sequence_table *table, uint32_t len);

#endif
