/*
 * Comments are found by a word in the class or id of an element around them, and by their
 * number. If a page has "comment" in a class, but no two similar elements below it or
 * next to it, it has only a link to its comments, or a form for one.
 */
#include "content/comment_area.h"

#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "page/class_word.h"

/* The last one is only of customers on the page of a product. Elsewhere it is often a
 * kind of article. */
static const char *const comment_words[] = { "comment", "comments", "commentlist",
                                             "disqus",  "replies",  "reviews" };
/* An element that has one of these too has the posts of a forum ("forums bbp-replies"). */
static const char *const forum_words[] = { "forum", "forums", "bbp" };
static const char *const thread_words[] = { "forum",       "forums", "topic",
                                            "discussion",  "board",  "question",
                                            "discussions", "bbs",    "subreddit",
                                            "community" };
enum {
    COMMENT_WORDS = sizeof comment_words / sizeof *comment_words,
    FORUM_WORDS = sizeof forum_words / sizeof *forum_words,
    THREAD_WORDS = sizeof thread_words / sizeof *thread_words,
    NUMBER_MOST = 2 * THREAD_WORDS, /* of the longer list */
    MOST_OF_PAGE = 70,              /* hundredths of its tokens */
};

/* Words by their numbers in a class and in an id. */
struct word_list {
    uint32_t number[NUMBER_MOST];
    unsigned count;
    uint64_t bits;
};

static struct word_list number_words(const char *const *words, unsigned count)
{
    struct word_list list = { .count = 2 * count };
    for (unsigned i = 0; i < count; i++) {
        const th_view word = { words[i], strlen(words[i]) };
        uint32_t *pair = list.number + (size_t)2 * i;
        pair[0] = th_word_number(word, TH_WORD_IN_CLASS);
        pair[1] = th_word_number(word, TH_WORD_IN_ID);
        list.bits |= th_word_bit(pair[0]) | th_word_bit(pair[1]);
    }
    return list;
}

static bool is_one_of(uint32_t word, const struct word_list *list)
{
    bool is = false;
    for (unsigned i = 0; i < list->count; i++)
        is |= word == list->number[i];
    return is;
}

static bool has_word(const th_page *page, const th_class_set *set,
                     const struct word_list *list)
{
    bool has = false;
    if (!(set->bits & list->bits)) /* most sets */
        return false;
    for (uint32_t k = set->first; !has && k < set->first + set->count; k++)
        if (list->bits & th_word_bit(page->class_words[k]))
            has = is_one_of(page->class_words[k], list);
    return has;
}

/* Whether a word of the list is in the class, and not only in the id. */
static bool has_word_in_class(const th_page *page, const th_class_set *set,
                              const struct word_list *list)
{
    bool has = false;
    for (uint32_t k = set->first; !has && k < set->first + set->count; k++)
        has = (page->class_words[k] & TH_WORD_PLACE) == TH_WORD_IN_CLASS &&
              is_one_of(page->class_words[k], list);
    return has;
}

/* Where a set of words means comments. */
enum { IN_ID = 1, IN_CLASS = 2 };

/* Marks the sets of words that mean comments. NULL without memory. */
static const uint8_t *mark_sets(const th_page *page, bool is_product, th_arena *scratch)
{
    const struct word_list list =
        number_words(comment_words, is_product ? COMMENT_WORDS : COMMENT_WORDS - 1);
    const struct word_list forum = number_words(forum_words, FORUM_WORDS);
    uint8_t *is_comment = th_arena_calloc(scratch, (size_t)page->class_set_count + 1, 1);
    for (uint32_t i = 0; is_comment && i < page->class_set_count; i++) {
        const th_class_set *set = &page->class_sets[i];
        if (has_word(page, set, &list) && !has_word(page, set, &forum))
            is_comment[i] = has_word_in_class(page, set, &list) ? IN_CLASS : IN_ID;
    }
    return is_comment;
}

/* An element's place among those around it. */
struct area {
    uint32_t last_child; /* with text; TH_NONE */
    uint8_t speaks;      /* it or an element around it has a word of comments */
    uint8_t is_list;     /* it has enough adjacent children of one kind */
    uint8_t is_in_list;  /* it is such a child, or in one, or has one in it */
    uint8_t is_headed;   /* it or an element around it has the id of its heading */
};

static bool is_alike(const th_page *page, uint32_t a, uint32_t b)
{
    const th_class_set *sets = page->class_sets;
    const uint32_t likeness = sets[page->class_set_of[a]].likeness;
    return page->nodes[a].tag == page->nodes[b].tag &&
           likeness == sets[page->class_set_of[b]].likeness;
}

/*
 * Returns the first block of the first heading, or page->block_count if there is no
 * heading.
 */
static uint32_t first_heading(const th_page *page)
{
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        if (page->paragraphs[i].kind == TH_PARAGRAPH_HEADING)
            return page->paragraphs[i].first_block;
    return page->block_count;
}

/* Whether an element's words are of a part of the page, not of all of it: a body's class
 * often says that comments are open. Comments may be nearly all of a page, but its first
 * heading is not theirs. */
static bool is_part(const th_page *page, const th_node *node, uint32_t heading)
{
    const uint32_t *before = page->tokens_before;
    const uint64_t tokens = before[node->end_block] - before[node->first_block];
    return node->tag != TH_TAG_BODY && node->tag != TH_TAG_HTML &&
           (tokens * 100 <= (uint64_t)before[page->block_count] * MOST_OF_PAGE ||
            heading < node->first_block);
}

/* ---- ids of headings ---- */

/* The words of a heading, as words of an id. */
struct heading {
    uint32_t number[TH_CLASS_WORDS_MAX];
    unsigned count;
};

static struct heading read_heading(th_view text)
{
    struct heading heading = { .count = 0 };
    size_t at = 0;
    while (at < text.len && heading.count < TH_CLASS_WORDS_MAX) {
        size_t end = at, letters = at; /* digits at the end do not count */
        uint32_t hash = TH_WORD_START, word = hash;
        for (; end < text.len &&
               (th_is_letter(text.data[end]) || th_is_digit(text.data[end]));
             end++) {
            const char letter = th_lower(text.data[end]);
            hash = th_word_step(hash, (unsigned char)letter);
            if (th_is_digit(letter))
                continue;
            word = hash;
            letters = end + 1;
        }
        if (letters > at)
            heading.number[heading.count++] = th_word_end(word, TH_WORD_IN_ID);
        at = end + 1;
    }
    return heading;
}

/* Returns the text of the heading that an element begins with; without data if there is
 * none. */
static th_view heading_of(const th_page *page, const th_node *node)
{
    enum { LOOK = 512 }; /* bytes */
    if (node->first_block >= node->end_block)
        return (th_view){ NULL, 0 };
    const uint32_t number = page->blocks[node->first_block].paragraph;
    const th_paragraph *paragraph = &page->paragraphs[number];
    if (paragraph->kind != TH_PARAGRAPH_HEADING || paragraph->end_block > node->end_block)
        return (th_view){ NULL, 0 };
    th_view text = th_paragraph_text(page, number);
    text.len = text.len < LOOK ? text.len : LOOK;
    return text;
}

/* Whether all words of an element's id are words of the heading that it begins with. */
static bool has_id_of_heading(const th_page *page, uint32_t node)
{
    const th_class_set *set = &page->class_sets[page->class_set_of[node]];
    const th_view text = heading_of(page, &page->nodes[node]);
    unsigned words = 0, known = 0;
    if (set->count == 0 || !text.data)
        return false;
    uint32_t first = set->first;
    const uint32_t end = set->first + set->count;
    while (first < end && (page->class_words[first] & TH_WORD_PLACE) != TH_WORD_IN_ID)
        first++;
    if (first == end)
        return false; /* most have no id */
    const struct heading heading = read_heading(text);
    for (uint32_t k = first; k < end; k++) {
        if ((page->class_words[k] & TH_WORD_PLACE) != TH_WORD_IN_ID)
            continue;
        bool is_known = false;
        for (unsigned i = 0; i < heading.count; i++)
            is_known |= heading.number[i] == page->class_words[k];
        words++;
        known += is_known;
    }
    return known == words;
}

/*
 * Whether an element has a word of comments. The id of a heading does not count, because
 * generators build it from the text: "comment-contribuer" (French: how to contribute).
 * Sphinx and docutils give each section such an id, and the sections around it:
 *
 *     <section id=submitting-patches><h1>Submitting patches</h1> ...
 *         <section id=respond-to-review-comments><h2>Respond to review comments</h2> ...
 *
 * A section of comments has the id of its heading too (id=comments, "3 comments"), but an
 * article around it has not.
 */
static bool names_comments(const th_page *page, uint32_t node, const uint8_t *is_comment,
                           bool is_headed)
{
    const th_tag tag = page->nodes[node].tag;
    const uint8_t place = is_comment[page->class_set_of[node]];
    if (place != IN_ID)
        return place == IN_CLASS;
    return !(tag >= TH_TAG_H1 && tag <= TH_TAG_H6) &&
           !(is_headed && has_id_of_heading(page, node));
}

/* Parents come first, so the elements around an element are already done.
 * @param is_in_ids  whether an id has a word of comments. Else no heading is read */
static void mark_areas(const th_page *page, const uint8_t *is_comment, bool is_in_ids,
                       struct area *areas)
{
    const uint32_t heading = first_heading(page);
    for (uint32_t i = 0; i < page->node_count; i++) {
        const th_node *node = &page->nodes[i];
        const bool has_parent = node->parent < i;
        const bool is_headed = has_parent && areas[node->parent].is_headed;
        areas[i].last_child = TH_NONE;
        areas[i].is_headed = is_in_ids && (is_headed || has_id_of_heading(page, i));
        areas[i].speaks = (has_parent && areas[node->parent].speaks) ||
                          (names_comments(page, i, is_comment, is_headed) &&
                           is_part(page, node, heading));
        if (!areas[i].speaks || !has_parent || node->first_block >= node->end_block)
            continue;
        struct area *parent = &areas[node->parent];
        if (parent->last_child != TH_NONE && is_alike(page, i, parent->last_child))
            parent->is_list = true;
        parent->last_child = i;
    }
    /*
     * A list makes all elements around it with a word of comments, and all in it, a place
     * of comments.
     */
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
        if (parent < i &&
            (areas[parent].is_in_list || (areas[parent].is_list && areas[i].speaks)))
            areas[i].is_in_list = true;
    }
}

/* Returns where the page's sets mean comments: IN_... */
static unsigned marks_of(const uint8_t *is_comment, uint32_t count)
{
    uint8_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all |= is_comment[i];
    return all;
}

th_status th_comment_areas_find(const th_page *page, bool is_product, th_arena *scratch,
                                uint8_t *is_comment)
{
    memset(is_comment, 0, page->paragraph_count);
    if (!page->class_set_of)
        return TH_OK;
    const uint8_t *is_comment_set = mark_sets(page, is_product, scratch);
    if (!is_comment_set)
        return TH_NOMEM;
    const unsigned marks = marks_of(is_comment_set, page->class_set_count);
    if (!marks)
        return TH_OK;
    struct area *areas =
        th_arena_calloc(scratch, (size_t)page->node_count + 1, sizeof *areas);
    if (!areas)
        return TH_NOMEM;
    mark_areas(page, is_comment_set, marks & IN_ID, areas);
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const uint32_t node = page->paragraphs[i].node;
        is_comment[i] = node < page->node_count && areas[node].is_in_list;
    }
    return TH_OK;
}

bool th_speaks_of_thread(const th_page *page)
{
    const struct word_list list = number_words(thread_words, THREAD_WORDS);
    bool speaks = false;
    for (uint32_t i = 0; !speaks && page->class_sets && i < page->class_set_count; i++)
        speaks = has_word(page, &page->class_sets[i], &list);
    return speaks;
}
