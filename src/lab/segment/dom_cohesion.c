/*
 * DOM structural cohesion: an element whose children have the same structure is a block.
 * A block is split if its children differ far more than the children of other blocks.
 * [H25] The paper's text, its listings and its authors' code disagree. This is
 * the reading with the best adjusted Rand index.
 *
 *  1. The tree contains the elements that hold text or are visible themselves (images,
 *     controls), and of all above them.
 *  2. Blocks, breadth first: a child that has the skeleton of an adjacent sibling makes
 *     its parent a block and is not visited.
 *  3. Heterogeneity of a block: standard deviation of the edit distances between its
 *     children. Outliers are over Q3 + 1.5 (Q3 - Q1).
 *  4. A block that is not an outlier and an element without blocks are segments. All
 *     others are opened; text straight in them is a segment where it is adjacent.
 *
 * The paper takes .63 s a page. Here equal subtrees are one kind. If there are many
 * kinds, 24 are drawn at equal steps. A distance that would cost too much is replaced by
 * a lower bound (by tags, on monstrous pages by size). The work is bounded by count,
 * never by time.
 */
#include "lab/segment/dom_cohesion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/segment/lab_segmenters.h"
#include "lab/segment/tree_edit_distance.h"
#include "segment/sequence_table.h"

enum {
    MOST_ELEMENTS = 16384, /* of the tree: the highest, for its memory */
    MOST_KINDS = 24,       /* of children compared in a block */
    PAIR_CELLS = 200000,   /* of one distance */
    PAGE_CELLS = 20000000, /* of all distances of a page */
    PAGE_NODES = 20000000, /* looked at for all lower bounds of a page */
};

/* ---- the tree ---- */

/*
 * Elements kept, in document order. The root is 0. If a page has more than MOST_ELEMENTS,
 * the deepest are omitted, as if they held no text, because blocks are searched from the
 * root down.
 */
struct dom_tree {
    uint32_t count;
    uint32_t *node; /* in page->nodes */
    uint32_t *parent;
    uint32_t *end;      /* subtree is [i, end) */
    uint32_t *skeleton; /* (tag, distinct skeletons of the children in order) */
    uint32_t *kind;     /* equal where the subtrees are */
    th_tag *tag;
    /* The same in postorder, for edit distances. */
    uint32_t *place; /* of an element in postorder */
    th_postorder postorder;
};

static bool is_seen(const th_node *node)
{
    switch (node->tag) {
    case TH_TAG_IMG:
    case TH_TAG_INPUT:
    case TH_TAG_BUTTON:
    case TH_TAG_SELECT:
    case TH_TAG_TEXTAREA:
    case TH_TAG_VIDEO:
    case TH_TAG_AUDIO:
    case TH_TAG_CANVAS:
    case TH_TAG_IFRAME:
    case TH_TAG_OBJECT:
    case TH_TAG_EMBED:
    case TH_TAG_SVG:
    case TH_TAG_HR:
        return true;
    default:
        return node->first_block < node->end_block;
    }
}

/*
 * Removes `excess` elements: the deepest, and at the last depth the elements nearest the
 * page's end. @return false without memory
 */
static bool drop_deepest(const th_page *page, uint32_t excess, th_arena *arena,
                         bool *is_kept)
{
    uint32_t min = UINT16_MAX; /* depth; all deeper elements are removed */
    uint32_t *at_depth = th_arena_calloc(arena, UINT16_MAX + 1, sizeof *at_depth);
    if (!at_depth)
        return false;
    for (uint32_t i = 0; i < page->node_count; i++)
        at_depth[page->nodes[i].depth] += is_kept[i];
    for (; excess > at_depth[min]; min--)
        excess -= at_depth[min];
    for (uint32_t i = page->node_count; i-- > 0;) {
        if (!is_kept[i] || page->nodes[i].depth < min)
            continue;
        is_kept[i] = page->nodes[i].depth == min && excess == 0;
        excess -= page->nodes[i].depth == min && excess;
    }
    return true;
}

/*
 * Chooses the elements to keep, at most MOST_ELEMENTS. Parents come before their
 * children.
 * @return false without memory
 */
static bool choose_elements(const th_page *page, th_arena *arena, bool *is_kept)
{
    uint32_t count = 0;
    for (uint32_t i = page->node_count; i-- > 0;) {
        is_kept[i] = is_kept[i] || i == 0 || is_seen(&page->nodes[i]);
        if (is_kept[i] && i)
            is_kept[page->nodes[i].parent] = true;
        count += is_kept[i];
    }
    return count <= MOST_ELEMENTS ||
           drop_deepest(page, count - MOST_ELEMENTS, arena, is_kept);
}

static bool allocate(struct dom_tree *tree, uint32_t count, th_arena *arena)
{
    tree->node = th_arena_alloc(arena, count * sizeof *tree->node);
    tree->parent = th_arena_alloc(arena, count * sizeof *tree->parent);
    tree->end = th_arena_alloc(arena, count * sizeof *tree->end);
    tree->skeleton = th_arena_alloc(arena, count * sizeof *tree->skeleton);
    tree->kind = th_arena_alloc(arena, count * sizeof *tree->kind);
    tree->tag = th_arena_alloc(arena, count * sizeof *tree->tag);
    tree->place = th_arena_alloc(arena, count * sizeof *tree->place);
    return tree->node && tree->parent && tree->end && tree->skeleton && tree->kind &&
           tree->tag && tree->place;
}

/* Links of the kept nodes: a parent's children in the order of the page's table. */
struct kin {
    uint32_t first_child, next; /* TH_NONE: none */
};

static void link_kin(const th_page *page, const bool *is_kept, struct kin *kin)
{
    memset(kin, 0xFF, page->node_count * sizeof *kin); /* TH_NONE */
    for (uint32_t i = page->node_count; i-- > 1;) {
        if (!is_kept[i])
            continue;
        struct kin *parent = &kin[page->nodes[i].parent];
        kin[i].next = parent->first_child;
        parent->first_child = i;
    }
}

/* Lays the kept nodes out in preorder. The page's own order is not it: text of a table
 * outside its cells goes back to an element around the table. */
static bool take_elements(const th_page *page, th_arena *arena, struct dom_tree *tree)
{
    const uint32_t max =
        page->node_count < MOST_ELEMENTS ? page->node_count : MOST_ELEMENTS;
    if (!allocate(tree, max, arena))
        return false;
    const th_arena_mark mark = th_arena_get_mark(arena);
    bool *is_kept = th_arena_calloc(arena, page->node_count, sizeof *is_kept);
    struct kin *kin = th_arena_alloc(arena, page->node_count * sizeof *kin);
    uint32_t *number = th_arena_alloc(arena, page->node_count * sizeof *number);
    if (!is_kept || !kin || !number || !choose_elements(page, arena, is_kept))
        return false;
    link_kin(page, is_kept, kin);
    for (uint32_t at = 0; at != TH_NONE;) {
        number[at] = tree->count++;
        tree->node[number[at]] = at;
        tree->tag[number[at]] = page->nodes[at].tag;
        tree->parent[number[at]] = at ? number[page->nodes[at].parent] : TH_NONE;
        uint32_t next = kin[at].first_child;
        for (uint32_t up = at; next == TH_NONE && up != TH_NONE;
             up = page->nodes[up].parent) {
            tree->end[number[up]] = tree->count;
            next = kin[up].next;
        }
        at = next;
    }
    th_arena_rewind(arena, mark);
    return true;
}

/* Numbers for the elements' shapes: tag, and the shapes of the children in order.
 * @param is_set  of children that have one shape the first one alone counts */
static bool number_shapes(th_arena *arena, const struct dom_tree *tree, bool is_set,
                          uint32_t *shape_of)
{
    const th_arena_mark mark = th_arena_get_mark(arena);
    th_sequence_table shapes;
    uint32_t *seen_by = th_arena_alloc(arena, tree->count * sizeof *seen_by);
    if (!seen_by ||
        !th_sequence_table_init(&shapes, tree->count, 2 * (size_t)tree->count, arena))
        return false;
    memset(seen_by, 0xFF, tree->count * sizeof *seen_by); /* TH_NONE */
    for (uint32_t i = tree->count; i-- > 0;) {
        uint32_t *items = th_sequence_open(&shapes), len = 0;
        items[len++] = tree->tag[i];
        for (uint32_t child = i + 1; child < tree->end[i]; child = tree->end[child]) {
            const uint32_t shape = shape_of[child];
            if (!is_set || seen_by[shape] != i)
                items[len++] = shape;
            seen_by[shape] = i;
        }
        shape_of[i] = th_sequence_close(&shapes, len);
    }
    th_arena_rewind(arena, mark);
    return true;
}

/*
 * Computes the postorder place of element i: the number of earlier elements in document
 * order that are not its ancestors, plus the number of elements below it. Depth is the
 * number of its ancestors.
 */
static bool order_for_distances(th_arena *arena, struct dom_tree *tree)
{
    const uint32_t count = tree->count;
    th_tag *tags = th_arena_alloc(arena, count * sizeof *tags);
    uint32_t *leftmost = th_arena_alloc(arena, count * sizeof *leftmost);
    uint8_t *is_key = th_arena_alloc(arena, count * sizeof *is_key);
    uint64_t *key_cells = th_arena_alloc(arena, ((size_t)count + 1) * sizeof *key_cells);
    const th_arena_mark mark = th_arena_get_mark(arena);
    uint32_t *depth = th_arena_alloc(arena, count * sizeof *depth);
    if (!tags || !leftmost || !is_key || !key_cells || !depth)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        depth[i] = i ? depth[tree->parent[i]] + 1 : 0;
        const uint32_t place = tree->end[i] - 1 - depth[i];
        tree->place[i] = place;
        tags[place] = tree->tag[i];
        leftmost[place] = i - depth[i];
        is_key[place] = i && tree->parent[i] + 1 != i;
    }
    key_cells[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        key_cells[i + 1] = key_cells[i] + (is_key[i] ? i + 1 - leftmost[i] : 0);
    tree->postorder = (th_postorder){ tags, leftmost, is_key, key_cells };
    th_arena_rewind(arena, mark);
    return true;
}

static bool build_tree(const th_page *page, th_arena *arena, struct dom_tree *tree)
{
    *tree = (struct dom_tree){ 0 };
    return take_elements(page, arena, tree) &&
           number_shapes(arena, tree, true, tree->skeleton) &&
           number_shapes(arena, tree, false, tree->kind) &&
           order_for_distances(arena, tree);
}

/* ---- heterogeneity ---- */

struct spread {
    const struct dom_tree *tree;
    uint64_t cells_left, nodes_left;
    uint32_t *table;             /* scratch of the distances */
    uint32_t *counts;            /* scratch of the bounds */
    uint32_t *first_of;          /* by kind: index into `chosen`, TH_NONE elsewhere */
    uint32_t *distinct;          /* children of distinct kinds, in order of appearance */
    uint32_t *weight;            /* children of that kind */
    uint32_t chosen[MOST_KINDS]; /* index into `distinct` */
};

/*
 * Returns the capacity for any distance of two subtrees of a tree of `count` elements.
 * The product of their sizes is at most PAIR_CELLS. So their sum, which the tables'
 * borders take, is greatest if one of them is the whole tree.
 */
static size_t table_capacity(uint32_t count)
{
    return (uint64_t)count * count <= PAIR_CELLS
               ? th_tree_distance_capacity(count, count)
               : 2 * ((size_t)PAIR_CELLS + count + PAIR_CELLS / count + 2);
}

static bool make_spread(const struct dom_tree *tree, th_arena *arena,
                        struct spread *spread)
{
    *spread = (struct spread){ .tree = tree,
                               .cells_left = PAGE_CELLS,
                               .nodes_left = PAGE_NODES };
    spread->table =
        th_arena_alloc(arena, table_capacity(tree->count) * sizeof *spread->table);
    spread->counts = th_arena_calloc(arena, TH_TAG_COUNT, sizeof *spread->counts);
    spread->first_of = th_arena_alloc(arena, tree->count * sizeof *spread->first_of);
    spread->distinct = th_arena_alloc(arena, tree->count * sizeof *spread->distinct);
    spread->weight = th_arena_alloc(arena, tree->count * sizeof *spread->weight);
    if (!spread->table || !spread->counts || !spread->first_of || !spread->distinct ||
        !spread->weight)
        return false;
    memset(spread->first_of, 0xFF, tree->count * sizeof *spread->first_of);
    return true;
}

static uint32_t lower_bound(struct spread *spread, uint32_t a, uint32_t b)
{
    const th_postorder *forest = &spread->tree->postorder;
    const uint32_t size_a = th_postorder_size(forest, a);
    const uint32_t size_b = th_postorder_size(forest, b);
    if (size_a + (uint64_t)size_b > spread->nodes_left)
        return size_a > size_b ? size_a - size_b : size_b - size_a;
    spread->nodes_left -= size_a + (uint64_t)size_b;
    return th_tree_distance_bound(forest, a, b, spread->counts);
}

static uint32_t distance(struct spread *spread, uint32_t a, uint32_t b)
{
    const th_postorder *forest = &spread->tree->postorder;
    a = spread->tree->place[a];
    b = spread->tree->place[b];
    const uint64_t cells = th_tree_cells(forest, a) * th_tree_cells(forest, b);
    if (cells > PAIR_CELLS || cells > spread->cells_left)
        return lower_bound(spread, a, b);
    spread->cells_left -= cells;
    return th_tree_distance(forest, a, b, spread->table);
}

/* Lists the kinds among the children of a block, with how many children have each. */
static uint32_t list_kinds(struct spread *spread, uint32_t block)
{
    const struct dom_tree *tree = spread->tree;
    uint32_t count = 0;
    for (uint32_t child = block + 1; child < tree->end[block]; child = tree->end[child]) {
        uint32_t *at = &spread->first_of[tree->kind[child]];
        if (*at == TH_NONE) {
            *at = count;
            spread->distinct[count] = child;
            spread->weight[count++] = 0;
        }
        spread->weight[*at]++;
    }
    for (uint32_t i = 0; i < count; i++)
        spread->first_of[tree->kind[spread->distinct[i]]] = TH_NONE;
    return count;
}

static void measure(struct spread *spread, uint32_t element, th_dom_block *block)
{
    const uint32_t kinds = list_kinds(spread, element);
    const uint32_t count = kinds < MOST_KINDS ? kinds : MOST_KINDS;
    for (uint32_t i = 0; i < count; i++)
        spread->chosen[i] =
            kinds <= MOST_KINDS ? i : (uint32_t)((uint64_t)i * kinds / MOST_KINDS);
    uint64_t children = 0, sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t weight = spread->weight[spread->chosen[i]];
        children += weight;
        for (uint32_t k = 0; k < i; k++) {
            const uint64_t pairs = 2 * weight * spread->weight[spread->chosen[k]];
            const uint64_t far = distance(spread, spread->distinct[spread->chosen[k]],
                                          spread->distinct[spread->chosen[i]]);
            sum += pairs * far;
            squares += pairs * far * far;
        }
    }
    block->cells = children * children;
    block->spread = block->cells * squares - sum * sum;
    block->heterogeneity = sqrt((double)block->spread) / (double)block->cells;
}

/* ---- outliers ---- */

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Quantile by linear interpolation between order statistics (type 7). */
static double quantile(const double *sorted, uint32_t count, uint32_t quarter)
{
    const uint32_t position = (count - 1) * quarter; /* in quarters */
    const double low = sorted[position / 4];
    const double step = position % 4 ? sorted[position / 4 + 1] - low : 0;
    const double part = step * (position % 4);
    return low + part / 4;
}

static double judge(th_dom_block *blocks, uint32_t count, double *values)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (blocks[i].spread)
            values[known++] = blocks[i].heterogeneity;
    }
    if (known == 0)
        return -1;
    qsort(values, known, sizeof *values, by_value);
    const double low = quantile(values, known, 1), high = quantile(values, known, 3);
    const double reach = 1.5 * (high - low);
    const double bound = high + reach;
    for (uint32_t i = 0; i < count; i++)
        blocks[i].is_outlier = blocks[i].heterogeneity > bound;
    return bound;
}

/* ---- finding ---- */

static bool is_like_neighbour(const struct dom_tree *tree, uint32_t before,
                              uint32_t child)
{
    const uint32_t behind = tree->end[child];
    const uint32_t parent = tree->parent[child];
    return (before != TH_NONE && tree->skeleton[before] == tree->skeleton[child]) ||
           (behind < tree->end[parent] &&
            tree->skeleton[behind] == tree->skeleton[child]);
}

/* Elements that are blocks, breadth first, in `found`. */
static uint32_t visit(const struct dom_tree *tree, uint32_t *queue, uint32_t *found)
{
    uint32_t head = 0, tail = 0, count = 0;
    queue[tail++] = 0;
    while (head < tail) {
        const uint32_t element = queue[head++];
        bool is_block = false;
        uint32_t before = TH_NONE;
        for (uint32_t child = element + 1; child < tree->end[element];
             child = tree->end[child]) {
            if (is_like_neighbour(tree, before, child))
                is_block = true;
            else
                queue[tail++] = child;
            before = child;
        }
        if (is_block)
            found[count++] = element;
    }
    return count;
}

th_status th_dom_blocks_find(const th_page *page, th_arena *arena, th_dom_block **blocks,
                             uint32_t *count, double *bound)
{
    struct dom_tree tree;
    struct spread spread;
    if (!build_tree(page, arena, &tree) || !make_spread(&tree, arena, &spread))
        return TH_NOMEM;
    uint32_t *queue = th_arena_alloc(arena, tree.count * sizeof *queue);
    uint32_t *found = th_arena_alloc(arena, tree.count * sizeof *found);
    if (!queue || !found)
        return TH_NOMEM;
    const uint32_t known = visit(&tree, queue, found);
    th_dom_block *rows = th_arena_calloc(arena, known ? known : 1, sizeof *rows);
    double *values = th_arena_alloc(arena, (known ? known : 1) * sizeof *values);
    if (!rows || !values)
        return TH_NOMEM;
    for (uint32_t i = 0; i < known; i++) {
        rows[i].node = tree.node[found[i]];
        measure(&spread, found[i], &rows[i]);
    }
    *bound = judge(rows, known, values);
    *blocks = rows;
    *count = known;
    return TH_OK;
}

/* ---- segments ---- */

enum { HOLDS_BLOCK = 1, IS_BLOCK = 2, IS_OUTLIER = 4 };

static void mark(const th_page *page, const th_dom_block *blocks, uint32_t count,
                 uint8_t *marks)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = blocks[i].node;
        marks[node] |= blocks[i].is_outlier ? IS_BLOCK | IS_OUTLIER : IS_BLOCK;
        for (; node != TH_NONE && !(marks[node] & HOLDS_BLOCK);
             node = page->nodes[node].parent)
            marks[node] |= HOLDS_BLOCK;
    }
}

/* The outermost element around each node, itself included, that is not opened. */
static void close_nodes(const th_page *page, const uint8_t *marks, uint32_t *closed_at)
{
    for (uint32_t i = 0; i < page->node_count; i++) {
        const uint32_t parent = page->nodes[i].parent;
        const bool is_open = (marks[i] & HOLDS_BLOCK) &&
                             (!(marks[i] & IS_BLOCK) || (marks[i] & IS_OUTLIER));
        const uint32_t outer = parent == TH_NONE ? TH_NONE : closed_at[parent];
        closed_at[i] = outer != TH_NONE ? outer : is_open ? TH_NONE : i;
    }
}

static th_status segment_dom_cohesion(const th_page *page, const th_options *opt,
                                      th_arena *scratch, uint32_t *segment_of)
{
    (void)opt;
    th_dom_block *blocks = NULL;
    uint32_t count = 0;
    double bound = 0;
    if (page->block_count == 0)
        return TH_OK;
    const th_status status = th_dom_blocks_find(page, scratch, &blocks, &count, &bound);
    if (status != TH_OK)
        return status;
    uint8_t *marks = th_arena_calloc(scratch, page->node_count, sizeof *marks);
    uint32_t *closed_at = th_arena_alloc(scratch, page->node_count * sizeof *closed_at);
    uint32_t *number = th_arena_alloc(scratch, page->node_count * sizeof *number);
    if (!marks || !closed_at || !number)
        return TH_NOMEM;
    mark(page, blocks, count, marks);
    close_nodes(page, marks, closed_at);
    memset(number, 0xFF, page->node_count * sizeof *number); /* TH_NONE */
    uint32_t next = 0;
    for (uint32_t i = 0; i < page->block_count; i++) {
        const uint32_t node = page->blocks[i].node, closed = closed_at[node];
        if (closed != TH_NONE) {
            if (number[closed] == TH_NONE)
                number[closed] = next++;
            segment_of[i] = number[closed];
        } else if (i && page->blocks[i - 1].node == node) {
            segment_of[i] = segment_of[i - 1];
        } else {
            segment_of[i] = next++;
        }
    }
    return TH_OK;
}

const th_segmenter th_dom_cohesion = {
    .name = "dom-cohesion",
    .cites = "[H25]",
    .help = "splits elements whose children differ much more than elsewhere on the page",
    .theta_max = -1,
    .segment = segment_dom_cohesion,
};
