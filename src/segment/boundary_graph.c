/*
 * Segmentation as the choice of boundaries that is best as a whole. [B14]
 *
 * The paper solves a linear programme. Its matrix is totally unimodular, and the solution
 * is a minimum cut. Since a level depends only on the level around it, a programme along
 * each level is exact. Weights are learned by margin re-scaling.
 */
#include "segment/boundary_graph.h"

#include <string.h>

#include "segment/fixed_point.h"
#include "segment/segmenters.h"
#include "segment/sequence_table.h"

/* clang-format off */
#define PART(side) \
    side ".tokens", side ".blocks", side ".link_density", side ".density", side ".stops", \
    side ".share", side ".level_share", side ".height", side ".head", side ".list", \
    side ".item", side ".rows", side ".cell", side ".para", side ".sect", side ".inline", \
    side ".text"
static const char *const weight_names[TH_BOUNDARY_FEATURES] = {
    PART("above"), PART("below"),
    "d_link_density", "d_density", "slope", "d_tokens", "same_skeleton", "d_height", "hard",
    "gap_tags", "least_level_share", "least_share", "least_tokens",
    "level.depth", "level.parts", "level.level_share", "level.like_above",
    "level.like_below", "level.like_most", "level.kinds", "level.largest", "bias",
};
/* clang-format on */

static const th_model_parameter parameters[] = { { "grain", -1048576, 1048576 } };

const th_feature_set th_boundary_features = {
    .name = "boundary-1",
    .method = "boundary-graph",
    .weights = weight_names,
    .weight_count = TH_BOUNDARY_FEATURES,
    .parameters = parameters,
    .parameter_count = 1,
    .shipped = &th_boundary_graph_model,
};

/* ---- levels ---- */

struct building {
    const th_page *page;
    th_boundary_graph *graph;
    uint32_t *part_of; /* [node]: the part that is only this inner node, or TH_NONE */
    uint32_t part_count;
    th_sequence_table shapes;
};

/* Ends a part and sets its shape: the skeletons of its nodes in order. */
static void close_part(struct building *building, uint32_t end)
{
    const th_text_tree *tree = &building->graph->tree;
    th_boundary_part *part = &building->graph->parts[building->part_count - 1];
    uint32_t *items = th_sequence_open(&building->shapes), len = 0;
    part->end = end;
    for (uint32_t i = part->first; i < end; i = tree->nodes[i].end)
        items[len++] = tree->nodes[i].skeleton;
    part->shape = th_sequence_close(&building->shapes, len);
    if (tree->nodes[part->first].end == end && tree->nodes[part->first].child_count)
        building->part_of[part->first] = building->part_count - 1;
}

static bool is_cell(const th_text_tree *tree, const th_boundary_part *part)
{
    return tree->nodes[part->first].end == part->end &&
           th_text_tree_class(tree, part->first) == TH_CLASS_CELL;
}

/* Adds the parts of an inner node, and a level for them if there are two or more. */
static void add_level(struct building *building, uint32_t node)
{
    th_boundary_graph *graph = building->graph;
    const th_text_tree *tree = &graph->tree;
    th_boundary_level level = { .node = node,
                                .first_part = building->part_count,
                                .first_boundary = graph->boundary_count,
                                .is_vertical = true };
    for (uint32_t child = node + 1; child < tree->nodes[node].end;
         child = tree->nodes[child].end) {
        const bool is_joined =
            building->part_count > level.first_part &&
            th_text_gap_of(building->page, &tree->nodes[child]).is_soft;
        if (is_joined)
            continue;
        if (building->part_count > level.first_part)
            close_part(building, child);
        graph->parts[building->part_count++] =
            (th_boundary_part){ .first = child, .level = TH_NONE };
    }
    close_part(building, tree->nodes[node].end);
    level.part_count = building->part_count - level.first_part;
    if (level.part_count < 2) { /* all joined: no part is a single inner node */
        building->part_count = level.first_part;
        return;
    }
    for (uint32_t i = 0; i < level.part_count; i++)
        level.is_vertical &= is_cell(tree, &graph->parts[level.first_part + i]);
    if (node)
        graph->parts[building->part_of[node]].level = graph->level_count;
    graph->boundary_count += level.part_count - 1;
    graph->levels[graph->level_count++] = level;
}

th_status th_boundary_graph_build(const th_page *page, th_arena *arena,
                                  th_boundary_graph *graph)
{
    *graph = (th_boundary_graph){ 0 };
    struct building building = { .page = page, .graph = graph };
    const th_status status =
        th_text_tree_build(page, TH_BOUNDARY_LEAVES, arena, &graph->tree);
    if (status != TH_OK)
        return status;
    const uint32_t nodes = graph->tree.node_count;
    graph->levels = th_arena_alloc(arena, nodes * sizeof *graph->levels);
    graph->parts = th_arena_alloc(arena, nodes * sizeof *graph->parts);
    building.part_of = th_arena_alloc(arena, nodes * sizeof *building.part_of);
    if (!graph->levels || !graph->parts || !building.part_of ||
        !th_sequence_table_init(&building.shapes, nodes, nodes, arena))
        return TH_NOMEM;
    memset(building.part_of, 0xFF, nodes * sizeof *building.part_of); /* TH_NONE */
    for (uint32_t i = 0; i < nodes; i++) {
        if (graph->tree.nodes[i].child_count &&
            (i == 0 || building.part_of[i] != TH_NONE))
            add_level(&building, i);
    }
    return TH_OK;
}

/* ---- features ---- */

/* The sums of a part, for the features of its boundaries. */
struct part_facts {
    th_text_node sums;
    uint8_t class; /* of a part of one node; joined: TH_CLASS_TEXT */
    uint32_t shape;
    uint32_t height; /* of its tallest node */
    int32_t tokens, link_density, density, share, level_share;
};

struct level_facts {
    int32_t depth, parts, level_share, like_max, kinds, largest;
    uint32_t part_count;
};

static void sum_part(const th_text_tree *tree, const th_boundary_part *part,
                     uint32_t level_tokens, struct part_facts *facts)
{
    *facts = (struct part_facts){ .class = TH_CLASS_TEXT, .shape = part->shape };
    for (uint32_t i = part->first; i < part->end; i = tree->nodes[i].end) {
        th_text_node_add(&tree->nodes[i], &facts->sums);
        if (facts->height < tree->nodes[i].height)
            facts->height = tree->nodes[i].height;
    }
    if (tree->nodes[part->first].end == part->end)
        facts->class = th_text_tree_class(tree, part->first);
    const th_text_node *sums = &facts->sums;
    facts->tokens = th_fixed_lg8(sums->tokens);
    facts->link_density = th_fixed_ratio(sums->linked_tokens, sums->tokens);
    facts->density = th_text_density(sums);
    facts->share = th_fixed_ratio(sums->tokens, tree->nodes[0].tokens);
    facts->level_share = th_fixed_ratio(sums->tokens, level_tokens);
}

static int32_t *put_part(int32_t *at, const struct part_facts *part)
{
    *at++ = part->tokens;
    *at++ = th_fixed_lg8(part->sums.blocks);
    *at++ = part->link_density;
    *at++ = part->density;
    *at++ = th_fixed_ratio(5 * (uint64_t)part->sums.stops, part->sums.tokens);
    *at++ = part->share;
    *at++ = part->level_share;
    *at++ = th_fixed_ratio(part->height, 10);
    for (unsigned class = 0; class < TH_CLASS_COUNT; class ++)
        *at++ = part->class == class ? TH_ONE : 0;
    return at;
}

static int32_t min(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static uint32_t far(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static int32_t slope_delta(const struct part_facts *above, const struct part_facts *below)
{
    const int32_t a = th_text_density_value(&above->sums);
    const int32_t b = th_text_density_value(&below->sums);
    return th_fixed_ratio((uint32_t)th_fixed_distance(a, b), (uint32_t)(a > b ? a : b));
}

static int32_t *put_between(int32_t *at, const th_page *page,
                            const struct part_facts *above,
                            const struct part_facts *below)
{
    const th_text_gap gap = th_text_gap_of(page, &below->sums);
    *at++ = th_fixed_distance(above->link_density, below->link_density);
    *at++ = th_text_density_distance(&above->sums, &below->sums);
    *at++ = slope_delta(above, below);
    *at++ = th_fixed_distance(above->tokens, below->tokens);
    *at++ = above->shape == below->shape ? TH_ONE : 0;
    *at++ = th_fixed_ratio(far(above->height, below->height), 10);
    *at++ = gap.is_hard ? TH_ONE : 0;
    *at++ = th_fixed_ratio(gap.tags, 20);
    *at++ = min(above->level_share, below->level_share);
    *at++ = min(above->share, below->share);
    *at++ = min(above->tokens, below->tokens);
    return at;
}

static void put_level(int32_t *at, const struct level_facts *level,
                      const uint32_t *count_of, const struct part_facts *above,
                      const struct part_facts *below)
{
    const uint32_t others = level->part_count - 1;
    *at++ = level->depth;
    *at++ = level->parts;
    *at++ = level->level_share;
    *at++ = th_fixed_ratio(count_of[above->shape] - 1, others);
    *at++ = th_fixed_ratio(count_of[below->shape] - 1, others);
    *at++ = level->like_max;
    *at++ = level->kinds;
    *at++ = level->largest;
    *at++ = TH_ONE;
}

/* Counts the shapes of a level's parts into `count_of`, which must be zero. */
static struct level_facts sum_level(const th_boundary_graph *graph,
                                    const th_boundary_level *level, uint32_t *count_of)
{
    const th_text_node *nodes = graph->tree.nodes;
    const th_text_node *node = &nodes[level->node];
    const th_boundary_part *parts = graph->parts + level->first_part;
    uint32_t kinds = 0, max = 0, largest = 0;
    for (uint32_t i = 0; i < level->part_count; i++) {
        const uint32_t count = ++count_of[parts[i].shape];
        uint32_t tokens = 0;
        for (uint32_t k = parts[i].first; k < parts[i].end; k = nodes[k].end)
            tokens += nodes[k].tokens;
        kinds += count == 1;
        max = count > max ? count : max;
        largest = tokens > largest ? tokens : largest;
    }
    return (struct level_facts){
        .depth = th_fixed_ratio(node->depth, 10),
        .parts = th_fixed_lg8(level->part_count),
        .level_share = th_fixed_ratio(node->tokens, nodes[0].tokens),
        .like_max = th_fixed_ratio(max, level->part_count),
        .kinds = th_fixed_ratio(kinds, level->part_count),
        .largest = th_fixed_ratio(largest, node->tokens),
        .part_count = level->part_count,
    };
}

th_status th_boundary_features_each(const th_page *page, const th_boundary_graph *graph,
                                    th_arena *scratch, th_boundary_visit *visit,
                                    void *context)
{
    uint32_t *count_of =
        th_arena_calloc(scratch, graph->tree.node_count, sizeof *count_of);
    if (!count_of)
        return TH_NOMEM;
    for (uint32_t i = 0; i < graph->level_count; i++) {
        const th_boundary_level *level = &graph->levels[i];
        const th_boundary_part *parts = graph->parts + level->first_part;
        const uint32_t tokens = graph->tree.nodes[level->node].tokens;
        const struct level_facts facts = sum_level(graph, level, count_of);
        struct part_facts above, below;
        sum_part(&graph->tree, &parts[0], tokens, &above);
        for (uint32_t k = 1; k < level->part_count; k++) {
            int32_t features[TH_BOUNDARY_FEATURES];
            sum_part(&graph->tree, &parts[k], tokens, &below);
            int32_t *at = put_part(put_part(features, &above), &below);
            at = put_between(at, page, &above, &below);
            put_level(at, &facts, count_of, &above, &below);
            visit(context, level->first_boundary + k - 1, features);
            above = below;
        }
        for (uint32_t k = 0; k < level->part_count; k++)
            count_of[parts[k].shape] = 0;
    }
    return TH_OK;
}

/* ---- labels ---- */

/* How to trace back the best choice of a level: for each boundary, whether the one before
 * it is N or Y, by its own label; and for the end. */
enum { AFTER_Y_IF_N = 1, AFTER_Y_IF_Y = 2 };

struct choice {
    const th_boundary_graph *graph;
    const int64_t *scores;
    uint8_t *back;     /* [boundary] */
    uint8_t *end_is_y; /* [level]: the last boundary */
    int64_t *value;    /* [level] */
};

static int64_t inner_value(const struct choice *choice, const th_boundary_part *part)
{
    return part->level == TH_NONE ? 0 : choice->value[part->level];
}

static void choose_level(struct choice *choice, uint32_t number)
{
    const th_boundary_level *level = &choice->graph->levels[number];
    const th_boundary_part *parts = choice->graph->parts + level->first_part;
    /* The best values with the last boundary N, and Y. The start counts as Y. */
    int64_t n = INT64_MIN / 2, y = 0;
    for (uint32_t i = 0; i + 1 < level->part_count; i++) {
        const uint32_t boundary = level->first_boundary + i;
        const int64_t closed = y + inner_value(choice, &parts[i]);
        choice->back[boundary] =
            (y > n ? AFTER_Y_IF_N : 0) | (closed > n ? AFTER_Y_IF_Y : 0);
        const int64_t next_n = y > n ? y : n;
        const int64_t next_y = (closed > n ? closed : n) + choice->scores[boundary];
        n = next_n;
        y = next_y;
    }
    const int64_t closed = y + inner_value(choice, &parts[level->part_count - 1]);
    choice->end_is_y[number] = closed > n;
    choice->value[number] = closed > n ? closed : n;
}

/* Sets the labels of a level whose part has Y on both sides. */
static void trace_level(const struct choice *choice, uint32_t number, uint8_t *is_y)
{
    const th_boundary_level *level = &choice->graph->levels[number];
    bool label = choice->end_is_y[number];
    for (uint32_t i = level->part_count - 1; i-- > 0;) {
        const uint32_t boundary = level->first_boundary + i;
        is_y[boundary] = label;
        label = choice->back[boundary] & (label ? AFTER_Y_IF_Y : AFTER_Y_IF_N);
    }
}

/* Returns whether both boundaries next to part i of a level are Y. The ends of a level
 * have no boundary. */
static bool is_apart(const th_boundary_level *level, uint32_t i, const uint8_t *is_y)
{
    return (i == 0 || is_y[level->first_boundary + i - 1]) &&
           (i + 1 == level->part_count || is_y[level->first_boundary + i]);
}

th_status th_boundary_labels(const th_boundary_graph *graph, const int64_t *scores,
                             th_arena *scratch, uint8_t *is_y, int64_t *value)
{
    struct choice choice = { .graph = graph, .scores = scores };
    choice.back = th_arena_alloc(scratch, graph->boundary_count + 1);
    choice.end_is_y = th_arena_alloc(scratch, graph->level_count + 1);
    choice.value =
        th_arena_alloc(scratch, (graph->level_count + 1) * sizeof *choice.value);
    bool *is_chosen = th_arena_calloc(scratch, graph->level_count + 1, sizeof *is_chosen);
    if (!choice.back || !choice.end_is_y || !choice.value || !is_chosen)
        return TH_NOMEM;
    for (uint32_t i = graph->level_count; i-- > 0;) /* inner levels come later */
        choose_level(&choice, i);
    memset(is_y, 0, graph->boundary_count);
    is_chosen[0] = true;
    for (uint32_t i = 0; i < graph->level_count; i++) {
        const th_boundary_level *level = &graph->levels[i];
        if (!is_chosen[i])
            continue;
        trace_level(&choice, i, is_y);
        for (uint32_t k = 0; k < level->part_count; k++) {
            const uint32_t inner = graph->parts[level->first_part + k].level;
            if (inner != TH_NONE)
                is_chosen[inner] = is_apart(level, k, is_y);
        }
    }
    *value = graph->level_count ? choice.value[0] : 0;
    return TH_OK;
}

/* ---- segments ---- */

static bool has_y(const th_boundary_level *level, const uint8_t *is_y)
{
    return memchr(is_y + level->first_boundary, 1, level->part_count - 1) != NULL;
}

th_status th_boundary_segments(const th_page *page, const th_boundary_graph *graph,
                               const uint8_t *is_y, th_arena *scratch,
                               uint32_t *segment_of)
{
    const th_text_tree *tree = &graph->tree;
    uint32_t *label_of = th_arena_calloc(scratch, tree->leaf_count, sizeof *label_of);
    uint32_t *leaves_before =
        th_arena_alloc(scratch, ((size_t)tree->node_count + 1) * sizeof *leaves_before);
    if (!label_of || !leaves_before)
        return TH_NOMEM;
    leaves_before[0] = 0;
    for (uint32_t i = 0; i < tree->node_count; i++)
        leaves_before[i + 1] = leaves_before[i] + (tree->nodes[i].child_count == 0);
    uint32_t labels = 1;
    for (uint32_t i = 0; i < graph->level_count; i++) {
        const th_boundary_level *level = &graph->levels[i];
        if (!has_y(level, is_y))
            continue;
        /* Inner levels come later and divide parts that are one here. */
        for (uint32_t k = 0; k < level->part_count; k++) {
            const th_boundary_part *part = &graph->parts[level->first_part + k];
            labels += k == 0 || is_y[level->first_boundary + k - 1];
            for (uint32_t leaf = leaves_before[part->first];
                 leaf < leaves_before[part->end]; leaf++)
                label_of[leaf] = labels - 1;
        }
    }
    return th_text_tree_segments(page, tree, label_of, labels, scratch, segment_of);
}

void th_boundary_positions(const th_boundary_level *level, const int64_t *scores,
                           const uint8_t *is_y, uint8_t *positions)
{
    uint32_t best = TH_NONE, second = TH_NONE; /* Y boundaries of the level */
    const int64_t *score = scores + level->first_boundary;
    for (uint32_t i = 0; i + 1 < level->part_count; i++) {
        if (!is_y[level->first_boundary + i])
            continue;
        if (best == TH_NONE || score[i] > score[best]) {
            second = best;
            best = i;
        } else if (second == TH_NONE || score[i] > score[second]) {
            second = i;
        }
    }
    const uint32_t top_end = second < best ? second : best;
    const uint32_t bottom_start = second == TH_NONE ? best
                                  : second < best   ? best
                                                    : second;
    const uint8_t top = level->is_vertical ? TH_POSITION_LEFT : TH_POSITION_TOP;
    const uint8_t bottom = level->is_vertical ? TH_POSITION_RIGHT : TH_POSITION_BOTTOM;
    for (uint32_t i = 0; i < level->part_count; i++)
        positions[i] = best == TH_NONE    ? TH_POSITION_MIDDLE
                       : i <= top_end     ? top
                       : i > bottom_start ? bottom
                                          : TH_POSITION_MIDDLE;
}

/* ---- the method ---- */

struct scoring {
    const int32_t *weights;
    int64_t grain;
    int64_t *scores;
};

static void score(void *context, uint32_t boundary,
                  const int32_t features[TH_BOUNDARY_FEATURES])
{
    const struct scoring *scoring = context;
    scoring->scores[boundary] =
        th_fixed_dot(features, scoring->weights, TH_BOUNDARY_FEATURES) + scoring->grain;
}

/* A page's graph with its scores and the best labels. */
struct solution {
    th_boundary_graph graph;
    int64_t *scores;
    uint8_t *is_y;
};

static th_status solve(const th_page *page, const th_options *opt, th_arena *scratch,
                       struct solution *solution)
{
    const th_segment_model *model =
        th_segment_model_chosen(opt, &th_boundary_graph_model);
    th_boundary_graph *graph = &solution->graph;
    int64_t value = 0;
    th_status status = th_boundary_graph_build(page, scratch, graph);
    if (status != TH_OK)
        return status;
    struct scoring scoring = { .weights = model->final.of,
                               .grain = (int64_t)model->parameters[0] * 65536 };
    scoring.scores =
        th_arena_alloc(scratch, (graph->boundary_count + 1) * sizeof *scoring.scores);
    solution->scores = scoring.scores;
    solution->is_y = th_arena_alloc(scratch, graph->boundary_count + 1);
    if (!solution->scores || !solution->is_y)
        return TH_NOMEM;
    status = th_boundary_features_each(page, graph, scratch, score, &scoring);
    return status == TH_OK ? th_boundary_labels(graph, solution->scores, scratch,
                                                solution->is_y, &value)
                           : status;
}

static th_status segment_boundary_graph(const th_page *page, const th_options *opt,
                                        th_arena *scratch, uint32_t *segment_of)
{
    struct solution solution;
    if (page->block_count == 0)
        return TH_OK;
    const th_status status = solve(page, opt, scratch, &solution);
    return status == TH_OK ? th_boundary_segments(page, &solution.graph, solution.is_y,
                                                  scratch, segment_of)
                           : status;
}

/* Finds the positions of a level's parts, and writes them to all nodes in the parts. */
static bool place_level(const struct solution *solution, const th_boundary_level *level,
                        th_arena *scratch, uint8_t *position_of)
{
    uint8_t *positions = th_arena_alloc(scratch, level->part_count);
    if (!positions)
        return false;
    th_boundary_positions(level, solution->scores, solution->is_y, positions);
    for (uint32_t i = 0; i < level->part_count; i++) {
        const th_boundary_part *part = &solution->graph.parts[level->first_part + i];
        memset(position_of + part->first, positions[i], part->end - part->first);
    }
    return true;
}

static uint64_t part_tokens(const th_text_tree *tree, const th_boundary_part *part)
{
    uint64_t tokens = 0;
    for (uint32_t i = part->first; i < part->end; i = tree->nodes[i].end)
        tokens += tree->nodes[i].tokens;
    return tokens;
}

/* Returns the level inside the group of parts with most tokens, if that is one part with
 * a level. NULL if there is none. */
static const th_boundary_level *major_level(const struct solution *solution)
{
    const th_boundary_graph *graph = &solution->graph;
    const th_boundary_level *level = &graph->levels[0];
    uint64_t tokens = 0, max = 0;
    uint32_t first = 0, inside = TH_NONE;
    for (uint32_t i = 0; i < level->part_count; i++) {
        const th_boundary_part *part = &graph->parts[level->first_part + i];
        tokens += part_tokens(&graph->tree, part);
        if (i + 1 < level->part_count && !solution->is_y[level->first_boundary + i])
            continue;
        if (tokens > max) {
            max = tokens;
            inside = first == i ? part->level : TH_NONE;
        }
        first = i + 1;
        tokens = 0;
    }
    return inside == TH_NONE ? NULL : &graph->levels[inside];
}

static th_status place_segments(const th_page *page, const th_options *opt,
                                th_arena *scratch, th_segment *segments)
{
    struct solution solution;
    if (page->block_count == 0)
        return TH_OK;
    const th_status status = solve(page, opt, scratch, &solution);
    if (status != TH_OK)
        return status;
    const th_text_tree *tree = &solution.graph.tree;
    uint8_t *position = th_arena_calloc(scratch, tree->node_count, 1);
    uint8_t *inner = th_arena_calloc(scratch, tree->node_count, 1);
    if (!position || !inner)
        return TH_NOMEM;
    if (solution.graph.level_count) {
        const th_boundary_level *major = major_level(&solution);
        if (!place_level(&solution, &solution.graph.levels[0], scratch, position) ||
            (major && !place_level(&solution, major, scratch, inner)))
            return TH_NOMEM;
    }
    for (uint32_t i = 0; i < page->segment_count; i++) {
        const uint32_t leaf = tree->leaves[tree->leaf_of[segments[i].first_block]];
        segments[i].position = position[leaf];
        segments[i].inner = inner[leaf];
    }
    return TH_OK;
}

const th_segmenter th_boundary_graph_method = {
    .name = "boundary-graph",
    .cites = "[B14]",
    .help = "learned: the best set of boundaries for the complete page",
    .theta_max = -1,
    .segment = segment_boundary_graph,
    .features = &th_boundary_features,
    .place = place_segments,
};
