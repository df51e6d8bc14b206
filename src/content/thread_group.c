/*
 * Groups by two keys, because neither fits all: the tag and all words of the class that do
 * not differ between siblings, and the tag and the first word ("post" of "post online" and "post
 * author-ada"). An element in another of its group is an answer to it.
 */
#include "content/thread_group.h"

#include <stdbool.h>
#include <string.h>

enum {
    MEMBERS_LEAST = 2,
    NAMES_MOST = 4,   /* in a post; elements with more hold several */
    PAGE_PART = 5,    /* a group has at least a fifth of the page's plain tokens */
    TEXT_TENTHS = 6,  /* of the tokens of all posts: one place with so much is the text */
    TOKENS_LEAST = 2, /* of an element that may hold a post */
    KEYS = 2,
};

struct group {
    uint64_t key; /* 0: free */
    uint32_t count, names, dates;
    uint32_t outer_count;  /* members in no other */
    uint32_t outer_names;  /* marks of names in these */
    uint64_t plain_tokens; /* of these */
    uint32_t open_end;     /* descendants of the last of these end here */
};

struct finder {
    const th_post_reader *reader;
    const th_page *page;
    uint32_t *names, *dates; /* marks before each element */
    struct group *groups;
    uint32_t mask;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* @return 0: the element is in no group of this kind */
static uint64_t key_of(const th_page *page, uint32_t node, unsigned which)
{
    const th_class_set *set = &page->class_sets[page->class_set_of[node]];
    const uint32_t word = set->count ? page->class_words[set->first] : 0;
    const uint32_t part = which ? word : set->likeness;
    return part ? mix(mix(which + 1, page->nodes[node].tag), part) | 1 : 0;
}

static struct group *group_of(const struct finder *f, uint64_t key)
{
    uint32_t at = (uint32_t)(key >> 32) & f->mask;
    while (f->groups[at].key && f->groups[at].key != key)
        at = (at + 1) & f->mask;
    f->groups[at].key = key;
    return &f->groups[at];
}

static uint64_t plain_tokens(const th_page *page, uint32_t node)
{
    const th_node *row = &page->nodes[node];
    if (row->first_block >= row->end_block)
        return 0;
    const uint64_t tokens =
        page->tokens_before[row->end_block] - page->tokens_before[row->first_block];
    return tokens -
           (page->linked_before[row->end_block] - page->linked_before[row->first_block]);
}

static uint32_t between(const uint32_t *before, const struct finder *f, uint32_t node)
{
    return before[f->reader->subtree_end[node]] - before[node];
}

static bool may_be_post(const struct finder *f, uint32_t node)
{
    return f->page->nodes[node].tag != TH_TAG_A &&
           plain_tokens(f->page, node) >= TOKENS_LEAST && between(f->names, f, node);
}

static void add_member(const struct finder *f, uint32_t node, struct group *group)
{
    group->count++;
    group->names += between(f->names, f, node) > 0;
    group->dates += between(f->dates, f, node) > 0;
    if (node < group->open_end)
        return;
    group->open_end = f->reader->subtree_end[node];
    group->outer_count++;
    group->outer_names += between(f->names, f, node);
    group->plain_tokens += plain_tokens(f->page, node);
}

/* Plain tokens, reduced if some members have no date or if they contain many names. */
static uint64_t score_of(const struct finder *f, const struct group *group)
{
    const uint64_t all = plain_tokens(f->page, 0);
    if (group->count < MEMBERS_LEAST || group->dates * 2 < group->count ||
        group->plain_tokens * PAGE_PART < all)
        return 0;
    uint64_t score = group->plain_tokens * 16 * (group->count + group->dates) /
                     (2 * (uint64_t)group->count);
    /* Each nested answer also has a name. */
    const uint64_t max = (uint64_t)NAMES_MOST * group->count;
    if (group->outer_names > max)
        score = score * max / group->outer_names;
    return score;
}

static th_status begin(struct finder *f, th_arena *arena, const uint8_t *seems)
{
    const uint32_t count = f->page->node_count;
    uint32_t size = 64;
    while (size / 4 < count && size < 1u << 30)
        size *= 2;
    f->mask = size - 1;
    f->names = th_arena_alloc(arena, (count + (size_t)1) * sizeof *f->names);
    f->dates = th_arena_alloc(arena, (count + (size_t)1) * sizeof *f->dates);
    f->groups = th_arena_calloc(arena, size, sizeof *f->groups);
    if (!f->names || !f->dates || !f->groups)
        return TH_NOMEM;
    f->names[0] = f->dates[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        f->names[i + 1] = f->names[i] + ((seems[i] & TH_SEEMS_NAME) != 0);
        f->dates[i + 1] = f->dates[i] + ((seems[i] & TH_SEEMS_DATE) != 0);
    }
    return TH_OK;
}

static uint64_t best_key(const struct finder *f)
{
    uint64_t best = 0, highest = 0;
    for (unsigned which = 0; which < KEYS; which++)
        for (uint32_t i = 1; i < f->page->node_count; i++) {
            const uint64_t key = may_be_post(f, i) ? key_of(f->page, i, which) : 0;
            if (key)
                add_member(f, i, group_of(f, key));
        }
    for (unsigned which = 0; which < KEYS; which++)
        for (uint32_t i = 1; i < f->page->node_count; i++) {
            const uint64_t key = may_be_post(f, i) ? key_of(f->page, i, which) : 0;
            const uint64_t score = key ? score_of(f, group_of(f, key)) : 0;
            if (score > highest) { /* of equal ones the outer element */
                highest = score;
                best = key;
            }
        }
    return best;
}

/* ---- the place of the texts -------------------------------------------------------- */

struct place {
    uint64_t key; /* 0: free */
    uint64_t tokens;
    uint32_t depth;
};

static struct place *place_of(struct place *places, uint32_t mask, uint64_t key)
{
    uint32_t at = (uint32_t)(key >> 32) & mask;
    while (places[at].key && places[at].key != key)
        at = (at + 1) & mask;
    places[at].key = key;
    return &places[at];
}

static uint64_t way_to(const th_page *page, uint32_t node, uint64_t way, uint32_t ordinal)
{
    const th_class_set *set = &page->class_sets[page->class_set_of[node]];
    const bool is_cell = page->nodes[node].tag == TH_TAG_TD;
    way = mix(mix(way, page->nodes[node].tag), set->likeness);
    return (is_cell ? mix(way, ordinal) : way) | 1;
}

/* The deepest place that holds most of the text of all posts. */
static th_status mark_texts(const struct finder *f, th_arena *arena,
                            const uint8_t *is_root, uint8_t *is_text)
{
    const th_page *page = f->page;
    const size_t count = page->node_count;
    uint64_t *way = th_arena_calloc(arena, count + 1, sizeof *way);
    uint32_t *children = th_arena_calloc(arena, count + 1, sizeof *children);
    struct place *places = th_arena_calloc(arena, (size_t)f->mask + 1, sizeof *places);
    if (!way || !children || !places)
        return TH_NOMEM;
    uint64_t all = 0, best_key_of_way = 0;
    uint32_t deepest = 0;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t parent = page->nodes[i].parent;
        way[i] = is_root[i]    ? 1
                 : way[parent] ? way_to(page, i, way[parent], children[parent])
                               : 0;
        children[parent]++;
        if (!way[i])
            continue;
        uint64_t tokens = plain_tokens(page, i);
        all += is_root[i] ? tokens : 0;
        struct place *place = place_of(places, f->mask, way[i]);
        place->tokens += tokens;
        place->depth = page->nodes[i].depth;
    }
    for (uint32_t i = 1; i < count; i++) {
        const struct place *place = way[i] > 1 ? place_of(places, f->mask, way[i]) : NULL;
        if (place && place->tokens * 10 >= all * TEXT_TENTHS && place->depth > deepest) {
            deepest = place->depth;
            best_key_of_way = place->key;
        }
    }
    for (uint32_t i = 1; i < count && best_key_of_way; i++)
        is_text[i] = way[i] == best_key_of_way;
    return TH_OK;
}

th_status th_thread_group_find(const th_post_reader *reader, th_arena *arena,
                               const uint8_t *seems, uint8_t *is_root, uint8_t *is_text)
{
    struct finder f = { .reader = reader, .page = reader->page };
    memset(is_root, 0, f.page->node_count);
    memset(is_text, 0, f.page->node_count);
    const th_status status = begin(&f, arena, seems);
    if (status != TH_OK)
        return status;
    const uint64_t key = best_key(&f);
    if (!key)
        return TH_OK;
    for (uint32_t i = 1; i < f.page->node_count; i++)
        is_root[i] = may_be_post(&f, i) &&
                     (key_of(f.page, i, 0) == key || key_of(f.page, i, 1) == key);
    return mark_texts(&f, arena, is_root, is_text);
}
