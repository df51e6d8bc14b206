/*
 * A place is the tags and classes of the two innermost elements around a text, or else the
 * tags of all elements around it in the post, and its number in the post. The place of
 * names has a text in most posts, and different texts, unlike "Reply" or "Member". Links
 * are preferred, then the first place, or by number the place with most different texts.
 */
#include "content/post_names.h"

#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "content/key_table.h"
#include "page/class_word.h"

enum {
    POSTS_LEAST = 2,
    NUMBERED_LEAST = 3, /* posts, for places by number */
    WAY_LEVELS = 2,
    NAME_TOKENS = 5,    /* at most, of a name */
    NAME_LEN = 40,      /* bytes */
    INITIALS_LEN = 2,   /* bytes of the letters that a theme shows instead of a picture */
    HEAD_BLOCKS = 4,    /* of a post whose text has no element, may have its name */
    COVERED_TENTHS = 7, /* of the posts have a text at the place */
    DIFFERENT_PARTS = 4, /* a quarter of these differ from the one before */
};

/* A place where posts have short texts. */
struct place {
    uint64_t key; /* 0: free */
    uint32_t count, different, initials;
    uint32_t last_post; /* plus one */
    uint32_t order;     /* of the first text */
    th_view last;
    bool is_link;
};

struct finder {
    const th_post_reader *reader;
    const uint32_t *post_of;
    th_unnamed_post *posts;
    struct place *places;
    uint32_t mask;
    bool is_by_number; /* places by tags and numbers of blocks */
};

/* The key of a place: by tags and classes of two elements, or by the tags of all elements of
 * the post and the number of the block. */
static uint64_t key_of(const struct finder *f, const th_block *block, uint32_t number)
{
    const th_page *page = f->reader->page;
    const uint32_t root = f->posts[f->post_of[block->node]].node;
    uint64_t way = f->is_by_number ? number - page->nodes[root].first_block + 2 : 1;
    uint32_t node = block->node;
    for (unsigned i = 0; (f->is_by_number || i < WAY_LEVELS) && node > root;
         i++, node = page->nodes[node].parent) {
        const th_class_set *set = &page->class_sets[page->class_set_of[node]];
        way = th_key_mix(way, page->nodes[node].tag);
        for (uint32_t k = set->first; !f->is_by_number && k < set->first + set->count;
             k++)
            if ((page->class_words[k] & TH_WORD_PLACE) == TH_WORD_IN_CLASS)
                way = th_key_mix(way, page->class_words[k]);
    }
    return way | 1;
}

/* Whether a text is mostly digits, or a number and symbols ("#1"). */
static bool is_number(th_view text)
{
    size_t digits = 0, symbols = 0;
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        digits += th_is_digit(text.data[i]);
        symbols += c < 0x80 && !th_is_digit(text.data[i]) && !th_is_letter(text.data[i]);
    }
    return digits * 3 >= text.len * 2 || digits + symbols == text.len;
}

/* The name in a block before the text of its post, or an absent view. */
static th_view name_of(const struct finder *f, const th_block *block, uint32_t number)
{
    const th_page *page = f->reader->page;
    const uint32_t post = f->post_of[block->node];
    const th_view none = { NULL, 0 };
    if (post == TH_NONE || !block->tokens || block->tokens > NAME_TOKENS ||
        block->text_len > NAME_LEN)
        return none;
    const th_unnamed_post *row = &f->posts[post];
    const th_paragraph *paragraph = &page->paragraphs[block->paragraph];
    const uint32_t end = row->text_node != row->node
                             ? page->nodes[row->text_node].first_block
                             : page->nodes[row->node].first_block + HEAD_BLOCKS;
    if (paragraph->is_hidden || paragraph->kind == TH_PARAGRAPH_CONTROL ||
        paragraph->kind == TH_PARAGRAPH_HEADING || number >= end)
        return none;
    const th_view text = { page->text.data + block->text_start, block->text_len };
    const th_view name = th_post_name_in(text);
    return name.len && !is_number(name) && !th_post_date_in(f->reader, text).len ? name
                                                                                 : none;
}

static struct place *place_of(const struct finder *f, const th_block *block,
                              uint32_t number)
{
    return th_key_row(f->places, sizeof *f->places, f->mask, key_of(f, block, number));
}

static void add(const struct finder *f, const th_block *block, th_view name,
                uint32_t number)
{
    struct place *place = place_of(f, block, number);
    const uint32_t post = f->post_of[block->node] + 1;
    if (place->last_post == post) /* the first counts */
        return;
    const bool is_same = place->count && th_view_same(place->last, name);
    if (!place->count)
        place->order = number;
    place->is_link = block->linked_tokens > 0;
    place->different += place->count && !is_same;
    place->initials += name.len <= INITIALS_LEN;
    place->count++;
    place->last_post = post;
    place->last = name;
}

static bool is_better(const struct finder *f, const struct place *place,
                      const struct place *best)
{
    if (!best || place->is_link != best->is_link)
        return !best || place->is_link;
    if (f->is_by_number && place->different != best->different)
        return place->different > best->different;
    return place->order < best->order;
}

static const struct place *best_place(const struct finder *f, uint32_t count)
{
    const struct place *best = NULL;
    for (uint32_t i = 0; i <= f->mask; i++) {
        const struct place *place = &f->places[i];
        if (place->count * UINT64_C(10) >= count * (uint64_t)COVERED_TENTHS &&
            place->different && place->initials * UINT64_C(2) < place->count &&
            place->different * (uint64_t)DIFFERENT_PARTS + 1 >= place->count &&
            is_better(f, place, best))
            best = place;
    }
    return best;
}

/* Fills in the names at the best place. @return whether there is one */
static bool take_names(struct finder *f, uint32_t count)
{
    const th_page *page = f->reader->page;
    const struct place *best = NULL;
    for (unsigned turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < page->block_count; i++) {
            const th_block *block = &page->blocks[i];
            const th_view name = name_of(f, block, i);
            if (!name.len)
                continue;
            th_unnamed_post *post = &f->posts[f->post_of[block->node]];
            if (!turn)
                add(f, block, name, i);
            else if (!post->name.len && place_of(f, block, i) == best)
                post->name = name;
        }
        if (!turn && !(best = best_place(f, count)))
            return false;
    }
    return true;
}

th_status th_post_names_find(const th_post_reader *reader, th_arena *arena,
                             const uint32_t *post_of, th_unnamed_post *posts,
                             uint32_t count)
{
    const th_page *page = reader->page;
    struct finder f = { .reader = reader, .post_of = post_of, .posts = posts };
    uint32_t size = 64;
    if (count < POSTS_LEAST)
        return TH_OK;
    while (size / 2 < page->block_count && size < 1u << 30)
        size *= 2;
    f.mask = size - 1;
    f.places = th_arena_calloc(arena, size, sizeof *f.places);
    if (!f.places)
        return TH_NOMEM;
    if (take_names(&f, count) || count < NUMBERED_LEAST)
        return TH_OK;
    /* The class may depend on the author. */
    memset(f.places, 0, size * sizeof *f.places);
    f.is_by_number = true;
    (void)take_names(&f, count);
    return TH_OK;
}
