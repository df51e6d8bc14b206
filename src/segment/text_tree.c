/*
 * Builds the text tree in these steps:
 *
 * - count the elements on the paths from the blocks to the root
 * - choose the subtrees to fold if there are too many leaves
 * - grow the tree from the blocks upwards and contract chains
 * - arrange it in preorder, compute sums, and number the skeletons
 */
#include "segment/text_tree.h"

#include <assert.h>
#include <string.h>

#include "base/unicode.h"
#include "page/density.h"
#include "segment/fixed_point.h"
#include "segment/gap_profile.h"
#include "segment/sequence_table.h"

enum { DENSITY_MOST = 20 }; /* tokens a line; denser text counts as this */

/* clang-format off */
static const uint8_t class_plus_one[TH_TAG_COUNT] = {
#define HEAD(tag) [TH_TAG_##tag] = TH_CLASS_HEAD + 1,
    HEAD(H1) HEAD(H2) HEAD(H3) HEAD(H4) HEAD(H5) HEAD(H6)
#define LIST(tag) [TH_TAG_##tag] = TH_CLASS_LIST + 1,
    LIST(UL) LIST(OL) LIST(DL) LIST(MENU) LIST(DIR)
#define ITEM(tag) [TH_TAG_##tag] = TH_CLASS_ITEM + 1,
    ITEM(LI) ITEM(DT) ITEM(DD)
#define ROWS(tag) [TH_TAG_##tag] = TH_CLASS_ROWS + 1,
    ROWS(TABLE) ROWS(THEAD) ROWS(TBODY) ROWS(TFOOT) ROWS(TR)
#define CELL(tag) [TH_TAG_##tag] = TH_CLASS_CELL + 1,
    CELL(TD) CELL(TH) CELL(CAPTION)
#define PARA(tag) [TH_TAG_##tag] = TH_CLASS_PARA + 1,
    PARA(P) PARA(PRE)
#define SECT(tag) [TH_TAG_##tag] = TH_CLASS_SECT + 1,
    SECT(HTML) SECT(BODY) SECT(DIV) SECT(SECTION) SECT(ARTICLE) SECT(MAIN) SECT(NAV)
    SECT(ASIDE) SECT(HEADER) SECT(FOOTER) SECT(FORM) SECT(FIELDSET) SECT(CENTER)
    SECT(BLOCKQUOTE) SECT(FIGURE) SECT(DETAILS) SECT(DIALOG) SECT(SEARCH) SECT(ADDRESS)
    SECT(HGROUP)
};
/* clang-format on */

uint8_t th_text_class(th_tag tag)
{
    const uint8_t class = class_plus_one[tag];
    return class ? class - 1 : TH_CLASS_INLINE;
}

uint8_t th_text_tree_class(const th_text_tree *tree, uint32_t node)
{
    const th_text_node *at = &tree->nodes[node];
    return at->name_count ? th_text_class(tree->names[at->names]) : TH_CLASS_TEXT;
}

int32_t th_text_density_value(const th_text_node *node)
{
    const th_density density =
        th_density_of_lines(node->tokens, node->lines, node->last_line_tokens);
    const uint64_t value = (uint64_t)density.tokens * TH_ONE / density.lines;
    const uint64_t max = (uint64_t)DENSITY_MOST * TH_ONE;
    return (int32_t)(value < max ? value : max);
}

int32_t th_text_density_share(int32_t value)
{
    return value / DENSITY_MOST;
}

int32_t th_text_density(const th_text_node *node)
{
    return th_text_density_share(th_text_density_value(node));
}

int32_t th_text_density_distance(const th_text_node *a, const th_text_node *b)
{
    return th_text_density_share(
        th_fixed_distance(th_text_density_value(a), th_text_density_value(b)));
}

uint32_t th_text_tree_lca(const th_text_tree *tree, uint32_t a, uint32_t b)
{
    /* The subtree of an ancestor of a contains b if b is in [ancestor, end). */
    while (b < a || b >= tree->nodes[a].end)
        a = tree->nodes[a].parent;
    return a;
}

th_text_gap th_text_gap_before(const th_page *page, uint32_t block)
{
    const th_block *at = &page->blocks[block];
    const uint16_t *tags = page->gap_tags + at->gap_start;
    const th_gap_profile *profile = th_gap_profile_find("html5");
    const uint8_t class = th_gap_class(profile, tags, at->gap_len);
    uint32_t breaks = 0;
    for (uint32_t i = 0; i < at->gap_len; i++)
        breaks += tags[i] == TH_TAG_BR;
    return (th_text_gap){ .is_hard = class == TH_GAP_ENFORCING,
                          .is_soft = class == TH_GAP_AVOIDING && breaks < 2,
                          .tags = at->gap_len };
}

/* ---- counting: paths from the root to the blocks ---- */

/* Flags of ways.children, next to the count. */
static const uint32_t FOLDED = 1u << 31, MET = 1u << 30, COUNT = (1u << 30) - 1;

/*
 * Numbers for each element of the page. Hostile pages have 250,000 elements, so only two
 * numbers are kept for each. Nodes for all would be 50 MB.
 */
struct ways {
    const th_page *page;
    uint32_t *children; /* the elements and blocks with text below it; flags */
    uint32_t *blocks;   /* in it; after choosing folds: its twig */
    uint32_t run;       /* over 1: number of the root's children in one leaf */
};

/* Counts children. An element without children has not been reached from any block. */
static void count_children(struct ways *ways)
{
    const th_page *page = ways->page;
    for (uint32_t i = 0; i < page->block_count; i++) {
        uint32_t at = page->blocks[i].node;
        while (at != TH_NONE && ways->children[at]++ == 0)
            at = page->nodes[at].parent;
    }
}

static void count_blocks(struct ways *ways)
{
    const th_page *page = ways->page;
    for (uint32_t i = 0; i < page->block_count; i++)
        ways->blocks[page->blocks[i].node]++;
    for (uint32_t i = page->node_count; i-- > 1;) /* parents precede children */
        ways->blocks[page->nodes[i].parent] += ways->blocks[i];
}

static bool count_ways(const th_page *page, th_arena *arena, struct ways *ways)
{
    *ways = (struct ways){ .page = page, .run = 1 };
    ways->children = th_arena_calloc(arena, page->node_count, sizeof *ways->children);
    ways->blocks = th_arena_calloc(arena, page->node_count, sizeof *ways->blocks);
    if (!ways->children || !ways->blocks)
        return false;
    count_children(ways);
    count_blocks(ways);
    return true;
}

/* ---- folding to a leaf limit ---- */

/* Returns whether an element is an inner node that may be folded. The root, which has all
 * blocks, may not. */
static bool is_foldable(const struct ways *ways, uint32_t element)
{
    return (ways->children[element] & COUNT) > 1 &&
           ways->blocks[element] < ways->page->block_count;
}

/* Folds the nodes with `max` blocks, in the order of their text, until the limit is met.
 * None of them contains another. @return leaves left */
static uint32_t fold_in_order(struct ways *ways, uint32_t max, uint32_t limit,
                              uint32_t leaves)
{
    const th_page *page = ways->page;
    for (uint32_t i = 0; i < page->block_count && leaves > limit; i++) {
        for (uint32_t at = page->blocks[i].node;
             ways->blocks[at] <= max && !(ways->children[at] & MET);
             at = page->nodes[at].parent) {
            ways->children[at] |= MET;
            if (ways->blocks[at] < max || !is_foldable(ways, at))
                continue;
            leaves -= (ways->children[at] & COUNT) - 1;
            ways->children[at] |= FOLDED;
        }
    }
    return leaves;
}

/*
 * Marks the inner nodes to fold: fewest blocks first, then in the order of their text. An
 * inner node has more blocks than the inner nodes inside it, so these are folded first,
 * and a folded node has only leaves as children. All nodes with fewer blocks than `max`
 * are folded, and the first ones of the nodes with `max` blocks. No sort is needed to
 * find them.
 * @param saved  scratch: page->block_count numbers
 */
static void choose_folds(struct ways *ways, uint32_t limit, uint32_t *saved)
{
    const uint32_t count = ways->page->block_count, elements = ways->page->node_count;
    assert(limit);
    uint32_t leaves = count, max = 0;
    memset(saved, 0, count * sizeof *saved);
    for (uint32_t i = 0; i < elements; i++)
        if (is_foldable(ways, i))
            saved[ways->blocks[i]] += ways->children[i] - 1;
    while (max < count && leaves - saved[max] > limit)
        leaves -= saved[max++];
    for (uint32_t i = 0; i < elements; i++)
        if (is_foldable(ways, i) && ways->blocks[i] < max)
            ways->children[i] |= FOLDED;
    if (max < count)
        leaves = fold_in_order(ways, max, limit, leaves);
    if (leaves > limit)
        ways->run = (leaves + limit - 1) / limit;
}

/* ---- growing the tree from its blocks, chains contracted ---- */

/* A node before its place in preorder is known. */
struct twig {
    uint32_t parent, first_child, last_child, next; /* or TH_NONE */
    uint32_t bottom, names; /* its chain: number of elements, this one innermost */
    uint32_t number;        /* among the nodes; then of a leaf, among the leaves */
};

struct growth {
    const struct ways *ways;
    th_text_tree *tree;
    struct twig *twigs;
    uint32_t twig_count, root;
    uint32_t root_children; /* so far, including joined ones */
};

static uint32_t add_twig(struct growth *growth, uint32_t bottom)
{
    growth->twigs[growth->twig_count] =
        (struct twig){ .parent = TH_NONE,
                       .first_child = TH_NONE,
                       .last_child = TH_NONE,
                       .next = TH_NONE,
                       .bottom = bottom,
                       .names = bottom == TH_NONE ? 0 : 1 };
    return growth->twig_count++;
}

static void append_twig(struct growth *growth, uint32_t parent, uint32_t child)
{
    struct twig *at = &growth->twigs[parent];
    growth->twigs[child].parent = parent;
    if (at->first_child == TH_NONE)
        at->first_child = child;
    else
        growth->twigs[at->last_child].next = child;
    at->last_child = child;
}

/* Adds the twig of a leaf under an element that was added before. Children of the root
 * beyond the first of a run are in the run's leaf, which has no name. */
static uint32_t add_leaf(struct growth *growth, uint32_t met)
{
    const bool is_at_root = met != TH_NONE && growth->ways->run > 1;
    if (is_at_root && growth->root_children++ % growth->ways->run) {
        const uint32_t leaf = growth->twigs[growth->root].last_child;
        growth->twigs[leaf].names = 0;
        return leaf;
    }
    return add_twig(growth, TH_NONE);
}

/*
 * Adds the elements from a block up to a known one, bottom first.
 * @param met  an inner node, or TH_NONE above the page's first block
 * @return the leaf that the block is in
 */
static uint32_t add_path(struct growth *growth, uint32_t block, uint32_t met)
{
    const struct ways *ways = growth->ways;
    const th_page *page = ways->page;
    const uint32_t before = growth->twig_count;
    const uint32_t leaf = add_leaf(growth, met);
    const bool is_joined = leaf < before;
    uint32_t twig = leaf;
    for (uint32_t at = page->blocks[block].node; at != met; at = page->nodes[at].parent) {
        struct twig *now = &growth->twigs[twig];
        if (!is_joined && (ways->children[at] & FOLDED)) { /* its contents have no name */
            now->bottom = at;
            now->names = 1;
        } else if (!is_joined && ways->children[at] > 1) {
            const uint32_t inner = add_twig(growth, at);
            append_twig(growth, inner, twig);
            twig = inner;
        } else if (!is_joined) {
            now->bottom = now->names++ ? now->bottom : at;
        }
        ways->blocks[at] = twig;
    }
    if (met == TH_NONE) {
        growth->root = twig;
        growth->root_children = 1;
    } else if (!is_joined) {
        append_twig(growth, ways->blocks[met], twig);
    }
    return leaf;
}

/* Grows all twigs; leaf_of is set to the twig of each block's leaf. */
static void grow(struct growth *growth)
{
    const struct ways *ways = growth->ways;
    const th_page *page = ways->page;
    memset(ways->blocks, 0xFF, page->node_count * sizeof *ways->blocks); /* TH_NONE */
    for (uint32_t i = 0; i < page->node_count; i++)
        ways->children[i] &= ~MET;
    for (uint32_t i = 0; i < page->block_count; i++) {
        uint32_t met = page->blocks[i].node;
        while (met != TH_NONE && ways->blocks[met] == TH_NONE)
            met = page->nodes[met].parent;
        const uint32_t twig = met == TH_NONE ? TH_NONE : ways->blocks[met];
        const bool is_in_leaf =
            twig != TH_NONE && growth->twigs[twig].first_child == TH_NONE;
        uint32_t leaf = twig;
        if (!is_in_leaf)
            leaf = add_path(growth, i, met);
        else
            for (uint32_t at = page->blocks[i].node; at != met;
                 at = page->nodes[at].parent)
                ways->blocks[at] = leaf;
        growth->tree->leaf_of[i] = leaf;
    }
}

/* ---- arranging in preorder ---- */

/* Returns the twig after this one in preorder, or TH_NONE at the end. */
static uint32_t next_twig(const struct twig *twigs, uint32_t at)
{
    if (twigs[at].first_child != TH_NONE)
        return twigs[at].first_child;
    while (at != TH_NONE && twigs[at].next == TH_NONE)
        at = twigs[at].parent;
    return at == TH_NONE ? TH_NONE : twigs[at].next;
}

/* Writes the names of a twig's chain, outermost first, after the names used so far. */
static void put_names(const struct growth *growth, const struct twig *twig,
                      uint32_t *names_used)
{
    const th_node *nodes = growth->ways->page->nodes;
    uint32_t at = twig->bottom;
    *names_used += twig->names;
    for (uint32_t i = 0; i < twig->names; i++, at = nodes[at].parent)
        growth->tree->names[*names_used - 1 - i] = nodes[at].tag;
}

/* Arranges the nodes in preorder. @return names used */
static uint32_t lay_out(struct growth *growth)
{
    th_text_tree *tree = growth->tree;
    uint32_t names_used = 0;
    for (uint32_t i = growth->root; i != TH_NONE; i = next_twig(growth->twigs, i)) {
        struct twig *twig = &growth->twigs[i];
        th_text_node *node = &tree->nodes[tree->node_count];
        const uint32_t parent =
            twig->parent == TH_NONE ? TH_NONE : growth->twigs[twig->parent].number;
        *node =
            (th_text_node){ .parent = parent,
                            .end = tree->node_count + 1,
                            .names = names_used,
                            .name_count = twig->names,
                            .depth =
                                parent == TH_NONE ? 0 : tree->nodes[parent].depth + 1 };
        put_names(growth, twig, &names_used);
        if (parent != TH_NONE)
            tree->nodes[parent].child_count++;
        twig->number = tree->node_count++;
        if (twig->first_child == TH_NONE) {
            tree->leaves[tree->leaf_count] = twig->number;
            twig->number = tree->leaf_count++;
        }
    }
    for (uint32_t i = tree->node_count; i-- > 1;) {
        th_text_node *parent = &tree->nodes[tree->nodes[i].parent];
        if (parent->end < tree->nodes[i].end)
            parent->end = tree->nodes[i].end;
    }
    for (uint32_t i = 0; i < growth->ways->page->block_count; i++)
        tree->leaf_of[i] = growth->twigs[tree->leaf_of[i]].number;
    return names_used;
}

/* ---- sums ---- */

/* Counts `.!?` before whitespace or the end, and full-width ones anywhere. */
static uint32_t count_stops(th_view text)
{
    uint32_t stops = 0;
    for (size_t at = 0; at < text.len;) {
        const uint32_t c = th_utf8_next(text.data, &at);
        if (c == 0x3002 || c == 0xFF01 || c == 0xFF1F) {
            stops++;
        } else if (c == '.' || c == '!' || c == '?') {
            size_t behind = at;
            stops += at == text.len || th_is_space(th_utf8_next(text.data, &behind));
        }
    }
    return stops;
}

/* The class of the nearest element of each block that is not inline, and whether it is in
 * a heading. Computed once for every element, from the root down. */
struct around {
    uint8_t class, is_head;
};

static void sum_block(const th_page *page, const struct around *around, uint32_t block,
                      th_text_node *leaf)
{
    const th_block *at = &page->blocks[block];
    const struct around *near = &around[at->node];
    if (leaf->blocks++ == 0)
        leaf->first_block = block;
    leaf->last_block = block;
    leaf->tokens += at->tokens;
    leaf->linked_tokens += at->linked_tokens;
    leaf->lines += at->lines;
    leaf->last_line_tokens = at->last_line_tokens;
    leaf->stops += count_stops(th_block_text(page, block));
    leaf->heads += near->is_head;
    leaf->by_class[near->class]++;
}

void th_text_node_add(const th_text_node *child, th_text_node *into)
{
    if (into->blocks == 0 || child->first_block < into->first_block)
        into->first_block = child->first_block;
    if (into->blocks == 0 || child->last_block > into->last_block) {
        into->last_block = child->last_block;
        into->last_line_tokens = child->last_line_tokens;
    }
    into->blocks += child->blocks;
    into->tokens += child->tokens;
    into->linked_tokens += child->linked_tokens;
    into->lines += child->lines;
    into->stops += child->stops;
    into->heads += child->heads;
    if (into->height <= child->height)
        into->height = child->height + 1;
    for (unsigned i = 0; i < TH_CLASS_COUNT; i++)
        into->by_class[i] += child->by_class[i];
}

static bool sum_up(const th_page *page, th_arena *arena, th_text_tree *tree)
{
    struct around *around = th_arena_alloc(arena, page->node_count * sizeof *around);
    if (!around)
        return false;
    for (uint32_t i = 0; i < page->node_count; i++) {
        const th_node *node = &page->nodes[i];
        const uint8_t class = th_text_class(node->tag);
        const struct around *outer =
            node->parent == TH_NONE ? NULL : &around[node->parent];
        around[i].class = class != TH_CLASS_INLINE || !outer ? class : outer->class;
        around[i].is_head = class == TH_CLASS_HEAD || (outer && outer->is_head);
    }
    for (uint32_t i = 0; i < page->block_count; i++)
        sum_block(page, around, i, &tree->nodes[tree->leaves[tree->leaf_of[i]]]);
    for (uint32_t i = tree->node_count; i-- > 1;)
        th_text_node_add(&tree->nodes[i], &tree->nodes[tree->nodes[i].parent]);
    return true;
}

/* ---- skeletons ---- */

/* Writes a node's skeleton: its names, whether it is a leaf, and the distinct skeletons
 * of its children. @return items written */
static uint32_t write_skeleton(th_text_tree *tree, uint32_t number, uint32_t *seen_by,
                               uint32_t *items)
{
    th_text_node *node = &tree->nodes[number];
    uint32_t len = 0;
    items[len++] = node->name_count;
    for (uint32_t i = 0; i < node->name_count; i++)
        items[len++] = tree->names[node->names + i];
    items[len++] = node->child_count == 0;
    const uint32_t before = len;
    for (uint32_t child = number + 1; child < node->end; child = tree->nodes[child].end) {
        const uint32_t skeleton = tree->nodes[child].skeleton;
        if (seen_by[skeleton] == number)
            continue;
        seen_by[skeleton] = number;
        items[len++] = skeleton;
    }
    node->kinds = len - before;
    return len;
}

static bool number_skeletons(uint32_t name_count, th_arena *arena, th_text_tree *tree)
{
    th_sequence_table table;
    uint32_t *seen_by = th_arena_alloc(arena, tree->node_count * sizeof *seen_by);
    if (!seen_by ||
        !th_sequence_table_init(&table, tree->node_count,
                                (size_t)name_count + 3 * (size_t)tree->node_count, arena))
        return false;
    memset(seen_by, 0xFF, tree->node_count * sizeof *seen_by);
    for (uint32_t i = tree->node_count; i-- > 0;) {
        uint32_t *items = th_sequence_open(&table);
        const uint32_t len = write_skeleton(tree, i, seen_by, items);
        tree->nodes[i].skeleton = th_sequence_close(&table, len);
    }
    return true;
}

/* ---- the whole ---- */

static bool reserve(const th_page *page, size_t leaves, th_arena *arena,
                    th_text_tree *tree)
{
    /* Each inner node has two children, so there are fewer inner nodes than leaves. */
    tree->nodes = th_arena_alloc(arena, 2 * leaves * sizeof *tree->nodes);
    tree->leaves = th_arena_alloc(arena, leaves * sizeof *tree->leaves);
    tree->names = th_arena_alloc(arena, (page->node_count + 1) * sizeof *tree->names);
    tree->leaf_of = th_arena_alloc(arena, page->block_count * sizeof *tree->leaf_of);
    return tree->nodes && tree->leaves && tree->names && tree->leaf_of;
}

/* Frees each step's scratch memory at the end. @return names used, or TH_NONE if out of
 * memory */
static uint32_t shape_tree(const th_page *page, uint32_t leaf_limit, size_t leaves,
                           th_arena *arena, th_text_tree *tree)
{
    const th_arena_mark mark = th_arena_get_mark(arena);
    struct ways ways;
    struct growth growth = { .ways = &ways, .tree = tree };
    if (!count_ways(page, arena, &ways))
        return TH_NONE;
    if (leaves < page->block_count)
        choose_folds(&ways, leaf_limit, tree->leaf_of);
    growth.twigs = th_arena_alloc(arena, 2 * leaves * sizeof *growth.twigs);
    if (!growth.twigs)
        return TH_NONE;
    grow(&growth);
    const uint32_t names_used = lay_out(&growth);
    th_arena_rewind(arena, mark);
    return names_used;
}

th_status th_text_tree_build(const th_page *page, uint32_t leaf_limit, th_arena *arena,
                             th_text_tree *tree)
{
    const bool is_limited = leaf_limit && page->block_count > leaf_limit;
    const size_t leaves = is_limited ? leaf_limit : page->block_count;
    *tree = (th_text_tree){ 0 };
    if (!reserve(page, leaves, arena, tree))
        return TH_NOMEM;
    const uint32_t names_used = shape_tree(page, leaf_limit, leaves, arena, tree);
    const th_arena_mark mark = th_arena_get_mark(arena);
    if (names_used == TH_NONE || !sum_up(page, arena, tree))
        return TH_NOMEM;
    th_arena_rewind(arena, mark);
    if (!number_skeletons(names_used, arena, tree))
        return TH_NOMEM;
    th_arena_rewind(arena, mark);
    return TH_OK;
}

th_status th_text_tree_segments(const th_page *page, const th_text_tree *tree,
                                const uint32_t *label_of, uint32_t label_end,
                                th_arena *arena, uint32_t *segment_of)
{
    uint32_t *number = th_arena_alloc(arena, label_end * sizeof *number);
    if (!number)
        return TH_NOMEM;
    memset(number, 0xFF, label_end * sizeof *number);
    uint32_t count = 0;
    for (uint32_t i = 0; i < page->block_count; i++) {
        uint32_t *at = &number[label_of[tree->leaf_of[i]]];
        if (*at == TH_NONE)
            *at = count++;
        segment_of[i] = *at;
    }
    return TH_OK;
}
