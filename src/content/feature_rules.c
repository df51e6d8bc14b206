/*
 * Scores of rules for paragraphs: num-words and densitometric [K11 Alg. 4.2, 4.3] as they
 * are for blocks, the largest run of the first, the score that readability tools give to
 * elements; and rows with the same words.
 */
#include <string.h>

#include "content/feature_work.h"

enum {
    RUN_GAP = 4,         /* rows between two of a run */
    SCORED_TOKENS = 8,   /* of a row that scores */
    TOKENS_A_POINT = 20, /* limited to three points */
    SCORE_UNIT = 8,
};

/* Measures of a row. All are 0 beyond the page. */
struct measures {
    uint32_t tokens, linked;
    uint32_t dense_tokens, dense_lines; /* [K11 Eq. 4.6] */
};

static inline struct measures measure(const th_feature_work *work, uint32_t row)
{
    const th_page *page = work->page;
    struct measures m = { .dense_lines = 1 };
    if (row >= work->rows) /* the row before the first too */
        return m;
    const th_paragraph *p = &page->paragraphs[row];
    const uint32_t lines =
        page->lines_before[p->end_block] - page->lines_before[p->first_block];
    m.tokens = work->sums[row + 1].tokens - work->sums[row].tokens;
    m.linked = work->sums[row + 1].linked - work->sums[row].linked;
    m.dense_tokens =
        lines > 1 ? m.tokens - page->blocks[p->end_block - 1].last_line_tokens : m.tokens;
    m.dense_lines = lines > 1 ? lines - 1 : 1;
    return m;
}

/* Whether linked / tokens is over a third, or over five ninths. */
static bool is_over_third(const struct measures *m)
{
    return m->linked * UINT64_C(3) > m->tokens;
}

static bool is_over_five_ninths(const struct measures *m)
{
    return m->linked * UINT64_C(9) > m->tokens * UINT64_C(5);
}

static bool is_denser(const struct measures *m, uint32_t than)
{
    return m->dense_tokens > (uint64_t)than * m->dense_lines;
}

static bool by_words(const struct measures *before, const struct measures *own,
                     const struct measures *after)
{
    if (is_over_third(own))
        return false;
    if (is_over_five_ninths(before))
        return own->tokens > 40 || after->tokens > 17;
    return own->tokens > 16 || after->tokens > 15 || before->tokens > 4;
}

static bool by_density(const struct measures *before, const struct measures *own,
                       const struct measures *after)
{
    if (is_over_third(own))
        return false;
    if (is_over_five_ninths(before))
        return is_denser(after, 11);
    if (is_denser(own, 9))
        return is_denser(after, 0);
    return is_denser(after, 10) || is_denser(before, 4);
}

static void write_verdicts(const th_feature_work *work)
{
    struct measures before = { .dense_lines = 1 }, own = measure(work, 0);
    for (uint32_t i = 0; i < work->rows; i++) {
        const struct measures after = measure(work, i + 1);
        th_column(work, TH_FEATURE_NUM_WORDS)[i] = by_words(&before, &own, &after);
        th_column(work, TH_FEATURE_DENSITOMETRIC)[i] = by_density(&before, &own, &after);
        before = own;
        own = after;
    }
}

/* The run of num-words with most tokens; rows of it are at most RUN_GAP apart. */
static void write_run(const th_feature_work *work)
{
    const uint8_t *kept = th_column(work, TH_FEATURE_NUM_WORDS);
    uint32_t first = 0, end = 0, tokens = 0, all = 0;
    uint32_t best_first = 0, best_end = 0, best = 0;
    for (uint32_t i = 0; i < work->rows; i++) {
        const uint32_t own = work->sums[i + 1].tokens - work->sums[i].tokens;
        if (!kept[i])
            continue;
        if (end == first || i - (end - 1) > RUN_GAP) {
            first = i;
            tokens = 0;
        }
        end = i + 1;
        tokens += own;
        all += own;
        if (tokens > best) {
            best = tokens;
            best_first = first;
            best_end = end;
        }
    }
    for (uint32_t i = best_first; i < best_end; i++)
        th_column(work, TH_FEATURE_IN_LARGEST_RUN)[i] = kept[i];
    const uint32_t page = work->sums[work->rows].tokens;
    work->vector[TH_PAGE_FEATURE_RUN_SHARE] = th_share(best, page);
    work->vector[TH_PAGE_FEATURE_NUM_WORDS_SHARE] = th_share(all, page);
}

/*
 * Points for commas and length go to the block-level element around a row, half of them
 * to the next one out; less where it is links.
 */
static void write_readability(th_feature_work *work)
{
    uint32_t best = 0, best_node = 0;
    for (uint32_t i = 0; i < work->rows; i++) {
        const uint32_t tokens = work->sums[i + 1].tokens - work->sums[i].tokens;
        if (tokens < SCORED_TOKENS || th_column(work, TH_FEATURE_LINK_SHARE)[i] > 127)
            continue;
        const uint32_t length = tokens / TOKENS_A_POINT;
        const uint32_t points =
            SCORE_UNIT *
            (1 + th_column(work, TH_FEATURE_COMMAS)[i] / 16u + (length < 3 ? length : 3));
        th_text_node *own = &work->nodes[work->text_node_of[i]];
        if (own->end - own->first <= 1)
            own = &work->nodes[own->wider];
        own->score += points;
        work->nodes[own->wider].score += points / 2;
    }
    for (uint32_t i = 0; i < work->node_count; i++) {
        th_text_node *node = &work->nodes[i];
        if (!node->score)
            continue;
        const th_row_sums *from = &work->sums[node->first], *to = &work->sums[node->end];
        const uint32_t tokens = to->tokens - from->tokens;
        if (!tokens)
            continue;
        node->score = (uint32_t)((uint64_t)node->score *
                                 (tokens - (to->linked - from->linked)) / tokens);
        if (node->score > best) {
            best = node->score;
            best_node = i;
        }
    }
    const th_text_node *const nodes = work->nodes, *const winner = &nodes[best_node];
    const th_node *const page_nodes = work->page->nodes;
    const uint32_t *const node_of = work->text_node_of;
    const uint32_t rows = work->rows;
    const uint16_t top = rows ? page_nodes[winner->node].depth : 0;
    const uint32_t first = best ? winner->first : rows, end = winner->end;
    for (uint32_t i = 0; i < rows; i++) {
        const th_text_node *own = &nodes[node_of[i]];
        if (own->end - own->first <= 1)
            own = &nodes[own->wider];
        const uint32_t outer = nodes[own->wider].score;
        const uint32_t score = own->score > outer ? own->score : outer;
        const bool is_in = i >= first && i < end;
        const uint16_t depth = page_nodes[own->node].depth;
        th_column(work, TH_FEATURE_READABILITY)[i] = th_share(score, best);
        th_column(work, TH_FEATURE_READABILITY_BEST)[i] =
            is_in ? th_at_most(depth > top ? (uint32_t)depth - top : 0, 254) : TH_UNKNOWN;
    }
}

th_status th_feature_rules(th_feature_work *work)
{
    write_verdicts(work);
    write_run(work);
    write_readability(work);
    return TH_OK;
}

/* ---- the same words ----------------------------------------------------------------- */

th_status th_feature_repetition(th_feature_work *work)
{
    struct seen {
        uint64_t key;
        uint32_t count;
    } * seen;
    uint32_t slots = 64;
    while (slots < work->rows * 2)
        slots *= 2;
    seen = th_arena_calloc(work->scratch, slots, sizeof *seen);
    uint32_t *slot_of = th_arena_alloc(work->scratch, work->rows * sizeof *slot_of + 1);
    if (!seen || !slot_of)
        return TH_NOMEM;
    for (uint32_t i = 0; i < work->rows; i++) {
        const uint64_t key = work->words_key[i];
        uint32_t at = (uint32_t)(key >> 33) & (slots - 1);
        while (seen[at].key && seen[at].key != key)
            at = (at + 1) & (slots - 1);
        slot_of[i] = at;
        seen[at].key = key;
        seen[at].count += key != 0;
    }
    for (uint32_t i = 0; i < work->rows; i++)
        th_column(work, TH_FEATURE_SAME_TEXTS)[i] =
            work->words_key[i] ? th_log(seen[slot_of[i]].count - 1) : 0;
    return TH_OK;
}
