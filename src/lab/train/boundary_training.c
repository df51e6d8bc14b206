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

/* The gold number with the most tokens, the lowest among equals; UNKNOWN without gold. */
static int64_t informative_number(const th_page *page, const int32_t *gold,
                                  th_arena *scratch)
{
    int32_t max = -1;
    for (uint32_t i = 0; i < page->block_count; i++)
        max = gold[i] > max ? gold[i] : max;
    uint64_t *tokens = th_arena_calloc(scratch, (size_t)max + 2, sizeof *tokens);
    int64_t best = UNKNOWN;
    for (uint32_t i = 0; tokens && i < page->block_count; i++)
        if (gold[i] >= 0)
            tokens[gold[i]] += page->blocks[i].tokens;
    for (int32_t i = 0; tokens && i <= max; i++)
        if (tokens[i] && (best < 0 || tokens[i] > tokens[best]))
            best = i;
    return best;
}

/* Marks a level. A level inside of the segment counts if its part is at a border. */
static void inform_level(const th_boundary_graph *graph, const th_boundary_level *level,
                         const int64_t *of, int64_t number, uint8_t *is_near,
                         uint8_t *informs)
{
    const th_boundary_part *parts = graph->parts + level->first_part;
    const uint32_t own = (uint32_t)(level - graph->levels);
    bool has_border = false;
    for (uint32_t i = 1; i < level->part_count; i++) {
        const bool before = gold_of_part(&graph->tree, of, &parts[i - 1]) == number;
        const bool after = gold_of_part(&graph->tree, of, &parts[i]) == number;
        informs[level->first_boundary + i - 1] = before != after;
        has_border = has_border || before != after;
        if (before != after && parts[before ? i - 1 : i].level != TH_NONE)
            is_near[parts[before ? i - 1 : i].level] = 1;
    }
    for (uint32_t i = 1; (has_border || is_near[own]) && i < level->part_count; i++)
        if (gold_of_part(&graph->tree, of, &parts[i - 1]) == number &&
            gold_of_part(&graph->tree, of, &parts[i]) == number)
            informs[level->first_boundary + i - 1] = 1;
}

th_status th_boundary_informative(const th_page *page, const th_boundary_graph *graph,
                                  const int32_t *gold, th_arena *scratch,
                                  uint8_t *informs)
{
    const int64_t *of = gold_of_nodes(page, &graph->tree, gold, scratch);
    uint8_t *is_near = th_arena_calloc(scratch, graph->level_count + 1, 1);
    const int64_t number = informative_number(page, gold, scratch);
    if (!of || !is_near)
        return TH_NOMEM;
    for (uint32_t i = 0; i < graph->level_count; i++)
        inform_level(graph, &graph->levels[i], of, number, is_near, informs);
    return TH_OK;
}

/* ---- training ---- */

struct training {
    const th_boundary_sample *const *pages;
    uint32_t count;
    double w[WIDTH], mean[WIDTH];
    double (*own)[WIDTH]; /* [page]: its share of w */
    double *loss;         /* [page] */
    th_boundary_loss loss_kind;
    int64_t *scores;
    uint8_t *is_y, *best; /* best: of several labelings */
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

static double score_of(const struct training *training, const th_boundary_sample *page,
                       uint32_t boundary)
{
    double score = 0;
    for (int i = 0; i < WIDTH; i++)
        score += training->w[i] * (page->features[boundary][i] / 1024.0);
    return score;
}

/* The labels with the greatest score, if each wrong boundary of `counts` adds `price`. */
static th_status find_labels(struct training *training, const th_boundary_sample *page,
                             const uint8_t *counts, double price)
{
    int64_t value = 0;
    for (uint32_t b = 0; b < page->graph.boundary_count; b++)
        training->scores[b] =
            llrint((score_of(training, page, b) +
                    (counts[b] ? price * (1 - 2 * (int)page->is_y[b]) : 0)) *
                   scale);
    th_arena_reset(training->scratch);
    return th_boundary_labels(&page->graph, training->scores, training->scratch,
                              training->is_y, &value);
}

/* @param loss  out: the share of wrong boundaries */
static th_status find_worst_by_margin(struct training *training,
                                      const th_boundary_sample *page, double *loss)
{
    double wrong = 0, weighed = 0;
    const th_status status = find_labels(training, page, page->weighs, 1);
    for (uint32_t b = 0; status == TH_OK && b < page->graph.boundary_count; b++) {
        weighed += page->weighs[b];
        wrong += page->weighs[b] && page->is_y[b] != training->is_y[b];
    }
    *loss = wrong / weighed;
    return status;
}

/*
 * The violation of a labeling: (1 - score of the gold + its score) times its loss; 0 for
 * the gold itself. @param loss  out: exp(share of wrong informative boundaries), or 0
 */
static double violation(const struct training *training, const th_boundary_sample *page,
                        double *loss)
{
    double difference = 0, wrong = 0, informative = 0;
    bool is_other = false;
    for (uint32_t b = 0; b < page->graph.boundary_count; b++) {
        const bool differs = page->is_y[b] != training->is_y[b];
        is_other = is_other || (differs && page->weighs[b]);
        informative += page->informs[b];
        wrong += page->informs[b] && differs;
        if (differs)
            difference += (1 - 2 * (int)page->is_y[b]) * score_of(training, page, b);
    }
    *loss = !is_other ? 0 : informative > 0 ? exp(wrong / informative) : 1;
    return (1 + difference) * *loss;
}

static th_status find_worst_by_slack(struct training *training,
                                     const th_boundary_sample *page, double *loss)
{
    static const double prices[] = { 0, .25, .5, 1, 2, 4, 8, 16 };
    const size_t count = sizeof prices / sizeof *prices;
    double most = 0;
    th_status status = TH_OK;
    *loss = 0;
    memcpy(training->best, page->is_y, page->graph.boundary_count);
    for (size_t i = 0; i <= count && status == TH_OK; i++) {
        double own = 0;
        status = i < count ? find_labels(training, page, page->informs, prices[i])
                           : find_labels(training, page, page->weighs, 1);
        const double found = status == TH_OK ? violation(training, page, &own) : 0;
        if (found <= most)
            continue;
        most = found;
        *loss = own;
        memcpy(training->best, training->is_y, page->graph.boundary_count);
    }
    memcpy(training->is_y, training->best, page->graph.boundary_count);
    return status;
}

static th_status step(struct training *training, uint32_t number)
{
    const th_boundary_sample *page = training->pages[number];
    const bool is_slack = training->loss_kind == TH_LOSS_SLACK;
    double towards[WIDTH] = { 0 }, weighed = 0, size = 0;
    const th_status status = is_slack ? find_worst_by_slack(training, page, &size)
                                      : find_worst_by_margin(training, page, &size);
    if (status != TH_OK)
        return status;
    for (uint32_t b = 0; b < page->graph.boundary_count; b++) {
        const int differs = page->is_y[b] - training->is_y[b];
        weighed += page->weighs[b];
        for (int i = 0; differs && i < WIDTH; i++)
            towards[i] += differs * (page->features[b][i] / 1024.0);
    }
    double *own = training->own[number], away[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
        towards[i] *= (is_slack ? size : 1 / weighed) / (lambda * training->count);
        away[i] = own[i] - towards[i];
    }
    const double loss = size / training->count;
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
                            th_boundary_loss loss, uint64_t seed,
                            double out[TH_BOUNDARY_FEATURES])
{
    struct training training = { .pages = pages, .count = count, .loss_kind = loss };
    uint32_t max = 0;
    for (uint32_t i = 0; i < count; i++)
        max = pages[i]->graph.boundary_count > max ? pages[i]->graph.boundary_count : max;
    training.own = calloc(count + 1, sizeof *training.own);
    training.loss = calloc(count + 1, sizeof *training.loss);
    training.scores = calloc(max + 1, sizeof *training.scores);
    training.is_y = calloc(max + 1, 1);
    training.best = calloc(max + 1, 1);
    training.scratch = th_arena_new(0);
    uint32_t *order = calloc(count + 1, sizeof *order);
    const bool has_capacity = training.own && training.loss && training.scores &&
                              training.is_y && training.best && training.scratch && order;
    const th_status status = has_capacity ? climb(&training, seed, order) : TH_NOMEM;
    memcpy(out, training.mean, sizeof training.mean);
    free(training.own);
    free(training.loss);
    free(training.scores);
    free(training.is_y);
    free(training.best);
    th_arena_free(training.scratch);
    free(order);
    return status;
}
