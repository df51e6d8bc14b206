/* Disjoint sets, roots by smallest number, paths halved. [Tarjan, van Leeuwen 1984] */
#include "dedup/union_find.h"

#include <stdlib.h>

bool th_union_find_init(th_union_find *sets, uint32_t count)
{
    sets->count = count;
    sets->parents = malloc(((size_t)count + 1) * sizeof *sets->parents);
    for (uint32_t i = 0; sets->parents && i < count; i++)
        sets->parents[i] = i;
    return sets->parents != NULL;
}

void th_union_find_done(th_union_find *sets)
{
    free(sets->parents);
    *sets = (th_union_find){ 0 };
}

uint32_t th_union_find_root(th_union_find *sets, uint32_t number)
{
    uint32_t *const parents = sets->parents;
    while (parents[number] != number) {
        parents[number] = parents[parents[number]];
        number = parents[number];
    }
    return number;
}

bool th_union_find_join(th_union_find *sets, uint32_t a, uint32_t b)
{
    const uint32_t root_a = th_union_find_root(sets, a);
    const uint32_t root_b = th_union_find_root(sets, b);
    if (root_a == root_b)
        return false;
    if (root_a < root_b)
        sets->parents[root_b] = root_a;
    else
        sets->parents[root_a] = root_b;
    return true;
}
