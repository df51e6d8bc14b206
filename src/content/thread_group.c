/*
 * Groups by three keys, because no key fits all pages:
 *  - the tag and all words of the class that do not differ between siblings
 *  - the tag and the first word ("post" of "post online" and "post author-ada")
 *  - the tag and all words ("css-1x2y3z" of generated classes)
 * An element in another of its group is an answer to it. Names, dates and text belong to
 * the innermost member around them. The members of a good group have their text and one
 * date each, because the elements around several posts have more dates, and the parts of a
 * post have text or a date.
 */
#include "content/thread_group.h"

#include <stdbool.h>
#include <string.h>

#include "content/key_table.h"
#include "page/class_word.h"

enum {
    MEMBERS_LEAST = 2,
    NAMES_MOST = 3, /* in a post; elements with more hold several */
    DATES_QUARTERS =
        5,            /* quarters of a date in a post; elements with more hold several */
    SURE_TENTHS = 8,  /* of a group: with a date, or with a name, if it has only these */
    DATE_TOKENS = 12, /* of a block with a date */
    LEVELS_MOST = 6,  /* from the text of a post to an element with its name or date */
    PAGE_PART = 5,    /* a group has at least a fifth of the page's plain tokens */
    NAMED_PART = 50,  /* or a fiftieth if its class says what it is */
    TEXT_TENTHS = 6, /* of the posts and their tokens: one place with these is the text */
    TOKENS_LEAST = 2,   /* of an element that may hold a post */
    OPENING_FACTS = 4,  /* names, and dates, of an opening post by its place */
    OPENING_TOKENS = 6, /* of its text */
    KEYS = 3,
    KEY_OF_FIRST = 1,
    FIRST_PARTS = 12, /* of 16: the score by the first word */
};

struct group {
    uint64_t key;                 /* 0: free */
    uint32_t count, names, dates; /* members, members with a name, members with a date */
    uint32_t all_names, all_dates;
    uint32_t texts;        /* members with a token outside of dates */
    uint64_t plain_tokens; /* of members with a name or date, outside of dates */
    uint32_t last;         /* member */
    bool is_named;         /* the class of a member has a word for posts */
};

/* Parts of a member that are in no other member of its group. */
struct own {
    uint64_t plain_tokens;
    uint32_t names, dates;
    uint32_t outer; /* the member around it, or TH_NONE */
};

/* Words in the class of a post. */
static const char *const post_words[] = { "comment", "comments", "reply", "answer",
                                          "answers", "message",  "msg" };
enum { POST_WORDS = sizeof post_words / sizeof *post_words };

struct finder {
    const th_post_reader *reader;
    const th_page *page;
    uint32_t *names, *dates; /* marks before each element */
    uint32_t *date_tokens;   /* tokens of dates before each block */
    uint32_t *candidates;    /* elements that may be posts, in order */
    uint32_t candidate_count;
    struct group *groups;
    uint32_t group_mask;
    struct own *owns; /* of each element */
    uint32_t mask;
    uint32_t post_words[2 * POST_WORDS]; /* their numbers, in a class and in an id */
    bool is_forum;
};

/* A key of all words of a class, 0 without one. */
static uint64_t key_of_words(const th_page *page, const th_class_set *set)
{
    uint64_t key = 0;
    for (uint32_t i = set->first; i < set->first + set->count; i++)
        if ((page->class_words[i] & TH_WORD_PLACE) == TH_WORD_IN_CLASS)
            key = th_key_mix(key + 1, page->class_words[i]);
    return key;
}

/* @return 0: the element is in no group of this kind */
static uint64_t key_of(const th_page *page, uint32_t node, unsigned which)
{
    const th_class_set *set = &page->class_sets[page->class_set_of[node]];
    const uint64_t part = which == 0 ? set->likeness
                          : which == KEY_OF_FIRST
                              ? (set->count ? page->class_words[set->first] : 0)
                              : key_of_words(page, set);
    return part ? th_key_mix(th_key_mix(which + 1, page->nodes[node].tag), part) | 1 : 0;
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

/* Plain tokens outside of dates. */
static uint64_t text_tokens(const struct finder *f, uint32_t node)
{
    const th_node *row = &f->page->nodes[node];
    const uint64_t tokens = plain_tokens(f->page, node);
    const uint64_t dates =
        row->first_block < row->end_block
            ? f->date_tokens[row->end_block] - f->date_tokens[row->first_block]
            : 0;
    return tokens > dates ? tokens - dates : 0;
}

static uint32_t between(const uint32_t *before, const struct finder *f, uint32_t node)
{
    return before[f->reader->subtree_end[node]] - before[node];
}

static bool may_be_post(const struct finder *f, uint32_t node)
{
    return f->page->nodes[node].tag != TH_TAG_A &&
           plain_tokens(f->page, node) >= TOKENS_LEAST &&
           (between(f->names, f, node) || between(f->dates, f, node));
}

/* Adds an element to its group, and takes its parts from the member around it. */
static void add_member(const struct finder *f, uint32_t node, struct group *group)
{
    struct own *own = &f->owns[node];
    uint32_t outer = group->count ? group->last : TH_NONE;
    while (outer != TH_NONE && node >= f->reader->subtree_end[outer])
        outer = f->owns[outer].outer;
    *own = (struct own){ .plain_tokens = text_tokens(f, node),
                         .names = between(f->names, f, node),
                         .dates = between(f->dates, f, node),
                         .outer = outer };
    if (outer != TH_NONE) {
        f->owns[outer].plain_tokens -= own->plain_tokens < f->owns[outer].plain_tokens
                                           ? own->plain_tokens
                                           : f->owns[outer].plain_tokens;
        f->owns[outer].names -= own->names;
        f->owns[outer].dates -= own->dates;
    }
    group->last = node;
    group->count++;
}

/* Whether the class or the id of an element has a word for posts. */
static bool is_named(const struct finder *f, uint32_t node)
{
    const th_class_set *set = &f->page->class_sets[f->page->class_set_of[node]];
    for (uint32_t i = set->first; i < set->first + set->count; i++)
        for (size_t k = 0; k < 2 * (size_t)POST_WORDS; k++)
            if (f->page->class_words[i] == f->post_words[k])
                return true;
    return false;
}

static void sum_member(const struct finder *f, uint32_t node, struct group *group)
{
    const struct own *own = &f->owns[node];
    group->names += own->names > 0;
    group->dates += own->dates > 0;
    group->all_names += own->names;
    group->all_dates += own->dates;
    group->texts += own->plain_tokens > 0;
    group->is_named |= is_named(f, node);
    if (own->names || own->dates)
        group->plain_tokens += own->plain_tokens;
}

/* Whether enough members have a name or a date. A group with both needs fewer dates. */
static bool have_facts(const struct group *group)
{
    const uint64_t sure = (uint64_t)group->count * SURE_TENTHS;
    if (group->dates * (uint64_t)10 >= sure)
        return true;
    return group->names * (uint64_t)10 >= sure && group->dates * 2 >= group->count;
}

/* Plain tokens, reduced if some members have no date or no name, or if they have many. */
static uint64_t score_of(const struct finder *f, const struct group *group,
                         unsigned which)
{
    const uint64_t all = plain_tokens(f->page, 0), count = group->count;
    if (count < MEMBERS_LEAST || !have_facts(group) ||
        group->plain_tokens * (group->is_named ? NAMED_PART : PAGE_PART) < all)
        return 0;
    uint64_t score = group->plain_tokens * 16 * group->texts / count *
                     (2 * count + group->dates + group->names) / (4 * count);
    if (group->all_names > NAMES_MOST * count)
        score = score * NAMES_MOST * count / group->all_names;
    if (group->all_dates * UINT64_C(4) > DATES_QUARTERS * count)
        score = score * DATES_QUARTERS * count / (group->all_dates * UINT64_C(4));
    return which == KEY_OF_FIRST ? score * FIRST_PARTS / 16 : score;
}

/* Returns the size of a hash table, a power of two. */
static uint32_t table_size(uint32_t count)
{
    uint32_t size = 64;
    while (size / 4 < count && size < 1u << 30)
        size *= 2;
    return size;
}

/* Lists the elements that may be posts, and makes the table of their groups. */
static th_status list_candidates(struct finder *f, th_arena *arena)
{
    const uint32_t count = f->page->node_count;
    f->candidates = th_arena_alloc(arena, (count + (size_t)1) * sizeof *f->candidates);
    if (!f->candidates)
        return TH_NOMEM;
    for (uint32_t i = 1; i < count; i++)
        if (may_be_post(f, i))
            f->candidates[f->candidate_count++] = i;
    const uint32_t size = table_size(f->candidate_count);
    f->group_mask = size - 1;
    f->groups = th_arena_calloc(arena, size, sizeof *f->groups);
    return f->groups ? TH_OK : TH_NOMEM;
}

static th_status begin(struct finder *f, th_arena *arena, const uint8_t *seems)
{
    const uint32_t count = f->page->node_count;
    f->mask = table_size(count) - 1;
    for (size_t i = 0; i < POST_WORDS; i++) {
        const th_view word = { post_words[i], strlen(post_words[i]) };
        f->post_words[2 * i] = th_word_number(word, TH_WORD_IN_CLASS);
        f->post_words[2 * i + 1] = th_word_number(word, TH_WORD_IN_ID);
    }
    f->names = th_arena_alloc(arena, (count + (size_t)1) * sizeof *f->names);
    f->dates = th_arena_alloc(arena, (count + (size_t)1) * sizeof *f->dates);
    f->owns = th_arena_alloc(arena, (count + (size_t)1) * sizeof *f->owns);
    f->date_tokens = th_arena_alloc(arena, (f->page->block_count + (size_t)1) *
                                               sizeof *f->date_tokens);
    if (!f->names || !f->dates || !f->owns || !f->date_tokens)
        return TH_NOMEM;
    f->date_tokens[0] = 0;
    for (uint32_t i = 0; i < f->page->block_count; i++) {
        const th_block *block = &f->page->blocks[i];
        const bool is_date = seems[block->node] & TH_SEEMS_DATE;
        f->date_tokens[i + 1] =
            f->date_tokens[i] + (is_date && block->tokens <= DATE_TOKENS
                                     ? block->tokens - block->linked_tokens
                                     : 0);
    }
    f->names[0] = f->dates[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        f->names[i + 1] = f->names[i] + ((seems[i] & TH_SEEMS_NAME) != 0);
        f->dates[i + 1] = f->dates[i] + ((seems[i] & TH_SEEMS_DATE) != 0);
    }
    return list_candidates(f, arena);
}

/* Fills in the groups of one key, and the parts of their members. */
static void fill_groups(const struct finder *f, unsigned which)
{
    for (unsigned turn = 0; turn < 2; turn++)
        for (uint32_t k = 0; k < f->candidate_count; k++) {
            const uint32_t i = f->candidates[k];
            const uint64_t key = key_of(f->page, i, which);
            if (key && turn == 0)
                add_member(f, i,
                           th_key_row(f->groups, sizeof *f->groups, f->group_mask, key));
            else if (key)
                sum_member(f, i,
                           th_key_row(f->groups, sizeof *f->groups, f->group_mask, key));
        }
}

/* A group that is the best of its kind. */
struct best {
    uint64_t score, key;
    bool is_named, has_names;
    uint8_t *is_member; /* of each element */
};

/* Whether a class for posts has a date in most elements, and among posts also a name. Lists
 * of other pages seldom have such a class. */
static bool is_surely_named(const struct finder *f, const struct group *group)
{
    const uint64_t sure = (uint64_t)group->count * SURE_TENTHS;
    return group->is_named && group->dates * (uint64_t)10 >= sure &&
           (!f->is_forum || group->names * (uint64_t)10 >= sure);
}

static void take_better(struct best *best, uint64_t score, uint64_t key,
                        const struct group *group)
{
    if (score <= best->score) /* of equal ones the outer element */
        return;
    *best = (struct best){ .score = score,
                           .key = key,
                           .is_named = group->is_named,
                           .has_names = group->names > 0,
                           .is_member = best->is_member };
}

static void mark_members(const struct finder *f, unsigned which, const struct best *best)
{
    memset(best->is_member, 0, f->page->node_count);
    for (uint32_t k = 0; k < f->candidate_count; k++) {
        const uint32_t i = f->candidates[k];
        best->is_member[i] = key_of(f->page, i, which) == best->key &&
                             (f->owns[i].names || f->owns[i].dates);
    }
}

/* Takes the best groups by one kind of key. */
static void take_best(const struct finder *f, unsigned which, struct best *best,
                      struct best *sure)
{
    const uint64_t best_key = best->key, sure_key = sure->key;
    for (uint32_t k = 0; k < f->candidate_count; k++) {
        const uint64_t key = key_of(f->page, f->candidates[k], which);
        const struct group *group =
            key ? th_key_row(f->groups, sizeof *f->groups, f->group_mask, key) : NULL;
        const uint64_t score = group ? score_of(f, group, which) : 0;
        if (!score)
            continue;
        take_better(best, score, key, group);
        if (is_surely_named(f, group))
            take_better(sure, score, key, group);
    }
    if (best->key != best_key)
        mark_members(f, which, best);
    if (sure->key != sure_key)
        mark_members(f, which, sure);
}

/* Whether a member of a group is in a member of another one. */
static bool is_inside(const struct finder *f, const uint8_t *is_inner,
                      const uint8_t *is_outer)
{
    uint32_t end = 0; /* of the last outer member */
    bool is = false;
    for (uint32_t i = 0; i < f->page->node_count && !is; i++) {
        if (is_outer[i] && f->reader->subtree_end[i] > end)
            end = f->reader->subtree_end[i];
        is = is_inner[i] && i < end;
    }
    return is;
}

/*
 * Marks the members of the best group. A group with a class for posts, names and dates is
 * preferred for comments. For posts it is preferred to a group without a name elsewhere on
 * the page.
 *
 * @param part  out: of the page that it needs
 * @return TH_OK, also without a group with enough text and facts; TH_NOMEM
 */
static th_status mark_best(const struct finder *f, th_arena *arena, uint8_t *is_root,
                           uint32_t *part, bool *has_found)
{
    struct best best = { .is_member = is_root };
    struct best sure = { .is_member = th_arena_calloc(arena, f->page->node_count, 1) };
    if (!sure.is_member)
        return TH_NOMEM;
    for (unsigned which = 0; which < KEYS; which++) {
        fill_groups(f, which);
        take_best(f, which, &best, &sure);
    }
    if (sure.score &&
        (!f->is_forum || (!best.has_names && !is_inside(f, sure.is_member, is_root) &&
                          !is_inside(f, is_root, sure.is_member)))) {
        memcpy(is_root, sure.is_member, f->page->node_count);
        best = sure;
    }
    *part = best.is_named ? NAMED_PART : PAGE_PART;
    *has_found = best.score > 0;
    return TH_OK;
}

/* ---- the place of the texts -------------------------------------------------------- */

struct place {
    uint64_t key;                 /* 0: free */
    uint64_t tokens, post_tokens; /* in it, in the posts that have it */
    uint32_t depth, count;
    uint32_t posts, last_post; /* posts that have it */
    th_view last;              /* text of the last block directly in it */
};

static uint64_t way_to(const th_page *page, uint32_t node, uint64_t way, uint32_t ordinal)
{
    const th_class_set *set = &page->class_sets[page->class_set_of[node]];
    const bool is_cell = page->nodes[node].tag == TH_TAG_TD;
    way = th_key_mix(th_key_mix(way, page->nodes[node].tag), key_of_words(page, set));
    return (is_cell ? th_key_mix(way, ordinal) : way) | 1;
}

/* Fills in the plain tokens before each block, of dates and of texts that are the same in the
 * post before ("Reply") none. */
static void count_own_tokens(const struct finder *f, struct place *places,
                             const uint64_t *way, uint32_t *own)
{
    const th_page *page = f->page;
    own[0] = 0;
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_block *block = &page->blocks[i];
        const bool is_date = f->date_tokens[i + 1] != f->date_tokens[i];
        own[i + 1] = own[i];
        if (!way[block->node] || is_date)
            continue;
        const th_view text = { page->text.data + block->text_start, block->text_len };
        struct place *place =
            th_key_row(places, sizeof *places, f->mask, way[block->node]);
        const bool is_same = place->last.len == text.len &&
                             memcmp(place->last.data, text.data, text.len) == 0;
        place->last = text;
        own[i + 1] += is_same ? 0 : block->tokens - block->linked_tokens;
    }
}

static uint32_t tokens_between(const th_page *page, const uint32_t *before, uint32_t node)
{
    const th_node *row = &page->nodes[node];
    return row->first_block < row->end_block
               ? before[row->end_block] - before[row->first_block]
               : 0;
}

/* The columns of mark_texts, for each node. */
struct ways {
    uint64_t *way; /* key of its place in the post, 0 outside of posts */
    uint32_t *children, *post;
    const uint8_t *is_wanted; /* of each post: whether to mark its text */
};

/* The key of a post's element: 0 outside of the wanted posts. */
static uint64_t first_way(const struct ways *ways, uint32_t post)
{
    return ways->is_wanted[post] ? 1 : 0;
}

/* Marks the text of each post that has none, where other posts have it by tags alone: the
 * class may depend on the author.
 * @param ways  its posts are read, the other columns are overwritten */
static th_status mark_other_texts(const struct finder *f, th_arena *arena,
                                  const struct ways *ways, const uint8_t *is_root,
                                  uint8_t *is_text)
{
    const th_page *page = f->page;
    const size_t count = page->node_count;
    uint64_t *way = ways->way;
    uint8_t *has_text = th_arena_calloc(arena, count + 1, 1);
    if (!has_text)
        return TH_NOMEM;
    uint64_t wanted = 0;
    memset(ways->children, 0, count * sizeof *ways->children);
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t parent = page->nodes[i].parent;
        const uint64_t step = th_key_mix(way[parent], page->nodes[i].tag);
        way[i] = is_root[i]    ? first_way(ways, i)
                 : way[parent] ? th_key_mix(step, ways->children[parent]) | 1
                               : 0;
        ways->children[parent]++;
        if (!is_text[i] || !way[i])
            continue;
        has_text[ways->post[i]] = 1;
        wanted = wanted ? wanted : way[i];
    }
    for (uint32_t i = 1; i < count && wanted; i++)
        if (way[i] == wanted && !has_text[ways->post[i]] &&
            tokens_between(page, page->tokens_before, i))
            is_text[i] = 1;
    return TH_OK;
}

/* The deepest place that most posts have, with most of their text, in about one element of
 * each: not its paragraphs.
 * @param is_wanted  1 for a root whose text is marked; others are in no post here */
static th_status mark_texts(const struct finder *f, th_arena *arena,
                            const uint8_t *is_root, const uint8_t *is_wanted,
                            uint8_t *is_text)
{
    const th_page *page = f->page;
    const size_t count = page->node_count;
    uint64_t *way = th_arena_calloc(arena, count + 1, sizeof *way);
    uint32_t *children = th_arena_calloc(arena, count + 1, sizeof *children);
    uint32_t *post = th_arena_calloc(arena, count + 1, sizeof *post);
    const struct ways ways = { way, children, post, is_wanted };
    struct place *places = th_arena_calloc(arena, (size_t)f->mask + 1, sizeof *places);
    uint32_t *own = th_arena_alloc(arena, (page->block_count + (size_t)1) * sizeof *own);
    if (!way || !children || !places || !post || !own)
        return TH_NOMEM;
    uint64_t best_key_of_way = 0;
    uint32_t deepest = 0, posts = 0;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t parent = page->nodes[i].parent;
        posts += is_wanted[i];
        way[i] = is_root[i]    ? first_way(&ways, i)
                 : way[parent] ? way_to(page, i, way[parent], children[parent])
                               : 0;
        post[i] = is_root[i] ? i : post[parent];
        children[parent]++;
    }
    count_own_tokens(f, places, way, own);
    for (uint32_t i = 1; i < count; i++) {
        if (!way[i])
            continue;
        struct place *place = th_key_row(places, sizeof *places, f->mask, way[i]);
        place->tokens += tokens_between(page, own, i);
        place->count++;
        if (place->last_post != post[i]) {
            place->posts++;
            place->post_tokens += tokens_between(page, own, post[i]);
        }
        place->last_post = post[i];
        place->depth = page->nodes[i].depth;
    }
    for (uint32_t i = 1; i < count; i++) {
        const struct place *place =
            way[i] > 1 ? th_key_row(places, sizeof *places, f->mask, way[i]) : NULL;
        if (place && place->tokens * 10 >= place->post_tokens * TEXT_TENTHS &&
            place->depth > deepest && place->count * 2 <= place->posts * 3 &&
            place->posts * 10 >= posts * TEXT_TENTHS) {
            deepest = place->depth;
            best_key_of_way = place->key;
        }
    }
    for (uint32_t i = 1; i < count && best_key_of_way; i++)
        is_text[i] |= way[i] == best_key_of_way;
    return best_key_of_way ? mark_other_texts(f, arena, &ways, is_root, is_text) : TH_OK;
}

/* ---- posts outside the group ------------------------------------------------------- */

/* Fills in the number of marked elements before each element. */
static void count_marks(const struct finder *f, const uint8_t *is_marked,
                        uint32_t *before)
{
    before[0] = 0;
    for (uint32_t i = 0; i < f->page->node_count; i++)
        before[i + 1] = before[i] + is_marked[i];
}

/* The smallest element around a text with its name and date, or else with one of them, or
 * else the largest one without another post. */
static uint32_t post_around(const struct finder *f, const uint32_t *roots, uint32_t text)
{
    uint32_t at = text, last = text, partly = 0;
    for (unsigned level = 0; level <= LEVELS_MOST && at && !between(roots, f, at);
         level++) {
        if (between(f->names, f, at) && between(f->dates, f, at) && may_be_post(f, at))
            return at;
        if (!partly && may_be_post(f, at))
            partly = at;
        last = at;
        at = f->page->nodes[at].parent;
    }
    return partly ? partly : last;
}

/*
 * Some programs put the rank of the author into the class of a post. Marks the siblings of
 * two or more posts that have the same tag and the same first word.
 */
static th_status mark_siblings(const struct finder *f, th_arena *arena, uint8_t *is_root)
{
    const th_page *page = f->page;
    const uint32_t count = page->node_count;
    uint32_t *inner = th_arena_calloc(arena, (size_t)count + 1, sizeof *inner);
    uint64_t *key = th_arena_calloc(arena, (size_t)count + 1, sizeof *key);
    uint32_t *roots = th_arena_alloc(arena, (count + (size_t)1) * sizeof *roots);
    if (!inner || !key || !roots)
        return TH_NOMEM;
    count_marks(f, is_root, roots);
    for (uint32_t i = 1; i < count; i++)
        if (is_root[i]) {
            inner[page->nodes[i].parent]++;
            key[page->nodes[i].parent] = key_of(page, i, KEY_OF_FIRST);
        }
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t parent = page->nodes[i].parent;
        if (inner[parent] >= MEMBERS_LEAST && !is_root[i] && key[parent] &&
            key_of(page, i, KEY_OF_FIRST) == key[parent] && may_be_post(f, i) &&
            !between(roots, f, i))
            is_root[i] = 1;
    }
    return TH_OK;
}

/* Whether three quarters of the posts have a name. */
static bool have_names(const struct finder *f, const uint8_t *is_root)
{
    uint64_t named = 0, count = 0;
    for (uint32_t i = 1; i < f->page->node_count; i++) {
        count += is_root[i];
        named += is_root[i] && between(f->names, f, i);
    }
    return named * 4 >= count * 3;
}

/*
 * The name is often in a column next to the element with the date and the text. Replaces
 * each element by its parent while no parent contains another post, and the parents do not
 * have much more text.
 */
static th_status widen(const struct finder *f, th_arena *arena, uint8_t *is_root)
{
    const th_page *page = f->page;
    const uint32_t count = page->node_count;
    uint32_t *roots = th_arena_alloc(arena, (count + (size_t)1) * sizeof *roots);
    uint8_t *before = th_arena_alloc(arena, (size_t)count + 1);
    if (!roots || !before)
        return TH_NOMEM;
    memcpy(before, is_root, count);
    for (unsigned level = 0; level < LEVELS_MOST && !have_names(f, is_root); level++) {
        uint64_t inside = 0, around = 0;
        count_marks(f, is_root, roots);
        for (uint32_t i = 1; i < count; i++) {
            const uint32_t parent = page->nodes[i].parent;
            if (!is_root[i])
                continue;
            if (!parent || parent >= i ||
                between(roots, f, parent) != between(roots, f, i))
                goto done;
            inside += text_tokens(f, i);
            around += text_tokens(f, parent);
        }
        if (around * 2 > inside * 3)
            break;
        for (uint32_t i = 1; i < count; i++) /* a parent comes before its child */
            if (is_root[i]) {
                is_root[page->nodes[i].parent] = 1;
                is_root[i] = 0;
            }
    }
done:
    if (!have_names(f, is_root))
        memcpy(is_root, before, count);
    return TH_OK;
}

/* ---- posts around the group -------------------------------------------------------- */

/* Elements of one key that may be posts around the members of the group. */
struct outer_group {
    uint64_t key;             /* 0: free */
    uint64_t tokens;          /* plain, outside of dates and of the group */
    uint32_t count, last_end; /* members, the node after the last member */
    uint32_t around, single;  /* members of the group in them; elements with one */
};

/* Sums before each element, outside of the group. */
struct outside {
    uint32_t *names, *dates, *roots;
    uint64_t *tokens; /* in the group, before each block */
};

static th_status sum_outside(const struct finder *f, th_arena *arena,
                             const uint8_t *is_root, struct outside *sums)
{
    const th_page *page = f->page;
    const size_t count = page->node_count + (size_t)1;
    const size_t blocks = page->block_count + (size_t)1;
    sums->names = th_arena_alloc(arena, count * sizeof *sums->names);
    sums->dates = th_arena_alloc(arena, count * sizeof *sums->dates);
    sums->roots = th_arena_alloc(arena, count * sizeof *sums->roots);
    sums->tokens = th_arena_calloc(arena, blocks, sizeof *sums->tokens);
    if (!sums->names || !sums->dates || !sums->roots || !sums->tokens)
        return TH_NOMEM;
    sums->names[0] = sums->dates[0] = 0;
    count_marks(f, is_root, sums->roots);
    for (uint32_t i = 0, end = 0; i < page->node_count; i++) {
        if (is_root[i] && i >= end) {
            end = f->reader->subtree_end[i];
            if (page->nodes[i].first_block < page->nodes[i].end_block)
                sums->tokens[page->nodes[i].end_block] += text_tokens(f, i);
        }
        const bool is_inside = i < end;
        sums->names[i + 1] =
            sums->names[i] + (is_inside ? 0 : f->names[i + 1] - f->names[i]);
        sums->dates[i + 1] =
            sums->dates[i] + (is_inside ? 0 : f->dates[i + 1] - f->dates[i]);
    }
    for (size_t i = 1; i < blocks; i++)
        sums->tokens[i] += sums->tokens[i - 1];
    return TH_OK;
}

/* Returns the tokens of text of an element outside of the group. */
static uint64_t tokens_outside(const struct finder *f, const struct outside *sums,
                               uint32_t node)
{
    const th_node *row = &f->page->nodes[node];
    const uint64_t all = text_tokens(f, node);
    const uint64_t inside =
        row->first_block < row->end_block
            ? sums->tokens[row->end_block] - sums->tokens[row->first_block]
            : 0;
    return all > inside ? all - inside : 0;
}

/* Whether an element has a few names and dates and a text, all outside of the group. */
static bool may_be_outer(const struct finder *f, const struct outside *sums,
                         uint32_t node)
{
    enum { DATES_MOST = 2 };
    const uint32_t names = between(sums->names, f, node);
    const uint32_t dates = between(sums->dates, f, node);
    return names && names <= NAMES_MOST && dates && dates <= DATES_MOST &&
           tokens_outside(f, sums, node) >= TOKENS_LEAST;
}

/* Whether a group has most answers in it, and not one in each element as frames of posts. */
static bool holds_answers(const struct outer_group *group, uint64_t answers)
{
    return group->count >= MEMBERS_LEAST &&
           group->around * UINT64_C(10) >= answers * SURE_TENTHS &&
           group->single * UINT64_C(10) < (uint64_t)group->count * SURE_TENTHS;
}

/*
 * The best group may be the answers to comments, because they are more than the comments,
 * with another form. Marks the elements of one key that have most text outside of the
 * group, with a name and a date each, and most answers in them. If two keys are equal, the
 * key with fewer elements counts, because the opening post may share the other.
 *
 * @param is_outer  out: 1 for a marked element
 */
static th_status mark_outer(const struct finder *f, th_arena *arena, uint8_t *is_root,
                            uint8_t *is_outer, bool *has_outer)
{
    enum { which = KEYS - 1 }; /* all words */
    const uint32_t *end = f->reader->subtree_end;
    struct outer_group *groups =
        th_arena_calloc(arena, (size_t)f->group_mask + 1, sizeof *groups);
    uint32_t first = 1; /* member of the group */
    struct outside sums;
    if (!groups || sum_outside(f, arena, is_root, &sums) != TH_OK)
        return TH_NOMEM;
    while (first < f->page->node_count && !is_root[first])
        first++;
    for (uint32_t k = 0; k < f->candidate_count; k++) {
        const uint32_t i = f->candidates[k];
        const uint64_t key = may_be_outer(f, &sums, i) ? key_of(f->page, i, which) : 0;
        struct outer_group *group =
            key ? th_key_row(groups, sizeof *groups, f->group_mask, key) : NULL;
        if (!group || i < group->last_end)
            continue;
        const uint32_t around = between(sums.roots, f, i);
        group->count++;
        group->around += around;
        group->single += around == 1;
        /* without the opening post */
        group->tokens += end[i] > first ? tokens_outside(f, &sums, i) : 0;
        group->last_end = end[i];
    }
    const uint64_t roots = sums.roots[f->page->node_count];
    const struct outer_group *best = NULL;
    for (uint32_t k = 0; k < f->candidate_count; k++) {
        const uint64_t key = key_of(f->page, f->candidates[k], which);
        const struct outer_group *group =
            key ? th_key_row(groups, sizeof *groups, f->group_mask, key) : NULL;
        if (group && holds_answers(group, roots) &&
            (!best || group->tokens > best->tokens ||
             (group->tokens == best->tokens && group->count < best->count)))
            best = group;
    }
    const uint64_t best_key = best ? best->key : 0;
    *has_outer = best_key;
    for (uint32_t k = 0, last_end = 0; best_key && k < f->candidate_count; k++) {
        const uint32_t i = f->candidates[k];
        if (i < last_end || !may_be_outer(f, &sums, i) ||
            key_of(f->page, i, which) != best_key)
            continue;
        is_root[i] = is_outer[i] = 1;
        last_end = end[i];
    }
    return TH_OK;
}

/* ---- comments on posts ------------------------------------------------------------- */

/* Elements of one key that may be comments on posts. */
struct inner_group {
    uint64_t key;            /* 0: free */
    uint32_t count, posts;   /* members, posts with a member */
    uint32_t last, last_end; /* post of the last member, the node after the last member */
};

/* Fills in, for each element after the text of a post, or in a post without a marked text,
 * the post, and 0 for others. */
static void find_after(const struct finder *f, const uint8_t *is_root,
                       const uint8_t *is_text, uint32_t *after)
{
    const uint32_t *end = f->reader->subtree_end;
    uint32_t post = 0, text_end = 0;
    bool waits = false; /* for the marked text of the post */
    for (uint32_t i = 1; i < f->page->node_count; i++) {
        if (is_root[i]) {
            post = i;
            text_end = 0;
            waits = false;
            for (uint32_t k = i; k < end[i] && !waits; k++)
                waits = is_text[k];
        } else if (is_text[i]) {
            text_end = end[i];
            waits = false;
        }
        after[i] =
            post && i < end[post] && !waits && i >= text_end && i != post ? post : 0;
    }
}

/* Whether an element has a visible text below the line that it begins with. */
static bool has_text_below(const struct finder *f, uint32_t node)
{
    const th_page *page = f->page;
    const th_node *row = &page->nodes[node];
    const uint32_t line = page->blocks[row->first_block].paragraph;
    bool has = false;
    for (uint32_t b = row->first_block; b < row->end_block && !has; b++) {
        const th_block *block = &page->blocks[b];
        has = block->paragraph != line && block->tokens > block->linked_tokens &&
              !page->paragraphs[block->paragraph].is_hidden &&
              f->date_tokens[b + 1] == f->date_tokens[b];
    }
    return has;
}

/* Whether an element may be a comment on a post. Then the element has one date, a few names
 * and a text below them, and the post has a name and a date before the element. */
static bool may_be_inner(const struct finder *f, uint32_t node, uint32_t post)
{
    const uint32_t names = between(f->names, f, node);
    return post && between(f->dates, f, node) == 1 && names && names <= NAMES_MOST &&
           f->names[node] > f->names[post] && f->dates[node] > f->dates[post] &&
           has_text_below(f, node);
}

/*
 * Answers may have comments of another form below their text. Marks the largest group of
 * elements after the texts of two or more posts that have a name and a date each. A group
 * with one element in most posts is a part of the posts.
 */
static th_status mark_inner(const struct finder *f, th_arena *arena, uint8_t *is_root,
                            const uint8_t *is_text)
{
    enum { which = KEYS - 1 }; /* all words */
    const uint32_t *end = f->reader->subtree_end;
    struct inner_group *groups =
        th_arena_calloc(arena, (size_t)f->group_mask + 1, sizeof *groups);
    uint32_t *after = th_arena_calloc(arena, f->page->node_count, sizeof *after);
    if (!groups || !after)
        return TH_NOMEM;
    find_after(f, is_root, is_text, after);
    const struct inner_group *best = NULL;
    uint32_t posts = 0;
    for (uint32_t i = 1; i < f->page->node_count; i++)
        posts += is_root[i];
    for (uint32_t k = 0; k < f->candidate_count; k++) {
        const uint32_t i = f->candidates[k];
        const uint64_t key = may_be_inner(f, i, after[i]) ? key_of(f->page, i, which) : 0;
        struct inner_group *group =
            key ? th_key_row(groups, sizeof *groups, f->group_mask, key) : NULL;
        if (!group || i < group->last_end)
            continue;
        group->count++;
        group->posts += group->last != after[i];
        group->last = after[i];
        group->last_end = end[i];
        if (group->posts >= MEMBERS_LEAST && (!best || group->count > best->count))
            best = group;
    }
    if (!best || (best->count == best->posts &&
                  best->posts * UINT64_C(10) >= (uint64_t)posts * SURE_TENTHS))
        return TH_OK;
    for (uint32_t k = 0, last_end = 0; k < f->candidate_count; k++) {
        const uint32_t i = f->candidates[k];
        if (i < last_end || !may_be_inner(f, i, after[i]) ||
            key_of(f->page, i, which) != best->key)
            continue;
        is_root[i] = 1;
        last_end = end[i];
    }
    return TH_OK;
}

static bool is_container(th_tag tag)
{
    return tag == TH_TAG_DIV || tag == TH_TAG_SECTION || tag == TH_TAG_ARTICLE ||
           tag == TH_TAG_LI || tag == TH_TAG_TD;
}

/* Returns the innermost element with most of the text of an element, or the same. */
static uint32_t text_in(const struct finder *f, uint32_t node)
{
    const uint64_t all = text_tokens(f, node);
    uint32_t text = node;
    for (uint32_t i = node + 1; i < f->reader->subtree_end[node]; i++)
        if (is_container(f->page->nodes[i].tag) &&
            text_tokens(f, i) * 10 >= all * TEXT_TENTHS)
            text = i;
    return text;
}

/* Whether an element before the group has a few names and dates, and more text than links, as
 * the opening post. */
static bool may_be_opening(const struct finder *f, uint32_t node)
{
    const th_node *row = &f->page->nodes[node];
    const uint32_t names = between(f->names, f, node), dates = between(f->dates, f, node);
    const uint64_t text = text_tokens(f, node);
    return is_container(row->tag) && names && names <= OPENING_FACTS && dates &&
           dates <= OPENING_FACTS && text >= OPENING_TOKENS &&
           text >= f->page->linked_before[row->end_block] -
                       f->page->linked_before[row->first_block];
}

/* Marks the opening post by its place. It has most text of the elements before the group
 * that are next to the group, or to the smallest element around it with such a neighbor. */
static void mark_opening_before(const struct finder *f, uint32_t first, uint8_t *is_root,
                                uint8_t *is_text)
{
    uint32_t opening = 0;
    for (uint32_t at = first; at && !opening; at = f->page->nodes[at].parent) {
        const uint32_t parent = f->page->nodes[at].parent;
        for (uint32_t i = parent + 1; i < at; i = f->reader->subtree_end[i])
            if (may_be_opening(f, i) &&
                (!opening || text_tokens(f, i) > text_tokens(f, opening)))
                opening = i;
    }
    if (!opening)
        return;
    const uint32_t text = text_in(f, opening);
    is_root[opening] = 1;
    is_text[text] = text != opening;
}

/*
 * The opening post often has another element than its answers, but the same element for
 * its text. Marks the largest such text before the group, or the element around it with
 * its name or date.
 */
static th_status mark_opening(const struct finder *f, th_arena *arena, uint8_t *is_root,
                              uint8_t *is_text)
{
    enum { which = KEYS - 1 }; /* all words */
    const th_page *page = f->page;
    const uint32_t count = page->node_count;
    uint32_t *roots = th_arena_alloc(arena, (count + (size_t)1) * sizeof *roots);
    if (!roots)
        return TH_NOMEM;
    uint64_t key = 0;
    for (uint32_t i = 1; i < count && !key; i++)
        for (uint32_t at = i; is_text[i] && at && !is_root[at] && !key;
             at = page->nodes[at].parent) /* its own class, or of the element around it */
            key = key_of(page, at, which);
    count_marks(f, is_root, roots);
    uint32_t text = 0, first = 1;
    for (; first < count && !is_root[first]; first++)
        if (key && key_of(page, first, which) == key && !between(roots, f, first) &&
            text_tokens(f, first) >= TOKENS_LEAST &&
            (!text || text_tokens(f, first) > text_tokens(f, text)))
            text = first;
    if (text) {
        is_root[post_around(f, roots, text)] = 1;
        is_text[text] = 1;
    } else if (f->is_forum && first < count)
        mark_opening_before(f, first, is_root, is_text);
    return TH_OK;
}

/* Marks posts outside the best group, and texts. Each step frees its tables: on a large page
 * two of them together may need more memory than a page has. */
static th_status mark_posts(const struct finder *f, th_arena *arena, uint8_t *is_root,
                            uint8_t *is_text)
{
    bool has_outer = false;
    uint8_t *is_outer = th_arena_calloc(arena, f->page->node_count, 1);
    const th_arena_mark mark = th_arena_get_mark(arena);
    if (!is_outer || mark_siblings(f, arena, is_root) || widen(f, arena, is_root) ||
        mark_texts(f, arena, is_root, is_root, is_text))
        return TH_NOMEM;
    th_arena_rewind(arena, mark);
    if (mark_outer(f, arena, is_root, is_outer, &has_outer))
        return TH_NOMEM;
    th_arena_rewind(arena, mark);
    if (has_outer ? mark_texts(f, arena, is_root, is_outer, is_text)
                  : mark_inner(f, arena, is_root, is_text))
        return TH_NOMEM;
    th_arena_rewind(arena, mark);
    return mark_opening(f, arena, is_root, is_text);
}

th_status th_thread_group_find(const th_post_reader *reader, bool is_forum,
                               th_arena *arena, const uint8_t *seems, uint8_t *is_root,
                               uint8_t *is_text, uint32_t *page_part)
{
    bool has_found = false;
    struct finder f = { .reader = reader, .page = reader->page, .is_forum = is_forum };
    memset(is_root, 0, f.page->node_count);
    memset(is_text, 0, f.page->node_count);
    *page_part = PAGE_PART;
    th_status status = begin(&f, arena, seems);
    if (status == TH_OK)
        status = mark_best(&f, arena, is_root, page_part, &has_found);
    if (status != TH_OK || !has_found)
        return status;
    return mark_posts(&f, arena, is_root, is_text);
}
