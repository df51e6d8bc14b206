/*
 * Builds the text tree: links the elements on the ways from the blocks to the root,
 * chooses what is folded where there are too many leaves, lays the rest out in preorder
 * while it contracts chains, sums up, and numbers the skeletons.
 */
#include "segment/text_tree.h"

#include <string.h>

#include "base/unicode.h"
#include "page/density.h"
#include "segment/fixed_point.h"
#include "segment/gap_profile.h"
#include "segment/sequence_table.h"

enum { DENSITY_MOST = 20 }; /* tokens a line; denser text is as dense */

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
    const uint64_t most = (uint64_t)DENSITY_MOST * TH_ONE;
    return (int32_t)(value < most ? value : most);
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
    /* The subtree of an ancestor of a holds b when b lies in [ancestor, end). */
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

/* ---- linking: the elements on the ways from the blocks to the root ---- */

/*
 * Ways: the page's elements by number, and behind them its blocks, each with its place
 * among its siblings; TH_NONE: none. The tree is laid out from them, and only as far as
 * it is wanted: on a page of 250,000 blocks nodes for all would be 50 MB.
 */
struct links {
    const th_page *page;
    uint32_t elements;
    uint32_t *next;                     /* of each way */
    uint32_t *first_child, *last_child; /* of each element */
    bool *is_folded;                    /* of each element; NULL: none is */
    uint32_t run; /* over 1: so many children of the root are one leaf */
};

static void append(struct links *links, uint32_t parent, uint32_t child)
{
    if (links->first_child[parent] == TH_NONE)
        links->first_child[parent] = child;
    else
        links->next[links->last_child[parent]] = child;
    links->last_child[parent] = child;
}

static uint32_t *all_none(th_arena *arena, size_t count)
{
    uint32_t *numbers = th_arena_alloc(arena, count * sizeof *numbers);
    if (numbers)
        memset(numbers, 0xFF, count * sizeof *numbers); /* TH_NONE */
    return numbers;
}

static bool link_ways(const th_page *page, th_arena *arena, struct links *links)
{
    *links = (struct links){ .page = page, .elements = page->node_count, .run = 1 };
    links->next = all_none(arena, (size_t)page->node_count + page->block_count);
    links->first_child = all_none(arena, page->node_count);
    links->last_child = all_none(arena, page->node_count);
    if (!links->next || !links->first_child || !links->last_child)
        return false;
    for (uint32_t i = 0; i < page->block_count; i++) {
        uint32_t child = page->node_count + i, parent = page->blocks[i].node;
        while (parent != TH_NONE) {
            const bool is_linked = links->first_child[parent] != TH_NONE;
            append(links, parent, child);
            if (is_linked)
                break;
            child = parent;
            parent = page->nodes[parent].parent;
        }
    }
    return true;
}

/* Whether an element has two children or more: it is an inner node. */
static bool is_inner(const struct links *links, uint32_t way)
{
    return way < links->elements && links->first_child[way] != links->last_child[way];
}

static uint32_t parent_of(const struct links *links, uint32_t way)
{
    return way < links->elements ? links->page->nodes[way].parent
                                 : links->page->blocks[way - links->elements].node;
}

/* The way behind this one in preorder, inside `top`; TH_NONE at its end. */
static uint32_t next_way(const struct links *links, uint32_t top, uint32_t way)
{
    if (way < links->elements)
        return links->first_child[way];
    for (; way != top; way = parent_of(links, way))
        if (links->next[way] != TH_NONE)
            return links->next[way];
    return TH_NONE;
}

/* ---- folding to a leaf limit ---- */

static uint32_t *count_blocks(const struct links *links, th_arena *arena)
{
    const th_page *page = links->page;
    uint32_t *blocks = th_arena_calloc(arena, page->node_count, sizeof *blocks);
    if (!blocks)
        return NULL;
    for (uint32_t i = 0; i < page->block_count; i++)
        blocks[page->blocks[i].node]++;
    for (uint32_t i = page->node_count; i-- > 1;) /* parents stand before children */
        blocks[page->nodes[i].parent] += blocks[i];
    return blocks;
}

/* Leaves that go when the element becomes one itself. */
static uint32_t leaves_saved(const struct links *links, uint32_t element)
{
    uint32_t count = 0;
    for (uint32_t child = links->next[links->first_child[element]]; child != TH_NONE;
         child = links->next[child])
        count++;
    return count;
}

/*
 * Marks the inner nodes to fold: fewest blocks first, then in preorder. An inner node has
 * more blocks than those inside it, so these come first, and what is folded has leaves
 * alone for children. All with fewer blocks than `most` are, and of those with as many
 * the first ones; no sort is needed to know it. The root, which has all blocks, is none.
 */
static bool choose_folds(struct links *links, uint32_t limit, th_arena *arena)
{
    const uint32_t count = links->page->block_count;
    const uint32_t *blocks = count_blocks(links, arena);
    uint32_t *saved = th_arena_calloc(arena, (size_t)count + 1, sizeof *saved);
    uint32_t leaves = count, most = 0;
    links->is_folded = th_arena_calloc(arena, links->elements, sizeof *links->is_folded);
    if (!blocks || !saved || !links->is_folded)
        return false;
    for (uint32_t i = 0; i < links->elements; i++)
        if (is_inner(links, i) && blocks[i] < count)
            saved[blocks[i]] += leaves_saved(links, i);
    while (most < count && leaves - saved[most] > limit)
        leaves -= saved[most++];
    for (uint32_t i = 0; i != TH_NONE; i = next_way(links, 0, i)) {
        if (!is_inner(links, i) || blocks[i] == count || blocks[i] > most)
            continue;
        links->is_folded[i] = blocks[i] < most || leaves > limit;
        if (blocks[i] == most && links->is_folded[i])
            leaves -= leaves_saved(links, i);
    }
    if (limit && leaves > limit)
        links->run = (leaves + limit - 1) / limit;
    return true;
}

/* ---- laying out in preorder, chains contracted ---- */

struct layout {
    const struct links *links;
    th_text_tree *tree;
    uint32_t names_used;
};

/* A node for the chain of elements that starts at `way`. @return where the chain ends */
static uint32_t put_node(struct layout *layout, uint32_t way, uint32_t parent)
{
    const struct links *links = layout->links;
    th_text_tree *tree = layout->tree;
    th_text_node *node = &tree->nodes[tree->node_count++];
    *node =
        (th_text_node){ .parent = parent,
                        .names = layout->names_used,
                        .depth = parent == TH_NONE ? 0 : tree->nodes[parent].depth + 1 };
    while (way < links->elements) {
        tree->names[layout->names_used++] = links->page->nodes[way].tag;
        if (is_inner(links, way))
            break;
        way = links->first_child[way];
    }
    node->name_count = layout->names_used - node->names;
    return way;
}

/* All blocks in a way belong to the leaf that was put last. */
static void give_blocks(struct layout *layout, uint32_t way)
{
    const struct links *links = layout->links;
    for (uint32_t at = way; at != TH_NONE; at = next_way(links, way, at))
        if (at >= links->elements)
            layout->tree->leaf_of[at - links->elements] = layout->tree->leaf_count - 1;
}

static void put_leaf(struct layout *layout, uint32_t way)
{
    th_text_tree *tree = layout->tree;
    tree->nodes[tree->node_count - 1].end = tree->node_count;
    tree->leaves[tree->leaf_count++] = tree->node_count - 1;
    give_blocks(layout, way);
}

/* An inner node whose children are being laid out. */
struct open_node {
    uint32_t node, next_way;
    uint32_t children; /* put so far, those too that were joined */
};

/* Children of the root beyond the first of a run: in the run's leaf, which has no
 * name. */
static void join_run(struct layout *layout, struct open_node *root)
{
    th_text_tree *tree = layout->tree;
    while (root->next_way != TH_NONE && root->children % layout->links->run) {
        tree->nodes[tree->node_count - 1].name_count = 0;
        give_blocks(layout, root->next_way);
        root->next_way = layout->links->next[root->next_way];
        root->children++;
    }
}

/* @param open  room for as many nodes as can be open */
static void lay_out(struct layout *layout, struct open_node *open)
{
    const struct links *links = layout->links;
    th_text_tree *tree = layout->tree;
    uint32_t depth = 0, way = 0, parent = TH_NONE;
    for (;;) {
        const uint32_t behind = put_node(layout, way, parent);
        if (is_inner(links, behind) && !(links->is_folded && links->is_folded[behind]))
            open[depth++] =
                (struct open_node){ tree->node_count - 1, links->first_child[behind], 0 };
        else
            put_leaf(layout, behind);
        if (links->run > 1)
            join_run(layout, &open[0]);
        while (depth && open[depth - 1].next_way == TH_NONE)
            tree->nodes[open[--depth].node].end = tree->node_count;
        if (!depth)
            return;
        struct open_node *top = &open[depth - 1];
        parent = top->node;
        way = top->next_way;
        top->next_way = links->next[way];
        top->children++;
        tree->nodes[parent].child_count++;
    }
}

/* ---- sums ---- */

/* `.!?` before white space or the end, the full-width ones anywhere. */
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

/* Class of the nearest element of each block that is not inline, and whether a heading is
 * around it: for every element once, from the root down. */
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

/* Writes what makes a node's skeleton: its names, whether it is a leaf, and the distinct
 * skeletons of its children. @return items written */
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
    tree->skeleton_count = table.count;
    return true;
}

/* ---- the whole ---- */

static bool reserve(const th_page *page, size_t leaves, th_arena *arena,
                    th_text_tree *tree)
{
    /* Each inner node has two children, so they are fewer than the leaves. */
    tree->nodes = th_arena_alloc(arena, 2 * leaves * sizeof *tree->nodes);
    tree->leaves = th_arena_alloc(arena, leaves * sizeof *tree->leaves);
    tree->names = th_arena_alloc(arena, (page->node_count + 1) * sizeof *tree->names);
    tree->leaf_of = th_arena_alloc(arena, page->block_count * sizeof *tree->leaf_of);
    return tree->nodes && tree->leaves && tree->names && tree->leaf_of;
}

/* What only the building needs goes at its end. */
static bool build(const th_page *page, uint32_t leaf_limit, size_t leaves,
                  th_arena *arena, th_text_tree *tree)
{
    struct links links;
    struct layout layout = { .links = &links, .tree = tree };
    struct open_node *open = th_arena_alloc(arena, leaves * sizeof *open);
    if (!open || !link_ways(page, arena, &links) ||
        (leaves < page->block_count && !choose_folds(&links, leaf_limit, arena)))
        return false;
    lay_out(&layout, open);
    return sum_up(page, arena, tree) && number_skeletons(layout.names_used, arena, tree);
}

th_status th_text_tree_build(const th_page *page, uint32_t leaf_limit, th_arena *arena,
                             th_text_tree *tree)
{
    const bool is_limited = leaf_limit && page->block_count > leaf_limit;
    const size_t leaves = is_limited ? leaf_limit : page->block_count;
    *tree = (th_text_tree){ 0 };
    if (!reserve(page, leaves, arena, tree))
        return TH_NOMEM;
    const th_arena_mark mark = th_arena_get_mark(arena);
    if (!build(page, leaf_limit, leaves, arena, tree))
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
