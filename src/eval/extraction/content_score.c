/* A page's figures, and the work space to find them in. */
#include "eval/extraction/content_score.h"

#include <string.h>

#include "base/unicode.h"

th_status th_content_scorer_init(th_content_scorer *scorer)
{
    *scorer = (th_content_scorer){ 0 };
    return th_case_mapper_init(&scorer->mapper);
}

enum { LISTS = 6 };

void th_content_scorer_done(th_content_scorer *scorer)
{
    th_case_mapper_done(&scorer->mapper);
    th_buffer_done(&scorer->content);
    th_buffer_done(&scorer->snippet);
    th_hash_list *const lists[LISTS] = { &scorer->gold_words,    &scorer->gold_tokens,
                                         &scorer->gold_shingles, &scorer->words,
                                         &scorer->tokens,        &scorer->shingles };
    for (size_t i = 0; i < LISTS; i++)
        th_hash_list_done(lists[i]);
    th_required_scorer_done(&scorer->required);
}

/* Fills all three lists from a text. */
static th_status read_text(th_content_scorer *scorer, th_view text, th_hash_list *words,
                           th_hash_list *tokens, th_hash_list *shingles)
{
    words->count = tokens->count = shingles->count = 0;
    const th_view lower = th_lowered(&scorer->mapper, text);
    th_status status = lower.data ? th_bag_words(lower, words) : TH_NOMEM;
    if (status == TH_OK)
        status = th_plain_words(text, tokens);
    return status == TH_OK ? th_overlap_shingles(tokens, shingles) : status;
}

th_status th_content_scorer_begin(th_content_scorer *scorer, const th_corpus_page *page)
{
    return read_text(scorer, page->gold, &scorer->gold_words, &scorer->gold_tokens,
                     &scorer->gold_shingles);
}

static bool is_same_text(const th_hash_list *a, const th_hash_list *b)
{
    return a->count == b->count &&
           (a->count == 0 ||
            memcmp(a->hashes, b->hashes, a->count * sizeof *a->hashes) == 0);
}

static void score_words(th_content_scorer *scorer, th_content_score *score)
{
    if (!scorer->gold_words.count || !scorer->words.count) {
        score->word_p = score->word_r = score->word_f =
            scorer->gold_words.count == scorer->words.count;
        return;
    }
    const th_overlap overlap = th_overlap_count(&scorer->gold_words, &scorer->words);
    score->word_p = th_overlap_precision(&overlap);
    score->word_r = th_overlap_recall(&overlap);
    score->word_f = th_harmonic(score->word_p, score->word_r);
}

static void score_shingles(th_content_scorer *scorer, th_content_score *score)
{
    const th_overlap overlap =
        th_overlap_count(&scorer->gold_shingles, &scorer->shingles);
    score->shingle_p = th_overlap_precision(&overlap);
    score->shingle_r = th_overlap_recall(&overlap);
    score->is_equal = is_same_text(&scorer->gold_tokens, &scorer->tokens);
}

/* Folds to lower case and single spaces, without spaces at the ends. */
static bool fold(th_case_mapper *mapper, th_view text, th_buffer *out)
{
    const th_view lower = th_lowered(mapper, text);
    bool is_due = false;
    th_buffer_reset(out);
    for (size_t at = 0; lower.data && at < lower.len;) {
        const size_t start = at;
        if (th_is_blank(th_utf8_next(lower.data, &at))) {
            is_due = out->len > 0;
            continue;
        }
        if (is_due)
            th_buffer_append_char(out, ' ');
        is_due = false;
        th_buffer_append(out, lower.data + start, at - start);
    }
    return lower.data && !out->has_failed;
}

/* How many of the snippets are in the content; -1 without memory. */
static int64_t found_in(th_content_scorer *scorer, const th_view *list, uint32_t count)
{
    int64_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!fold(&scorer->mapper, list[i], &scorer->snippet))
            return -1;
        const th_view content = th_buffer_view(&scorer->content);
        const th_view snippet = th_buffer_view(&scorer->snippet);
        found += !snippet.len ||
                 memmem(content.data, content.len, snippet.data, snippet.len) != NULL;
    }
    return found;
}

static th_status score_snippets(th_content_scorer *scorer, const th_corpus_page *page,
                                th_view text, th_content_score *score)
{
    if (!page->with_count && !page->without_count)
        return TH_OK;
    if (!fold(&scorer->mapper, text, &scorer->content))
        return TH_NOMEM;
    const int64_t right = found_in(scorer, page->with, page->with_count);
    const int64_t wrong = found_in(scorer, page->without, page->without_count);
    if (right < 0 || wrong < 0)
        return TH_NOMEM;
    score->hits = (uint32_t)right;
    score->misses = page->with_count - score->hits;
    score->false_hits = (uint32_t)wrong;
    score->right_misses = page->without_count - score->false_hits;
    return TH_OK;
}

th_status th_content_scorer_score(th_content_scorer *scorer, const th_corpus_page *page,
                                  th_view text, th_content_score *score)
{
    *score = (th_content_score){ 0 };
    th_status status =
        read_text(scorer, text, &scorer->words, &scorer->tokens, &scorer->shingles);
    if (status != TH_OK)
        return status;
    score_words(scorer, score);
    score_shingles(scorer, score);
    if (page->required_count)
        status = th_required_score_text(&scorer->required, &scorer->mapper, page, text,
                                        &score->required);
    return status == TH_OK ? score_snippets(scorer, page, text, score) : status;
}
