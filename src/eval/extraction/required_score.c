/* Recall of required lines by 3-word sequences. See the header. */
#include "eval/extraction/required_score.h"

#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/order.h"

enum {
    SEQUENCE = 3, /* words */
    KEPT_TENTHS = 7,
};

void th_required_scorer_done(th_required_scorer *scorer)
{
    th_hash_list_done(&scorer->words);
    th_hash_list_done(&scorer->sequences);
    th_hash_list_done(&scorer->line);
}

static th_status read_words(th_case_mapper *mapper, th_view text, th_hash_list *words)
{
    words->count = 0;
    const th_view lower = th_lowered(mapper, text);
    return lower.data ? th_plain_words(lower, words) : TH_NOMEM;
}

static uint64_t sequence_at(const th_hash_list *words, size_t at)
{
    return XXH3_64bits(words->hashes + at, SEQUENCE * sizeof *words->hashes);
}

static th_status find_sequences(th_required_scorer *scorer)
{
    th_hash_list *sequences = &scorer->sequences;
    sequences->count = 0;
    th_status status = TH_OK;
    for (size_t i = 0; i + SEQUENCE <= scorer->words.count && status == TH_OK; i++)
        status = th_hash_list_add(sequences, sequence_at(&scorer->words, i));
    if (sequences->count > 1)
        qsort(sequences->hashes, sequences->count, sizeof *sequences->hashes,
              th_order_uint64);
    return status;
}

/* Requires at least SEQUENCE words in the line. */
static bool is_kept(const th_required_scorer *scorer)
{
    const size_t count = scorer->line.count - SEQUENCE + 1;
    size_t found = 0;
    for (size_t i = 0; scorer->sequences.count && i < count; i++) {
        const uint64_t hash = sequence_at(&scorer->line, i);
        found += bsearch(&hash, scorer->sequences.hashes, scorer->sequences.count,
                         sizeof hash, th_order_uint64) != NULL;
    }
    return found * 10 >= count * KEPT_TENTHS;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

th_status th_required_score_text(th_required_scorer *scorer, th_case_mapper *mapper,
                                 const th_corpus_page *page, th_view text,
                                 th_required_score *score)
{
    double counted[TH_REQUIRED_KINDS_MAX] = { 0 }, kept[TH_REQUIRED_KINDS_MAX] = { 0 };
    double sum = 0, kinds = 0, required_words = 0;
    th_status status = read_words(mapper, text, &scorer->words);
    if (status == TH_OK)
        status = find_sequences(scorer);
    for (uint32_t i = 0; i < page->required_count && status == TH_OK; i++) {
        const th_required_line *line = &page->required[i];
        status = read_words(mapper, line->text, &scorer->line);
        required_words += (double)scorer->line.count;
        if (status != TH_OK || scorer->line.count < SEQUENCE)
            continue;
        counted[line->kind]++;
        kept[line->kind] += is_kept(scorer);
    }
    for (uint32_t i = 0; i < page->required_kind_count; i++) {
        score->kept[i] = ratio(kept[i], counted[i]);
        sum += counted[i] > 0 ? score->kept[i] : 0;
        kinds += counted[i] > 0;
    }
    score->all = ratio(sum, kinds);
    score->words_per_required =
        (double)scorer->words.count / (required_words > 0 ? required_words : 1);
    return status;
}
