/* The steps of the decision, one function each, in their order. */
#include "content/content_decision.h"

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#include "base/ascii.h"
#include "content/comment_area.h"
#include "content/ingredient_rows.h"
#include "content/ingredient_section.h"
#include "content/similar_siblings.h"
#include "content/thread.h"
#include "page/paragraph_group.h"

/* A share as a score: hundredths. */
#define SCORE(hundredths) ((hundredths)*TH_PROBABILITY_ONE / 100)

enum {
    LONG_TOKENS = 200,
    LONG_LEAST = SCORE(15),
    IN_DOUBT = SCORE(20), /* a heading or item of at least this score may join content */
    FEW_TOKENS = 25,      /* kept by a page where nearly nothing is */
    FEW_HUNDREDTHS = 3,   /* or this percentage of its tokens */
    REPEATED_TOKENS = 4,  /* a shorter text may occur twice: a cell, a name */
    QUOTED_TOKENS = 40, /* of a quote of a post that stays: the lines that forums show */
    SURE = SCORE(80),   /* the model is sure of the text: no repeat, prose of articles */
    NO_TEXT = UINT16_MAX,      /* level of a heading that heads no text */
    INGREDIENT_MIN = SCORE(5), /* a lower score is of a menu */
    NO_LEVEL = 255,            /* no element of a kind around a paragraph */
    PROSE_TOKENS = 15,         /* a paragraph of this length is prose */
    LISTING_MIN = SCORE(15),   /* a page with this probability may be a listing */
    ARTICLE_MIN = SCORE(50),   /* and with this one, it is an article */
    END_HUNDREDTHS = 40,       /* of the content that is such prose */
    LINKED = 128,              /* share of a group's tokens that are linked, of 255 */
    ALIKE = 16,                /* log of its other members: one and more */
    TEASERS = 32,              /* the same: at least three */
    TITLED = 12,               /* sixteenths of a linked heading in each member */
    ITEM_LEVELS = 8,           /* at most, from a teaser's text to its item */
    EDIT_TOKENS = 12,          /* a longer text with a link to an editor is prose */
};

const char *const th_content_step_names[] = {
#define NAME(name, text) text,
    TH_CONTENT_STEP_LIST(NAME)
#undef NAME
        NULL
};

static const struct {
    uint8_t label;
    const char *words;
} verdicts[] = {
#define ROW(name, label, words) { label, words },
    TH_CONTENT_VERDICT_LIST(ROW)
#undef ROW
};

th_content_rules th_content_rules_standard(void)
{
    return (th_content_rules){ .taste = { .missed = 12 },
                               .lowest_cut = SCORE(25),
                               .highest_cut = SCORE(60) };
}

/* A page under decision. */
struct decision {
    const th_page *page;
    const th_content_rules *rules;
    th_arena *scratch;
    uint16_t *score;  /* of paragraphs, after the first step */
    uint32_t *tokens; /* of paragraphs */
    uint8_t *verdict_of;
    uint8_t *is_comment;
    th_content_choice *choice;
    const th_thread *posts; /* of a forum page, NULL otherwise */
    bool leaves_footer;
};

static bool takes(const struct decision *d, uint32_t step)
{
    return !(d->rules->left_out & step);
}

static bool is_kept(const struct decision *d, uint32_t paragraph)
{
    return verdicts[d->verdict_of[paragraph]].label == TH_CONTENT;
}

/*
 * Whether it is in the page's footer: a FOOTER (or role contentinfo) that is not the
 * footer of an ARTICLE or MAIN. Notices of copyright and of foundations look like prose.
 */
static bool is_in_footer(const struct decision *d, uint32_t paragraph)
{
    const th_content_rules *rules = d->rules;
    return rules->level_footer && rules->level_footer[paragraph] != NO_LEVEL &&
           rules->level_main[paragraph] == NO_LEVEL &&
           rules->level_article[paragraph] == NO_LEVEL;
}

/* Removes the scores in the page's footer, if the rest of the page may have content. */
static void leave_footer(struct decision *d)
{
    uint64_t expected = 0;
    for (uint32_t i = 0; i < d->page->paragraph_count; i++)
        expected += is_in_footer(d, i) ? 0 : (uint64_t)d->score[i] * d->tokens[i];
    d->leaves_footer = expected >= FEW_TOKENS * (uint64_t)TH_PROBABILITY_ONE;
    for (uint32_t i = 0; d->leaves_footer && i < d->page->paragraph_count; i++)
        if (is_in_footer(d, i))
            d->score[i] = 0;
}

/* The verdict about what would be content elsewhere on the page. */
static void drop_footer(struct decision *d, const uint16_t *score)
{
    for (uint32_t i = 0; d->leaves_footer && i < d->page->paragraph_count; i++)
        if (is_in_footer(d, i) && (is_kept(d, i) || score[i] >= d->choice->cut))
            d->verdict_of[i] = TH_VERDICT_PAGE_FOOTER;
}

static void cut(struct decision *d)
{
    const th_content_rules *rules = d->rules;
    const th_cut_taste f1 = { .missed = TH_TASTE_ONE };
    const th_best_cut best =
        th_best_cut_find(d->score, d->tokens, d->page->paragraph_count, rules->taste);
    uint16_t min = takes(d, TH_CONTENT_STEP(CUT)) ? best.cut : SCORE(50);
    if (min < rules->lowest_cut)
        min = rules->lowest_cut;
    if (min > rules->highest_cut)
        min = rules->highest_cut;
    d->choice->cut = min;
    d->choice->quality =
        th_best_cut_find(d->score, d->tokens, d->page->paragraph_count, f1).quality;
    for (uint32_t i = 0; i < d->page->paragraph_count; i++)
        d->verdict_of[i] =
            d->score[i] >= min ? TH_VERDICT_ABOVE_CUT : TH_VERDICT_BELOW_CUT;
}

static void keep_long(struct decision *d)
{
    for (uint32_t i = 0; i < d->page->paragraph_count; i++)
        if (!is_kept(d, i) && d->tokens[i] > LONG_TOKENS && d->score[i] >= LONG_LEAST &&
            !d->page->paragraphs[i].is_hidden)
            d->verdict_of[i] = TH_VERDICT_LONG;
}

static bool has_nearly_nothing(const struct decision *d)
{
    uint64_t kept = 0, all = 0;
    for (uint32_t i = 0; i < d->page->paragraph_count; i++) {
        all += d->tokens[i];
        kept += is_kept(d, i) ? d->tokens[i] : 0;
    }
    return kept < FEW_TOKENS || kept * 100 < all * FEW_HUNDREDTHS;
}

/* Sums of score times tokens over the blocks before each; NULL without memory. */
static uint64_t *sum_up(const struct decision *d)
{
    const th_page *page = d->page;
    uint64_t *before = th_arena_calloc(d->scratch, (size_t)page->block_count + 1, 8);
    for (uint32_t i = 0; before && i < page->block_count; i++) {
        const th_block *block = &page->blocks[i];
        before[i + 1] = before[i] + (uint64_t)d->score[block->paragraph] * block->tokens;
    }
    return before;
}

/* The element whose text as a whole has the highest expected F1; the inner of equal ones.
 * TH_NONE: no text has any. */
static uint32_t best_element(const struct decision *d, const uint64_t *before)
{
    const th_page *page = d->page;
    const uint64_t expected = before[page->block_count];
    uint32_t best = TH_NONE, highest = 0;
    for (uint32_t i = 0; i < page->node_count; i++) {
        const uint32_t first = page->nodes[i].first_block, end = page->nodes[i].end_block;
        if (first >= end)
            continue;
        const uint64_t tokens = page->tokens_before[end] - page->tokens_before[first];
        const uint32_t quality =
            th_expected_f1(before[end] - before[first], tokens * TH_PROBABILITY_ONE,
                           expected, d->rules->taste);
        if (quality && quality >= highest) {
            highest = quality;
            best = i;
        }
    }
    return best;
}

static th_status rescue(struct decision *d)
{
    if (!has_nearly_nothing(d))
        return TH_OK;
    const uint64_t *before = sum_up(d);
    if (!before)
        return TH_NOMEM;
    const uint32_t element = best_element(d, before);
    if (element == TH_NONE)
        return TH_OK;
    const th_node *node = &d->page->nodes[element];
    for (uint32_t i = 0; i < d->page->paragraph_count; i++) {
        const uint32_t first = d->page->paragraphs[i].first_block;
        if (first < node->first_block || first >= node->end_block || is_kept(d, i))
            continue;
        d->verdict_of[i] = TH_VERDICT_RESCUED;
        d->choice->is_rescued = true;
    }
    return TH_OK;
}

/* Text after a heading, up to the next. */
struct headed {
    uint64_t tokens, kept;
    uint16_t level; /* of the heading that it was given to; NO_TEXT at the start */
};

/*
 * Judges headings from the last paragraph to the first. Text is collected until its
 * heading is reached. A heading directly before a lower one heads the same text. If a
 * heading's own score is in doubt, its text decides. To go against a clear score costs
 * .01 of F1. A heading is never removed because of its text, because pages of products
 * consist of headings.
 */
static void judge_headings(struct decision *d)
{
    struct headed text = { .level = NO_TEXT };
    bool is_given = false; /* the text went to a heading, and none came since */
    for (uint32_t i = d->page->paragraph_count; i-- > 0;) {
        const th_paragraph *paragraph = &d->page->paragraphs[i];
        if (paragraph->kind != TH_PARAGRAPH_HEADING) {
            if (is_given)
                text = (struct headed){ .level = NO_TEXT };
            is_given = false;
            text.tokens += d->tokens[i];
            text.kept += is_kept(d, i) ? d->tokens[i] : 0;
            continue;
        }
        const bool heads = text.tokens && (!is_given || paragraph->level < text.level);
        is_given = true;
        text.level = paragraph->level;
        if (!heads)
            continue;
        const bool is_content = text.kept * 2 > text.tokens;
        if (is_content && !is_kept(d, i) && d->score[i] >= IN_DOUBT)
            d->verdict_of[i] = TH_VERDICT_HEADS_CONTENT;
    }
}

/* A table that is not in another table, by its box. */
struct table {
    uint32_t first, last; /* its paragraphs */
    uint64_t tokens;
    uint64_t expected; /* scores times tokens */
    bool is_layout;
};

/* By box: the outermost table around it, itself included, or TH_NONE. NULL without memory. */
static uint32_t *outermost_tables(const struct decision *d)
{
    const th_page *page = d->page;
    uint32_t *outer =
        th_arena_calloc(d->scratch, (size_t)page->box_count + 1, sizeof *outer);
    for (uint32_t i = 0; outer && i < page->box_count; i++) {
        const th_box *box = &page->boxes[i];
        outer[i] = box->parent == TH_NONE ? TH_NONE : outer[box->parent];
        if (outer[i] == TH_NONE && box->kind == TH_BOX_TABLE)
            outer[i] = i;
    }
    return outer;
}

static uint32_t table_around(const th_page *page, const uint32_t *outer,
                             uint32_t paragraph)
{
    const uint32_t box = page->paragraphs[paragraph].box;
    return box == TH_NONE ? TH_NONE : outer[box];
}

static void add_to_table(const struct decision *d, uint32_t paragraph,
                         struct table *table)
{
    const th_page *page = d->page;
    const uint32_t row = page->boxes[page->paragraphs[paragraph].box].row;
    if (!table->last) /* a first paragraph of the page is not amid content */
        table->first = paragraph;
    table->last = paragraph;
    table->tokens += d->tokens[paragraph];
    table->expected += (uint64_t)d->tokens[paragraph] * d->score[paragraph];
    table->is_layout |= row != TH_NONE && page->boxes[row].is_layout;
}

static bool stands_in(const th_page *page, uint32_t paragraph, uint32_t node)
{
    const uint32_t first = page->paragraphs[paragraph].first_block;
    return first >= page->nodes[node].first_block && first < page->nodes[node].end_block;
}

/*
 * Returns the element that contains a table and other text. Skips frames that contain
 * nothing else, and P, which contains tables on pages without a doctype.
 */
static uint32_t text_around(const th_page *page, uint32_t table_node)
{
    const th_node *table = &page->nodes[table_node];
    uint32_t node = table->parent;
    while (node != TH_NONE && (page->nodes[node].tag == TH_TAG_P ||
                               (page->nodes[node].first_block == table->first_block &&
                                page->nodes[node].end_block == table->end_block)))
        node = page->nodes[node].parent;
    return node;
}

/* Whether content comes directly before it and directly after it, in the same element. */
static bool is_amid_content(const struct decision *d, uint32_t box,
                            const struct table *table)
{
    const th_page *page = d->page;
    if (!table->first || table->last + 1 >= page->paragraph_count ||
        !is_kept(d, table->first - 1) || !is_kept(d, table->last + 1))
        return false;
    const uint32_t node = text_around(page, page->boxes[box].node);
    return node != TH_NONE && stands_in(page, table->first - 1, node) &&
           stands_in(page, table->last + 1, node);
}

/*
 * Cells are short, and the score of one says little. A table of data in doubt follows the
 * text around it. No table is removed.
 */
static th_status judge_tables(struct decision *d)
{
    const th_page *page = d->page;
    const uint32_t *outer = outermost_tables(d);
    struct table *tables =
        th_arena_calloc(d->scratch, (size_t)page->box_count + 1, sizeof *tables);
    if (!outer || !tables)
        return TH_NOMEM;
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const uint32_t box = table_around(page, outer, i);
        if (box != TH_NONE)
            add_to_table(d, i, &tables[box]);
    }
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const uint32_t box = table_around(page, outer, i);
        if (box == TH_NONE || is_kept(d, i))
            continue;
        const struct table *table = &tables[box];
        if (!table->is_layout && table->expected >= table->tokens * IN_DOUBT &&
            is_amid_content(d, box, table))
            d->verdict_of[i] = TH_VERDICT_ENCLOSED;
    }
    return TH_OK;
}

/* Tokens of a list or row; paragraphs without tokens count as one. */
struct weight {
    uint64_t all, kept;
};

/*
 * A row is one line to its reader and stays complete. Items of a list may differ: an item
 * in doubt joins, no item is removed.
 */
static th_status judge_groups(struct decision *d)
{
    const th_page *page = d->page;
    struct weight *groups =
        th_arena_calloc(d->scratch, (size_t)page->box_count + 1, sizeof *groups);
    if (!groups)
        return TH_NOMEM;
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const uint32_t group = th_paragraph_group(page, &page->paragraphs[i]);
        const uint32_t tokens = d->tokens[i] ? d->tokens[i] : 1;
        if (group == TH_NONE)
            continue;
        groups[group].all += tokens;
        groups[group].kept += is_kept(d, i) ? tokens : 0;
    }
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const uint32_t group = th_paragraph_group(page, &page->paragraphs[i]);
        if (group == TH_NONE)
            continue;
        const bool is_content = groups[group].kept * 2 > groups[group].all;
        const bool is_row = page->boxes[group].kind == TH_BOX_ROW;
        if (is_content == is_kept(d, i) ||
            (!is_row && !(is_content && d->score[i] >= IN_DOUBT)))
            continue;
        d->verdict_of[i] = is_content ? TH_VERDICT_WITH_GROUP : TH_VERDICT_AGAINST_GROUP;
    }
    return TH_OK;
}

/* Returns the list of a paragraph that is a child of an element, and has no class or id.
 * TH_NONE if there is none. */
static uint32_t list_in(const th_page *page, uint32_t paragraph, uint32_t parent)
{
    uint32_t box = page->paragraphs[paragraph].box;
    while (box != TH_NONE && (page->boxes[box].kind > TH_BOX_ORDERED ||
                              page->nodes[page->boxes[box].node].parent != parent))
        box = page->boxes[box].parent;
    return box == TH_NONE || page->class_set_of[page->boxes[box].node] ? TH_NONE : box;
}

/* Whether a URL leads to a place in the page. */
static bool leads_within(th_view page, th_view url)
{
    const char *fragment = page.len ? memchr(page.data, '#', page.len) : NULL;
    const size_t len = fragment ? (size_t)(fragment - page.data) : page.len;
    return len && url.len > len && url.data[len] == '#' &&
           memcmp(url.data, page.data, len) == 0;
}

/* Whether most links in blocks lead to places in the page. @param link  the next link to
 * look at, which is updated */
static bool lead_within(const th_page *page, uint32_t first, uint32_t end, uint32_t *link)
{
    uint32_t all = 0, within = 0;
    for (; *link < page->link_count; ++*link) {
        const th_link *row = &page->links[*link];
        if (row->block != TH_NONE && row->block >= end)
            break;
        if (row->block == TH_NONE || row->block < first)
            continue;
        all++;
        within += leads_within(page->hints->url, row->url);
    }
    return within * 2 > all;
}

/*
 * Keeps a table of contents that an author wrote: a list of links to places in the page,
 * between two headings of content, in their element. The second heading is not below the
 * first, which would head nothing without the list. Generators and plugins print theirs in
 * a separate element, or give the list a class.
 */
static void keep_contents(struct decision *d)
{
    const th_page *page = d->page;
    uint32_t link = 0;
    for (uint32_t i = 0;
         page->hints && page->class_set_of && i + 2 < page->paragraph_count; i++) {
        const th_paragraph *heading = &page->paragraphs[i];
        if (heading->kind != TH_PARAGRAPH_HEADING || !is_kept(d, i))
            continue;
        const uint32_t parent = page->nodes[heading->node].parent;
        const uint32_t list = list_in(page, i + 1, parent);
        if (list == TH_NONE)
            continue;
        const uint32_t first = page->paragraphs[i + 1].first_block;
        const uint32_t end = page->nodes[page->boxes[list].node].end_block;
        const uint32_t next = end < page->block_count ? page->blocks[end].paragraph : 0;
        const th_paragraph *last = &page->paragraphs[next];
        if (next > i + 1 && last->kind == TH_PARAGRAPH_HEADING && is_kept(d, next) &&
            last->level <= heading->level && last->first_block == end &&
            page->nodes[last->node].parent == parent &&
            page->linked_before[end] - page->linked_before[first] ==
                page->tokens_before[end] - page->tokens_before[first] &&
            lead_within(page, first, end, &link))
            for (uint32_t k = i + 1; k < next; k++)
                if (!page->paragraphs[k].is_hidden)
                    d->verdict_of[k] = TH_VERDICT_CONTENTS;
    }
}

/*
 * If a page has more prose outside the posts, the probability of a forum must be higher.
 * It may be lower if the page's classes mention a forum. Chosen on pages with gold, by
 * folds of sites.
 */
static const struct {
    uint32_t tokens;          /* upper limit of the tokens of prose, exclusive */
    uint16_t forum, speaking; /* least probability of a forum */
} threads[] = {
    { 20, SCORE(20), SCORE(20) },  /* a heading and a link, so the rest is the content */
    { 400, SCORE(85), SCORE(30) }, /* a first post */
};

/*
 * Whether apparent comments are the posts of a thread. The page's type and the prose
 * outside them decide. The length of the comments does not help: a short post with
 * hundreds of comments is not a thread.
 */
static bool is_thread(const struct decision *d)
{
    uint64_t prose = 0;
    for (uint32_t i = 0; i < d->page->paragraph_count; i++)
        if (is_kept(d, i) && !d->is_comment[i] && d->tokens[i] >= PROSE_TOKENS &&
            d->page->paragraphs[i].kind != TH_PARAGRAPH_HEADING)
            prose += d->tokens[i];
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        if (prose < threads[i].tokens)
            return d->rules->forum >= threads[i].speaking &&
                   (d->rules->forum >= threads[i].forum || th_speaks_of_thread(d->page));
    return false;
}

/*
 * Ingredients that the page states as data, or has below a heading, are content. Lists of
 * them have low scores, because other lists of short items are menus.
 */
static th_status keep_ingredients(struct decision *d)
{
    const th_page *page = d->page;
    th_status status = TH_OK;
    uint8_t *is_ingredient =
        th_arena_alloc(d->scratch, (size_t)page->paragraph_count + 1);
    if (!is_ingredient)
        return TH_NOMEM;
    if (page->hints && page->hints->ingredients.len)
        status = th_ingredient_rows_find(page, d->scratch, is_ingredient);
    else if (!th_ingredient_section_find(page, is_ingredient))
        return TH_OK;
    for (uint32_t i = 0; status == TH_OK && i < page->paragraph_count; i++)
        if (is_ingredient[i] && !is_kept(d, i) && d->score[i] >= INGREDIENT_MIN)
            d->verdict_of[i] = TH_VERDICT_INGREDIENT;
    return status;
}

static bool has_comments(const struct decision *d)
{
    return memchr(d->is_comment, 1, d->page->paragraph_count) != NULL;
}

static th_status part_comments(struct decision *d)
{
    const th_content_rules *rules = d->rules;
    const th_status status = th_comment_areas_find(d->page, rules->product >= SCORE(50),
                                                   d->scratch, d->is_comment);
    if (status != TH_OK || !has_comments(d))
        return status;
    d->choice->is_comment_thread = is_thread(d);
    if (d->choice->is_comment_thread) {
        memset(d->is_comment, 0, d->page->paragraph_count);
        return TH_OK;
    }
    for (uint32_t i = 0; i < d->page->paragraph_count; i++)
        if (d->is_comment[i])
            d->verdict_of[i] =
                rules->keeps_comments ? TH_VERDICT_COMMENT_KEPT : TH_VERDICT_COMMENT;
    return TH_OK;
}

static bool is_post_text(const struct decision *d, const th_thread *thread,
                         uint32_t paragraph)
{
    return thread->part_of[paragraph] == TH_POST_TEXT && !d->is_comment[paragraph] &&
           !d->page->paragraphs[paragraph].is_hidden;
}

/* Posts of a thread in doubt: if most text of its posts is content, all of it is, and only
 * headings are outside of them. */
static void keep_posts(struct decision *d, const th_thread *thread)
{
    uint64_t all = 0, kept = 0;
    for (uint32_t i = 0; i < d->page->paragraph_count; i++) {
        const uint32_t tokens = is_post_text(d, thread, i) ? d->tokens[i] : 0;
        all += tokens;
        kept += is_kept(d, i) ? tokens : 0;
    }
    for (uint32_t i = 0; kept * 2 > all && i < d->page->paragraph_count; i++)
        if (is_post_text(d, thread, i) && !is_kept(d, i))
            d->verdict_of[i] = TH_VERDICT_POST;
        else if (thread->post_of[i] == TH_NONE && is_kept(d, i) &&
                 d->page->paragraphs[i].kind != TH_PARAGRAPH_HEADING)
            d->verdict_of[i] = TH_VERDICT_OUTSIDE_POSTS;
}

/* Comments by the marks of the programs that print them, also on a page that looks like a
 * forum for them, unless they are most of it. Posts of a thread by the same marks. */
static th_status part_thread(struct decision *d)
{
    const th_page *page = d->page;
    th_thread *thread = page->known_thread;
    th_status status = TH_OK;
    uint64_t outside = 0, inside = 0;
    if (page->known_state == TH_KNOWN_THREAD_UNASKED && th_thread_may_be(page))
        status = th_thread_find(page, TH_THREAD_KNOWN, d->scratch, &thread);
    if (status != TH_OK || !thread || !thread->is_known)
        return status;
    if (thread->is_forum) {
        if (d->rules->forum < SCORE(50)) /* articles also have marks of schema.org */
            return TH_OK;
        d->posts = thread;
        keep_posts(d, thread);
        return TH_OK;
    }
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        outside += thread->post_of[i] == TH_NONE && is_kept(d, i) ? d->tokens[i] : 0;
        inside += thread->part_of[i] == TH_POST_TEXT ? d->tokens[i] : 0;
    }
    for (uint32_t i = 0; i < page->paragraph_count && inside < outside; i++) {
        if (thread->post_of[i] == TH_NONE)
            continue;
        d->is_comment[i] = true;
        d->verdict_of[i] =
            d->rules->keeps_comments ? TH_VERDICT_COMMENT_KEPT : TH_VERDICT_COMMENT;
    }
    return TH_OK;
}

/* ---- the end ------------------------------------------------------------------------ */

/* A kind of prose after which content may end. */
struct prose {
    uint32_t tokens; /* minimum of a paragraph */
    uint16_t score;  /* the same */
};

static const struct prose likely_prose = { 25, SCORE(50) };
static const struct prose article_prose = { PROSE_TOKENS, SURE };

static bool is_prose(const struct decision *d, const struct prose *prose,
                     uint32_t paragraph)
{
    const th_page *page = d->page;
    const th_paragraph *row = &page->paragraphs[paragraph];
    const uint32_t linked =
        page->linked_before[row->end_block] - page->linked_before[row->first_block];
    return is_kept(d, paragraph) && d->score[paragraph] >= prose->score &&
           row->kind != TH_PARAGRAPH_HEADING && d->tokens[paragraph] >= prose->tokens &&
           linked * 2 <= d->tokens[paragraph];
}

/* Whether a paragraph is in an item of an unordered list. Walks over elements and not over
 * boxes, because an item far above it is not its teaser. */
static bool is_in_item(const th_page *page, uint32_t paragraph)
{
    uint32_t node = page->paragraphs[paragraph].node;
    for (unsigned i = 0; i < ITEM_LEVELS && node < page->node_count; i++) {
        const uint32_t parent = page->nodes[node].parent;
        if (page->nodes[node].tag == TH_TAG_LI)
            return parent < page->node_count && page->nodes[parent].tag != TH_TAG_OL;
        node = parent;
    }
    return false;
}

/*
 * Whether a paragraph is in a list of teasers: at least four like items, most with a
 * linked headline. Their scores are high, because they are prose. Numbered lists and like
 * parts of other elements are often the content of an article ("The ten best ...").
 */
static bool is_teaser(const struct decision *d, uint32_t paragraph)
{
    return d->rules->group_titles[paragraph] >= TITLED &&
           d->rules->group_size[paragraph] >= TEASERS && is_in_item(d->page, paragraph);
}

/* The last paragraph of an article's prose outside of teasers, or TH_NONE. */
static uint32_t last_before_teasers(const struct decision *d)
{
    const th_content_rules *rules = d->rules;
    if (!rules->group_titles || !rules->group_size || rules->article < ARTICLE_MIN)
        return TH_NONE;
    for (uint32_t i = d->page->paragraph_count; i-- > 0;)
        if (is_prose(d, &article_prose, i) && !is_teaser(d, i))
            return i;
    return TH_NONE;
}

/* The last paragraph of such prose, if it is enough of the content, or TH_NONE. */
static uint32_t last_prose(const struct decision *d, const struct prose *prose)
{
    uint64_t found = 0, kept = 0;
    uint32_t last = TH_NONE;
    for (uint32_t i = 0; i < d->page->paragraph_count; i++) {
        const bool is = is_prose(d, prose, i);
        last = is ? i : last;
        found += is ? d->tokens[i] : 0;
        kept += is_kept(d, i) ? d->tokens[i] : 0;
    }
    return found * 100 >= kept * END_HUNDREDTHS ? last : TH_NONE;
}

/*
 * Drops links to other pages after the content, such as related articles and teasers, and
 * the headings over them. A page that may be a listing has a low cut. If it has sure prose,
 * it is an article, so paragraphs after the prose need the highest cut. On other pages,
 * FAQs and sources come after the prose, and their scores are often in doubt.
 */
static void drop_behind_end(struct decision *d)
{
    const th_content_rules *rules = d->rules;
    const uint32_t last =
        rules->group_links && rules->group_size ? last_prose(d, &likely_prose) : TH_NONE;
    const uint32_t article =
        rules->listing >= LISTING_MIN ? last_prose(d, &article_prose) : TH_NONE;
    const uint32_t teased = last_before_teasers(d);
    uint32_t first = last < article ? last : article;
    first = teased < first ? teased : first;
    if (first == TH_NONE)
        return;
    bool has_dropped = false; /* and kept nothing, up to the next heading */
    for (uint32_t i = d->page->paragraph_count; i-- > first + 1;) {
        const bool is_heading = d->page->paragraphs[i].kind == TH_PARAGRAPH_HEADING;
        const bool leads_away = (i > last && rules->group_links[i] >= LINKED &&
                                 rules->group_size[i] >= ALIKE) ||
                                (i > article && d->score[i] < rules->highest_cut) ||
                                (i > teased && is_teaser(d, i));
        if (is_kept(d, i) && (leads_away || (is_heading && has_dropped))) {
            d->verdict_of[i] = TH_VERDICT_BEHIND_END;
            has_dropped = true;
        } else if (is_kept(d, i)) {
            has_dropped = false;
        }
    }
}

/* Whether a URL is of the editor of a file in a repository: "/edit/main/a.md" of GitHub,
 * GitLab and Gitee, "/_edit/" of Gitea. */
static bool is_editor(th_view url)
{
    static const char *const hosts[] = { "github.com/", "gitlab", "gitee.com/", "gitea",
                                         "codeberg.org/" };
    bool is_of_host = false;
    for (unsigned i = 0; !is_of_host && i < sizeof hosts / sizeof *hosts; i++)
        is_of_host = memmem(url.data, url.len, hosts[i], strlen(hosts[i])) != NULL;
    return is_of_host && (memmem(url.data, url.len, "/edit/", 6) != NULL ||
                          memmem(url.data, url.len, "/_edit/", 7) != NULL);
}

/* Drops short lines with a link to the editor of the page's source: "Last updated on
 * 2026-06-10 | Edit this page". */
static void drop_edit_links(struct decision *d)
{
    const th_page *page = d->page;
    for (uint32_t i = 0; i < page->link_count; i++) {
        const th_link *link = &page->links[i];
        if (link->block >= page->block_count)
            continue;
        const uint32_t paragraph = page->blocks[link->block].paragraph;
        if (paragraph < page->paragraph_count && d->tokens[paragraph] <= EDIT_TOKENS &&
            page->paragraphs[paragraph].kind == TH_PARAGRAPH_PLAIN &&
            is_kept(d, paragraph) && is_editor(link->url))
            d->verdict_of[paragraph] = TH_VERDICT_EDIT_LINK;
    }
}

/* ---- the same text ------------------------------------------------------------------ */

/* A place in a hash table of texts. */
struct text_slot {
    uint64_t hash;
    uint32_t paragraph; /* + 1; 0: free */
};

/* Hashes a text without whitespace and ignoring the case of ASCII letters. */
static uint64_t hash_text(th_view text)
{
    char folded[256];
    size_t len = 0;
    uint64_t hash = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        if (c == ' ' || c == '\n' || c == '\t')
            continue;
        folded[len++] = th_lower(c);
        if (len == sizeof folded || i + 1 == text.len) {
            hash = XXH3_64bits_withSeed(folded, len, hash);
            len = 0;
        }
    }
    return len ? XXH3_64bits_withSeed(folded, len, hash) : hash;
}

/*
 * Returns a value that texts with an equal hash_text share, and few others do. Compilers
 * vectorize it, because all of it is bytes.
 */
static uint64_t shape_of(th_view text)
{
    uint8_t len = 0, sum = 0, mix = 0;
    for (size_t i = 0; i < text.len; i++) {
        const uint8_t c = (uint8_t)text.data[i];
        const bool is_blank = c == ' ' || c == '\n' || c == '\t';
        const uint8_t kept = is_blank ? 0 : c | 0x20;
        len = (uint8_t)(len + !is_blank);
        sum = (uint8_t)(sum + kept);
        mix ^= kept;
    }
    return ((uint64_t)len << 16 | (uint64_t)sum << 8 | mix) *
           UINT64_C(0x9E3779B97F4A7C15);
}

/*
 * Whether it is in a cell of a table of data. A value in a row may also occur in other
 * rows.
 */
static bool is_of_data(const th_page *page, const th_paragraph *paragraph)
{
    const th_box *box = paragraph->box == TH_NONE ? NULL : &page->boxes[paragraph->box];
    const th_box *row = box && box->row != TH_NONE ? &page->boxes[box->row] : NULL;
    return row && row->texts > 1 && !row->is_layout;
}

/* Returns the quote that a paragraph is in, or TH_NONE. */
static uint32_t quote_around(const th_page *page, uint32_t paragraph)
{
    uint32_t box = page->paragraphs[paragraph].box;
    while (box != TH_NONE && page->boxes[box].kind != TH_BOX_QUOTE)
        box = page->boxes[box].parent;
    return box;
}

/*
 * Whether a quote in a post needs a text that was met before, in the quoted post: its
 * first paragraph, if it is short. Forums show about as much of a quote.
 */
static bool is_quoted(const struct decision *d, uint32_t paragraph)
{
    if (!d->posts || d->tokens[paragraph] > QUOTED_TOKENS ||
        !is_post_text(d, d->posts, paragraph))
        return false;
    const uint32_t quote = quote_around(d->page, paragraph);
    if (quote == TH_NONE)
        return false;
    for (uint32_t i = paragraph; i-- > 0;) {
        if (quote_around(d->page, i) != quote)
            return true;
        if (d->tokens[i] >= REPEATED_TOKENS)
            return false;
    }
    return true;
}

/*
 * Returns whether a text may occur twice. Facts (code, cells) may, the beginning of a
 * quote, and the headings that a table of contents lists. A visible text is never a repeat
 * if the model is sure of it.
 */
static bool may_repeat(const struct decision *d, uint32_t paragraph)
{
    const th_paragraph *row = &d->page->paragraphs[paragraph];
    return !is_kept(d, paragraph) || d->tokens[paragraph] < REPEATED_TOKENS ||
           row->kind == TH_PARAGRAPH_PRE || row->kind == TH_PARAGRAPH_CELL ||
           is_of_data(d->page, row) || is_quoted(d, paragraph) ||
           d->verdict_of[paragraph] == TH_VERDICT_CONTENTS;
}

/* Takes up a text. @return the paragraph that had it before, or this one */
static uint32_t enter(struct text_slot *slots, uint32_t mask, uint64_t hash,
                      uint32_t paragraph)
{
    uint32_t at = (uint32_t)(hash >> 32) & mask;
    while (slots[at].paragraph && slots[at].hash != hash)
        at = (at + 1) & mask;
    if (!slots[at].paragraph)
        slots[at] = (struct text_slot){ hash, paragraph + 1 };
    return slots[at].paragraph - 1;
}

static struct text_slot *slots_new(const struct decision *d, uint32_t *mask)
{
    uint32_t size = 16;
    while (size / 2 < d->page->paragraph_count && size < 1u << 31)
        size *= 2;
    *mask = size - 1;
    return th_arena_calloc(d->scratch, size, sizeof(struct text_slot));
}

/* The texts that were met: by their shapes, and where two share one, by their hashes. */
struct met {
    struct text_slot *shapes, *hashes; /* NULL until two share a shape */
    uint32_t mask;
};

static bool have_same_text(const th_page *page, uint32_t a, uint32_t b)
{
    return a < page->paragraph_count && b < page->paragraph_count &&
           hash_text(th_paragraph_text(page, a)) == hash_text(th_paragraph_text(page, b));
}

/*
 * Whether the second occurrence of a text is redundant. An item of a list is not if
 * neither neighbor is the same.
 */
static bool is_repeat(const struct decision *d, uint32_t first, uint32_t paragraph)
{
    const th_page *page = d->page;
    const th_paragraph *row = &page->paragraphs[paragraph];
    if (d->score[paragraph] >= SURE &&
        !(row->is_hidden && !page->paragraphs[first].is_hidden))
        return false;
    return row->kind != TH_PARAGRAPH_ITEM ||
           have_same_text(page, first - 1, paragraph - 1) ||
           have_same_text(page, first + 1, paragraph + 1);
}

/* Takes up a paragraph's text. */
static th_status meet(struct decision *d, struct met *met, uint32_t paragraph)
{
    const th_view text = th_paragraph_text(d->page, paragraph);
    const uint32_t first = enter(met->shapes, met->mask, shape_of(text), paragraph);
    if (first == paragraph)
        return TH_OK;
    if (!met->hashes && !(met->hashes = slots_new(d, &met->mask)))
        return TH_NOMEM;
    const uint64_t hash_of_first = hash_text(th_paragraph_text(d->page, first));
    (void)enter(met->hashes, met->mask, hash_of_first, first);
    const uint32_t same = enter(met->hashes, met->mask, hash_text(text), paragraph);
    if (same != paragraph && is_repeat(d, same, paragraph))
        d->verdict_of[paragraph] = TH_VERDICT_REPEATED;
    return TH_OK;
}

/*
 * Drops repeats. Visible text is kept before hidden text, and earlier text before later
 * text.
 */
static th_status drop_repeats(struct decision *d)
{
    struct met met = { .hashes = NULL };
    met.shapes = slots_new(d, &met.mask);
    th_status status = met.shapes ? TH_OK : TH_NOMEM;
    for (unsigned hidden = 0; hidden < 2; hidden++)
        for (uint32_t i = 0; status == TH_OK && i < d->page->paragraph_count; i++)
            if (d->page->paragraphs[i].is_hidden == hidden && !may_repeat(d, i))
                status = meet(d, &met, i);
    return status;
}

static th_status decide(struct decision *d, const uint16_t *score)
{
    th_status status = TH_OK;
    if (takes(d, TH_CONTENT_STEP(FOOTER)))
        leave_footer(d);
    if (takes(d, TH_CONTENT_STEP(LIKE)))
        status = th_similar_siblings_smooth(d->page, d->scratch, d->score);
    if (status != TH_OK)
        return status;
    cut(d);
    if (takes(d, TH_CONTENT_STEP(LONG)))
        keep_long(d);
    if (takes(d, TH_CONTENT_STEP(RESCUE)))
        status = rescue(d);
    if (takes(d, TH_CONTENT_STEP(HEADINGS)))
        judge_headings(d);
    if (status == TH_OK && takes(d, TH_CONTENT_STEP(TABLES)))
        status = judge_tables(d);
    if (status == TH_OK && takes(d, TH_CONTENT_STEP(GROUPS)))
        status = judge_groups(d);
    if (status == TH_OK && takes(d, TH_CONTENT_STEP(CONTENTS)))
        keep_contents(d);
    if (status == TH_OK && takes(d, TH_CONTENT_STEP(INGREDIENTS)))
        status = keep_ingredients(d);
    drop_footer(d, score);
    if (status == TH_OK && takes(d, TH_CONTENT_STEP(COMMENTS)))
        status = part_comments(d);
    if (status == TH_OK && takes(d, TH_CONTENT_STEP(COMMENTS)))
        status = part_thread(d);
    if (status == TH_OK && takes(d, TH_CONTENT_STEP(EDIT)))
        drop_edit_links(d);
    if (status == TH_OK && takes(d, TH_CONTENT_STEP(END)))
        drop_behind_end(d);
    if (status == TH_OK && takes(d, TH_CONTENT_STEP(REPEATS)))
        status = drop_repeats(d);
    return status;
}

th_status th_content_decide(const th_page *page, const uint16_t *score,
                            const th_content_rules *rules, th_arena *scratch,
                            uint8_t *verdict_of, uint8_t *is_comment,
                            th_content_choice *choice)
{
    const size_t count = page->paragraph_count;
    struct decision d = {
        .page = page,
        .rules = rules,
        .scratch = scratch,
        .score = th_arena_calloc(scratch, count + 1, sizeof *d.score),
        .tokens = th_arena_calloc(scratch, count + 1, sizeof *d.tokens),
        .verdict_of = verdict_of,
        .is_comment = is_comment,
        .choice = choice,
    };
    *choice = (th_content_choice){ 0 };
    if (!d.score || !d.tokens)
        return TH_NOMEM;
    memset(is_comment, 0, count);
    memcpy(d.score, score, count * sizeof *score);
    for (size_t i = 0; i < count; i++)
        d.tokens[i] = page->tokens_before[page->paragraphs[i].end_block] -
                      page->tokens_before[page->paragraphs[i].first_block];
    return decide(&d, score);
}
