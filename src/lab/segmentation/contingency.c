/* Two partitions in one table: only cells that are not empty are kept. */
#include "lab/segmentation/contingency.h"

#include <stdlib.h>
#include <string.h>

static int by_place(const void *left, const void *right)
{
    const th_cell *a = left, *b = right;
    if (a->gold != b->gold)
        return (a->gold > b->gold) - (a->gold < b->gold);
    return (a->found > b->found) - (a->found < b->found);
}

/* Joins equal neighbours. @return how many cells are left */
static uint32_t join(th_cell *cells, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept && by_place(&cells[kept - 1], &cells[i]) == 0)
            cells[kept - 1].tokens += cells[i].tokens;
        else
            cells[kept++] = cells[i];
    }
    return kept;
}

void th_contingency_build(th_cell *cells, uint32_t cell_count, uint64_t *gold_tokens,
                          uint32_t gold_count, uint64_t *found_tokens,
                          uint32_t found_count, th_contingency *out)
{
    if (cell_count > 1)
        qsort(cells, cell_count, sizeof *cells, by_place);
    *out = (th_contingency){
        .cells = cells,
        .cell_count = join(cells, cell_count),
        .gold_tokens = gold_tokens,
        .gold_count = gold_count,
        .found_tokens = found_tokens,
        .found_count = found_count,
    };
    memset(gold_tokens, 0, gold_count * sizeof *gold_tokens);
    memset(found_tokens, 0, found_count * sizeof *found_tokens);
    for (uint32_t i = 0; i < out->cell_count; i++) {
        gold_tokens[cells[i].gold] += cells[i].tokens;
        found_tokens[cells[i].found] += cells[i].tokens;
        out->tokens += cells[i].tokens;
    }
}

uint32_t th_contingency_used(const uint64_t *tokens, uint32_t count)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        used += tokens[i] > 0;
    return used;
}
