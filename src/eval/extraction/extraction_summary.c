/* Means, medians and an interval over pages with gold; snippets are counted over all. */
#include "eval/extraction/extraction_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double ratio_of(double part, uint64_t whole)
{
    return whole ? part / (double)whole : 0;
}

static double ratio(uint64_t part, uint64_t whole)
{
    return ratio_of((double)part, whole);
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

/* Finds or inserts the name in a sorted array of rows that begin with their name.
 * Returns NULL if `capacity` rows exist. */
static void *row_of(void *rows, size_t row_size, uint32_t *count, uint32_t capacity,
                    const char *name)
{
    char *at = rows, *const end = at + *count * row_size;
    for (; at < end; at += row_size) {
        const int order = strcmp(*(const char **)at, name);
        if (order == 0)
            return at;
        if (order > 0)
            break;
    }
    if (*count == capacity)
        return NULL;
    memmove(at + row_size, at, (size_t)(end - at));
    memset(at, 0, row_size);
    *(const char **)at = name;
    ++*count;
    return at;
}

void th_extraction_by_group(const th_extraction_scores *scores, uint32_t variant,
                            enum th_corpus_group group, th_group_summary *out)
{
    *out = (th_group_summary){ .count = 0 };
    for (size_t i = 0; i < scores->row_count; i++) {
        const th_extraction_row *row = &scores->rows[i];
        if (!row->has_gold)
            continue;
        const char *name = row->groups[group];
        th_group_row *sum =
            name ? row_of(out->rows, sizeof *out->rows, &out->count, TH_GROUPS_MAX, name)
                 : NULL;
        if (!sum) {
            out->ungrouped++;
            continue;
        }
        sum->pages++;
        sum->word_f += row->scores[variant].word_f;
    }
    for (uint32_t i = 0; i < out->count; i++)
        out->rows[i].word_f /= (double)out->rows[i].pages;
}

static void add_kinds(const th_extraction_row *row, const th_required_score *score,
                      th_required_summary *out)
{
    for (uint32_t k = 0; k < row->required_kind_count; k++) {
        th_required_row *kind = isnan(score->kept[k])
                                    ? NULL
                                    : row_of(out->rows, sizeof *out->rows, &out->count,
                                             TH_GROUPS_MAX, row->required_kinds[k]);
        if (!kind)
            continue;
        kind->pages++;
        kind->kept += score->kept[k];
        kind->lost += score->kept[k] * 3 < 1 ? 1 : 0;
    }
}

void th_extraction_required(const th_extraction_scores *scores, uint32_t variant,
                            double *values, th_required_summary *out)
{
    uint64_t counted = 0;
    *out = (th_required_summary){ .count = 0 };
    for (size_t i = 0; i < scores->row_count; i++) {
        const th_extraction_row *row = &scores->rows[i];
        const th_required_score *score = &row->scores[variant].required;
        if (!row->required_kind_count)
            continue;
        values[out->pages++] = score->words_per_required;
        counted += isnan(score->all) ? 0 : 1;
        out->kept += isnan(score->all) ? 0 : score->all;
        add_kinds(row, score, out);
    }
    out->kept = ratio_of(out->kept, counted);
    out->words_per_required = th_median(values, out->pages);
    for (uint32_t k = 0; k < out->count; k++) {
        out->rows[k].kept = ratio_of(out->rows[k].kept, out->rows[k].pages);
        out->rows[k].lost = ratio_of(out->rows[k].lost, out->rows[k].pages);
    }
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
