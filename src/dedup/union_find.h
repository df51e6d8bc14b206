/*
 * Disjoint sets over the numbers 0 .. count-1. The root of a set is its smallest number,
 * so the outcome does not depend on the order of the unions.
 */
#ifndef TH_UNION_FIND_H
#define TH_UNION_FIND_H

#include <stdbool.h>
#include <stdint.h>

typedef struct th_union_find {
    uint32_t *parents; /* owned; a root is its own parent */
    uint32_t count;
} th_union_find;

/** Makes every number a separate set. @return false without memory (4 bytes per
 * number) */
bool th_union_find_init(th_union_find *sets, uint32_t count);
void th_union_find_done(th_union_find *sets);

/** Smallest number of the set that `number` is in. Halves paths: O(log count) amortised.
 */
uint32_t th_union_find_root(th_union_find *sets, uint32_t number);

/** Joins two sets. @return false when they were the same set */
bool th_union_find_join(th_union_find *sets, uint32_t a, uint32_t b);

#endif
