/* Zhang and Shasha's recurrence over pairs of key roots. [ZS89] */
#include "lab/segment/tree_edit_distance.h"

uint64_t th_tree_cells(const th_postorder *forest, uint32_t root)
{
    const uint32_t first = forest->leftmost[root];
    return forest->key_cells[root] - forest->key_cells[first] +
           th_postorder_size(forest, root);
}

static uint32_t min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Both trees, with the tables: row and column 0 are the empty forest. */
struct pair {
    const th_postorder *forest;
    uint32_t first_a, first_b; /* where the trees begin */
    uint32_t *trees;           /* distance of the subtrees at i, j */
    uint32_t *forests;         /* of the current forests */
    size_t width;              /* of a row of `trees` */
};

static uint32_t *tree_at(const struct pair *pair, uint32_t i, uint32_t j)
{
    return &pair->trees[(i - pair->first_a) * pair->width + (j - pair->first_b)];
}

/* Fills in the distances of all subtrees that share their leftmost nodes with those at
 * two key roots. */
static void meet(const struct pair *pair, uint32_t root_a, uint32_t root_b)
{
    const th_postorder *forest = pair->forest;
    const uint32_t left_a = forest->leftmost[root_a], left_b = forest->leftmost[root_b];
    const size_t width = (size_t)root_b - left_b + 2;
    uint32_t *row = pair->forests;
    for (size_t j = 0; j < width; j++)
        row[j] = (uint32_t)j;
    for (uint32_t i = left_a; i <= root_a; i++) {
        const uint32_t *above = row;
        row += width;
        row[0] = above[0] + 1;
        /* The forest left of the subtree at i, as a row of the table. */
        const uint32_t *before =
            pair->forests + (size_t)(forest->leftmost[i] - left_a) * width;
        for (uint32_t j = left_b; j <= root_b; j++) {
            const size_t at = (size_t)j - left_b + 1;
            const uint32_t apart = min(above[at], row[at - 1]) + 1;
            if (forest->leftmost[i] == left_a && forest->leftmost[j] == left_b) {
                const uint32_t renamed =
                    above[at - 1] + (forest->tags[i] != forest->tags[j]);
                row[at] = min(apart, renamed);
                *tree_at(pair, i, j) = row[at];
            } else {
                const uint32_t matched =
                    before[forest->leftmost[j] - left_b] + *tree_at(pair, i, j);
                row[at] = min(apart, matched);
            }
        }
    }
}

uint32_t th_tree_distance(const th_postorder *forest, uint32_t a, uint32_t b,
                          uint32_t *scratch)
{
    struct pair pair = { .forest = forest,
                         .first_a = forest->leftmost[a],
                         .first_b = forest->leftmost[b],
                         .trees = scratch,
                         .width = th_postorder_size(forest, b) };
    pair.forests = scratch + th_postorder_size(forest, a) * pair.width;
    for (uint32_t i = pair.first_a; i <= a; i++) {
        for (uint32_t j = pair.first_b; j <= b; j++) {
            if ((i == a || forest->is_key[i]) && (j == b || forest->is_key[j]))
                meet(&pair, i, j);
        }
    }
    return *tree_at(&pair, a, b);
}

uint32_t th_tree_distance_bound(const th_postorder *forest, uint32_t a, uint32_t b,
                                uint32_t *counts)
{
    const uint32_t size_a = th_postorder_size(forest, a);
    const uint32_t size_b = th_postorder_size(forest, b);
    uint32_t common = 0;
    for (uint32_t i = forest->leftmost[a]; i <= a; i++)
        counts[forest->tags[i]]++;
    for (uint32_t i = forest->leftmost[b]; i <= b; i++) {
        if (counts[forest->tags[i]]) {
            counts[forest->tags[i]]--;
            common++;
        }
    }
    for (uint32_t i = forest->leftmost[a]; i <= a; i++)
        counts[forest->tags[i]] = 0;
    return (size_a > size_b ? size_a : size_b) - common;
}
