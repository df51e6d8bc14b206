/*
 * Collects the samples of each method: pairs of leaves, neighbours and parents,
 * boundaries.
 */
#include "lab/train/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/segment/cclus.h"
#include "lab/segment/gcuts.h"
#include "lab/segment/lab_segmenters.h"
#include "lab/segment/split_mix.h"

enum { PAIRS = 200, METRIC = 1024 };

/* A weight as a model has it. */
static int32_t fixed(double weight)
{
    const double scaled = rint(weight * 65536);
    return scaled > INT32_MAX   ? INT32_MAX
           : scaled < INT32_MIN ? INT32_MIN
                                : (int32_t)scaled;
}

/* ---- gold of nodes ---- */

enum { UNKNOWN = -1, SEVERAL = -2 };

/* For each node of the text tree its gold number, or UNKNOWN, or SEVERAL. */
static int32_t *gold_of_nodes(const th_page *page, const th_text_tree *tree,
                              const int32_t *gold, th_arena *arena)
{
    int32_t *of = th_arena_alloc(arena, tree->node_count * sizeof *of);
    if (!of)
        return NULL;
    for (uint32_t i = 0; i < tree->node_count; i++)
        of[i] = UNKNOWN;
    for (uint32_t i = 0; i < page->block_count; i++) {
        int32_t *leaf = &of[tree->leaves[tree->leaf_of[i]]];
        if (gold[i] >= 0)
            *leaf = *leaf == UNKNOWN || *leaf == gold[i] ? gold[i] : SEVERAL;
    }
    for (uint32_t i = tree->node_count; i-- > 1;) {
        int32_t *parent = &of[tree->nodes[i].parent];
        if (of[i] != UNKNOWN)
            *parent = *parent == UNKNOWN || *parent == of[i] ? of[i] : SEVERAL;
    }
    return of;
}

static bool open_rows(th_logistic_rows *rows, uint32_t max, uint32_t width,
                      th_arena *arena, int32_t **features, uint8_t **is_yes)
{
    rows->features = *features =
        th_arena_alloc(arena, ((size_t)max + 1) * width * sizeof **features);
    rows->is_yes = *is_yes = th_arena_alloc(arena, (size_t)max + 1);
    rows->count = 0;
    return *features && *is_yes;
}

/* Weights of one regression over all samples. */
static th_status fit_rows(const th_sample *const *samples, uint32_t count, unsigned which,
                          uint32_t width, int32_t *out)
{
    double weights[TH_LOGISTIC_FEATURES];
    th_logistic_rows *rows = calloc(count + 1, sizeof *rows);
    if (!rows)
        return TH_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        rows[i] = samples[i]->rows[which];
    (void)th_logistic_fit(rows, count, width, weights);
    for (uint32_t i = 0; i < width; i++)
        out[i] = fixed(weights[i]);
    free(rows);
    return TH_OK;
}

/* ---- cclus ---- */

/* Pairs of leaves whose gold is known: all, or some drawn from them. */
static th_status gather_pairs(const th_page *page, const int32_t *gold, uint64_t seed,
                              th_arena *scratch, th_arena *arena, th_sample *out)
{
    th_text_tree tree;
    th_cclus_stats facts;
    int32_t *features = NULL;
    uint8_t *is_yes = NULL;
    th_logistic_rows *rows = &out->rows[0];
    th_status status = th_text_tree_build(page, TH_CCLUS_LEAVES, scratch, &tree);
    if (status == TH_OK)
        status = th_cclus_facts_gather(page, &tree, scratch, &facts);
    if (status != TH_OK)
        return status;
    const int32_t *of = gold_of_nodes(page, &tree, gold, scratch);
    uint32_t *known = th_arena_alloc(scratch, tree.leaf_count * sizeof *known);
    if (!of || !known ||
        !open_rows(rows, PAIRS, TH_CCLUS_FEATURES, arena, &features, &is_yes))
        return TH_NOMEM;
    uint32_t count = 0;
    for (uint32_t i = 0; i < tree.leaf_count; i++)
        if (of[tree.leaves[i]] >= 0)
            known[count++] = tree.leaves[i];
    const uint64_t pairs = (uint64_t)count * (count - (count > 0)) / 2;
    for (uint32_t n = 0, i = 0, j = 1; n < PAIRS && n < pairs; n++) {
        uint32_t left = i, right = j;
        if (pairs > PAIRS) {
            left = th_split_mix_below(&seed, count);
            right = th_split_mix_below(&seed, count - 1);
            right += right >= left;
        } else if (++j == count) {
            j = ++i + 1;
        }
        const uint32_t a = known[left < right ? left : right];
        const uint32_t b = known[left < right ? right : left];
        th_cclus_pair_features(&facts, a, b, features + (size_t)n * TH_CCLUS_FEATURES);
        is_yes[n] = of[a] == of[b];
        rows->count++;
    }
    out->is_empty = rows->count == 0;
    return TH_OK;
}

/* Without the features of the tree, as in the paper: the columns are zeros. */
static th_status gather_pairs_without_tree(const th_page *page, const int32_t *gold,
                                           uint64_t seed, th_arena *scratch,
                                           th_arena *arena, th_sample *out)
{
    /* same_parent to lca_place, same_path, steps */
    static const bool is_of_tree[TH_CCLUS_FEATURES] = {
        1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1
    };
    const th_status status = gather_pairs(page, gold, seed, scratch, arena, out);
    const size_t count =
        status == TH_OK ? out->rows[0].count * (size_t)TH_CCLUS_FEATURES : 0;
    int32_t *features = th_arena_alloc(arena, (count + 1) * sizeof *features);
    if (!features)
        return TH_NOMEM;
    for (size_t i = 0; i < count; i++)
        features[i] = is_of_tree[i % TH_CCLUS_FEATURES] ? 0 : out->rows[0].features[i];
    out->rows[0].features = features;
    return status;
}

static th_status fit_pairs(const th_sample *const *samples, uint32_t count, uint64_t seed,
                           th_weights *out)
{
    (void)seed;
    return fit_rows(samples, count, 0, TH_CCLUS_FEATURES, out->of);
}

/* ---- gcuts ---- */

static th_status gather_edges(const th_page *page, const int32_t *gold, uint64_t seed,
                              th_arena *scratch, th_arena *arena, th_sample *out)
{
    th_text_tree tree;
    int32_t *features[2];
    uint8_t *is_yes[2];
    th_logistic_rows *rows = out->rows;
    (void)seed;
    const th_status status = th_text_tree_build(page, TH_GCUTS_LEAVES, scratch, &tree);
    if (status != TH_OK)
        return status;
    const int32_t *of = gold_of_nodes(page, &tree, gold, scratch);
    const uint32_t *max = th_gcuts_most_tokens(&tree, scratch);
    if (!of || !max ||
        !open_rows(&rows[0], tree.leaf_count, TH_GCUTS_NEIGHBOUR, arena, &features[0],
                   &is_yes[0]) ||
        !open_rows(&rows[1], tree.node_count, TH_GCUTS_CHILD, arena, &features[1],
                   &is_yes[1]))
        return TH_NOMEM;
    for (uint32_t i = 1; i < tree.leaf_count; i++) {
        const uint32_t a = tree.leaves[i - 1], b = tree.leaves[i];
        if (of[a] < 0 || of[b] < 0)
            continue;
        th_gcuts_neighbour_features(
            page, &tree, a, b, features[0] + (size_t)rows[0].count * TH_GCUTS_NEIGHBOUR);
        is_yes[0][rows[0].count++] = of[a] == of[b];
    }
    for (uint32_t i = 1; i < tree.node_count; i++) {
        const uint32_t parent = tree.nodes[i].parent;
        if (of[parent] == UNKNOWN)
            continue;
        th_gcuts_child_features(page, &tree, i, max[parent],
                                features[1] + (size_t)rows[1].count * TH_GCUTS_CHILD);
        is_yes[1][rows[1].count++] = of[parent] >= 0;
    }
    out->is_empty = rows[0].count == 0 && rows[1].count == 0;
    return TH_OK;
}

static th_status fit_edges(const th_sample *const *samples, uint32_t count, uint64_t seed,
                           th_weights *out)
{
    (void)seed;
    for (uint32_t i = 0; i < TH_GCUTS_NODE; i++)
        out->of[i] = METRIC;
    const th_status status =
        fit_rows(samples, count, 0, TH_GCUTS_NEIGHBOUR, out->of + TH_GCUTS_NODE);
    return status == TH_OK ? fit_rows(samples, count, 1, TH_GCUTS_CHILD,
                                      out->of + TH_GCUTS_NODE + TH_GCUTS_NEIGHBOUR)
                           : status;
}

/* ---- boundary-graph ---- */

static void keep_features(void *context, uint32_t boundary,
                          const int32_t features[TH_BOUNDARY_FEATURES])
{
    th_boundary_sample *sample = context;
    memcpy(sample->features[boundary], features, sizeof sample->features[boundary]);
}

static th_status gather_boundaries(const th_page *page, const int32_t *gold,
                                   uint64_t seed, th_arena *scratch, th_arena *arena,
                                   th_sample *out)
{
    th_boundary_sample *sample = &out->boundary;
    (void)seed;
    th_status status = th_boundary_graph_build(page, arena, &sample->graph);
    if (status != TH_OK)
        return status;
    const size_t count = sample->graph.boundary_count;
    sample->features = th_arena_alloc(arena, (count + 1) * sizeof *sample->features);
    sample->is_y = th_arena_calloc(arena, count + 1, 1);
    sample->weighs = th_arena_calloc(arena, count + 1, 1);
    sample->informs = th_arena_calloc(arena, count + 1, 1);
    if (!sample->features || !sample->is_y || !sample->weighs || !sample->informs)
        return TH_NOMEM;
    status =
        th_boundary_features_each(page, &sample->graph, scratch, keep_features, sample);
    if (status == TH_OK)
        status = th_boundary_gold(page, &sample->graph, gold, scratch, sample->is_y,
                                  sample->weighs);
    if (status == TH_OK)
        status =
            th_boundary_informative(page, &sample->graph, gold, scratch, sample->informs);
    out->is_empty = !memchr(sample->weighs, 1, count + 1);
    return status;
}

static th_status fit_boundaries_by(const th_sample *const *samples, uint32_t count,
                                   th_boundary_loss loss, uint64_t seed, th_weights *out)
{
    double weights[TH_BOUNDARY_FEATURES];
    const th_boundary_sample **pages = calloc(count + 1, sizeof *pages);
    if (!pages)
        return TH_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        pages[i] = &samples[i]->boundary;
    const th_status status = th_boundary_train(pages, count, loss, seed, weights);
    for (uint32_t i = 0; i < TH_BOUNDARY_FEATURES; i++)
        out->of[i] = fixed(weights[i]);
    free(pages);
    return status;
}

static th_status fit_boundaries(const th_sample *const *samples, uint32_t count,
                                uint64_t seed, th_weights *out)
{
    return fit_boundaries_by(samples, count, TH_LOSS_MARGIN, seed, out);
}

static th_status fit_boundaries_by_slack(const th_sample *const *samples, uint32_t count,
                                         uint64_t seed, th_weights *out)
{
    return fit_boundaries_by(samples, count, TH_LOSS_SLACK, seed, out);
}

/* ---- all ---- */

/* clang-format off */
static const th_trainer trainers[] = {
    { "gcuts", &th_gcuts_features, gather_edges, fit_edges },
    { "cclus", &th_cclus_features, gather_pairs, fit_pairs },
    { "cclus-without-tree", &th_cclus_features, gather_pairs_without_tree, fit_pairs },
    { "boundary-graph", &th_boundary_features, gather_boundaries, fit_boundaries },
    { "boundary-graph-slack", &th_boundary_features, gather_boundaries, fit_boundaries_by_slack },
};
/* clang-format on */

const th_trainer *th_trainer_at(size_t i)
{
    return i < sizeof trainers / sizeof *trainers ? &trainers[i] : NULL;
}
