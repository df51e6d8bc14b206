/* Means, medians and an interval over pages with gold; snippets are counted over all. */
#include "eval/extraction/extraction_summary.h"

#include <stdlib.h>
#include <string.h>

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void sum_up_snippets(const th_extraction_scores *scores, uint32_t variant,
                            th_extraction_summary *out)
{
    uint64_t hits = 0, false_hits = 0, misses = 0, right_misses = 0;
    for (size_t i = 0; i < scores->row_count; i++) {
        const th_content_score *score = &scores->rows[i].scores[variant];
        hits += score->hits;
        false_hits += score->false_hits;
        misses += score->misses;
        right_misses += score->right_misses;
    }
    out->snippet_p = ratio(hits, hits + false_hits);
    out->snippet_r = ratio(hits, hits + misses);
    out->snippet_f = th_harmonic(out->snippet_p, out->snippet_r);
    out->snippet_accuracy =
        ratio(hits + right_misses, hits + false_hits + misses + right_misses);
}

/* One figure of every page with gold. @return how many */
static size_t gather(const th_extraction_scores *scores, uint32_t variant, size_t offset,
                     double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < scores->row_count; i++) {
        if (!scores->rows[i].has_gold)
            continue;
        const char *score = (const char *)&scores->rows[i].scores[variant];
        memcpy(&values[count++], score + offset, sizeof *values);
    }
    return count;
}

static double mean_of(const th_extraction_scores *scores, uint32_t variant, size_t offset,
                      double *values)
{
    return th_mean(values, gather(scores, variant, offset, values));
}

th_status th_extraction_sum_up(const th_extraction_scores *scores, uint32_t variant,
                               double *values, th_extraction_summary *out)
{
    *out = (th_extraction_summary){ .pages = scores->row_count };
    for (size_t i = 0; i < scores->row_count; i++) {
        out->gold_pages += scores->rows[i].has_gold;
        out->snippet_pages += scores->rows[i].has_snippets;
        out->refused += scores->rows[i].is_refused;
    }
    if (scores->variants[variant].peer)
        out->refused = scores->variants[variant].missing;
#define MEAN_OF(member)                                                                  \
    mean_of(scores, variant, offsetof(th_content_score, member), values)
    out->word_p = MEAN_OF(word_p);
    out->word_r = MEAN_OF(word_r);
    out->shingle_p = MEAN_OF(shingle_p);
    out->shingle_r = MEAN_OF(shingle_r);
    out->shingle_f = th_harmonic(out->shingle_p, out->shingle_r);
    out->shingle_equal = MEAN_OF(is_equal);
    out->word_f = MEAN_OF(word_f);
#undef MEAN_OF
    const size_t count =
        gather(scores, variant, offsetof(th_content_score, word_f), values);
    const th_status status =
        th_bootstrap_mean(values, count, scores->request->resamples, &out->word_interval);
    out->word_median = th_median(values, count);
    sum_up_snippets(scores, variant, out);
    return status;
}

/* The row of a type, which joins the others in the order of their names; NULL: no
 * room. */
static th_type_row *row_of(th_type_summary *types, const char *name)
{
    uint32_t at = 0;
    while (at < types->count && strcmp(types->rows[at].name, name) < 0)
        at++;
    if (at < types->count && strcmp(types->rows[at].name, name) == 0)
        return &types->rows[at];
    if (types->count == TH_TYPES_MAX)
        return NULL;
    memmove(&types->rows[at + 1], &types->rows[at],
            (types->count - at) * sizeof *types->rows);
    types->rows[at] = (th_type_row){ .name = name };
    types->count++;
    return &types->rows[at];
}

void th_extraction_by_type(const th_extraction_scores *scores, uint32_t variant,
                           th_type_summary *out)
{
    *out = (th_type_summary){ .count = 0 };
    for (size_t i = 0; i < scores->row_count; i++) {
        const th_extraction_row *row = &scores->rows[i];
        th_type_row *type =
            row->has_gold && row->page_type ? row_of(out, row->page_type) : NULL;
        if (!type)
            continue;
        type->pages++;
        type->word_f += row->scores[variant].word_f;
    }
    for (uint32_t i = 0; i < out->count; i++)
        out->rows[i].word_f /= (double)out->rows[i].pages;
}

static int compare_pages(const void *a, const void *b)
{
    const th_worst_page *x = a, *y = b;
    if (x->score->word_f != y->score->word_f)
        return x->score->word_f < y->score->word_f ? -1 : 1;
    return strcmp(x->id, y->id);
}

th_status th_extraction_worst(const th_extraction_scores *scores, uint32_t variant,
                              th_arena *arena, size_t *count, th_worst_page **out)
{
    const size_t wanted = *count;
    size_t found = 0;
    *count = 0;
    *out = NULL;
    if (!wanted)
        return TH_OK;
    th_worst_page *pages = th_arena_calloc(arena, scores->row_count + 1, sizeof *pages);
    if (!pages)
        return TH_NOMEM;
    for (size_t i = 0; i < scores->row_count; i++)
        if (scores->rows[i].has_gold)
            pages[found++] =
                (th_worst_page){ scores->rows[i].id, &scores->rows[i].scores[variant] };
    qsort(pages, found, sizeof *pages, compare_pages);
    *count = found < wanted ? found : wanted;
    *out = pages;
    return TH_OK;
}
