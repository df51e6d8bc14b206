/*
 * Builds the text tree: links the elements on the ways from the blocks to the root, lays
 * them out in preorder while it contracts chains, folds where there are too many leaves,
 * sums up, and numbers the skeletons.
 */
#include "segment/text_tree.h"

#include <stdlib.h>
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
    return (int32_t)(value < DENSITY_MOST * TH_ONE ? value : DENSITY_MOST * TH_ONE);
}

int32_t th_text_density(const th_text_node *node)
{
    return th_text_density_value(node) / DENSITY_MOST;
}

int32_t th_text_density_distance(const th_text_node *a, const th_text_node *b)
{
    return th_fixed_distance(th_text_density_value(a), th_text_density_value(b)) /
           DENSITY_MOST;
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

/* An element, or (behind the elements) a block, with its place among its siblings. */
struct way {
    uint32_t first_child, last_child, next; /* TH_NONE: none */
};

struct links {
    struct way *ways; /* page->node_count + page->block_count */
    uint32_t elements;
};

static void append(struct links *links, uint32_t parent, uint32_t child)
{
    struct way *at = &links->ways[parent];
    if (at->first_child == TH_NONE)
        at->first_child = child;
    else
        links->ways[at->last_child].next = child;
    at->last_child = child;
}

static bool link_ways(const th_page *page, th_arena *arena, struct links *links)
{
    const size_t count = (size_t)page->node_count + page->block_count;
    links->elements = page->node_count;
    links->ways = th_arena_alloc(arena, count * sizeof *links->ways);
    if (!links->ways)
        return false;
    memset(links->ways, 0xFF, count * sizeof *links->ways); /* TH_NONE */
    for (uint32_t i = 0; i < page->block_count; i++) {
        uint32_t child = page->node_count + i, parent = page->blocks[i].node;
        while (parent != TH_NONE) {
            const bool is_linked = links->ways[parent].first_child != TH_NONE;
            append(links, parent, child);
            if (is_linked)
                break;
            child = parent;
            parent = page->nodes[parent].parent;
        }
    }
    return true;
}

/* ---- laying out in preorder, chains contracted ---- */

struct layout {
    const th_page *page;
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
        const uint32_t child = links->ways[way].first_child;
        tree->names[layout->names_used++] = layout->page->nodes[way].tag;
        if (links->ways[child].next != TH_NONE)
            break; /* two children or more: an inner node */
        way = child;
    }
    node->name_count = layout->names_used - node->names;
    return way;
}

static void put_leaf(struct layout *layout, uint32_t block)
{
    th_text_tree *tree = layout->tree;
    th_text_node *node = &tree->nodes[tree->node_count - 1];
    node->end = tree->node_count;
    node->first_block = node->last_block = block;
    tree->leaf_of[block] = tree->leaf_count;
    tree->leaves[tree->leaf_count++] = tree->node_count - 1;
}

/* An inner node whose children are being laid out. */
struct open_node {
    uint32_t node, next_way;
};

static bool lay_out(const th_page *page, const struct links *links, th_arena *arena,
                    th_text_tree *tree)
{
    /* Each inner node has two children, so they are fewer than the leaves. */
    const size_t most = 2 * (size_t)page->block_count;
    struct open_node *open = th_arena_alloc(arena, page->block_count * sizeof *open);
    tree->nodes = th_arena_alloc(arena, most * sizeof *tree->nodes);
    tree->names = th_arena_alloc(arena, (page->node_count + 1) * sizeof *tree->names);
    tree->leaves = th_arena_alloc(arena, page->block_count * sizeof *tree->leaves);
    tree->leaf_of = th_arena_alloc(arena, page->block_count * sizeof *tree->leaf_of);
    if (!open || !tree->nodes || !tree->names || !tree->leaves || !tree->leaf_of)
        return false;

    struct layout layout = { .page = page, .links = links, .tree = tree };
    uint32_t depth = 0, way = 0, parent = TH_NONE;
    for (;;) {
        const uint32_t behind = put_node(&layout, way, parent);
        if (behind < links->elements)
            open[depth++] = (struct open_node){ tree->node_count - 1,
                                                links->ways[behind].first_child };
        else
            put_leaf(&layout, behind - links->elements);
        while (depth && open[depth - 1].next_way == TH_NONE)
            tree->nodes[open[--depth].node].end = tree->node_count;
        if (!depth)
            return true;
        struct open_node *top = &open[depth - 1];
        parent = top->node;
        way = top->next_way;
        top->next_way = links->ways[way].next;
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
    leaf->blocks++;
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

/* ---- folding to a leaf limit ---- */

struct fold {
    uint32_t blocks, node;
};

static int by_blocks(const void *left, const void *right)
{
    const struct fold *a = left, *b = right;
    if (a->blocks != b->blocks)
        return a->blocks < b->blocks ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

/* Marks the inner nodes to fold. Each inner node has more blocks than those inside it, so
 * these come first, and a node that is folded has leaves alone for children. */
static uint32_t choose_folds(const th_text_tree *tree, uint32_t limit, struct fold *folds,
                             bool *is_folded)
{
    uint32_t count = 0, leaves = tree->leaf_count;
    for (uint32_t i = 1; i < tree->node_count; i++) {
        if (tree->nodes[i].child_count)
            folds[count++] = (struct fold){ tree->nodes[i].blocks, i };
    }
    qsort(folds, count, sizeof *folds, by_blocks);
    for (uint32_t i = 0; i < count && leaves > limit; i++) {
        is_folded[folds[i].node] = true;
        leaves -= tree->nodes[folds[i].node].child_count - 1;
    }
    return leaves;
}

static void make_leaf(th_text_node *node)
{
    node->child_count = 0;
    node->height = 0;
}

/* Takes the nodes below a folded one out and closes the gaps. */
static void drop_folded(th_text_tree *tree, const bool *is_folded, uint32_t *place)
{
    uint32_t kept = 0, folded_end = 0;
    for (uint32_t i = 0; i < tree->node_count; i++) {
        if (i < folded_end) {
            place[i] = kept - 1;
            continue;
        }
        place[i] = kept;
        tree->nodes[kept] = tree->nodes[i];
        if (is_folded[i]) {
            make_leaf(&tree->nodes[kept]);
            folded_end = tree->nodes[i].end;
        }
        kept++;
    }
    tree->node_count = kept;
}

/* Joins the root's children, which are leaves all, in runs of `run`. */
static void join_runs(th_text_tree *tree, uint32_t run, uint32_t *place)
{
    const uint32_t count = tree->node_count - 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t to = i / run + 1;
        th_text_node *into = &tree->nodes[to];
        const th_text_node child = tree->nodes[i + 1];
        place[i + 1] = to;
        if (i % run == 0) {
            *into = child;
        } else {
            th_text_node_add(&child, into);
            make_leaf(into);
            into->name_count = 0;
        }
    }
    place[0] = 0;
    tree->node_count = (count + run - 1) / run + 1;
    tree->nodes[0].child_count = tree->node_count - 1;
}

/* Mends what refers to nodes by number. */
static void renumber(const th_page *page, th_text_tree *tree, const uint32_t *place)
{
    for (uint32_t i = 0; i < page->block_count; i++)
        tree->leaf_of[i] = place[tree->leaves[tree->leaf_of[i]]]; /* a node, for now */
    for (uint32_t i = 1; i < tree->node_count; i++)
        tree->nodes[i].parent = place[tree->nodes[i].parent];
    for (uint32_t i = 0; i < tree->node_count; i++) {
        th_text_node *node = &tree->nodes[i];
        node->end = i + 1;
        node->height = 0;
    }
    for (uint32_t i = tree->node_count; i-- > 1;) {
        th_text_node *parent = &tree->nodes[tree->nodes[i].parent];
        if (parent->end < tree->nodes[i].end)
            parent->end = tree->nodes[i].end;
        if (parent->height <= tree->nodes[i].height)
            parent->height = tree->nodes[i].height + 1;
    }
}

static void list_leaves(const th_page *page, th_text_tree *tree, uint32_t *number)
{
    tree->leaf_count = 0;
    for (uint32_t i = 0; i < tree->node_count; i++) {
        if (tree->nodes[i].child_count == 0) {
            number[i] = tree->leaf_count;
            tree->leaves[tree->leaf_count++] = i;
        }
    }
    for (uint32_t i = 0; i < page->block_count; i++)
        tree->leaf_of[i] = number[tree->leaf_of[i]];
}

static bool fold(const th_page *page, uint32_t limit, th_arena *arena, th_text_tree *tree)
{
    struct fold *folds = th_arena_alloc(arena, tree->node_count * sizeof *folds);
    bool *is_folded = th_arena_calloc(arena, tree->node_count, sizeof *is_folded);
    uint32_t *place = th_arena_alloc(arena, tree->node_count * sizeof *place);
    if (!folds || !is_folded || !place)
        return false;
    const uint32_t left = choose_folds(tree, limit, folds, is_folded);
    drop_folded(tree, is_folded, place);
    renumber(page, tree, place);
    list_leaves(page, tree, place);
    if (left <= limit)
        return true;
    join_runs(tree, (left + limit - 1) / limit, place);
    renumber(page, tree, place);
    list_leaves(page, tree, place);
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

th_status th_text_tree_build(const th_page *page, uint32_t leaf_limit, th_arena *arena,
                             th_text_tree *tree)
{
    *tree = (th_text_tree){ 0 };
    struct links links;
    if (!link_ways(page, arena, &links) || !lay_out(page, &links, arena, tree) ||
        !sum_up(page, arena, tree))
        return TH_NOMEM;
    if (leaf_limit && tree->leaf_count > leaf_limit &&
        !fold(page, leaf_limit, arena, tree))
        return TH_NOMEM;
    return number_skeletons(page->node_count, arena, tree) ? TH_OK : TH_NOMEM;
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
