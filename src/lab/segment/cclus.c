/*
 * Correlation clustering: for every two leaves the probability that they are one segment,
 * then the clusters that contradict these least. [CKP08 §4.1]
 *
 * The paper keeps the tree out of the features; with it the clusters are far better
 * (training/README.md), so it is in. Segments need not be contiguous. One seed for every
 * page: the same segments everywhere.
 */
#include "lab/segment/cclus.h"

#include <string.h>

#include "lab/segment/lab_segmenters.h"
#include "lab/segment/split_mix.h"
#include "segment/fixed_point.h"
#include "segment/sequence_table.h"

enum { SEED = 1 };

static const char *const weight_names[TH_CCLUS_FEATURES] = {
    "same_parent", "distance", "lca_share",      "lca_blocks",  "lca_place",
    "apart",       "hard",     "d_link_density", "d_density",   "d_tokens",
    "same_path",   "steps",    "same_class",     "most_tokens", "most_link_density",
    "bias",
};

static const th_model_parameter parameters[] = { { "lambda", 0, 64 * TH_ONE } };

const th_feature_set th_cclus_features = {
    .name = "cclus-1",
    .method = "cclus",
    .weights = weight_names,
    .weight_count = TH_CCLUS_FEATURES,
    .parameters = parameters,
    .parameter_count = 1,
    .shipped = &th_cclus_model,
};

/* ---- features ---- */

th_status th_cclus_facts_gather(const th_page *page, const th_text_tree *tree,
                                th_arena *arena, th_cclus_stats *facts)
{
    const size_t names = (size_t)page->node_count + tree->node_count;
    th_sequence_table paths;
    *facts = (th_cclus_stats){ .tree = tree };
    facts->hard_before =
        th_arena_alloc(arena, (page->block_count + 1) * sizeof *facts->hard_before);
    facts->path = th_arena_alloc(arena, tree->node_count * sizeof *facts->path);
    facts->sibling = th_arena_calloc(arena, tree->node_count, sizeof *facts->sibling);
    if (!facts->hard_before || !facts->path || !facts->sibling ||
        !th_sequence_table_init(&paths, tree->node_count, names, arena))
        return TH_NOMEM;
    facts->hard_before[0] = 0;
    for (uint32_t i = 0; i < page->block_count; i++)
        facts->hard_before[i + 1] =
            facts->hard_before[i] + th_text_gap_before(page, i).is_hard;
    for (uint32_t i = 0; i < tree->node_count; i++) {
        const th_text_node *node = &tree->nodes[i];
        uint32_t *items = th_sequence_open(&paths), len = 0;
        items[len++] = i ? facts->path[node->parent] : TH_NONE;
        for (uint32_t k = 0; k < node->name_count; k++)
            items[len++] = tree->names[node->names + k];
        facts->path[i] = th_sequence_close(&paths, len);
        for (uint32_t child = i + 1, number = 0; child < node->end;
             child = tree->nodes[child].end)
            facts->sibling[child] = number++;
    }
    return TH_OK;
}

/* Class of most of its blocks, the first by name among equals. */
static uint8_t main_class(const th_text_node *node)
{
    static const uint8_t by_name[TH_CLASS_COUNT] = {
        TH_CLASS_CELL, TH_CLASS_HEAD, TH_CLASS_INLINE, TH_CLASS_ITEM, TH_CLASS_LIST,
        TH_CLASS_PARA, TH_CLASS_ROWS, TH_CLASS_SECT,   TH_CLASS_TEXT,
    };
    uint8_t class = by_name[0];
    for (unsigned i = 1; i < TH_CLASS_COUNT; i++) {
        if (node->by_class[by_name[i]] > node->by_class[class])
            class = by_name[i];
    }
    return class;
}

/* The child of `above` around a node below it. */
static uint32_t child_towards(const th_text_tree *tree, uint32_t above, uint32_t node)
{
    while (tree->nodes[node].parent != above)
        node = tree->nodes[node].parent;
    return node;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Facts of a leaf, for its pairs. */
struct leaf_facts {
    uint32_t node, path;
    int32_t links, density, tokens;
    uint8_t class;
};

static struct leaf_facts leaf_facts_of(const th_cclus_stats *facts, uint32_t leaf)
{
    const th_text_node *node = &facts->tree->nodes[leaf];
    return (struct leaf_facts){ .node = leaf,
                                .path = facts->path[leaf],
                                .links =
                                    th_fixed_ratio(node->linked_tokens, node->tokens),
                                .density = th_text_density_value(node),
                                .tokens = th_fixed_lg8(node->tokens),
                                .class = main_class(node) };
}

/* Facts shared by all pairs that meet at a node. */
struct meeting {
    const th_text_node *above;
    int32_t share, blocks;
};

static struct meeting meeting_at(const th_text_tree *tree, uint32_t lca)
{
    const th_text_node *above = &tree->nodes[lca];
    return (struct meeting){ .above = above,
                             .share =
                                 th_fixed_ratio(above->tokens, tree->nodes[0].tokens),
                             .blocks = th_fixed_lg8(above->blocks) };
}

/* @param steps  between the two children of the node where they meet */
static void put_pair(const th_cclus_stats *facts, const struct leaf_facts *left,
                     const struct leaf_facts *right, const struct meeting *meeting,
                     uint32_t steps, int32_t features[TH_CCLUS_FEATURES])
{
    const th_text_tree *tree = facts->tree;
    const th_text_node *a = &tree->nodes[left->node], *b = &tree->nodes[right->node];
    const th_text_node *above = meeting->above;
    const bool is_behind = b->first_block > a->last_block;
    int32_t *at = features;
    *at++ = a->parent == b->parent ? TH_ONE : 0;
    *at++ = th_fixed_lg8(a->depth + b->depth - 2 * above->depth);
    *at++ = meeting->share;
    *at++ = meeting->blocks;
    *at++ = th_fixed_ratio(above->depth + 1, larger(a->depth, b->depth) + 1);
    *at++ = th_fixed_lg8(is_behind ? b->first_block - a->last_block : 0);
    *at++ = th_fixed_lg8(is_behind ? facts->hard_before[b->first_block + 1] -
                                         facts->hard_before[a->last_block + 1]
                                   : 0);
    *at++ = th_fixed_distance(left->links, right->links);
    *at++ = th_text_density_share(th_fixed_distance(left->density, right->density));
    *at++ = th_fixed_distance(left->tokens, right->tokens);
    *at++ = left->path == right->path ? TH_ONE : 0;
    *at++ = th_fixed_lg8(steps);
    *at++ = left->class == right->class ? TH_ONE : 0;
    *at++ = left->tokens > right->tokens ? left->tokens : right->tokens;
    *at++ = left->links > right->links ? left->links : right->links;
    *at++ = TH_ONE;
}

void th_cclus_pair_features(const th_cclus_stats *facts, uint32_t left, uint32_t right,
                            int32_t features[TH_CCLUS_FEATURES])
{
    const th_text_tree *tree = facts->tree;
    const uint32_t lca = th_text_tree_lca(tree, left, right);
    const struct leaf_facts a = leaf_facts_of(facts, left);
    const struct leaf_facts b = leaf_facts_of(facts, right);
    const struct meeting meeting = meeting_at(tree, lca);
    const uint32_t steps = facts->sibling[child_towards(tree, lca, right)] -
                           facts->sibling[child_towards(tree, lca, left)];
    put_pair(facts, &a, &b, &meeting, steps, features);
}

/* ---- all pairs ---- */

struct pairs {
    const th_cclus_stats *facts;
    const struct leaf_facts *leaves;
    const int32_t *weights;
    int16_t *v; /* of i < j at j * (j - 1) / 2 + i */
};

/*
 * Fills the pairs of leaf j with the leaves in [node, its end). The first of these is
 * number i, and j is `steps` later. @return the number of the leaf after them
 */
static uint32_t fill_child(const struct pairs *pairs, const struct meeting *meeting,
                           uint32_t node, uint32_t i, uint32_t j, uint32_t steps)
{
    const uint32_t end = pairs->facts->tree->nodes[node].end;
    int32_t features[TH_CCLUS_FEATURES];
    for (; pairs->leaves[i].node < end; i++) {
        put_pair(pairs->facts, &pairs->leaves[i], &pairs->leaves[j], meeting, steps,
                 features);
        const int64_t z = th_fixed_dot(features, pairs->weights, TH_CCLUS_FEATURES) >> 16;
        pairs->v[(size_t)j * (j - 1) / 2 + i] = (int16_t)th_fixed_sigmoid(z);
    }
    return i;
}

/*
 * Fills the pairs that meet at one node. Pairs each leaf below it with the leaves in
 * earlier children. So no search for the common ancestor of two leaves is needed.
 */
static void fill_meeting(const struct pairs *pairs, uint32_t node, uint32_t first)
{
    const th_text_tree *tree = pairs->facts->tree;
    const struct meeting meeting = meeting_at(tree, node);
    uint32_t j = first;
    for (uint32_t own = node + 1; own < tree->nodes[node].end;
         own = tree->nodes[own].end) {
        const uint32_t steps = pairs->facts->sibling[own];
        for (; j < tree->leaf_count && pairs->leaves[j].node < tree->nodes[own].end; j++)
            for (uint32_t child = node + 1, i = first; child < own;
                 child = tree->nodes[child].end)
                i = fill_child(pairs, &meeting, child, i, j,
                               steps - pairs->facts->sibling[child]);
    }
}

/* @return false without memory */
static bool fill_pairs(const th_cclus_stats *facts, const int32_t *weights,
                       th_arena *scratch, int16_t *v)
{
    const th_text_tree *tree = facts->tree;
    struct leaf_facts *leaves =
        th_arena_alloc(scratch, tree->leaf_count * sizeof *leaves);
    const struct pairs pairs = { facts, leaves, weights, v };
    if (!leaves)
        return false;
    for (uint32_t i = 0; i < tree->leaf_count; i++)
        leaves[i] = leaf_facts_of(facts, tree->leaves[i]);
    for (uint32_t node = 0, first = 0; node < tree->node_count; node++) {
        if (tree->nodes[node].child_count)
            fill_meeting(&pairs, node, first);
        else
            first++;
    }
    return true;
}

/* ---- clusters ---- */

static int32_t between(const int16_t *v, uint32_t i, uint32_t j)
{
    return i < j ? v[(size_t)j * (j - 1) / 2 + i] : v[(size_t)i * (i - 1) / 2 + j];
}

/* One trial over a row of leaves; labels are the pivots' numbers. */
static void place_by_pivots(uint32_t count, const int16_t *v, int64_t weight,
                            const uint32_t *row, uint32_t *label_of)
{
    memset(label_of, 0xFF, count * sizeof *label_of); /* TH_NONE: not placed */
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t pivot = row[i];
        if (label_of[pivot] != TH_NONE)
            continue;
        label_of[pivot] = pivot;
        for (uint32_t q = 0; q < count; q++) {
            if (label_of[q] == TH_NONE &&
                weight * between(v, pivot, q) >= (int64_t)TH_ONE * TH_ONE)
                label_of[q] = pivot;
        }
    }
}

static int64_t cost_of(uint32_t count, const int16_t *v, int64_t weight,
                       const uint32_t *label_of)
{
    int64_t together = 0, likely = 0; /* pairs, and the sum of their v */
    for (uint32_t j = 1; j < count; j++) {
        const int16_t *row = v + (size_t)j * (j - 1) / 2;
        const uint32_t label = label_of[j];
        int32_t row_together = 0, row_likely = 0;
        for (uint32_t i = 0; i < j; i++) {
            const int32_t is_same = label_of[i] == label;
            row_together += is_same;
            row_likely += row[i] & -is_same;
        }
        together += row_together;
        likely += row_likely;
    }
    return together * TH_ONE * TH_ONE - weight * likely;
}

th_status th_cclus_cluster(uint32_t count, const int16_t *v, int32_t lambda,
                           uint64_t seed, uint32_t trials, th_arena *scratch,
                           uint32_t *label_of, int64_t *cost)
{
    uint32_t *row = th_arena_alloc(scratch, count * sizeof *row);
    uint32_t *best = th_arena_alloc(scratch, count * sizeof *best);
    uint32_t *next = th_arena_alloc(scratch, count * sizeof *next);
    if (!row || !best || !next)
        return TH_NOMEM;
    const int64_t weight = (int64_t)TH_ONE + lambda;
    int64_t min = INT64_MAX;
    for (uint32_t trial = 0; trial < trials; trial++) {
        th_split_mix_permute(&seed, count, row);
        place_by_pivots(count, v, weight, row, next);
        const int64_t now = cost_of(count, v, weight, next);
        if (now >= min)
            continue;
        min = now;
        uint32_t *kept = best;
        best = next;
        next = kept;
    }
    memset(row, 0xFF, count * sizeof *row); /* now: number of each pivot's cluster */
    for (uint32_t i = 0, labels = 0; i < count; i++) {
        if (row[best[i]] == TH_NONE)
            row[best[i]] = labels++;
        label_of[i] = row[best[i]];
    }
    if (cost)
        *cost = min;
    return TH_OK;
}

/* ---- the method ---- */

static th_status segment_cclus(const th_page *page, const th_options *opt,
                               th_arena *scratch, uint32_t *segment_of)
{
    const th_segment_model *model = th_segment_model_chosen(opt, &th_cclus_model);
    if (page->block_count == 0)
        return TH_OK;
    th_text_tree tree;
    th_cclus_stats facts;
    th_status status = th_text_tree_build(page, TH_CCLUS_LEAVES, scratch, &tree);
    if (status == TH_OK)
        status = th_cclus_facts_gather(page, &tree, scratch, &facts);
    if (status != TH_OK)
        return status;
    const uint32_t count = tree.leaf_count;
    const size_t pairs = (size_t)count * (count - 1) / 2;
    int16_t *v = th_arena_alloc(scratch, (pairs + 1) * sizeof *v);
    uint32_t *label_of = th_arena_alloc(scratch, count * sizeof *label_of);
    if (!v || !label_of)
        return TH_NOMEM;
    if (!fill_pairs(&facts, model->final.of, scratch, v))
        return TH_NOMEM;
    status = th_cclus_cluster(count, v, model->parameters[0], SEED, TH_CCLUS_TRIALS,
                              scratch, label_of, NULL);
    if (status != TH_OK)
        return status;
    return th_text_tree_segments(page, &tree, label_of, count, scratch, segment_of);
}

const th_segmenter th_cclus = {
    .name = "cclus",
    .cites = "[CKP08 §4.1]",
    .help = "learned: clusters blocks by the probability that two blocks belong together",
    .theta_max = -1,
    .segment = segment_cclus,
    .features = &th_cclus_features,
};
