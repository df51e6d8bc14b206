/* Means, medians and an interval over pages with gold; snippets are counted over all. */
#include "eval/extraction/extraction_summary.h"

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
