/*
 * Makes gold for boundaries, and climbs the dual of a structural SVM page by page. The
 * labels that are most wrong for their score come from the method's own chain, and the
 * step towards them has a closed form. [Lacoste-Julien 2013, Alg. 4]
 */
#include "lab/train/boundary_training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/segment/split_mix.h"

enum { WIDTH = TH_BOUNDARY_FEATURES, ROUNDS = 15 };
static const double lambda = 1e-3;

/* ---- gold ---- */

/* Gold of a node or part: a number, or one of these. */
enum { UNKNOWN = -1, SEVERAL = -2, OWN = -3 };

static int64_t both(int64_t a, int64_t b)
{
    if (a == UNKNOWN || a == b)
        return b;
    return b == UNKNOWN ? a : SEVERAL;
}

static int64_t *gold_of_nodes(const th_page *page, const th_text_tree *tree,
                              const int32_t *gold, th_arena *scratch)
{
    int64_t *of = th_arena_alloc(scratch, tree->node_count * sizeof *of);
    if (!of)
        return NULL;
    for (uint32_t i = 0; i < tree->node_count; i++)
        of[i] = UNKNOWN;
    for (uint32_t i = 0; i < page->block_count; i++) {
        int64_t *leaf = &of[tree->leaves[tree->leaf_of[i]]];
        *leaf = both(*leaf, gold[i]);
    }
    for (uint32_t i = tree->node_count; i-- > 1;)
        of[tree->nodes[i].parent] = both(of[tree->nodes[i].parent], of[i]);
    return of;
}

static int64_t gold_of_part(const th_text_tree *tree, const int64_t *of,
                            const th_boundary_part *part)
{
    int64_t gold = UNKNOWN;
    for (uint32_t i = part->first; i < part->end; i = tree->nodes[i].end)
        gold = both(gold, of[i]);
    return gold;
}

static void label_level(const th_boundary_graph *graph, const th_boundary_level *level,
                        const int64_t *of, uint8_t *is_y, uint8_t *weighs)
{
    const th_boundary_part *parts = graph->parts + level->first_part;
    int64_t before = UNKNOWN;
    for (uint32_t i = 0; i < level->part_count && before == UNKNOWN; i++)
        before = gold_of_part(&graph->tree, of, &parts[i]); /* the first known */
    bool was_known = true;
    for (uint32_t i = 0; i < level->part_count; i++) {
        const int64_t found = gold_of_part(&graph->tree, of, &parts[i]);
        const bool is_known = found != UNKNOWN;
        const int64_t gold = is_known ? found : before == SEVERAL ? OWN : before;
        if (i) {
            const uint32_t boundary = level->first_boundary + i - 1;
            is_y[boundary] = gold != before || gold == SEVERAL;
            weighs[boundary] = is_known && was_known;
        }
        before = gold;
        was_known = is_known;
    }
}

th_status th_boundary_gold(const th_page *page, const th_boundary_graph *graph,
                           const int32_t *gold, th_arena *scratch, uint8_t *is_y,
                           uint8_t *weighs)
{
    const int64_t *of = gold_of_nodes(page, &graph->tree, gold, scratch);
    if (!of)
        return TH_NOMEM;
    for (uint32_t i = 0; i < graph->level_count; i++)
        label_level(graph, &graph->levels[i], of, is_y, weighs);
    return TH_OK;
}

/* ---- training ---- */

struct training {
    const th_boundary_sample *const *pages;
    uint32_t count;
    double w[WIDTH], mean[WIDTH];
    double (*own)[WIDTH]; /* [page]: its share of w */
    double *loss;         /* [page] */
    int64_t *scores;
    uint8_t *is_y;
    th_arena *scratch;
};

/* Scores of doubles as the chain has them; products of features and weights are small. */
static const double scale = 4294967296.0;

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < WIDTH; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The labels that are most wrong for their score. */
static th_status find_worst(struct training *training, const th_boundary_sample *page)
{
    int64_t value = 0;
    for (uint32_t b = 0; b < page->graph.boundary_count; b++) {
        double score = 0;
        for (int i = 0; i < WIDTH; i++)
            score += training->w[i] * (page->features[b][i] / 1024.0);
        score += page->weighs[b] ? 1 - 2 * (int)page->is_y[b] : 0;
        training->scores[b] = llrint(score * scale);
    }
    th_arena_reset(training->scratch);
    return th_boundary_labels(&page->graph, training->scores, training->scratch,
                              training->is_y, &value);
}

static th_status step(struct training *training, uint32_t number)
{
    const th_boundary_sample *page = training->pages[number];
    const th_status status = find_worst(training, page);
    double towards[WIDTH] = { 0 }, wrong = 0, weighed = 0;
    if (status != TH_OK)
        return status;
    for (uint32_t b = 0; b < page->graph.boundary_count; b++) {
        const int differs = page->is_y[b] - training->is_y[b];
        weighed += page->weighs[b];
        wrong += page->weighs[b] && differs;
        for (int i = 0; differs && i < WIDTH; i++)
            towards[i] += differs * (page->features[b][i] / 1024.0);
    }
    double *own = training->own[number], away[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
        towards[i] /= weighed * lambda * training->count;
        away[i] = own[i] - towards[i];
    }
    const double loss = wrong / (weighed * training->count);
    const double length = lambda * dot(away, away);
    double share =
        length > 0
            ? (lambda * dot(away, training->w) - training->loss[number] + loss) / length
            : 1;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    for (int i = 0; i < WIDTH; i++) {
        training->w[i] -= share * away[i];
        own[i] -= share * away[i];
    }
    training->loss[number] += share * (loss - training->loss[number]);
    return TH_OK;
}

static th_status climb(struct training *training, uint64_t seed, uint32_t *order)
{
    uint64_t steps = 0;
    th_status status = TH_OK;
    for (int round = 0; round < ROUNDS; round++) {
        th_split_mix_permute(&seed, training->count, order);
        for (uint32_t i = 0; i < training->count && status == TH_OK; i++) {
            status = step(training, order[i]);
            const double share = 2.0 / (double)(steps++ + 2);
            for (int k = 0; k < WIDTH; k++)
                training->mean[k] += share * (training->w[k] - training->mean[k]);
        }
    }
    return status;
}

th_status th_boundary_train(const th_boundary_sample *const *pages, uint32_t count,
                            uint64_t seed, double out[TH_BOUNDARY_FEATURES])
{
    struct training training = { .pages = pages, .count = count };
    uint32_t max = 0;
    for (uint32_t i = 0; i < count; i++)
        max = pages[i]->graph.boundary_count > max ? pages[i]->graph.boundary_count : max;
    training.own = calloc(count + 1, sizeof *training.own);
    training.loss = calloc(count + 1, sizeof *training.loss);
    training.scores = calloc(max + 1, sizeof *training.scores);
    training.is_y = calloc(max + 1, 1);
    training.scratch = th_arena_new(0);
    uint32_t *order = calloc(count + 1, sizeof *order);
    const bool has_capacity = training.own && training.loss && training.scores &&
                              training.is_y && training.scratch && order;
    const th_status status = has_capacity ? climb(&training, seed, order) : TH_NOMEM;
    memcpy(out, training.mean, sizeof training.mean);
    free(training.own);
    free(training.loss);
    free(training.scores);
    free(training.is_y);
    th_arena_free(training.scratch);
    free(order);
    return status;
}
