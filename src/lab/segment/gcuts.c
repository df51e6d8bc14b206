/*
 * Graph cuts. Each leaf takes as label one of the inner nodes, which represent regions of
 * the page. The cost grows with its difference from the node, and with the probability
 * that separated neighbouring leaves, or a node and its parent, belong together. [CKP08
 * §4.2]
 *
 * Differences from the paper: the metric is Euclid's by
 * default, invisible inner nodes have no cost of themselves, the solver is exact, and
 * segments are runs of leaves with one label.
 */
#include "lab/segment/gcuts.h"

#include <string.h>

#include "lab/segment/lab_segmenters.h"
#include "segment/fixed_point.h"

/* clang-format off */
static const char *const weight_names[] = {
    "metric.y", "metric.link_density", "metric.density", "metric.stops", "metric.head",
    "metric.item", "metric.cell", "metric.para", "metric.depth", "metric.tokens_a_block",
    "neighbour.up", "neighbour.down", "neighbour.lca_share", "neighbour.lca_blocks",
    "neighbour.same_parent", "neighbour.d_link_density", "neighbour.d_density",
    "neighbour.d_tokens", "neighbour.hard", "neighbour.soft", "neighbour.gap_tags",
    "neighbour.head_below", "neighbour.bias",
    "child.share", "child.parent_share", "child.parent_blocks", "child.children",
    "child.height", "child.list", "child.rows", "child.link_density",
    "child.d_link_density", "child.kinds", "child.heads", "child.inner", "child.largest",
    "child.bias",
};
/* clang-format on */

static const th_model_parameter parameters[] = { { "lambda", 0, 64 * TH_ONE } };

const th_feature_set th_gcuts_features = {
    .name = "gcuts-1",
    .method = "gcuts",
    .weights = weight_names,
    .weight_count = sizeof weight_names / sizeof *weight_names,
    .parameters = parameters,
    .parameter_count = 1,
    .shipped = &th_gcuts_model,
};

/* ---- features ---- */

static int32_t share_of_blocks(const th_text_node *node, unsigned class, unsigned other)
{
    return th_fixed_ratio(node->by_class[class] +
                              (class == other ? 0 : node->by_class[other]),
                          node->blocks);
}

void th_gcuts_node_features(const th_page *page, const th_text_tree *tree,
                            uint32_t number, int32_t features[TH_GCUTS_NODE])
{
    const th_text_node *node = &tree->nodes[number];
    const uint32_t lines = page->lines_before[page->block_count];
    const uint64_t around = (uint64_t)page->lines_before[node->first_block] +
                            page->lines_before[node->last_block + 1];
    int32_t *at = features;
    *at++ = th_fixed_ratio(around, 2 * (uint64_t)lines);
    *at++ = th_fixed_ratio(node->linked_tokens, node->tokens);
    *at++ = th_text_density(node);
    *at++ = th_fixed_ratio(5 * (uint64_t)node->stops, node->tokens);
    *at++ = share_of_blocks(node, TH_CLASS_HEAD, TH_CLASS_HEAD);
    *at++ = share_of_blocks(node, TH_CLASS_ITEM, TH_CLASS_LIST);
    *at++ = share_of_blocks(node, TH_CLASS_CELL, TH_CLASS_ROWS);
    *at++ = share_of_blocks(node, TH_CLASS_PARA, TH_CLASS_PARA);
    *at++ = th_fixed_ratio(node->depth, 16);
    *at++ = th_fixed_lg8(node->tokens / node->blocks);
}

void th_gcuts_neighbour_features(const th_page *page, const th_text_tree *tree,
                                 uint32_t left, uint32_t right,
                                 int32_t features[TH_GCUTS_NEIGHBOUR])
{
    const th_text_node *a = &tree->nodes[left], *b = &tree->nodes[right];
    const th_text_node *above = &tree->nodes[th_text_tree_lca(tree, left, right)];
    const th_text_gap gap = th_text_gap_of(page, b);
    int32_t *at = features;
    *at++ = th_fixed_ratio(a->depth - above->depth, 10);
    *at++ = th_fixed_ratio(b->depth - above->depth, 10);
    *at++ = th_fixed_ratio(above->tokens, tree->nodes[0].tokens);
    *at++ = th_fixed_lg8(above->blocks);
    *at++ = a->parent == b->parent ? TH_ONE : 0;
    *at++ = th_fixed_distance(th_fixed_ratio(a->linked_tokens, a->tokens),
                              th_fixed_ratio(b->linked_tokens, b->tokens));
    *at++ = th_text_density_distance(a, b);
    *at++ = th_fixed_distance(th_fixed_lg8(a->tokens), th_fixed_lg8(b->tokens));
    *at++ = gap.is_hard ? TH_ONE : 0;
    *at++ = gap.is_soft ? TH_ONE : 0;
    *at++ = th_fixed_ratio(gap.tags, 20);
    *at++ = b->heads ? TH_ONE : 0;
    *at++ = TH_ONE;
}

static bool has_name(const th_text_tree *tree, const th_text_node *node, uint8_t class)
{
    for (uint32_t i = 0; i < node->name_count; i++) {
        if (th_text_class(tree->names[node->names + i]) == class)
            return true;
    }
    return false;
}

void th_gcuts_child_features(const th_page *page, const th_text_tree *tree,
                             uint32_t child, uint32_t max_tokens,
                             int32_t features[TH_GCUTS_CHILD])
{
    (void)page;
    const th_text_node *q = &tree->nodes[child], *u = &tree->nodes[q->parent];
    const int32_t links = th_fixed_ratio(u->linked_tokens, u->tokens);
    int32_t *at = features;
    *at++ = th_fixed_ratio(q->tokens, u->tokens);
    *at++ = th_fixed_ratio(u->tokens, tree->nodes[0].tokens);
    *at++ = th_fixed_lg8(u->blocks);
    *at++ = th_fixed_lg8(u->child_count);
    *at++ = th_fixed_ratio(u->height, 10);
    *at++ = has_name(tree, u, TH_CLASS_LIST) ? TH_ONE : 0;
    *at++ = has_name(tree, u, TH_CLASS_ROWS) ? TH_ONE : 0;
    *at++ = links;
    *at++ = th_fixed_distance(links, th_fixed_ratio(q->linked_tokens, q->tokens));
    *at++ = th_fixed_ratio(u->kinds, u->child_count);
    *at++ = u->heads ? TH_ONE : 0;
    *at++ = q->child_count ? TH_ONE : 0;
    *at++ = th_fixed_ratio(max_tokens, u->tokens);
    *at++ = TH_ONE;
}

uint32_t *th_gcuts_most_tokens(const th_text_tree *tree, th_arena *arena)
{
    uint32_t *max = th_arena_calloc(arena, tree->node_count, sizeof *max);
    for (uint32_t i = 1; max && i < tree->node_count; i++) {
        uint32_t *at = &max[tree->nodes[i].parent];
        if (*at < tree->nodes[i].tokens)
            *at = tree->nodes[i].tokens;
    }
    return max;
}

/* ---- the graph ---- */

static uint32_t choose_labels(const th_text_tree *tree, uint32_t *labels)
{
    uint32_t inner = tree->node_count - tree->leaf_count, count = 0, met = 0;
    const uint32_t step = (inner + TH_GCUTS_LABELS - 1) / TH_GCUTS_LABELS;
    for (uint32_t i = 0; i < tree->node_count; i++) {
        if (tree->nodes[i].child_count && met++ % step == 0)
            labels[count++] = i;
    }
    return count;
}

/* A weight of the metric: from 0 to 1024.0, which no cost can overflow with. */
static uint32_t metric_weight(int32_t weight)
{
    return weight < 0 ? 0 : weight > 1 << 20 ? 1u << 20 : (uint32_t)weight;
}

/* Distance of a node to a label; weights of 1.0 make it Euclid's. */
static int32_t far(const uint32_t *metric, const int32_t *p, const int32_t *a)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < TH_GCUTS_NODE; i++) {
        const int32_t step = p[i] - a[i]; /* at most 1024 */
        sum += (uint64_t)(uint32_t)(step * step) * metric[i];
    }
    return (int32_t)th_fixed_sqrt(sum >> 10);
}

struct building {
    const th_page *page;
    const int32_t *metric, *neighbour, *child; /* weights */
    int32_t lambda;
    th_arena *arena;
    th_gcuts_graph *graph;
};

static bool fill_costs(const struct building *building)
{
    th_gcuts_graph *graph = building->graph;
    const th_text_tree *tree = &graph->tree;
    const uint32_t nodes = tree->node_count, labels = graph->energy.label_count;
    int32_t *cost =
        th_arena_alloc(building->arena, (size_t)nodes * labels * sizeof *cost);
    const th_arena_mark mark = th_arena_get_mark(building->arena);
    int32_t(*features)[TH_GCUTS_NODE] =
        th_arena_alloc(building->arena, nodes * sizeof *features);
    uint32_t metric[TH_GCUTS_NODE];
    if (!features || !cost)
        return false;
    for (uint32_t i = 0; i < TH_GCUTS_NODE; i++)
        metric[i] = metric_weight(building->metric[i]);
    for (uint32_t i = 0; i < nodes; i++)
        th_gcuts_node_features(building->page, tree, i, features[i]);
    for (uint32_t i = 0; i < nodes; i++) {
        for (uint32_t k = 0; k < labels; k++)
            cost[(size_t)i * labels + k] =
                far(metric, features[i], features[graph->labels[k]]);
    }
    th_arena_rewind(building->arena, mark);
    graph->energy.cost = cost;
    return true;
}

/* lambda times the probability that the weights give. */
static int32_t edge(const struct building *building, const int32_t *features,
                    const int32_t *weights, uint32_t count)
{
    const int64_t z = th_fixed_dot(features, weights, count) >> 16;
    return building->lambda * th_fixed_sigmoid(z) >> 10;
}

static bool fill_edges(const struct building *building)
{
    const th_text_tree *tree = &building->graph->tree;
    th_arena *arena = building->arena;
    const uint32_t *max = th_gcuts_most_tokens(tree, arena);
    int32_t *hidden = th_arena_calloc(arena, tree->node_count, sizeof *hidden);
    int32_t *apart = th_arena_calloc(arena, tree->leaf_count, sizeof *apart);
    if (!max || !hidden || !apart)
        return false;
    for (uint32_t i = 1; i < tree->node_count; i++) {
        int32_t features[TH_GCUTS_CHILD];
        th_gcuts_child_features(building->page, tree, i, max[tree->nodes[i].parent],
                                features);
        hidden[i] = edge(building, features, building->child, TH_GCUTS_CHILD);
    }
    for (uint32_t i = 1; i < tree->leaf_count; i++) {
        int32_t features[TH_GCUTS_NEIGHBOUR];
        th_gcuts_neighbour_features(building->page, tree, tree->leaves[i - 1],
                                    tree->leaves[i], features);
        apart[i] = edge(building, features, building->neighbour, TH_GCUTS_NEIGHBOUR);
    }
    building->graph->energy.hidden = hidden;
    building->graph->energy.apart = apart;
    return true;
}

static bool fill_shape(const struct building *building)
{
    th_gcuts_graph *graph = building->graph;
    const uint32_t nodes = graph->tree.node_count;
    uint32_t *parent = th_arena_alloc(building->arena, nodes * sizeof *parent);
    uint32_t *end = th_arena_alloc(building->arena, nodes * sizeof *end);
    if (!parent || !end)
        return false;
    for (uint32_t i = 0; i < nodes; i++) {
        parent[i] = graph->tree.nodes[i].parent;
        end[i] = graph->tree.nodes[i].end;
    }
    graph->energy.node_count = nodes;
    graph->energy.parent = parent;
    graph->energy.end = end;
    graph->energy.leaves = graph->tree.leaves;
    graph->energy.leaf_count = graph->tree.leaf_count;
    graph->energy.label_count = choose_labels(&graph->tree, graph->labels);
    return true;
}

th_status th_gcuts_graph_build(const th_page *page, const th_weights *weights,
                               int32_t lambda, th_arena *arena, th_gcuts_graph *graph)
{
    const int32_t *metric = weights->of, *neighbour = metric + TH_GCUTS_NODE;
    const struct building building = { .page = page,
                                       .metric = metric,
                                       .neighbour = neighbour,
                                       .child = neighbour + TH_GCUTS_NEIGHBOUR,
                                       .lambda = lambda,
                                       .arena = arena,
                                       .graph = graph };
    *graph = (th_gcuts_graph){ 0 };
    const th_status status =
        th_text_tree_build(page, TH_GCUTS_LEAVES, arena, &graph->tree);
    if (status != TH_OK)
        return status;
    return fill_shape(&building) && fill_costs(&building) && fill_edges(&building)
               ? TH_OK
               : TH_NOMEM;
}

/* ---- the method ---- */

/* Segments are runs of leaves with one label. */
static uint32_t number_runs(const th_gcuts_graph *graph, const uint32_t *state,
                            uint32_t *run_of)
{
    const th_text_tree *tree = &graph->tree;
    uint32_t run = 0;
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        run += i && state[tree->leaves[i]] != state[tree->leaves[i - 1]];
        run_of[i] = run;
    }
    return run + 1;
}

static th_status segment_gcuts(const th_page *page, const th_options *opt,
                               th_arena *scratch, uint32_t *segment_of)
{
    const th_segment_model *model = th_segment_model_chosen(opt, &th_gcuts_model);
    if (page->block_count < 2) {
        memset(segment_of, 0, page->block_count * sizeof *segment_of);
        return TH_OK;
    }
    th_gcuts_graph graph;
    int64_t min = 0;
    th_status status =
        th_gcuts_graph_build(page, &model->final, model->parameters[0], scratch, &graph);
    if (status != TH_OK)
        return status;
    uint32_t *state = th_arena_alloc(scratch, graph.tree.node_count * sizeof *state);
    uint32_t *run_of = th_arena_alloc(scratch, graph.tree.leaf_count * sizeof *run_of);
    if (!state || !run_of)
        return TH_NOMEM;
    status = th_cut_exact(&graph.energy, scratch, state, &min);
    if (status != TH_OK)
        return status;
    const uint32_t runs = number_runs(&graph, state, run_of);
    return th_text_tree_segments(page, &graph.tree, run_of, runs, scratch, segment_of);
}

const th_segmenter th_gcuts = {
    .name = "gcuts",
    .cites = "[CKP08 §4.2]",
    .help = "learned: cuts the page's graph, with an exact solver",
    .theta_max = -1,
    .segment = segment_gcuts,
    .features = &th_gcuts_features,
};
