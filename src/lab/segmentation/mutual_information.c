/* Mutual information of two partitions over the geometric mean of their entropies. */
#include <math.h>

#include "lab/segmentation/contingency.h"

static double entropy(const uint64_t *tokens, uint32_t count, uint64_t all)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double share = (double)tokens[i] / (double)all;
        sum -= tokens[i] ? share * log(share) : 0;
    }
    return sum;
}

double th_normalised_mutual_information(const th_contingency *table)
{
    const uint32_t gold = th_contingency_used(table->gold_tokens, table->gold_count);
    const uint32_t found = th_contingency_used(table->found_tokens, table->found_count);
    if (gold <= 1 || found <= 1)
        return gold == found;
    const double all = (double)table->tokens;
    double shared = 0;
    for (uint32_t i = 0; i < table->cell_count; i++) {
        const th_cell *cell = &table->cells[i];
        const double tokens = (double)cell->tokens;
        shared += tokens / all *
                  log(tokens * all /
                      ((double)table->gold_tokens[cell->gold] *
                       (double)table->found_tokens[cell->found]));
    }
    return fmax(0, shared) /
           sqrt(entropy(table->gold_tokens, table->gold_count, table->tokens) *
                entropy(table->found_tokens, table->found_count, table->tokens));
}
