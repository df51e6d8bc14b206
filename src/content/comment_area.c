/*
 * Comments are known by a word in the class or id of an element around them, and by their
 * number: a page with "comment" in a class but without two elements alike below or beside
 * it has a link to its comments, or a form for one.
 */
#include "content/comment_area.h"

#include <stdbool.h>
#include <string.h>

#include "page/class_word.h"

static const char *const comment_words[] = { "comment", "comments", "commentlist",
                                             "disqus", "replies" };
enum {
    WORD_COUNT = sizeof comment_words / sizeof *comment_words,
    NUMBER_COUNT = WORD_COUNT * 2,
    MOST_OF_PAGE = 70, /* hundredths of its tokens */
};

/* One of 64 bits: few words share one with a word of comments. */
static uint64_t bit_of(uint32_t word)
{
    return UINT64_C(1) << (word >> 2 & 63);
}

/* In a class and in an id. @return their bits */
static uint64_t number_words(uint32_t numbers[NUMBER_COUNT])
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < WORD_COUNT; i++) {
        const th_view word = { comment_words[i], strlen(comment_words[i]) };
        uint32_t *pair = numbers + (size_t)2 * i;
        pair[0] = th_word_number(word, TH_WORD_IN_CLASS);
        pair[1] = th_word_number(word, TH_WORD_IN_ID);
        bits |= bit_of(pair[0]);
    }
    return bits;
}

static bool is_one_of(uint32_t word, const uint32_t numbers[NUMBER_COUNT])
{
    bool is = false;
    for (unsigned i = 0; i < NUMBER_COUNT; i++)
        is |= word == numbers[i];
    return is;
}

/* Which sets of words speak of comments; NULL without memory. */
static const uint8_t *mark_sets(const th_page *page, th_arena *scratch)
{
    uint32_t numbers[NUMBER_COUNT];
    const uint64_t bits = number_words(numbers);
    uint8_t *is_comment = th_arena_calloc(scratch, (size_t)page->class_set_count + 1, 1);
    for (uint32_t i = 0; is_comment && i < page->class_set_count; i++) {
        const th_class_set *set = &page->class_sets[i];
        for (uint32_t k = set->first; k < set->first + set->count; k++)
            if (bits & bit_of(page->class_words[k]))
                is_comment[i] |= is_one_of(page->class_words[k], numbers);
    }
    return is_comment;
}

/* An element's place among those around it. */
struct area {
    uint32_t last_child; /* with text; TH_NONE */
    uint8_t speaks;      /* it or one around it speaks of comments */
    uint8_t is_list;     /* it has enough children of one kind beside one another */
    uint8_t is_in_list;  /* it is such a child, or in one, or has one in it */
};

static bool is_alike(const th_page *page, uint32_t a, uint32_t b)
{
    const th_class_set *sets = page->class_sets;
    const uint32_t likeness = sets[page->class_set_of[a]].likeness;
    return page->nodes[a].tag == page->nodes[b].tag &&
           likeness == sets[page->class_set_of[b]].likeness;
}

/* Whether an element's words are of a part of the page, not of all of it: a body's class
 * often says that comments are open. */
static bool is_part(const th_page *page, const th_node *node)
{
    const uint32_t *before = page->tokens_before;
    const uint64_t tokens = before[node->end_block] - before[node->first_block];
    return node->tag != TH_TAG_BODY && node->tag != TH_TAG_HTML &&
           tokens * 100 <= (uint64_t)before[page->block_count] * MOST_OF_PAGE;
}

/* Parents come first, so what is around an element is known when it comes. */
static void mark_areas(const th_page *page, const uint8_t *is_comment, struct area *areas)
{
    for (uint32_t i = 0; i < page->node_count; i++) {
        const th_node *node = &page->nodes[i];
        const bool has_parent = node->parent < i;
        areas[i].last_child = TH_NONE;
        areas[i].speaks = (has_parent && areas[node->parent].speaks) ||
                          (is_comment[page->class_set_of[i]] && is_part(page, node));
        if (!areas[i].speaks || !has_parent || node->first_block >= node->end_block)
            continue;
        struct area *parent = &areas[node->parent];
        if (parent->last_child != TH_NONE && is_alike(page, i, parent->last_child))
            parent->is_list = true;
        parent->last_child = i;
    }
    /* A list makes all around it that speaks of comments a place of comments, and all in
     * it. */
    for (uint32_t i = page->node_count; i-- > 0;) {
        const uint32_t parent = page->nodes[i].parent;
        const bool holds_list =
            areas[i].speaks && (areas[i].is_list || areas[i].is_in_list);
        areas[i].is_in_list = holds_list;
        if (holds_list && parent < i && areas[parent].speaks)
            areas[parent].is_in_list = true;
    }
    for (uint32_t i = 0; i < page->node_count; i++) {
        const uint32_t parent = page->nodes[i].parent;
        if (parent < i && areas[parent].is_in_list)
            areas[i].is_in_list = true;
    }
}

th_status th_comment_areas_find(const th_page *page, th_arena *scratch,
                                uint8_t *is_comment)
{
    memset(is_comment, 0, page->paragraph_count);
    if (!page->class_set_of)
        return TH_OK;
    const uint8_t *is_comment_set = mark_sets(page, scratch);
    struct area *areas =
        th_arena_calloc(scratch, (size_t)page->node_count + 1, sizeof *areas);
    if (!is_comment_set || !areas)
        return TH_NOMEM;
    mark_areas(page, is_comment_set, areas);
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const uint32_t node = page->paragraphs[i].node;
        is_comment[i] = node < page->node_count && areas[node].is_in_list;
    }
    return TH_OK;
}
