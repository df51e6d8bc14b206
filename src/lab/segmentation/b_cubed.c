/* Precision and recall of a partition, token by token. */
#include "lab/segmentation/contingency.h"

th_b_cubed th_b_cubed_of(const th_contingency *table)
{
    th_b_cubed sum = { 0 };
    if (!table->tokens)
        return sum;
    for (uint32_t i = 0; i < table->cell_count; i++) {
        const th_cell *cell = &table->cells[i];
        const double squared = (double)cell->tokens * (double)cell->tokens;
        sum.p += squared / (double)table->found_tokens[cell->found];
        sum.r += squared / (double)table->gold_tokens[cell->gold];
    }
    sum.p /= (double)table->tokens;
    sum.r /= (double)table->tokens;
    sum.f = 2 * sum.p * sum.r / (sum.p + sum.r);
    return sum;
}
