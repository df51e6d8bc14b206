/*
 * Tries the marks of each program, and takes the program that finds most text with known
 * authors, because several programs share marks, and pages of one have comments of
 * another.
 *
 *  1. Posts are the elements that the marks name; without such marks, the smallest
 *     elements that hold one text and a name each. Without a known program, or if its
 *     posts lack names and dates: groups of elements (thread_group.h).
 *  2. Each element belongs to the innermost post around it.
 *  3. The best mark of each role (text, author, date, votes) in a post counts.
 *  4. Paragraphs are text, the line with author and date, or other parts.
 */
#include "content/thread.h"

#include <pthread.h>
#include <string.h>

#include "base/ascii.h"
#include "base/unicode.h"
#include "content/comment_area.h"
#include "content/node_selector.h"
#include "content/post_facts.h"
#include "content/post_names.h"
#include "content/row_words.h"
#include "content/thread_group.h"
#include "content/thread_software.h"
#include "page/class_word.h"

enum role { POSTS, TEXTS, AUTHORS, DATES, VOTES, ACCEPTED, OTHERS, ROLE_COUNT };

enum {
    NO_RANK = 255,
    LINE_BYTES = 200, /* bytes of a paragraph that may be the line with author and date */
    LINE_TOKENS = 12, /* in addition to the name */
    AROUND_MOST = 2,  /* elements around a post that begin with it */
    NAME_LINE = 40,   /* bytes of a line that is only a name */
    DATE_ALONE = 60,  /* bytes of a text that may be a date */
    DATE_AND_NAME = 120, /* in a text with a link to a member */
    WORD_BITS = 64,      /* of a set of words */
    SIGNS_MAX = 40,
};

/* Parts of a post that an element belongs to. */
enum { IN_TEXT = 1u << 0, IN_OTHER = 1u << 1, IN_LINE = 1u << 2 };

/* A post in progress. */
struct draft {
    th_post post;
    uint64_t text_tokens;
    uint32_t inner_count; /* posts directly in it */
    uint8_t text_rank, author_rank, date_rank, votes_rank;
    uint8_t has_text;   /* a paragraph, though it may be without a word */
    uint8_t is_guessed; /* the author, where marks might have named it */
};

/* The selectors of a program. */
struct marks {
    th_node_selector selectors[TH_SELECTORS_MAX];
    uint32_t role_end[ROLE_COUNT];  /* selectors of a role end here */
    uint32_t role_mask[ROLE_COUNT]; /* their bits */
    uint32_t of_tag[TH_TAG_COUNT];  /* a bit for each selector that allows the tag */
    uint32_t fits_all;              /* selectors of a tag only */
};

struct finder {
    th_post_reader reader;
    const th_page *page;
    th_arena *arena;
    const th_thread_software *software;
    const struct marks *marks;    /* of the software */
    const th_word_filter *filter; /* the words of the page */
    uint32_t *sets_with;          /* the sets with each bit, then all sets */
    uint32_t first_with[WORD_BITS + 2];
    uint32_t *set_fits; /* of each set of words: a bit for each selector */
    uint32_t fits_any;  /* all of them */
    uint32_t *post_of;  /* of each element: its draft, or TH_NONE */
    uint32_t *inside;   /* the elements in drafts, in order */
    uint32_t inside_count;
    uint8_t *state;   /* of each element: IN_... */
    uint8_t *is_text; /* of each element, by the general rule; NULL: marks say it */
    struct draft *drafts;
    uint32_t count;
};

/* ---- marks ------------------------------------------------------------------------- */

/* Selectors of all programs, of the general rule, and of the signs: read once. */
static struct marks known_marks[TH_THREAD_SOFTWARES_MAX], general_marks;
static th_node_selector signs[SIGNS_MAX];
static uint32_t sign_count;
static pthread_once_t marks_once = PTHREAD_ONCE_INIT;

static void read_software(struct marks *marks, const th_thread_software *software)
{
    const char *const text_of[ROLE_COUNT] = {
        [POSTS] = software->posts,     [TEXTS] = software->texts,
        [AUTHORS] = software->authors, [DATES] = software->dates,
        [VOTES] = software->votes,     [ACCEPTED] = software->accepted,
        [OTHERS] = software->others,
    };
    uint32_t count = 0, of_any_tag = 0;
    for (unsigned role = 0; role < ROLE_COUNT; role++) {
        count += th_node_selectors_read(text_of[role], marks->selectors + count,
                                        TH_SELECTORS_MAX - count);
        const uint64_t first = role ? marks->role_end[role - 1] : 0;
        marks->role_end[role] = count;
        marks->role_mask[role] =
            (uint32_t)((UINT64_C(1) << count) - (UINT64_C(1) << first));
    }
    for (uint32_t k = 0; k < count; k++) {
        const th_node_selector *selector = &marks->selectors[k];
        if (selector->tag == TH_TAG_COUNT)
            of_any_tag |= 1u << k;
        else
            marks->of_tag[selector->tag] |= 1u << k;
        if (!selector->needed_count && !selector->excluded_count)
            marks->fits_all |= 1u << k;
    }
    for (unsigned tag = 0; tag < TH_TAG_COUNT; tag++)
        marks->of_tag[tag] |= of_any_tag;
}

static void read_all_marks(void)
{
    for (uint32_t i = 0; th_thread_softwares[i].name; i++)
        read_software(&known_marks[i], &th_thread_softwares[i]);
    read_software(&general_marks, &th_thread_general);
    sign_count = th_node_selectors_read(th_thread_signs, signs, SIGNS_MAX);
}

static uint32_t first_of(const struct finder *f, enum role role)
{
    return role ? f->marks->role_end[role - 1] : 0;
}

static uint32_t mask_of(const struct finder *f, enum role role)
{
    return f->marks->role_mask[role];
}

static void begin_marks(struct finder *f, const th_thread_software *software,
                        const struct marks *marks)
{
    f->software = software;
    f->marks = marks;
    f->fits_any = marks->fits_all;
    for (uint32_t i = 0; i < f->page->class_set_count; i++)
        f->set_fits[i] = marks->fits_all;
}

/* Lists the sets of words by each of their bits. */
static th_status list_sets(struct finder *f)
{
    const uint32_t sets = f->page->class_set_count;
    uint32_t end[WORD_BITS + 1] = { 0 }, count = 0;
    for (uint32_t i = 0; i < sets; i++)
        for (uint64_t bits = f->page->class_sets[i].bits; bits; bits &= bits - 1)
            end[__builtin_ctzll(bits)]++;
    end[WORD_BITS] = sets;
    for (unsigned bit = 0; bit <= WORD_BITS; bit++) {
        f->first_with[bit] = count;
        count += end[bit];
        end[bit] = f->first_with[bit];
    }
    f->first_with[WORD_BITS + 1] = count;
    f->sets_with = th_arena_alloc(f->arena, count * sizeof *f->sets_with + 1);
    if (!f->sets_with)
        return TH_NOMEM;
    for (uint32_t i = 0; i < sets; i++) {
        for (uint64_t bits = f->page->class_sets[i].bits; bits; bits &= bits - 1)
            f->sets_with[end[__builtin_ctzll(bits)]++] = i;
        f->sets_with[end[WORD_BITS]++] = i;
    }
    return TH_OK;
}

/* The bit of a selector's words that fewest sets have; WORD_BITS: it needs no word. */
static unsigned rarest_bit(const struct finder *f, const th_node_selector *selector)
{
    unsigned rarest = WORD_BITS;
    for (uint64_t bits = selector->bits; bits; bits &= bits - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(bits);
        if (f->first_with[bit + 1] - f->first_with[bit] <=
            f->first_with[rarest + 1] - f->first_with[rarest])
            rarest = bit;
    }
    return rarest;
}

/* Compares the selectors of the roles from `first` to `last` with the page's sets. */
static void fit_marks(struct finder *f, enum role first, enum role last)
{
    const th_page *page = f->page;
    for (uint32_t k = first_of(f, first); k < f->marks->role_end[last]; k++) {
        const th_node_selector *selector = &f->marks->selectors[k];
        if ((f->marks->fits_all >> k & 1) || !th_word_filter_may_fit(f->filter, selector))
            continue;
        const unsigned bit = rarest_bit(f, selector);
        for (uint32_t at = f->first_with[bit]; at < f->first_with[bit + 1]; at++) {
            const uint32_t i = f->sets_with[at];
            const th_class_set *set = &page->class_sets[i];
            if (!th_node_selector_may_fit(selector, set) ||
                !th_node_selector_fits(selector, page, set))
                continue;
            f->set_fits[i] |= 1u << k;
            f->fits_any |= 1u << k;
        }
    }
}

/* Whether an element may fit a selector of a role. Cheaper than fit_marks. */
static bool may_fit(const struct finder *f, const struct marks *marks, enum role role)
{
    bool may = false;
    for (uint32_t k = role ? marks->role_end[role - 1] : 0;
         !may && k < marks->role_end[role]; k++)
        may = (marks->fits_all >> k & 1) ||
              th_word_filter_may_fit(f->filter, &marks->selectors[k]);
    return may;
}

/* The marks that an element fits: a bit for each. */
static uint32_t fits_of(const struct finder *f, uint32_t node)
{
    return f->set_fits[f->page->class_set_of[node]] &
           f->marks->of_tag[f->page->nodes[node].tag];
}

/* The best mark of a role that an element fits, counted within the role. */
static unsigned rank_of(const struct finder *f, uint32_t node, enum role role)
{
    const uint32_t fits = fits_of(f, node) & mask_of(f, role);
    return fits ? (unsigned)__builtin_ctz(fits) - first_of(f, role) : NO_RANK;
}

/* ---- posts ------------------------------------------------------------------------- */

static void mark_roots(const struct finder *f, uint8_t *is_root)
{
    const uint32_t wanted = mask_of(f, POSTS);
    memset(is_root, 0, f->page->node_count);
    if (f->fits_any & wanted)
        for (uint32_t i = 1; i < f->page->node_count; i++)
            is_root[i] = rank_of(f, i, POSTS) != NO_RANK;
    if (!f->software->has_types)
        return;
    for (uint32_t i = 0; i < f->page->node_value_count; i++)
        if (f->page->node_values[i].kind == TH_VALUE_TYPE)
            is_root[f->page->node_values[i].node] = true;
}

/* Elements before each that have a role. NULL without memory. */
static uint32_t *count_before(const struct finder *f, enum role role)
{
    const uint32_t count = f->page->node_count;
    uint32_t *before = th_arena_alloc(f->arena, (count + (size_t)1) * sizeof *before);
    if (!before)
        return NULL;
    before[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        before[i + 1] = before[i] + (rank_of(f, i, role) != NO_RANK);
    return before;
}

static uint32_t tokens_of(const th_page *page, uint32_t paragraph)
{
    const th_paragraph *row = &page->paragraphs[paragraph];
    return page->tokens_before[row->end_block] - page->tokens_before[row->first_block];
}

/* Whether an element is a post with replies in it: its first text is the one in `text`, a
 * name is before the replies, and all its other texts are in posts. */
static bool holds_replies(const struct finder *f, const uint32_t *texts,
                          const uint32_t *names, const uint8_t *is_root, uint32_t node,
                          uint32_t text)
{
    const uint32_t *end = f->reader.subtree_end;
    uint32_t replies = end[node]; /* the first one */
    if (texts[text] != texts[node])
        return false;
    for (uint32_t i = end[text]; i < end[node];) {
        if (!is_root[i] && rank_of(f, i, TEXTS) != NO_RANK)
            return false;
        if (is_root[i] && i < replies)
            replies = i;
        i = is_root[i] ? end[i] : i + 1;
    }
    return names[replies] != names[node];
}

/* Marks the smallest element with a text and a name. It may have replies in it, which come
 * later and are marked before it. */
static void mark_around_text(const struct finder *f, const uint32_t *texts,
                             const uint32_t *names, uint8_t *is_root, uint32_t text)
{
    const uint32_t *end = f->reader.subtree_end;
    const uint32_t own = texts[end[text]] - texts[text];
    uint32_t at = text;
    while (at && texts[end[at]] - texts[at] <= own && names[end[at]] == names[at] &&
           f->page->nodes[at].parent < at)
        at = f->page->nodes[at].parent;
    if (at && (texts[end[at]] - texts[at] == own ||
               holds_replies(f, texts, names, is_root, at, text)))
        is_root[at] = true;
}

/* Where the marks name texts only: marks the posts around them, the last one first. */
static th_status mark_around_texts(const struct finder *f, uint8_t *is_root)
{
    const uint32_t *texts = count_before(f, TEXTS), *names = count_before(f, AUTHORS);
    if (!texts || !names)
        return TH_NOMEM;
    uint32_t *found = th_arena_alloc(f->arena, (texts[f->page->node_count] + (size_t)1) *
                                                   sizeof *found);
    if (!found)
        return TH_NOMEM;
    uint32_t count = 0;
    for (uint32_t i = 1; i < f->page->node_count; i++)
        if (rank_of(f, i, TEXTS) != NO_RANK) {
            found[count++] = i;
            i = f->reader.subtree_end[i] - 1;
        }
    while (count-- > 0)
        mark_around_text(f, texts, names, is_root, found[count]);
    return TH_OK;
}

static th_status make_drafts(struct finder *f, const uint8_t *is_root)
{
    const th_page *page = f->page;
    uint32_t count = 0;
    for (uint32_t i = 0; i < page->node_count; i++)
        count += is_root[i];
    f->count = 0;
    f->drafts = th_arena_calloc(f->arena, count + (size_t)1, sizeof *f->drafts);
    if (!f->drafts)
        return TH_NOMEM;
    uint32_t *const post_of = f->post_of, *const inside = f->inside;
    uint32_t inside_count = 0;
    memset(f->state, 0, page->node_count);
    for (uint32_t i = 0; i < page->node_count; i++) {
        const uint32_t parent = page->nodes[i].parent;
        const uint32_t around = parent < i ? post_of[parent] : TH_NONE;
        post_of[i] = around;
        if (!is_root[i] && around == TH_NONE)
            continue;
        inside[inside_count++] = i;
        if (!is_root[i])
            continue;
        struct draft *draft = &f->drafts[f->count];
        draft->text_rank = draft->author_rank = NO_RANK;
        draft->date_rank = draft->votes_rank = NO_RANK;
        draft->post.node = draft->post.text_node = i;
        draft->post.first_paragraph = TH_NONE;
        if (around != TH_NONE && f->drafts[around].post.depth < UINT16_MAX)
            draft->post.depth = (uint16_t)(f->drafts[around].post.depth + 1);
        post_of[i] = f->count++;
    }
    f->inside_count = inside_count;
    return TH_OK;
}

static struct draft *draft_of(const struct finder *f, uint32_t node)
{
    return f->post_of[node] == TH_NONE ? NULL : &f->drafts[f->post_of[node]];
}

/* ---- the parts of posts ------------------------------------------------------------ */

static unsigned text_rank(const struct finder *f, uint32_t node)
{
    if (f->is_text)
        return f->is_text[node] ? 0 : NO_RANK;
    /* META repeats the text in an attribute. */
    return f->page->nodes[node].tag == TH_TAG_META ? NO_RANK : rank_of(f, node, TEXTS);
}

static void find_texts(struct finder *f)
{
    const th_page *page = f->page;
    for (uint32_t k = 0; k < f->inside_count; k++) {
        const uint32_t i = f->inside[k];
        const unsigned rank = text_rank(f, i);
        if (rank == NO_RANK)
            continue;
        struct draft *draft = draft_of(f, i);
        if (rank < draft->text_rank) {
            draft->text_rank = (uint8_t)rank;
            draft->post.text_node = i;
        }
    }
    for (uint32_t k = 0; k < f->inside_count; k++) {
        const uint32_t i = f->inside[k], parent = page->nodes[i].parent;
        const struct draft *draft = draft_of(f, i);
        if (parent < i && f->post_of[parent] == f->post_of[i])
            f->state[i] |= f->state[parent];
        if (draft->text_rank != NO_RANK && text_rank(f, i) == draft->text_rank)
            f->state[i] = IN_TEXT; /* also inside another part */
        else if (rank_of(f, i, OTHERS) != NO_RANK)
            f->state[i] |= IN_OTHER;
    }
}

/* Removes the mark of a post that is the only one in another post without a text. Some
 * themes mark the profile and the text of a post separately. @return whether a mark was
 * removed */
static bool join_frames(const struct finder *f, uint8_t *is_root)
{
    bool has_joined = false;
    for (uint32_t i = 0; i < f->count; i++) {
        const uint32_t parent = f->page->nodes[f->drafts[i].post.node].parent;
        const uint32_t around =
            parent < f->page->node_count ? f->post_of[parent] : TH_NONE;
        if (around != TH_NONE)
            f->drafts[around].inner_count++;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        const uint32_t node = f->drafts[i].post.node,
                       parent = f->page->nodes[node].parent;
        const uint32_t around = parent < node ? f->post_of[parent] : TH_NONE;
        if (around == TH_NONE || f->drafts[around].text_rank != NO_RANK ||
            f->drafts[around].inner_count != 1)
            continue;
        is_root[node] = false;
        has_joined = true;
    }
    return has_joined;
}

/* Whether a mark of this rank replaces the known value. */
static bool is_better(const struct finder *f, unsigned rank, unsigned known)
{
    return rank < known || (rank == known && rank != NO_RANK && f->software->takes_last);
}

/* Whether the text of a post is in an element: its class may have a word for authors. */
static bool holds_text(const struct finder *f, uint32_t node, const struct draft *draft)
{
    const uint32_t text = draft->post.text_node;
    return draft->text_rank != NO_RANK && node <= text &&
           text < f->reader.subtree_end[node];
}

/* Whether the words before an element in its paragraph say that its date is not of the post:
 * "Joined:". */
static bool is_date_of_another(const struct finder *f, uint32_t node)
{
    const th_page *page = f->page;
    const uint32_t block = page->nodes[node].first_block;
    if (!f->is_text || block >= page->nodes[node].end_block)
        return false;
    const uint32_t start = page->paragraphs[page->blocks[block].paragraph].text_start;
    const uint32_t len = page->blocks[block].text_start - start;
    return len <= LINE_BYTES &&
           th_post_date_is_of_another((th_view){ page->text.data + start, len });
}

static void take_facts(struct finder *f, uint32_t node, struct draft *draft)
{
    th_post *post = &draft->post;
    if (rank_of(f, node, ACCEPTED) != NO_RANK)
        post->is_accepted = true;
    if (node == post->node) /* its class may name its author: "comment-author-ada" */
        return;
    const unsigned author = rank_of(f, node, AUTHORS), date = rank_of(f, node, DATES);
    const unsigned votes = rank_of(f, node, VOTES);
    if (is_better(f, author, draft->author_rank) && !holds_text(f, node, draft)) {
        const th_view name = th_post_name(&f->reader, node);
        if (name.len) {
            post->author = name;
            draft->author_rank = (uint8_t)author;
            f->state[node] |= IN_LINE;
        }
    }
    if (is_better(f, date, draft->date_rank) && !is_date_of_another(f, node)) {
        const th_view value = th_post_date(&f->reader, node);
        if (value.len) {
            post->published = value;
            draft->date_rank = (uint8_t)date;
        }
    }
    if (date != NO_RANK)
        f->state[node] |= IN_LINE;
    if (votes < draft->votes_rank && th_post_votes(&f->reader, node, &post->votes)) {
        post->has_votes = true;
        draft->votes_rank = (uint8_t)votes;
    }
}

/* Attributes of the post itself have priority over its elements. */
static void take_values(struct finder *f)
{
    const th_page *page = f->page;
    for (uint32_t i = 0; i < page->node_value_count; i++) {
        const th_node_value *value = &page->node_values[i];
        struct draft *draft = draft_of(f, value->node);
        if (!draft)
            continue;
        th_post *post = &draft->post;
        const bool is_own = post->node == value->node;
        if (value->kind == TH_VALUE_NAME && is_own && !post->author.data) {
            post->author = th_post_name_in(value->value);
            draft->author_rank = 0;
        } else if (value->kind == TH_VALUE_VOTES && is_own && !post->has_votes) {
            post->has_votes = th_post_votes(&f->reader, value->node, &post->votes);
            draft->votes_rank = 0;
        } else if (value->kind == TH_VALUE_QUOTED && !post->quote_of.data) {
            post->quote_of = value->value;
        } else if (value->kind == TH_VALUE_INDENT && !post->depth &&
                   th_is_digit(value->value.data[0]) && value->value.len < 4) {
            for (size_t k = 0; k < value->value.len; k++)
                post->depth = (uint16_t)(post->depth * 10 + value->value.data[k] - '0');
        }
    }
}

/* A name or date in the text counts only if the post has none outside. */
static void find_facts(struct finder *f)
{
    const uint32_t wanted = mask_of(f, ACCEPTED) | mask_of(f, AUTHORS) |
                            mask_of(f, DATES) | mask_of(f, VOTES);
    take_values(f);
    for (unsigned in_text = 0; in_text < 2; in_text++)
        for (uint32_t k = 0; k < f->inside_count; k++) {
            const uint32_t i = f->inside[k];
            if (!(fits_of(f, i) & wanted))
                continue; /* take_facts takes nothing */
            struct draft *draft = draft_of(f, i);
            if (((f->state[i] & IN_TEXT) != 0) == in_text &&
                (!in_text || !draft->post.author.data || !draft->post.published.data ||
                 f->software->takes_last == 0))
                take_facts(f, i, draft);
        }
    for (uint32_t k = 0; k < f->inside_count; k++) {
        const uint32_t i = f->inside[k], parent = f->page->nodes[i].parent;
        if (parent < i && f->post_of[i] == f->post_of[parent])
            f->state[i] |= f->state[parent] & IN_LINE;
    }
}

/* Whether what follows a slash of an address is for members. */
static bool is_member_part(th_view rest)
{
    static const th_view parts[] = {
        TH_VIEW_INIT("user"),   TH_VIEW_INIT("member"),  TH_VIEW_INIT("profile"),
        TH_VIEW_INIT("u/"),     TH_VIEW_INIT("people/"), TH_VIEW_INIT("author"),
        TH_VIEW_INIT("space/"),
    };
    for (size_t i = 0; rest.len && i < sizeof parts / sizeof *parts; i++)
        if (*rest.data == *parts[i].data && rest.len >= parts[i].len &&
            memcmp(rest.data, parts[i].data, parts[i].len) == 0)
            return true;
    return false;
}

/* A link to a member's page names the author if nothing else does. */
static bool leads_to_member(th_view url)
{
    const char *const end = url.data + url.len;
    for (const char *at = url.data;
         at < end && (at = memchr(at, '=', (size_t)(end - at))) != NULL; at++)
        if ((at > url.data && at[-1] == 'u') ||
            (at - url.data >= 3 && memcmp(at - 3, "uid", 3) == 0))
            return true;
    for (const char *at = url.data;
         at < end && (at = memchr(at, '/', (size_t)(end - at))) != NULL; at++)
        if (is_member_part((th_view){ at + 1, (size_t)(end - at - 1) }))
            return true;
    return false;
}

/* A name without letters, as "🦊👀": two or more signs that are not ASCII and not of a font of
 * icons. */
static th_view name_of_signs(th_view text)
{
    enum { SIGNS_LEAST = 2, PRIVATE_FIRST = 0xE000, PRIVATE_LAST = 0xF8FF };
    unsigned count = 0;
    text = th_ascii_trimmed(text);
    for (size_t at = 0; at < text.len;) {
        const uint32_t sign = th_utf8_next(text.data, &at);
        if (sign < 0x80 || (sign >= PRIVATE_FIRST && sign <= PRIVATE_LAST))
            return (th_view){ NULL, 0 };
        count++;
    }
    return count >= SIGNS_LEAST && text.len <= NAME_LINE ? text : (th_view){ NULL, 0 };
}

/* @param name_in  reads a name out of the text of a link */
static void take_links(struct finder *f, th_view (*name_in)(th_view text))
{
    const th_page *page = f->page;
    for (uint32_t i = 0; i < page->link_count; i++) {
        const th_link *link = &page->links[i];
        const uint32_t node = page->link_nodes ? page->link_nodes[i] : TH_NONE;
        struct draft *draft = node < page->node_count ? draft_of(f, node) : NULL;
        if (!draft || draft->post.author.data || (f->state[node] & IN_TEXT) ||
            !link->anchor_len || !leads_to_member(link->url))
            continue;
        draft->post.author =
            name_in((th_view){ page->text.data + link->anchor_start, link->anchor_len });
    }
}

/* An attribute of an element around the text names the author if nothing else does. */
static void take_text_values(struct finder *f)
{
    const th_page *page = f->page;
    for (uint32_t i = 0; i < page->node_value_count; i++) {
        const th_node_value *value = &page->node_values[i];
        struct draft *draft = draft_of(f, value->node);
        if (draft && value->kind == TH_VALUE_NAME && !draft->post.author.data &&
            value->node <= draft->post.text_node &&
            draft->post.text_node < f->reader.subtree_end[value->node])
            draft->post.author = th_post_name_in(value->value);
    }
}

/* A TIME or the like outside the text, if no mark of dates has a date. */
static void take_times(struct finder *f)
{
    const th_page *page = f->page;
    for (uint32_t i = 0; i < page->node_value_count; i++) {
        const th_node_value *value = &page->node_values[i];
        struct draft *draft = draft_of(f, value->node);
        if (draft && value->kind == TH_VALUE_TIME && !draft->post.published.data &&
            !(f->state[value->node] & IN_TEXT))
            draft->post.published = th_post_date(&f->reader, value->node);
    }
}

/* The element directly before a post, outside of all posts: some programs put the line with the
 * date there. @return TH_NONE if there is none */
static uint32_t line_before(const struct finder *f, uint32_t node)
{
    /* a program's post may be the first part of an element around it */
    const unsigned most = f->software == &th_thread_general ? 0 : AROUND_MOST;
    for (unsigned i = 0; i < most && node && f->page->nodes[node].parent == node - 1; i++)
        node--;
    const uint32_t parent = f->page->nodes[node].parent;
    uint32_t at = node - 1;
    if (!node || parent >= node || at == parent)
        return TH_NONE;
    while (f->page->nodes[at].parent != parent && f->page->nodes[at].parent < at)
        at = f->page->nodes[at].parent;
    return f->page->nodes[at].parent == parent && f->post_of[at] == f->post_of[parent]
               ? at
               : TH_NONE;
}

/* The date in an element that is not part of a post. */
static th_view date_in_line(const struct finder *f, uint32_t node)
{
    th_view date = { NULL, 0 };
    for (uint32_t i = node; i < f->reader.subtree_end[node] && !date.len; i++)
        if (rank_of(f, i, DATES) != NO_RANK)
            date = th_post_date(&f->reader, i);
    return date.len ? date : th_post_date(&f->reader, node);
}

/* The name in such an element: by its mark, else the first text, if it is short. */
static th_view name_in_line(const struct finder *f, uint32_t node)
{
    for (uint32_t i = node; i < f->reader.subtree_end[node]; i++)
        if (rank_of(f, i, AUTHORS) != NO_RANK)
            return th_post_name_in(th_post_node_text(f->page, i));
    const th_view first = th_post_node_text(
        f->page, f->page->blocks[f->page->nodes[node].first_block].node);
    return first.len <= NAME_LINE && !th_post_date_in(&f->reader, first).len
               ? th_post_name_in(first)
               : (th_view){ NULL, 0 };
}

/* The date in the element before a post without one. Such an element also has the name. */
static void take_lines_before(struct finder *f)
{
    for (uint32_t i = 0; i < f->count && f->software->has_line_before; i++) {
        th_post *post = &f->drafts[i].post;
        const uint32_t at = post->published.len ? TH_NONE : line_before(f, post->node);
        if (at == TH_NONE)
            continue;
        post->published = date_in_line(f, at);
        if (post->published.len && !post->author.len)
            post->author = name_in_line(f, at);
    }
}

/* Names by their place, if less than half of the posts by marks, or than three quarters of a
 * group, have a name. */
static th_status guess_names(struct finder *f)
{
    uint32_t known = 0;
    th_unnamed_post *posts =
        th_arena_calloc(f->arena, f->count + (size_t)1, sizeof *posts);
    if (!posts)
        return TH_NOMEM;
    for (uint32_t i = 0; i < f->count; i++) {
        known += f->drafts[i].post.author.len > 0;
        posts[i].node = f->drafts[i].post.node;
        posts[i].text_node = f->drafts[i].post.text_node;
    }
    if (f->is_text ? known * UINT64_C(4) >= f->count * UINT64_C(3)
                   : known * UINT64_C(2) >= f->count)
        return TH_OK;
    const th_status status =
        th_post_names_find(&f->reader, f->arena, f->post_of, posts, f->count);
    for (uint32_t i = 0; i < f->count && status == TH_OK; i++)
        if (!f->drafts[i].post.author.len) {
            f->drafts[i].post.author = posts[i].name;
            f->drafts[i].is_guessed = !f->is_text;
        }
    return status;
}

/* ---- paragraphs -------------------------------------------------------------------- */

struct weights {
    uint32_t all, text, other, line;
};

static struct weights weigh(const struct finder *f, uint32_t number)
{
    const th_paragraph *paragraph = &f->page->paragraphs[number];
    struct weights sum = { 0 };
    for (uint32_t i = paragraph->first_block; i < paragraph->end_block; i++) {
        const uint32_t tokens = f->page->blocks[i].tokens + 1;
        const uint8_t state = f->state[f->page->blocks[i].node];
        sum.all += tokens;
        sum.text += state & IN_TEXT ? tokens : 0;
        sum.other += state & IN_OTHER ? tokens : 0;
        sum.line += state & IN_LINE ? tokens : 0;
    }
    return sum;
}

static bool is_word_byte(char c)
{
    return th_byte_kinds[(unsigned char)c] & TH_BYTE_WORD;
}

/* Whether a text has a name between other characters than letters and digits. */
static bool has_name(th_view text, th_view name)
{
    const char *at = text.data, *const end = text.data + text.len;
    while (name.len && (at = memmem(at, (size_t)(end - at), name.data, name.len))) {
        const bool begins = at == text.data || !is_word_byte(at[-1]);
        if (begins && (at + name.len == end || !is_word_byte(at[name.len])))
            return true;
        at++;
    }
    return false;
}

/* Whether a short paragraph contains the author or the date, and little else. */
static bool is_line(const struct finder *f, uint32_t number, const struct weights *sum,
                    const th_post *post)
{
    const th_view text = th_paragraph_text(f->page, number);
    if (text.len > LINE_BYTES)
        return false;
    if (sum->line * 2 > sum->all)
        return true;
    return sum->all <= LINE_TOKENS && has_name(text, post->author);
}

static uint8_t part_of(const struct finder *f, uint32_t number, struct draft *draft)
{
    const th_paragraph *paragraph = &f->page->paragraphs[number];
    const struct weights sum = weigh(f, number);
    const bool has_marks = draft->text_rank != NO_RANK;
    if (has_marks ? sum.text * 2 <= sum.all : sum.other * 2 > sum.all)
        return is_line(f, number, &sum, &draft->post) ? TH_POST_LINE : TH_POST_OTHER;
    if (paragraph->kind == TH_PARAGRAPH_CONTROL || paragraph->is_hidden ||
        sum.other * 2 > sum.all)
        return TH_POST_OTHER;
    /* Before the text begins, where its element holds the whole post. */
    if (!draft->has_text && is_line(f, number, &sum, &draft->post))
        return TH_POST_LINE;
    return TH_POST_TEXT;
}

/* Whether a paragraph is after the marked text of a post of a group: some themes have the
 * date there. */
static bool is_after(const struct finder *f, const struct draft *draft, uint32_t number)
{
    return f->is_text && draft->text_rank != NO_RANK &&
           f->page->blocks[f->page->paragraphs[number].first_block].node >=
               f->reader.subtree_end[draft->post.text_node];
}

static void part_paragraphs(struct finder *f, th_thread *thread)
{
    const th_page *page = f->page;
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const th_paragraph *paragraph = &page->paragraphs[i];
        const uint32_t node = page->blocks[paragraph->first_block].node;
        struct draft *draft = draft_of(f, node);
        thread->post_of[i] = f->post_of[node];
        thread->part_of[i] = TH_POST_NO_PART;
        if (!draft)
            continue;
        th_post *post = &draft->post;
        if (post->first_paragraph == TH_NONE)
            post->first_paragraph = i;
        post->end_paragraph = i + 1;
        thread->part_of[i] = part_of(f, i, draft);
        const th_view text = th_paragraph_text(page, i);
        if (thread->part_of[i] == TH_POST_TEXT) {
            draft->has_text = true;
            draft->text_tokens += tokens_of(page, i);
            if (!post->quote_of.data)
                post->quote_of = th_post_quoted(text);
        } else if (!post->published.data && (!draft->has_text || is_after(f, draft, i))) {
            post->published = th_post_date_in(&f->reader, text);
        }
    }
}

/* ---- the whole --------------------------------------------------------------------- */

/* Whether two thirds of the drafts have a name and a date. */
static bool have_both(const struct finder *f)
{
    uint64_t full = 0;
    for (uint32_t i = 0; i < f->count; i++)
        full += f->drafts[i].post.author.len && f->drafts[i].post.published.len;
    return full * 3 >= f->count * UINT64_C(2);
}

static bool is_same(th_view a, th_view b)
{
    return a.len && a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

/* Whether an element around a thread repeats the author and date of the opening post in it. */
static bool repeats_first(const struct finder *f, uint32_t number)
{
    const th_post *post = &f->drafts[number].post;
    if (f->drafts[number].text_rank != NO_RANK || number + 1 >= f->count)
        return false;
    const th_post *inner = &f->drafts[number + 1].post;
    return inner->depth == post->depth + 1 && is_same(inner->author, post->author) &&
           is_same(inner->published, post->published);
}

/* Raises the posts in an element that is not a post. */
static void raise_inner(struct finder *f, uint32_t number)
{
    const uint32_t end = f->reader.subtree_end[f->drafts[number].post.node];
    for (uint32_t i = number + 1; i < f->count && f->drafts[i].post.node < end; i++)
        f->drafts[i].post.depth--;
}

/* Removes the drafts without text, and from a group with names and dates those without both,
 * and their paragraphs from the columns. */
static th_status finish(struct finder *f, th_thread *thread)
{
    const th_page *page = f->page;
    uint32_t *number_of =
        th_arena_alloc(f->arena, (f->count + (size_t)1) * sizeof *number_of);
    thread->posts =
        th_arena_calloc(f->arena, f->count + (size_t)1, sizeof *thread->posts);
    if (!number_of || !thread->posts)
        return TH_NOMEM;
    const bool needs_facts = f->is_text && have_both(f);
    for (uint32_t i = 0; i < f->count; i++) {
        const struct draft *draft = &f->drafts[i];
        const bool has_fact = draft->post.author.len || draft->post.published.len;
        const bool is_frame = repeats_first(f, i);
        if (is_frame)
            raise_inner(f, i);
        const bool is_post = !is_frame &&
                             (draft->has_text || draft->text_rank != NO_RANK) &&
                             (has_fact || !needs_facts);
        number_of[i] = is_post ? thread->count : TH_NONE;
        if (!is_post)
            continue;
        thread->posts[thread->count] = draft->post;
        if (draft->post.first_paragraph == TH_NONE)
            thread->posts[thread->count].first_paragraph = 0;
        thread->count++;
    }
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        if (thread->post_of[i] != TH_NONE)
            thread->post_of[i] = number_of[thread->post_of[i]];
        if (thread->post_of[i] == TH_NONE)
            thread->part_of[i] = TH_POST_NO_PART;
    }
    return TH_OK;
}

/* Finds posts with the marks that were read, in the elements that are marked.
 * @param score  out: tokens of the texts; posts with a known author count twice */
static th_status collect(struct finder *f, uint8_t *is_root, th_thread **out,
                         uint64_t *score)
{
    *out = NULL;
    *score = 0;
    th_status status = make_drafts(f, is_root);
    if (status != TH_OK || !f->count)
        return status;
    th_thread *thread = th_arena_calloc(f->arena, 1, sizeof *thread);
    const size_t count = f->page->paragraph_count + (size_t)1;
    if (!thread)
        return TH_NOMEM;
    thread->post_of = th_arena_alloc(f->arena, count * sizeof *thread->post_of);
    thread->part_of = th_arena_calloc(f->arena, count, 1);
    if (!thread->post_of || !thread->part_of)
        return TH_NOMEM;
    thread->found_by = f->software->name;
    thread->is_forum = f->software->is_forum;
    thread->is_known = f->software != &th_thread_general;
    find_texts(f);
    if (!f->is_text && join_frames(f, is_root)) {
        status = make_drafts(f, is_root);
        if (status != TH_OK)
            return status;
        find_texts(f);
    }
    find_facts(f);
    take_links(f, th_post_name_in);
    take_text_values(f);
    take_times(f);
    take_lines_before(f);
    status = guess_names(f);
    if (status != TH_OK)
        return status;
    take_links(f, name_of_signs);
    part_paragraphs(f, thread);
    for (uint32_t i = 0; i < f->count; i++) {
        const struct draft *draft = &f->drafts[i];
        *score +=
            draft->text_tokens * (draft->post.author.len && !draft->is_guessed ? 2 : 1);
    }
    status = finish(f, thread);
    if (status == TH_OK && thread->count)
        *out = thread;
    return status;
}

/* Whether half of the posts have a name or a date: other elements share marks with posts. */
static bool have_facts(const th_thread *thread)
{
    uint64_t known = 0;
    for (uint32_t i = 0; i < thread->count; i++)
        known += thread->posts[i].author.len || thread->posts[i].published.len;
    return known * 2 >= thread->count;
}

/* Posts of microdata are a thread where one of them is a question or opens a discussion. */
static bool has_forum_type(const th_page *page)
{
    for (uint32_t i = 0; i < page->node_value_count; i++) {
        const th_view value = page->node_values[i].value;
        if (page->node_values[i].kind == TH_VALUE_TYPE &&
            !th_ends_with(value, "Comment") && !th_ends_with(value, "UserComments"))
            return true;
    }
    return false;
}

/* Posts with a name and a date. */
static uint32_t count_full(const th_thread *thread)
{
    uint32_t full = 0;
    for (uint32_t i = 0; i < thread->count; i++)
        full += thread->posts[i].author.len && thread->posts[i].published.len;
    return full;
}

/*
 * Whether to trust marks of posts on a page of another type. Questions of a FAQ and
 * articles also have them, but four of five posts of a thread have a name and a date.
 */
static bool is_sure(const th_thread *thread)
{
    enum { POSTS_LEAST = 2 };
    return thread->count >= POSTS_LEAST &&
           count_full(thread) * UINT64_C(5) >= thread->count * UINT64_C(4);
}

/* Whether posts by a later row replace posts of `score` by an earlier one. Rows are in the order
 * of trust: a later row must find a quarter more, or as many posts with the names and dates
 * that the earlier ones lack. */
static bool is_better_row(const th_thread *thread, uint64_t score, const th_thread *best,
                          uint64_t best_score)
{
    if (score > best_score + best_score / 4)
        return true;
    return best && is_sure(thread) && !is_sure(best) && thread->count >= best->count;
}

static th_status try_software(struct finder *f, const th_thread_software *software,
                              uint8_t *is_root, th_thread **best, uint64_t *best_score)
{
    th_thread *thread;
    uint64_t score;
    const struct marks *marks = &known_marks[software - th_thread_softwares];
    const bool is_around = !software->posts && !software->has_types;
    const bool needs_posts = !is_around && !software->has_types;
    if (!may_fit(f, marks, TEXTS) || (needs_posts && !may_fit(f, marks, POSTS)))
        return TH_OK;
    begin_marks(f, software, marks);
    fit_marks(f, POSTS, TEXTS);
    const bool has_posts = f->fits_any & mask_of(f, POSTS);
    const bool has_texts = f->fits_any & mask_of(f, TEXTS);
    if (!has_texts || (needs_posts && !has_posts))
        return TH_OK;
    fit_marks(f, AUTHORS, OTHERS);
    mark_roots(f, is_root);
    th_status status = is_around ? mark_around_texts(f, is_root) : TH_OK;
    if (status == TH_OK)
        status = collect(f, is_root, &thread, &score);
    if (status == TH_OK && thread && have_facts(thread) &&
        is_better_row(thread, score, *best, *best_score)) {
        *best = thread;
        *best_score = score;
        if (software->has_types)
            thread->is_forum = has_forum_type(f->page);
    }
    return status;
}

/* Whether a text has three numbers like a date, in any order: "08/05/2024". */
static bool has_number_date(th_view text)
{
    for (size_t at = 0; at < text.len;) {
        unsigned numbers = 0;
        size_t digits = 0;
        char sign = '\0';
        for (; at < text.len; at++) {
            if (th_is_digit(text.data[at])) {
                numbers += digits++ == 0;
                continue;
            }
            const char c = text.data[at];
            const bool is_sign = c == '/' || c == '.' || c == '-';
            if (!digits || digits > 4 || !is_sign || (sign && c != sign))
                break;
            sign = c;
            digits = 0;
        }
        if (numbers == 3 && digits && digits <= 4)
            return true;
        at++;
    }
    return false;
}

/* Whether a text is only a number and a unit: "7d", "3 mo". */
static bool is_age(th_view text)
{
    static const char *const units[] = {
        "s", "m", "h", "d", "w", "y", "mo", "min", "yr"
    };
    size_t digits = 0;
    while (digits < text.len && digits < 4 && th_is_digit(text.data[digits]))
        digits++;
    if (!digits || digits > 3)
        return false;
    const th_view unit =
        th_ascii_trimmed((th_view){ text.data + digits, text.len - digits });
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (unit.len == strlen(units[i]) && memcmp(unit.data, units[i], unit.len) == 0)
            return true;
    return false;
}

/* Whether a short text is a date, or says how long ago.
 * @param most  bytes of the text */
static bool seems_date(const struct finder *f, const th_block *block, uint32_t most)
{
    static const char *const words[] = {
        " ago",          "\xE5\x89\x8D" /* Chinese, Japanese */,
        " atr\xC3\xA1s", "hace ",
        "il y a ",       "vor ",
        "منذ ",          "לפני ",
        " پیش",          " पहले",
        "ที่แล้ว",          "ที่ผ่านมา",
    };
    const th_view text = { f->page->text.data + block->text_start, block->text_len };
    if (text.len > most)
        return false;
    bool has_digit = false;
    for (size_t at = 0; at < text.len && !has_digit;) {
        const bool is_ascii = (unsigned char)text.data[at] < 0x80;
        has_digit = is_ascii ? th_is_digit(text.data[at++])
                             : u_isdigit((UChar32)th_utf8_next(text.data, &at));
    }
    if (!has_digit || th_post_date_is_of_another(text))
        return has_digit && th_post_date_in(&f->reader, text).len;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (th_ascii_has(text, words[i]))
            return true;
    return (th_post_date_in(&f->reader, text).len || has_number_date(text) ||
            is_age(text));
}

static void mark_seeming(const struct finder *f, uint8_t *seems)
{
    const th_page *page = f->page;
    for (uint32_t i = 0; i < page->node_count; i++) {
        if (rank_of(f, i, AUTHORS) != NO_RANK &&
            !th_post_is_control(th_post_node_text(page, i)))
            seems[i] |= TH_SEEMS_NAME;
        if (rank_of(f, i, DATES) != NO_RANK)
            seems[i] |= TH_SEEMS_DATE;
    }
    for (uint32_t i = 0; i < page->node_value_count; i++)
        if (page->node_values[i].kind == TH_VALUE_TIME)
            seems[page->node_values[i].node] |= TH_SEEMS_DATE;
        else if (page->node_values[i].kind == TH_VALUE_NAME)
            seems[page->node_values[i].node] |= TH_SEEMS_NAME;
    for (uint32_t i = 0; page->link_nodes && i < page->link_count; i++)
        if (page->link_nodes[i] < page->node_count && page->links[i].anchor_len &&
            leads_to_member(page->links[i].url)) {
            const uint32_t block = page->links[i].block;
            seems[page->link_nodes[i]] |= TH_SEEMS_NAME;
            if (block < page->block_count &&
                seems_date(f, &page->blocks[block], DATE_AND_NAME))
                seems[page->blocks[block].node] |= TH_SEEMS_DATE;
        }
    for (uint32_t i = 0; i < page->block_count; i++)
        if (seems_date(f, &page->blocks[i], DATE_ALONE))
            seems[page->blocks[i].node] |= TH_SEEMS_DATE;
}

/* Marks posts that are inside of marked elements. */
static void mark_inner_posts(const struct finder *f, const th_thread *inner,
                             uint8_t *is_root)
{
    for (uint32_t i = 0; inner && i < inner->count; i++) {
        const th_post *post = &inner->posts[i];
        uint32_t at = f->page->nodes[post->node].parent;
        while (at && at < f->page->node_count && !is_root[at])
            at = f->page->nodes[at].parent;
        if (!at || at >= f->page->node_count || is_root[post->node])
            continue;
        is_root[post->node] = 1;
        f->is_text[post->text_node] = post->text_node != post->node;
    }
}

/* @param inner  posts that may be inside a post of the group, or NULL */
static th_status try_general(struct finder *f, bool is_forum, const th_thread *inner,
                             uint8_t *is_root, th_thread **best)
{
    const size_t count = (size_t)f->page->node_count + 1;
    uint64_t score = 0;
    uint32_t part = 1;
    uint8_t *seems = th_arena_calloc(f->arena, count, 1);
    f->is_text = th_arena_calloc(f->arena, count, 1);
    if (!seems || !f->is_text)
        return TH_NOMEM;
    begin_marks(f, &th_thread_general, &general_marks);
    fit_marks(f, POSTS, OTHERS);
    mark_seeming(f, seems);
    th_status status = th_thread_group_find(&f->reader, is_forum, f->arena, seems,
                                            is_root, f->is_text, &part);
    if (status == TH_OK)
        mark_inner_posts(f, inner, is_root);
    if (status == TH_OK)
        status = collect(f, is_root, best, &score);
    const uint64_t plain = f->page->tokens_before[f->page->block_count] -
                           f->page->linked_before[f->page->block_count];
    if (*best && score * part < plain) /* menus are also repeated */
        *best = NULL;
    if (*best)
        (*best)->is_forum = is_forum;
    return status;
}

static th_status begin(struct finder *f, const th_page *page,
                       const th_word_filter *filter, th_arena *arena)
{
    const size_t count = (size_t)page->node_count + 1;
    (void)pthread_once(&marks_once, read_all_marks);
    *f = (struct finder){ .page = page, .arena = arena, .filter = filter };
    f->set_fits =
        th_arena_calloc(arena, (size_t)page->class_set_count + 1, sizeof *f->set_fits);
    f->post_of = th_arena_alloc(arena, count * sizeof *f->post_of);
    f->inside = th_arena_alloc(arena, count * sizeof *f->inside);
    f->state = th_arena_calloc(arena, count, 1);
    if (!f->set_fits || !f->post_of || !f->inside || !f->state)
        return TH_NOMEM;
    return list_sets(f) == TH_OK ? th_post_reader_begin(&f->reader, page, arena)
                                 : TH_NOMEM;
}

/* Whether a group of elements may be better than the posts by marks: they lack facts, or are
 * comments on the page of a forum. A single comment on an article is not a thread. */
static bool may_be_better(const th_thread *known, bool is_forum)
{
    return is_forum ? !known->is_forum || !is_sure(known)
                    : known->count > 1 && !is_sure(known);
}

/* Tokens of the texts of posts, counted once for the author and once for the date. */
static uint64_t worth_of(const th_page *page, const th_thread *thread)
{
    uint64_t worth = 0;
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        if (thread->part_of[i] != TH_POST_TEXT)
            continue;
        const th_post *post = &thread->posts[thread->post_of[i]];
        const uint32_t tokens = tokens_of(page, i);
        worth += post->author.len ? tokens : 0;
        worth += post->published.len ? tokens : 0;
    }
    return worth;
}

/* Whether two posts with a name and a date are one post of the group. */
static bool joins_posts(const th_thread *group, const th_thread *known)
{
    uint32_t last = TH_NONE;
    for (uint32_t i = 0; i < known->count; i++) {
        const th_post *post = &known->posts[i];
        const uint32_t around = group->post_of[post->first_paragraph];
        if (!post->author.len || !post->published.len)
            continue;
        if (around != TH_NONE && around == last)
            return true;
        last = around;
    }
    return false;
}

/* Whether a group is better: its posts have names and dates, and are not fewer than the known
 * posts with both. They are worth a quarter more and join none of these, or are twice as
 * many. */
static bool is_better_thread(const th_page *page, const th_thread *group,
                             const th_thread *known)
{
    const uint32_t full = count_full(group), known_full = count_full(known);
    const uint64_t worth = worth_of(page, group), known_worth = worth_of(page, known);
    if (!is_sure(group) || full < known_full)
        return false;
    if (full > 2 * known_full && worth >= known_worth)
        return true;
    return worth > known_worth * 5 / 4 && !joins_posts(group, known);
}

/* Takes a group of elements if it is better than the posts by marks. Up to twice as many are
 * the same posts, found otherwise. */
static th_status try_groups(struct finder *f, bool is_forum, uint8_t *is_root,
                            th_thread **best)
{
    const th_thread *known = *best;
    const bool has_comments = known && !known->is_forum;
    th_thread *group = NULL;
    /* The text before comments is not a post. */
    const bool has_opening = is_forum && !has_comments;
    th_status status = try_general(f, has_opening, NULL, is_root, &group);
    /* The comments are answers to some of many more posts. */
    if (status == TH_OK && has_comments && group && group->count > 2 * known->count)
        status = try_general(f, has_opening, known, is_root, &group);
    if (group && known)
        group->is_forum = group->count > 2 * known->count ? is_forum : known->is_forum;
    if (status == TH_OK && group && (!known || is_better_thread(f->page, group, known)))
        *best = group;
    return status;
}

/* How posts are found. */
enum { BY_MARKS = 1u << 0, BY_GROUPS = 1u << 1 };

static th_status find_with(const th_page *page, const th_word_filter *filter,
                           unsigned methods, bool is_forum, th_thread *known,
                           th_arena *arena, th_thread **out)
{
    struct finder f;
    uint64_t score = 0;
    *out = known;
    if (!page->class_set_of || !page->node_count || !page->paragraph_count ||
        (!(methods & BY_MARKS) && known && !may_be_better(known, is_forum)))
        return TH_OK;
    th_status status = begin(&f, page, filter, arena);
    uint8_t *is_root = th_arena_calloc(arena, (size_t)page->node_count + 1, 1);
    if (!is_root)
        status = TH_NOMEM;
    for (const th_thread_software *row = th_thread_softwares;
         status == TH_OK && (methods & BY_MARKS) && row->name; row++)
        status = try_software(&f, row, is_root, out, &score);
    if (status == TH_OK && (methods & BY_GROUPS) &&
        (!*out || may_be_better(*out, is_forum)))
        status = try_groups(&f, is_forum, is_root, out);
    for (uint32_t i = 0; status == TH_OK && *out && i < (*out)->count; i++)
        (*out)->posts[i].is_comment = !(*out)->is_forum;
    return status;
}

static th_status find_by(const th_page *page, unsigned methods, bool is_forum,
                         th_thread *known, th_arena *arena, th_thread **out)
{
    th_word_filter filter;
    th_word_filter_fill(&filter, page);
    return find_with(page, &filter, methods, is_forum, known, arena, out);
}

th_status th_thread_find(const th_page *page, th_thread_search search, th_arena *arena,
                         th_thread **out)
{
    return find_by(page, search == TH_THREAD_KNOWN ? BY_MARKS : BY_MARKS | BY_GROUPS,
                   search == TH_THREAD_FORUM, NULL, arena, out);
}

static bool may_be(const th_page *page, const th_word_filter *filter)
{
    const th_node_selector *kept[SIGNS_MAX];
    uint32_t kept_count = 0;
    if (!page->class_set_of)
        return false;
    for (uint32_t i = 0; i < page->node_value_count; i++)
        if (page->node_values[i].kind == TH_VALUE_TYPE ||
            page->node_values[i].kind == TH_VALUE_NAME)
            return true;
    (void)pthread_once(&marks_once, read_all_marks);
    for (uint32_t i = 0; i < sign_count; i++)
        if (th_word_filter_may_fit(filter, &signs[i]))
            kept[kept_count++] = &signs[i];
    for (uint32_t i = 0; kept_count && i < page->class_set_count; i++) {
        const th_class_set *set = &page->class_sets[i];
        for (uint32_t k = 0; k < kept_count; k++)
            if (th_node_selector_may_fit(kept[k], set) &&
                th_node_selector_fits(kept[k], page, set))
                return true;
    }
    return false;
}

bool th_thread_may_be(const th_page *page)
{
    th_word_filter filter;
    th_word_filter_fill(&filter, page);
    return may_be(page, &filter);
}

th_status th_thread_known(th_page *page)
{
    th_word_filter filter;
    if (page->known_state != TH_KNOWN_THREAD_UNASKED)
        return TH_OK;
    page->known_state = TH_KNOWN_THREAD_NO_SIGN;
    th_word_filter_fill(&filter, page);
    if (!may_be(page, &filter))
        return TH_OK;
    page->known_state = TH_KNOWN_THREAD_SEARCHED;
    return find_with(page, &filter, BY_MARKS, false, NULL, page->arena,
                     &page->known_thread);
}

/* Finds the posts of a page. Does not repeat the search of th_thread_known. */
static th_status find_once(th_page *page, th_thread_search search)
{
    if (page->known_state != TH_KNOWN_THREAD_SEARCHED)
        return th_thread_find(page, search, page->arena, &page->thread);
    if (search != TH_THREAD_KNOWN)
        return find_by(page, BY_GROUPS, search == TH_THREAD_FORUM, page->known_thread,
                       page->arena, &page->thread);
    page->thread = page->known_thread;
    return TH_OK;
}

static bool has_comments(const th_page *page)
{
    return page->learned && page->paragraph_count &&
           memchr(page->learned->is_comment, 1, page->paragraph_count);
}

/* Whether posts have more text than the content outside of them. */
static bool are_most_of_text(const th_page *page)
{
    uint64_t inside = 0, outside = 0;
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const uint32_t tokens = tokens_of(page, i);
        if (page->thread->part_of[i] == TH_POST_TEXT)
            inside += tokens;
        else if (page->paragraph_label_of[i] == TH_CONTENT &&
                 page->thread->part_of[i] == TH_POST_NO_PART)
            outside += tokens;
    }
    return inside > outside;
}

/* Whether most of the text of the posts is content. */
static bool are_content(const th_page *page)
{
    uint64_t inside = 0, content = 0;
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const uint32_t tokens = tokens_of(page, i);
        if (page->thread->part_of[i] != TH_POST_TEXT)
            continue;
        inside += tokens;
        content += page->paragraph_label_of[i] == TH_CONTENT ? tokens : 0;
    }
    return content * 2 > inside;
}

/* ---- a single post ------------------------------------------------------------------ */

enum {
    LONE_LEVELS = 6, /* from the text to the element with name and date */
    LONE_FACTS = 4,  /* names, and dates; an element with more holds several posts */
    LONE_TOKENS = 3,
    LONE_MARKED = 1u << 2, /* of an element, in addition to TH_SEEMS_... */
};

/* Returns the smallest element around all paragraphs of content that are not headings; 0 if
 * there are none. */
static uint32_t around_content(const struct finder *f)
{
    const th_page *page = f->page;
    uint32_t first = TH_NONE, last = 0;
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const th_paragraph *paragraph = &page->paragraphs[i];
        if (page->paragraph_label_of[i] != TH_CONTENT || paragraph->is_hidden ||
            paragraph->kind == TH_PARAGRAPH_HEADING)
            continue;
        const uint32_t node = page->blocks[paragraph->first_block].node;
        first = node < first ? node : first;
        last = node > last ? node : last;
    }
    if (first == TH_NONE)
        return 0;
    while (first && last >= f->reader.subtree_end[first])
        first = page->nodes[first].parent;
    return first;
}

static uint32_t count_seeming(const struct finder *f, const uint8_t *seems, uint32_t node,
                              unsigned kind)
{
    uint32_t count = 0;
    for (uint32_t i = node; i < f->reader.subtree_end[node]; i++)
        count += (seems[i] & kind) != 0;
    return count;
}

/* Adds to the elements with a name whether they have a mark for it. Without repetition, a
 * link to register looks like a link to a member. */
static void add_marked(const struct finder *f, uint8_t *seems)
{
    for (uint32_t i = 0; i < f->page->node_count; i++)
        if (rank_of(f, i, AUTHORS) != NO_RANK)
            seems[i] |= LONE_MARKED;
}

/* Returns the element with the name and date of the text, or 0. */
static uint32_t around_lone(const struct finder *f, const uint8_t *seems, uint32_t text)
{
    uint32_t at = text;
    for (unsigned level = 0; at && level <= LONE_LEVELS; level++) {
        const uint32_t names = count_seeming(f, seems, at, TH_SEEMS_NAME);
        const uint32_t dates = count_seeming(f, seems, at, TH_SEEMS_DATE);
        if (names > LONE_FACTS || dates > LONE_FACTS)
            return 0;
        if (names && dates && count_seeming(f, seems, at, LONE_MARKED))
            return at;
        at = f->page->nodes[at].parent;
    }
    return 0;
}

/* Only content is text of the post. A heading before the text is the title. */
static void keep_content(const struct finder *f, th_thread *thread)
{
    const th_page *page = f->page;
    bool has_text = false;
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const bool is_title =
            !has_text && page->paragraphs[i].kind == TH_PARAGRAPH_HEADING;
        if (thread->part_of[i] != TH_POST_TEXT)
            continue;
        if (is_title || page->paragraph_label_of[i] != TH_CONTENT)
            thread->part_of[i] = TH_POST_OTHER;
        else
            has_text = true;
    }
}

/*
 * A thread without answers repeats nothing. Finds its only post: the content of the page, in
 * an element with a few names and dates.
 *
 * @param out  unchanged if there is no post with a name and a date
 */
static th_status find_lone(th_page *page, th_thread **out)
{
    struct finder f;
    th_word_filter filter;
    th_thread *thread = NULL;
    uint64_t score = 0;
    if (!page->class_set_of || !page->node_count || !page->paragraph_count ||
        page->content_tokens < LONE_TOKENS)
        return TH_OK;
    th_word_filter_fill(&filter, page);
    th_status status = begin(&f, page, &filter, page->arena);
    const size_t count = (size_t)page->node_count + 1;
    uint8_t *is_root = th_arena_calloc(page->arena, count, 1);
    uint8_t *seems = th_arena_calloc(page->arena, count, 1);
    f.is_text = th_arena_calloc(page->arena, count, 1);
    if (status != TH_OK || !is_root || !seems || !f.is_text)
        return TH_NOMEM;
    begin_marks(&f, &th_thread_general, &general_marks);
    fit_marks(&f, POSTS, OTHERS);
    mark_seeming(&f, seems);
    add_marked(&f, seems);
    const uint32_t text = around_content(&f);
    const uint32_t root = text ? around_lone(&f, seems, text) : 0;
    if (!root)
        return TH_OK;
    is_root[root] = 1;
    f.is_text[text] = text != root;
    status = collect(&f, is_root, &thread, &score);
    if (status != TH_OK || !thread || !count_full(thread))
        return status;
    keep_content(&f, thread);
    thread->is_forum = true;
    *out = thread;
    return TH_OK;
}

/* Takes the author and date of a forum page from the opening post if they are missing. */
static void take_opening(th_page *page)
{
    const th_post *first = page->thread->posts;
    th_metadata *metadata = &page->metadata;
    if (!page->thread->is_known || !page->thread->is_forum || first->depth)
        return;
    /* A name near the headline may continue with the title of the user. */
    const bool is_longer =
        metadata->author.len > first->author.len + 1 &&
        metadata->author.data[first->author.len] == ' ' &&
        memcmp(metadata->author.data, first->author.data, first->author.len) == 0 &&
        th_view_is(metadata->author_from, "byline");
    if ((!metadata->author.data || is_longer) && first->author.len) {
        metadata->author = first->author;
        metadata->author_from = TH_VIEW("post");
    }
    if (!metadata->published.data && first->published.len) {
        metadata->published = first->published;
        metadata->published_from = TH_VIEW("post");
    }
}

th_status th_thread_page(th_page *page)
{
    const bool is_typed = page->learned && strcmp(page->learned->page_type, "forum") == 0;
    const bool is_forum =
        is_typed ||
        (page->learned && page->learned->is_comment_thread && !has_comments(page));
    if (page->thread)
        return TH_OK;
    if (th_thread_known(page))
        return TH_NOMEM;
    if (!is_forum && !has_comments(page) && page->known_state == TH_KNOWN_THREAD_NO_SIGN)
        return TH_OK;
    const th_thread_search search = is_forum             ? TH_THREAD_FORUM
                                    : has_comments(page) ? TH_THREAD_COMMENTS
                                                         : TH_THREAD_KNOWN;
    th_status status = find_once(page, search);
    if (status == TH_OK && is_typed && th_speaks_of_thread(page) &&
        (!page->thread || !worth_of(page, page->thread)))
        status = find_lone(page, &page->thread);
    if (status == TH_OK && page->thread && page->thread->is_forum && !is_typed &&
        !is_sure(page->thread))
        page->thread = NULL;
    const bool may_be_posts = status == TH_OK && page->thread &&
                              (is_forum || (page->thread->is_known &&
                                            is_sure(page->thread) && are_content(page)));
    if (may_be_posts && are_most_of_text(page))
        for (uint32_t i = 0; i < page->thread->count; i++)
            page->thread->posts[i].is_comment = false;
    if (status == TH_OK && page->thread && (is_forum || may_be_posts))
        take_opening(page);
    return status;
}
