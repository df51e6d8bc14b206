/* Agreement of partitions: published figures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/segmentation/contingency.h"

/* Labels as digits. AdjRand as in scikit-learn's documentation, NMI by hand. */
static const struct row {
    const char *gold, *found;
    double adjusted_rand, nmi, p, r;
} rows[] = {
    { "0011", "0011", 1, 1, 1, 1 },
    { "0011", "1100", 1, 1, 1, 1 },
    { "0012", "0011", 0.5714285714285714, 0.8164965809277261, .75, 1 },
    { "0011", "0012", 0.5714285714285714, 0.8164965809277261, 1, .75 },
    { "0011", "0101", -0.5, 0, .5, .5 },
    { "0000", "0123", 0, 0, 1, .25 },
    { "0000", "0000", 1, 1, 1, 1 },
    { "0123", "3210", 1, 1, 1, 1 },
    { "0", "0", 1, 1, 1, 1 },
    { "000111", "001122", 0.24242424242424243, 0.5295405780575617, 0.83333333333333337,
      0.55555555555555558 },
};

static void build(const struct row *row, th_cell *cells, uint64_t *gold, uint64_t *found,
                  th_contingency *table)
{
    const uint32_t count = (uint32_t)strlen(row->gold);
    for (uint32_t i = 0; i < count; i++)
        cells[i] = (th_cell){ (uint32_t)(row->gold[i] - '0'),
                              (uint32_t)(row->found[i] - '0'), 1 };
    th_contingency_build(cells, count, gold, 10, found, 10, table);
}

static void rows_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_cell cells[16];
        uint64_t gold[10], found[10];
        th_contingency table;
        build(&rows[i], cells, gold, found, &table);
        const th_b_cubed b3 = th_b_cubed_of(&table);
        assert_int_equal(table.tokens, strlen(rows[i].gold));
        assert_true(fabs(th_adjusted_rand(&table) - rows[i].adjusted_rand) < 1e-9);
        assert_true(fabs(th_normalised_mutual_information(&table) - rows[i].nmi) < 1e-9);
        assert_true(fabs(b3.p - rows[i].p) < 1e-9);
        assert_true(fabs(b3.r - rows[i].r) < 1e-9);
        assert_true(fabs(b3.f - 2 * b3.p * b3.r / (b3.p + b3.r)) < 1e-9);
    }
}

/* A run of tokens in one cell is worth as much as its tokens one by one. */
static void runs_are_sums(void **state)
{
    th_cell runs[] = { { 0, 0, 1000000 }, { 0, 1, 2 }, { 1, 1, 3000000 }, { 0, 0, 5 } };
    uint64_t gold[2], found[2];
    th_contingency table;
    (void)state;
    th_contingency_build(runs, 4, gold, 2, found, 2, &table);
    assert_int_equal(table.cell_count, 3);
    assert_int_equal(gold[0], 1000007);
    assert_int_equal(found[1], 3000002);
    assert_true(th_adjusted_rand(&table) > .99999 && th_adjusted_rand(&table) < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold),
        cmocka_unit_test(runs_are_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
