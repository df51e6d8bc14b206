/* Compares words of paragraphs with words of the gold. */
#include "lab/features/paragraph_gold.h"

#include <string.h>

#include "lab/segmentation/alignment.h"

enum {
    CONTENT_PERCENT = 50,
    BOILERPLATE_PERCENT = 20,
    SHORT_WORDS = 3,
    RUN_MOST = 16,     /* words of a run that are counted */
    SNIPPET_LEAST = 8, /* bytes of a snippet, or of a paragraph within one */
};

/* A paragraph's words: their number, and the places of aligned ones in the gold. */
struct span {
    uint32_t words, aligned;
    uint32_t first, last; /* in the gold */
};

static th_status read_words(th_page_words *words, const th_page *page, struct span *spans)
{
    th_status status = TH_OK;
    words->words.count = 0;
    for (uint32_t i = 0; i < page->paragraph_count && status == TH_OK; i++) {
        const size_t before = words->words.count;
        const th_view folded = th_folded(&words->mapper, th_paragraph_text(page, i));
        status = folded.data ? th_alignment_words(folded, &words->words) : TH_NOMEM;
        spans[i] = (struct span){ .words = (uint32_t)(words->words.count - before) };
    }
    return status;
}

static th_status read_gold(th_page_words *words, th_view gold, th_hash_list *out)
{
    const th_view folded = th_folded(&words->mapper, gold);
    return folded.data ? th_alignment_words(folded, out) : TH_NOMEM;
}

/*
 * A longest subsequence may match a word of the gold with a stray one far before the run
 * of words that it belongs to. Each end of a run takes such words back.
 */
struct runs {
    const th_hash_list *page, *gold;
    uint32_t *partner; /* of each word of the page: in the gold */
    uint32_t *place;   /* of each word of the gold: in the page */
};

/* Words that follow one another in both texts from `at` on, in steps of 1 or -1. */
static uint32_t run_len(const struct runs *runs, uint32_t at, int step)
{
    uint32_t len = 0;
    const uint32_t from = runs->partner[at];
    for (uint32_t i = at, expected = from;
         len < RUN_MOST && i < runs->page->count && runs->partner[i] == expected; len++) {
        i += (uint32_t)step;
        expected += (uint32_t)step;
        if (i >= runs->page->count || expected >= runs->gold->count)
            return len + 1;
    }
    return len;
}

/* Adds the word next to `at`, in steps of 1 or -1, to its run, if possible. */
static void extend_run(struct runs *runs, uint32_t at, int step)
{
    const uint32_t beside = at + (uint32_t)step;
    const uint32_t wanted = runs->partner[at] + (uint32_t)step;
    if (beside >= runs->page->count || wanted >= runs->gold->count ||
        runs->partner[beside] != TH_UNALIGNED ||
        runs->page->hashes[beside] != runs->gold->hashes[wanted])
        return;
    const uint32_t stray = runs->place[wanted];
    if (stray != TH_UNALIGNED) {
        if (run_len(runs, stray, step) >= run_len(runs, at, -step))
            return;
        runs->partner[stray] = TH_UNALIGNED;
    }
    runs->partner[beside] = wanted;
    runs->place[wanted] = beside;
}

static th_status gather_runs(const th_hash_list *page, const th_hash_list *gold,
                             uint32_t *partner, th_arena *arena)
{
    struct runs runs = { page, gold, partner, NULL };
    runs.place = th_arena_alloc(arena, gold->count * sizeof *runs.place + 1);
    if (!runs.place)
        return TH_NOMEM;
    memset(runs.place, 0xFF, gold->count * sizeof *runs.place);
    for (uint32_t i = 0; i < page->count; i++)
        if (partner[i] != TH_UNALIGNED)
            runs.place[partner[i]] = i;
    for (uint32_t i = (uint32_t)page->count; i-- > 1;)
        if (partner[i] != TH_UNALIGNED && partner[i])
            extend_run(&runs, i, -1);
    for (uint32_t i = 0; i < page->count; i++)
        if (partner[i] != TH_UNALIGNED)
            extend_run(&runs, i, 1);
    return TH_OK;
}

static void place_spans(struct span *spans, uint32_t count, const uint32_t *partner)
{
    for (uint32_t i = 0; i < count; i++) {
        struct span *span = &spans[i];
        for (uint32_t k = 0; k < span->words; k++, partner++) {
            if (*partner == TH_UNALIGNED)
                continue;
            if (!span->aligned++)
                span->first = *partner;
            span->last = *partner;
        }
    }
}

static uint8_t label_of(const struct span *span)
{
    if (!span->words)
        return TH_NO_LABEL;
    const uint64_t aligned = span->aligned * UINT64_C(100);
    if (aligned >= (uint64_t)span->words * CONTENT_PERCENT)
        return TH_CONTENT;
    return aligned < (uint64_t)span->words * BOILERPLATE_PERCENT ? TH_BOILERPLATE
                                                                 : TH_NO_LABEL;
}

/* Whether the span `behind` continues in the gold where this one ends. */
static bool follows(const struct span *behind, const struct span *span)
{
    return behind && span->last + 1 == behind->first;
}

/* Short paragraphs are content when they follow on content, or content on them. */
static void settle_short(const struct span *spans, uint32_t count, uint8_t *label)
{
    enum { WAITING = 3 };
    for (uint32_t i = 0; i < count; i++)
        if (label[i] == TH_CONTENT && spans[i].words <= SHORT_WORDS)
            label[i] = WAITING;
    const struct span *before = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (label[i] == WAITING && before && before->last + 1 == spans[i].first)
            label[i] = TH_CONTENT;
        if (label[i] == TH_CONTENT)
            before = &spans[i];
    }
    const struct span *behind = NULL;
    for (uint32_t i = count; i-- > 0;) {
        if (label[i] == WAITING)
            label[i] = follows(behind, &spans[i]) ? TH_CONTENT : TH_BOILERPLATE;
        if (label[i] == TH_CONTENT)
            behind = &spans[i];
    }
}

/* ---- snippets ---------------------------------------------------------------------- */

static bool holds(th_view text, th_view part)
{
    return part.len >= SNIPPET_LEAST && part.len <= text.len &&
           memmem(text.data, text.len, part.data, part.len);
}

static bool meets(th_view text, const th_view *snippets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (holds(text, snippets[i]) || holds(snippets[i], text))
            return true;
    return false;
}

static void label_by_snippets(const th_corpus_page *corpus_page, const th_page *page,
                              uint8_t *label)
{
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const th_view text = th_paragraph_text(page, i);
        const bool is_in = meets(text, corpus_page->with, corpus_page->with_count);
        const bool is_out = meets(text, corpus_page->without, corpus_page->without_count);
        if (is_in == is_out)
            label[i] = TH_NO_LABEL;
        else
            label[i] = is_in; /* TH_CONTENT is 1 */
    }
}

th_status th_paragraph_gold_of(th_page_words *words, const th_corpus_page *corpus_page,
                               const th_page *page, th_arena *arena,
                               th_paragraph_gold *out)
{
    const uint32_t count = page->paragraph_count;
    *out = (th_paragraph_gold){ .label = th_arena_calloc(arena, count + 1, 1),
                                .aligned = th_arena_calloc(arena, count + 1, 1) };
    if (!out->label || !out->aligned)
        return TH_NOMEM;
    if (!corpus_page->gold.data) {
        label_by_snippets(corpus_page, page, out->label);
        return TH_OK;
    }
    struct span *spans = th_arena_calloc(arena, count + 1, sizeof *spans);
    th_hash_list gold = { 0 };
    th_status status = spans ? read_words(words, page, spans) : TH_NOMEM;
    if (status == TH_OK)
        status = read_gold(words, corpus_page->gold, &gold);
    uint32_t *partner = NULL;
    if (status == TH_OK) {
        partner = th_arena_alloc(arena, words->words.count * sizeof *partner + 1);
        status = partner ? th_align(words->words.hashes, (uint32_t)words->words.count,
                                    gold.hashes, (uint32_t)gold.count, partner)
                         : TH_NOMEM;
        if (status == TH_OK)
            status = gather_runs(&words->words, &gold, partner, arena);
    }
    out->gold_words = (uint32_t)gold.count;
    out->page_words = (uint32_t)words->words.count;
    th_hash_list_done(&gold);
    if (status != TH_OK)
        return status;
    place_spans(spans, count, partner);
    for (uint32_t i = 0; i < count; i++) {
        out->label[i] = label_of(&spans[i]);
        if (spans[i].words)
            out->aligned[i] =
                (uint8_t)(spans[i].aligned * UINT64_C(255) / spans[i].words);
    }
    settle_short(spans, count, out->label);
    return TH_OK;
}
