/*
 * Tables that grow with a page: consecutive rows, owned by the table's holder.
 */
#ifndef TH_TABLE_ROOM_H
#define TH_TABLE_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "thresher/status.h"

enum { TH_TABLE_FIRST_CAPACITY = 64 };

/**
 * Returns a table with twice the capacity. TH_TABLE_HAS_ROOM calls it.
 * @param status  in: when it is not TH_OK nothing grows; out: TH_NOMEM, TH_TOO_LARGE
 * @return the table, possibly moved; unchanged if nothing grows
 */
static inline void *th_table_grown(void *items, uint32_t *capacity, size_t item_size,
                                   th_status *status)
{
    if (*status)
        return items;
    if (*capacity > UINT32_MAX / 4) {
        *status = TH_TOO_LARGE;
        return items;
    }
    const uint32_t more = *capacity ? *capacity * 2 : TH_TABLE_FIRST_CAPACITY;
    void *moved = realloc(items, more * item_size);
    if (!moved) {
        *status = TH_NOMEM;
        return items;
    }
    *capacity = more;
    return moved;
}

/**
 * Whether a table has room for one more row, after growing it if necessary. Amortised
 * O(1).
 * @param items     the table, an lvalue, like the other arguments
 * @param count     of its rows
 * @param capacity  rows for which there is room
 * @param status    th_status, set to the reason if there is no room
 */
#define TH_TABLE_HAS_ROOM(items, count, capacity, status)                                \
    ((count) < (capacity) ||                                                             \
     ((items) = th_table_grown((items), &(capacity), sizeof *(items), &(status)),        \
      (count) < (capacity)))

#endif
