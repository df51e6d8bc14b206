/* Hash tables of rows that begin with their key, a uint64_t; 0 is a free row. */
#ifndef TH_KEY_TABLE_H
#define TH_KEY_TABLE_H

#include <stddef.h>
#include <stdint.h>

/** Mixes a value into a hash. */
static inline uint64_t th_key_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/**
 * Returns the row of a key, which is a new row if the table did not have the key.
 *
 * @param rows  a free one among them, zero except for used rows
 * @param size  bytes of a row
 * @param mask  number of rows, a power of two, less one
 * @param key   not 0; its upper half is spread evenly
 */
static inline void *th_key_row(void *rows, size_t size, uint32_t mask, uint64_t key)
{
    uint32_t at = (uint32_t)(key >> 32) & mask;
    uint64_t *found;
    while (*(found = (void *)((char *)rows + at * size)) && *found != key)
        at = (at + 1) & mask;
    *found = key;
    return found;
}

#endif
