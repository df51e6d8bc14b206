/* Paragraphs with the same path of (tag, class) share their scores. */
#include "content/similar_siblings.h"

#include <stdbool.h>

#include "content/key_table.h"

enum { OWN_PART = 2, MEAN_PART = 3, PARTS = OWN_PART + MEAN_PART };

/* A path, and the sums of its paragraphs. */
struct group {
    uint64_t key; /* 0: free */
    uint64_t score_sum;
    uint32_t count;
};

static uint32_t likeness_of(const th_page *page, uint32_t node)
{
    const uint32_t set = page->class_set_of ? page->class_set_of[node] : 0;
    return page->class_sets ? page->class_sets[set].likeness : 0;
}

static uint64_t path_key(const th_page *page, uint32_t node)
{
    uint64_t hash = 1;
    for (unsigned level = 0; level < TH_LIKE_LEVELS && node < page->node_count; level++) {
        const th_node *at = &page->nodes[node];
        hash = th_key_mix(hash, (uint64_t)at->tag << 32 | likeness_of(page, node));
        node = at->parent;
    }
    return hash ? hash : 1;
}

/* Whether the paths of two elements are the same because only their ends differ. */
static bool are_like_siblings(const th_page *page, uint32_t a, uint32_t b)
{
    return a < page->node_count && b < page->node_count &&
           page->nodes[a].parent == page->nodes[b].parent &&
           page->nodes[a].tag == page->nodes[b].tag &&
           likeness_of(page, a) == likeness_of(page, b);
}

th_status th_similar_siblings_smooth(const th_page *page, th_arena *scratch,
                                     uint16_t *score)
{
    const uint32_t count = page->paragraph_count;
    uint32_t size = 16; /* a power of two, at least twice the paragraphs */
    while (size / 2 < count && size < 1u << 31)
        size *= 2;
    struct group *groups = th_arena_calloc(scratch, size, sizeof *groups);
    struct group **group_of =
        th_arena_calloc(scratch, (size_t)count + 1, sizeof(struct group *));
    if (!groups || !group_of)
        return TH_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = page->paragraphs[i].node;
        group_of[i] =
            i && are_like_siblings(page, node, page->paragraphs[i - 1].node)
                ? group_of[i - 1]
                : th_key_row(groups, sizeof *groups, size - 1, path_key(page, node));
        group_of[i]->score_sum += score[i];
        group_of[i]->count++;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct group *group = group_of[i];
        if (group->count < TH_LIKE_LEAST)
            continue;
        const uint64_t parts = (uint64_t)OWN_PART * score[i] * group->count +
                               (uint64_t)MEAN_PART * group->score_sum;
        score[i] = (uint16_t)(parts / ((uint64_t)PARTS * group->count));
    }
    return TH_OK;
}
