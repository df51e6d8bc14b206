/*
 * Multisets as sorted lists of hashes. 64 bits are enough to distinguish a page's words.
 */
#include "eval/extraction/overlap.h"

#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/order.h"

static void sort(th_hash_list *list)
{
    if (list->count > 1)
        qsort(list->hashes, list->count, sizeof *list->hashes, th_order_uint64);
}

th_overlap th_overlap_count(th_hash_list *gold, th_hash_list *found)
{
    th_overlap overlap = { 0 };
    sort(gold);
    sort(found);
    for (size_t i = 0, j = 0; i < gold->count && j < found->count;) {
        const uint64_t a = gold->hashes[i], b = found->hashes[j];
        overlap.common += a == b;
        i += a <= b;
        j += b <= a;
    }
    overlap.gold_only = gold->count - overlap.common;
    overlap.found_only = found->count - overlap.common;
    return overlap;
}

th_status th_overlap_shingles(const th_hash_list *words, th_hash_list *shingles)
{
    if (!words->count)
        return TH_OK;
    const size_t width =
        words->count < TH_OVERLAP_SHINGLE ? words->count : TH_OVERLAP_SHINGLE;
    th_status status = TH_OK;
    for (size_t i = 0; i + width <= words->count && status == TH_OK; i++)
        status = th_hash_list_add(
            shingles, XXH3_64bits(words->hashes + i, width * sizeof *words->hashes));
    return status;
}

static double share(uint64_t part, uint64_t rest)
{
    return part + rest ? (double)part / (double)(part + rest) : NAN;
}

double th_overlap_precision(const th_overlap *overlap)
{
    return share(overlap->common, overlap->found_only);
}

double th_overlap_recall(const th_overlap *overlap)
{
    return share(overlap->common, overlap->gold_only);
}

double th_harmonic(double p, double r)
{
    return p + r > 0 ? 2 * p * r / (p + r) : 0;
}
