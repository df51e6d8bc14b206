/*
 * Computes features of the elements around rows: levels up to kinds and families, and the
 * contents of the elements around. Every element with text is visited once, after its
 * parent. A row then copies the values of its element, so no code walks up a deep page.
 */
#include <string.h>

#include "content/feature_work.h"

enum {
    LARGEST_TENTHS = 7, /* of the page's tokens: beyond it an element is the page */
    INLINE_STEPS = 6,   /* from a block to its paragraph's element */
    ANCESTORS = 4,      /* whose pools a row has */
};

#define LEVEL(name) (TH_FEATURE_LEVEL_##name - TH_FEATURE_LEVEL_MAIN)

/* clang-format off */
/* 1 + the level that a tag counts for. */
static const uint8_t level_of_tag[TH_TAG_COUNT] = {
    [TH_TAG_MAIN] = 1 + LEVEL(MAIN), [TH_TAG_ARTICLE] = 1 + LEVEL(ARTICLE),
    [TH_TAG_SECTION] = 1 + LEVEL(SECTION), [TH_TAG_NAV] = 1 + LEVEL(NAV),
    [TH_TAG_HEADER] = 1 + LEVEL(HEADER), [TH_TAG_FOOTER] = 1 + LEVEL(FOOTER),
    [TH_TAG_ASIDE] = 1 + LEVEL(ASIDE), [TH_TAG_FORM] = 1 + LEVEL(FORM),
    [TH_TAG_FIELDSET] = 1 + LEVEL(FORM), [TH_TAG_TABLE] = 1 + LEVEL(TABLE),
    [TH_TAG_UL] = 1 + LEVEL(LIST), [TH_TAG_OL] = 1 + LEVEL(LIST),
    [TH_TAG_DL] = 1 + LEVEL(LIST), [TH_TAG_MENU] = 1 + LEVEL(LIST),
    [TH_TAG_DIR] = 1 + LEVEL(LIST), [TH_TAG_DIALOG] = 1 + LEVEL(DIALOG),
    [TH_TAG_FIGURE] = 1 + LEVEL(FIGURE), [TH_TAG_BLOCKQUOTE] = 1 + LEVEL(QUOTE),
    [TH_TAG_Q] = 1 + LEVEL(QUOTE), [TH_TAG_PRE] = 1 + LEVEL(PRE),
    [TH_TAG_LISTING] = 1 + LEVEL(PRE), [TH_TAG_CODE] = 1 + LEVEL(PRE),
    [TH_TAG_DETAILS] = 1 + LEVEL(DETAILS), [TH_TAG_A] = 1 + LEVEL(LINK),
    [TH_TAG_BUTTON] = 1 + LEVEL(LINK),
};

/* How the text of an element within a line is shown. */
enum { CODE = 1, BOLD = 2, SMALL = 4 };
static const uint8_t style_of_tag[TH_TAG_COUNT] = {
    [TH_TAG_PRE] = CODE, [TH_TAG_CODE] = CODE, [TH_TAG_KBD] = CODE, [TH_TAG_SAMP] = CODE,
    [TH_TAG_TT] = CODE, [TH_TAG_B] = BOLD, [TH_TAG_STRONG] = BOLD,
    [TH_TAG_SMALL] = SMALL, [TH_TAG_SUP] = SMALL, [TH_TAG_SUB] = SMALL,
    [TH_TAG_TIME] = SMALL, [TH_TAG_CITE] = SMALL, [TH_TAG_LABEL] = SMALL,
};
/* clang-format on */

/* ---- classes ------------------------------------------------------------------------ */

/* Facts of class sets, computed for the sets of elements with text. */
struct set_table {
    const th_family_table *table;
    const th_page *page;
    th_set_stats *facts;
    uint8_t *is_known;
};

static th_status read_sets(th_feature_work *work, struct set_table *out)
{
    const th_page *page = work->page;
    out->table = th_family_table_get();
    out->page = page;
    out->facts =
        th_arena_alloc(work->scratch, (page->class_set_count + 1) * sizeof *out->facts);
    out->is_known = th_arena_calloc(work->scratch, page->class_set_count + 1, 1);
    return out->facts && out->is_known ? TH_OK : TH_NOMEM;
}

static const th_set_stats *facts_of(const struct set_table *sets, uint32_t number)
{
    if (!sets->is_known[number]) {
        sets->is_known[number] = 1;
        sets->facts[number] = (th_set_stats){ 0 };
        if (number < sets->page->class_set_count) {
            const th_class_set *set = &sets->page->class_sets[number];
            sets->facts[number] = th_set_facts_of(
                sets->table, sets->page->class_words + set->first, th_model_words(set));
        }
    }
    return &sets->facts[number];
}

/* ---- elements ----------------------------------------------------------------------- */

/* Whether an element has text. */
static bool has_rows(const th_page *page, const th_node *node)
{
    return node->end_block > node->first_block && node->end_block <= page->block_count;
}

/* One level further from each kind than the element around. */
static void count_levels(th_text_node *node, const th_text_node *parent, th_tag tag,
                         const th_set_stats *facts)
{
    for (unsigned i = 0; i < TH_LEVELS; i++)
        node->level[i] =
            (uint8_t)(parent->level[i] + (parent->level[i] < TH_UNKNOWN - 1));
    if (level_of_tag[tag])
        node->level[level_of_tag[tag] - 1] = 0;
    for (uint32_t bits = facts->levels; bits; bits &= bits - 1)
        node->level[__builtin_ctz(bits)] = 0;
    if (tag == TH_TAG_BODY || tag == TH_TAG_HTML)
        return; /* their classes are of the page: "single-post" */
    for (uint32_t bits = facts->families; bits; bits &= bits - 1)
        node->level[TH_LEVEL_COUNT + __builtin_ctz(bits)] = 0;
}

/* @param most  ten times the tokens that an element may have which is not the page */
static void place_node(const th_row_sums *sums, uint64_t most, th_text_node *nodes,
                       uint32_t number)
{
    th_text_node *node = &nodes[number];
    th_text_node *parent = &nodes[node->parent];
    const bool is_same = parent->first == node->first && parent->end == node->end;
    node->wider = is_same ? parent->wider : node->parent;
    node->largest = parent->largest;
    if (node->largest == TH_NONE &&
        (uint64_t)(sums[node->end].tokens - sums[node->first].tokens) * 10 <= most)
        node->largest = number;
    node->sibling = ++parent->children;
}

/* Sets the values of an element that do not depend on its parent and rows. */
static inline void begin_node(const th_page *page, uint32_t number, th_text_node *out)
{
    out->node = number;
    out->parent = out->first = out->wider = 0;
    out->last_group = TH_NONE;
    out->sibling = out->children = out->score = 0;
    out->has_pool = out->has_mean = 0;
    out->class_set = page->class_set_of ? page->class_set_of[number] : 0;
    const uint32_t likeness =
        page->class_sets ? page->class_sets[out->class_set].likeness : 0;
    out->likeness = (likeness ^ page->nodes[number].tag) * UINT32_C(0x9E3779B1);
}

/* The elements with text, parents first; the first is the root. */
static th_status make_nodes(th_feature_work *work, uint32_t *number_of)
{
    const th_page *page = work->page;
    const th_node *const page_nodes = page->nodes;
    const th_block *const blocks = page->blocks;
    const uint64_t most = (uint64_t)work->sums[work->rows].tokens * LARGEST_TENTHS;
    struct set_table sets;
    const th_status status = read_sets(work, &sets);
    uint32_t count = 1;
    for (uint32_t i = 1; i < page->node_count; i++)
        count += page_nodes[i].end_block > page_nodes[i].first_block;
    th_text_node *const nodes = th_arena_alloc(work->scratch, count * sizeof *nodes);
    if (status != TH_OK || !nodes)
        return TH_NOMEM;
    count = 0;
    for (uint32_t i = 0; i < page->node_count; i++) {
        const th_node *from = &page_nodes[i];
        number_of[i] = 0;
        if (i && !has_rows(page, from))
            continue;
        const uint32_t number = count++;
        th_text_node *node = &nodes[number];
        number_of[i] = number;
        begin_node(page, i, node);
        if (!i) {
            node->end = work->rows;
            node->largest = TH_NONE;
            memset(node->level, TH_UNKNOWN, sizeof node->level);
            continue;
        }
        node->first = blocks[from->first_block].paragraph;
        node->end = blocks[from->end_block - 1].paragraph + 1;
        node->parent = number_of[from->parent];
        count_levels(node, &nodes[node->parent], from->tag,
                     facts_of(&sets, node->class_set));
        place_node(work->sums, most, nodes, number);
    }
    work->nodes = nodes;
    work->node_count = count;
    return TH_OK;
}

/* ---- columns ------------------------------------------------------------------------ */

static void write_levels(const th_feature_work *work)
{
    _Static_assert((int)TH_LEVELS % TH_EIGHT == 0,
                   "levels are written in groups of eight");
    uint8_t *const levels = th_column(work, TH_FEATURE_LEVEL_MAIN);
    const uint32_t stride = work->out.stride;
    for (uint32_t i = 0; i < work->rows; i += TH_EIGHT)
        for (unsigned k = 0; k < TH_LEVELS; k += TH_EIGHT) {
            uint64_t eight[TH_EIGHT] = { 0 };
            for (uint32_t n = 0; n < TH_EIGHT && i + n < work->rows; n++)
                eight[n] =
                    th_ascii_load8(work->nodes[work->text_node_of[i + n]].level + k);
            th_write_eight(eight, levels + (size_t)k * stride + i, stride);
        }
}

/* Tokens of a row's blocks by style. */
static void write_styles(const th_feature_work *work, uint32_t number)
{
    const th_page *page = work->page;
    const th_paragraph *row = &page->paragraphs[number];
    const unsigned style_of_row = style_of_tag[page->nodes[row->node].tag];
    uint32_t tokens = 0, code = 0, bold = 0, small = 0;
    for (uint32_t i = row->first_block; i < row->end_block; i++) {
        const th_block *block = &page->blocks[i];
        uint32_t at = block->node;
        unsigned style = style_of_row;
        for (unsigned step = 0; at != row->node && at != TH_NONE && step < INLINE_STEPS;
             step++) {
            style |= style_of_tag[page->nodes[at].tag];
            at = page->nodes[at].parent;
        }
        tokens += block->tokens;
        if (!style)
            continue;
        code += style & CODE ? block->tokens : 0;
        bold += style & BOLD ? block->tokens : 0;
        small += style & SMALL ? block->tokens : 0;
    }
    if (!(code | bold | small))
        return; /* the columns are zero */
    th_column(work, TH_FEATURE_CODE)[number] = th_share(code, tokens);
    th_column(work, TH_FEATURE_BOLD)[number] = th_share(bold, tokens);
    th_column(work, TH_FEATURE_SMALL)[number] = th_share(small, tokens);
}

static bool is_sectioning(th_tag tag)
{
    return tag == TH_TAG_BODY || tag == TH_TAG_MAIN || tag == TH_TAG_ARTICLE ||
           tag == TH_TAG_SECTION;
}

static void write_box(const th_feature_work *work, uint32_t number)
{
    const th_page *page = work->page;
    const uint32_t at = page->paragraphs[number].box;
    if (at == TH_NONE)
        return;
    const th_box *box = &page->boxes[at];
    th_column(work, TH_FEATURE_LIST_DEPTH)[number] = th_at_most(box->depth, 254);
    const th_box *row = box->row == TH_NONE ? NULL : &page->boxes[box->row];
    th_column(work, TH_FEATURE_IS_DATA)[number] =
        row && !row->is_layout && row->texts >= 2;
}

static void write_tags(const th_feature_work *work)
{
    /* Columns by kind of paragraph; 0: none. */
    static const uint8_t column_of_kind[TH_PARAGRAPH_KIND_COUNT] = {
        [TH_PARAGRAPH_ITEM] = TH_FEATURE_IN_ITEM,
        [TH_PARAGRAPH_CELL] = TH_FEATURE_IN_CELL,
        [TH_PARAGRAPH_QUOTE] = TH_FEATURE_IN_QUOTE,
        [TH_PARAGRAPH_CAPTION] = TH_FEATURE_IN_CAPTION,
        [TH_PARAGRAPH_TERM] = TH_FEATURE_IN_DEFINITION,
        [TH_PARAGRAPH_DEFINITION] = TH_FEATURE_IN_DEFINITION,
        [TH_PARAGRAPH_CONTROL] = TH_FEATURE_IN_CONTROL,
    };
    const th_page *page = work->page;
    for (uint32_t i = 0; i < work->rows; i++) {
        const th_paragraph *row = &page->paragraphs[i];
        const th_tag tag = page->nodes[row->node].tag;
        const uint32_t inner = page->blocks[row->first_block].node;
        const bool is_label = page->nodes[inner].tag == TH_TAG_LABEL;
        const bool is_bare = row->end_block - row->first_block == 1 && inner != row->node;
        if (column_of_kind[row->kind])
            th_column(work, column_of_kind[row->kind])[i] = 1;
        if (is_label)
            th_column(work, TH_FEATURE_IN_CONTROL)[i] = 1;
        th_column(work, TH_FEATURE_IN_P)[i] = tag == TH_TAG_P;
        th_column(work, TH_FEATURE_IN_DIV)[i] = tag == TH_TAG_DIV;
        th_column(work, TH_FEATURE_IN_SECTIONING)[i] = is_sectioning(tag);
        th_column(work, TH_FEATURE_HEADING)[i] = row->level ? 7 - row->level : 0;
        th_column(work, TH_FEATURE_HIDDEN)[i] = row->is_hidden;
        th_column(work, TH_FEATURE_IS_APART)[i] = row->is_apart;
        th_column(work, TH_FEATURE_BARE_INLINE)[i] = is_bare;
        write_styles(work, i);
        write_box(work, i);
    }
}

/* Computes the contents of an element. */
static void fill_pool(const th_feature_work *work, th_text_node *node)
{
    const th_row_sums *from = &work->sums[node->first], *to = &work->sums[node->end];
    const uint32_t rows = node->end - node->first;
    const uint32_t tokens = to->tokens - from->tokens;
    node->has_pool = 1;
    node->pool[0] = th_log(tokens);
    node->pool[1] = th_share(to->linked - from->linked, tokens);
    node->pool[2] = th_share(tokens, work->sums[work->rows].tokens);
    node->pool[3] = th_log(rows ? tokens / rows : 0);
    node->pool[4] = th_share(to->long_rows - from->long_rows, rows);
    node->pool[5] = th_log(to->headings - from->headings);
    node->pool[6] = th_share(to->in_p - from->in_p, tokens);
    node->pool[7] = th_log(work->groups[node->group].count - 1);
}

/* Returns the contents of an element, the first in the lowest byte. */
static inline uint64_t pool_of(const th_feature_work *work, uint32_t number)
{
    th_text_node *node = &work->nodes[number];
    if (!node->has_pool)
        fill_pool(work, node);
    return th_ascii_load8(node->pool);
}

/* The nearest element around a row that holds more than it. */
static uint32_t first_wider(const th_feature_work *work, uint32_t number)
{
    const th_text_node *node = &work->nodes[number];
    return node->end - node->first > 1 ? number : node->wider;
}

static void write_subtrees(const th_feature_work *work)
{
    _Static_assert((int)TH_POOL_COUNT == TH_EIGHT, "a pool is written in one call");
    const uint32_t stride = work->out.stride;
    uint32_t last = TH_NONE; /* many rows in turn have the same elements around */
    uint64_t pools[ANCESTORS] = { 0 };
    for (uint32_t i = 0; i < work->rows; i += TH_EIGHT) {
        uint64_t eight[ANCESTORS + 1][TH_EIGHT] = { { 0 } };
        for (uint32_t n = 0; n < TH_EIGHT && i + n < work->rows; n++) {
            const uint32_t own = work->text_node_of[i + n];
            const uint32_t around = first_wider(work, own);
            for (uint32_t k = 0, at = around; around != last && k < ANCESTORS;
                 k++, at = work->nodes[at].wider)
                pools[k] = pool_of(work, at);
            last = around;
            for (unsigned k = 0; k < ANCESTORS; k++)
                eight[k][n] = pools[k];
            const uint32_t largest = work->nodes[own].largest;
            eight[ANCESTORS][n] = pool_of(work, largest == TH_NONE ? own : largest);
        }
        for (unsigned k = 0; k < ANCESTORS; k++)
            th_write_eight(
                eight[k],
                th_column(work, TH_FEATURE_SUBTREE_1_TOKENS + k * TH_POOL_COUNT) + i,
                stride);
        th_write_eight(eight[ANCESTORS], th_column(work, TH_FEATURE_LARGEST_TOKENS) + i,
                       stride);
    }
}

static void write_siblings(const th_feature_work *work)
{
    const th_text_node *const nodes = work->nodes;
    const th_node *const page_nodes = work->page->nodes;
    const uint32_t *const node_of = work->text_node_of;
    const uint32_t rows = work->rows;
    for (uint32_t i = 0; i < rows; i++) {
        const th_text_node *node = &nodes[node_of[i]];
        const bool is_root = node_of[i] == 0;
        th_column(work, TH_FEATURE_SIBLING)[i] = th_log(node->sibling);
        th_column(work, TH_FEATURE_SIBLINGS)[i] =
            is_root ? 0 : th_log(nodes[node->parent].children);
        th_column(work, TH_FEATURE_DEPTH)[i] =
            th_at_most(page_nodes[node->node].depth, 254);
        if (!i)
            continue;
        const uint8_t is_same = nodes[node_of[i - 1]].likeness == node->likeness;
        th_column(work, TH_FEATURE_SAME_ELEMENT_BEFORE)[i] = is_same;
        th_column(work, TH_FEATURE_SAME_ELEMENT_AFTER)[i - 1] = is_same;
    }
}

/* ---- like siblings ------------------------------------------------------------------ */

/* The group of an element, or the free slot where its number belongs. */
static uint32_t *slot_of(const th_similar_siblings *groups, uint32_t *slots,
                         uint32_t mask, const th_text_node *node)
{
    uint32_t hash = (node->likeness ^ node->parent) * UINT32_C(0x85EBCA6B);
    hash ^= hash >> 15;
    uint32_t at = hash & mask;
    while (slots[at] != TH_NONE && (groups[slots[at]].parent != node->parent ||
                                    groups[slots[at]].likeness != node->likeness))
        at = (at + 1) & mask;
    return &slots[at];
}

static th_status group_siblings(th_feature_work *work)
{
    const uint32_t node_count = work->node_count;
    const th_row_sums *const sums = work->sums;
    th_text_node *const nodes = work->nodes;
    uint32_t slot_count = 64, count = 0;
    while (slot_count < node_count * 2)
        slot_count *= 2;
    uint32_t *slots = th_arena_alloc(work->scratch, slot_count * sizeof *slots);
    th_similar_siblings *const groups =
        th_arena_alloc(work->scratch, node_count * sizeof *groups);
    if (!slots || !groups)
        return TH_NOMEM;
    memset(slots, 0xFF, slot_count * sizeof *slots);
    for (uint32_t i = 0; i < node_count; i++) {
        th_text_node *node = &nodes[i];
        th_text_node *parent = &nodes[node->parent];
        uint32_t number = parent->last_group; /* often like the sibling before */
        if (number == TH_NONE || groups[number].likeness != node->likeness) {
            uint32_t *slot = slot_of(groups, slots, slot_count - 1, node);
            number = *slot;
            if (number == TH_NONE) {
                number = *slot = count++;
                groups[number] = (th_similar_siblings){ .parent = node->parent,
                                                        .likeness = node->likeness };
            }
            parent->last_group = number;
        }
        node->group = number;
        groups[number].count++;
        th_row_sums_add(&groups[number].sums, &sums[node->first], &sums[node->end]);
    }
    work->groups = groups;
    work->group_count = count;
    return TH_OK;
}

static uint8_t a_member(uint32_t headings, uint32_t members)
{
    return th_at_most((uint32_t)((uint64_t)headings * 16 / members), 254);
}

/* The largest group of like siblings around each element. */
static void choose_groups(th_feature_work *work)
{
    const th_similar_siblings *const groups = work->groups;
    th_text_node *const nodes = work->nodes;
    if (!work->node_count)
        return;
    nodes[0].best_group = nodes[0].group;
    for (uint32_t i = 1; i < work->node_count; i++) {
        const uint32_t around = nodes[nodes[i].parent].best_group;
        const uint32_t own = nodes[i].group;
        nodes[i].best_group = groups[own].count > groups[around].count ? own : around;
    }
}

/* The columns of a group, the first in the lowest byte. */
static uint64_t columns_of_group(const th_feature_work *work,
                                 const th_similar_siblings *group)
{
    const th_row_sums *sums = &group->sums;
    const uint8_t columns[TH_EIGHT] = {
        th_log(group->count - 1),
        th_log(sums->tokens / group->count),
        th_share(sums->linked, sums->tokens),
        th_share(sums->tokens, work->sums[work->rows].tokens),
        a_member(sums->headings, group->count),
        a_member(sums->titles, group->count),
        th_share(sums->long_rows, sums->rows),
    };
    return th_ascii_load8(columns);
}

static void write_groups(const th_feature_work *work)
{
    _Static_assert(TH_FEATURE_SAME_TEXTS - TH_FEATURE_GROUP_SIZE == TH_EIGHT - 1,
                   "the eighth column is written later");
    const uint32_t stride = work->out.stride;
    uint32_t last = TH_NONE; /* many rows in turn have the same group */
    uint64_t columns = 0;
    for (uint32_t i = 0; i < work->rows; i += TH_EIGHT) {
        uint64_t eight[TH_EIGHT] = { 0 };
        for (uint32_t n = 0; n < TH_EIGHT && i + n < work->rows; n++) {
            const uint32_t group = work->nodes[work->text_node_of[i + n]].best_group;
            if (group != last)
                columns = columns_of_group(work, &work->groups[group]);
            last = group;
            eight[n] = columns;
        }
        th_write_eight(eight, th_column(work, TH_FEATURE_GROUP_SIZE) + i, stride);
    }
}

th_status th_feature_tree(th_feature_work *work)
{
    const th_page *page = work->page;
    uint32_t *number_of =
        th_arena_alloc(work->scratch, page->node_count * sizeof *number_of + 1);
    work->text_node_of =
        th_arena_alloc(work->scratch, work->rows * sizeof *work->text_node_of + 1);
    if (!number_of || !work->text_node_of || make_nodes(work, number_of) != TH_OK ||
        group_siblings(work) != TH_OK)
        return TH_NOMEM;
    for (uint32_t i = 0; i < work->rows; i++)
        work->text_node_of[i] = number_of[th_node_of_row(page, i)];
    write_levels(work);
    write_tags(work);
    write_subtrees(work);
    write_siblings(work);
    choose_groups(work);
    write_groups(work);
    return TH_OK;
}
