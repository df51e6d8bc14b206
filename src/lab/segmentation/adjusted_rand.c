/*
 * Rand index adjusted for chance: pairs of tokens that both partitions put together,
 * minus the number expected by chance. [Hubert & Arabie 1985]
 */
#include "lab/segmentation/contingency.h"

static uint64_t pairs(uint64_t tokens)
{
    return tokens > 1 ? tokens * (tokens - 1) / 2 : 0;
}

static uint64_t pairs_within(const uint64_t *tokens, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += pairs(tokens[i]);
    return sum;
}

double th_adjusted_rand(const th_contingency *table)
{
    const uint64_t all = pairs(table->tokens);
    const uint64_t in_gold = pairs_within(table->gold_tokens, table->gold_count);
    const uint64_t in_found = pairs_within(table->found_tokens, table->found_count);
    uint64_t together = 0;
    for (uint32_t i = 0; i < table->cell_count; i++)
        together += pairs(table->cells[i].tokens);
    /* 0 / 0: both are one segment, or both have a segment for each token. */
    if (in_gold == in_found && (in_gold == 0 || in_gold == all))
        return 1;
    const double expected = (double)in_gold * (double)in_found / (double)all;
    const double largest = ((double)in_gold + (double)in_found) / 2;
    return ((double)together - expected) / (largest - expected);
}
