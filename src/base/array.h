/* Arrays that double when they are full, and search in sorted ones. */
#ifndef TH_ARRAY_H
#define TH_ARRAY_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "thresher/arena.h"

/** Capacity of an array when it is allocated, in items. */
enum { TH_ARRAY_FIRST = 32 };

/** Returns an array from malloc or NULL with twice the capacity. TH_HAS_CAPACITY calls it.
 * Without memory, array and capacity are unchanged. */
static inline void *th_array_grown(void *items, size_t *capacity, size_t size)
{
    const size_t more = *capacity ? 2 * *capacity : TH_ARRAY_FIRST;
    void *const moved = realloc(items, more * size);
    if (!moved)
        return items;
    *capacity = more;
    return moved;
}

/** Like th_array_grown(), for an array in an arena. */
static inline void *th_arena_array_grown(th_arena *arena, void *items, uint32_t *capacity,
                                         size_t size)
{
    const uint32_t more = *capacity ? 2 * *capacity : TH_ARRAY_FIRST;
    void *const moved = th_arena_grow(arena, items, *capacity * size, more * size);
    if (!moved)
        return items;
    *capacity = more;
    return moved;
}

/**
 * Returns whether an array has capacity for one more item, after growing it if necessary.
 * False means out of memory. Amortised O(1).
 * @param items     the array, an lvalue, like the other arguments
 * @param count     its items
 * @param capacity  items that fit: size_t, or uint32_t in an arena
 */
#define TH_HAS_CAPACITY(items, count, capacity)                                          \
    ((count) < (capacity) ||                                                             \
     ((items) = th_array_grown((items), &(capacity), sizeof *(items)),                   \
      (count) < (capacity)))
#define TH_ARENA_HAS_CAPACITY(arena, items, count, capacity)                             \
    ((count) < (capacity) ||                                                             \
     ((items) = th_arena_array_grown((arena), (items), &(capacity), sizeof *(items)),    \
      (count) < (capacity)))

/**
 * Returns the index of the first row whose key is at least `key`, or `count`.
 *
 * @param rows    sorted by key
 * @param size    bytes of a row
 * @param key_at  offset of the key, a uint32_t, in a row
 */
static inline uint32_t th_first_from(const void *rows, uint32_t count, size_t size,
                                     size_t key_at, uint64_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        uint32_t found;
        memcpy(&found, (const char *)rows + middle * size + key_at, sizeof found);
        if (found < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
