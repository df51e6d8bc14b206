/* Reads and aligns the words of blocks. A block takes the label of most of its words. */
#include "lab/segmentation/gold_alignment.h"

#include <stdlib.h>

#include "lab/segmentation/alignment.h"

th_status th_page_words_init(th_page_words *words)
{
    *words = (th_page_words){ 0 };
    return th_case_mapper_init(&words->mapper);
}

void th_page_words_done(th_page_words *words)
{
    th_case_mapper_done(&words->mapper);
    th_hash_list_done(&words->words);
    th_hash_list_done(&words->block_of);
}

static th_status read_words(th_page_words *words, const th_page *page)
{
    th_status status = TH_OK;
    words->words.count = words->block_of.count = 0;
    for (uint32_t i = 0; i < page->block_count && status == TH_OK; i++) {
        const th_view folded = th_folded(&words->mapper, th_block_text(page, i));
        status = folded.data ? th_alignment_words(folded, &words->words) : TH_NOMEM;
        while (status == TH_OK && words->block_of.count < words->words.count)
            status = th_hash_list_add(&words->block_of, i);
    }
    return status;
}

th_status th_gold_align(th_page_words *words, const th_gold_page *gold,
                        const th_page *page, th_arena *arena, uint32_t **partner)
{
    const th_status status = read_words(words, page);
    *partner = th_arena_alloc(arena, gold->count * sizeof **partner + 1);
    if (!*partner)
        return TH_NOMEM;
    return status == TH_OK ? th_align(gold->words, gold->count, words->words.hashes,
                                      (uint32_t)words->words.count, *partner)
                           : status;
}

/* A word of a block with a label: both in one number, to be sorted. */
static int by_number(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

int32_t *th_gold_of_blocks(const th_page_words *words, const th_gold_page *gold,
                           uint32_t field, const uint32_t *partner, const th_page *page,
                           th_arena *arena)
{
    const int32_t *labels = gold->labels[field];
    int32_t *label_of = th_arena_alloc(arena, page->block_count * sizeof *label_of + 1);
    uint32_t *max = th_arena_calloc(arena, page->block_count + 1, sizeof *max);
    uint64_t *pairs = th_arena_alloc(arena, gold->count * sizeof *pairs + 1);
    size_t count = 0;
    if (!label_of || !max || !pairs)
        return NULL;
    for (uint32_t i = 0; i < page->block_count; i++)
        label_of[i] = -1;
    for (uint32_t i = 0; labels && i < gold->count; i++) {
        if (labels[i] >= 0 && partner[i] != TH_UNALIGNED)
            pairs[count++] =
                words->block_of.hashes[partner[i]] << 32 | (uint32_t)labels[i];
    }
    qsort(pairs, count, sizeof *pairs, by_number);
    for (size_t i = 0, end; i < count; i = end) {
        const uint32_t block = (uint32_t)(pairs[i] >> 32);
        for (end = i; end < count && pairs[end] == pairs[i];)
            end++;
        if (end - i > max[block]) {
            max[block] = (uint32_t)(end - i);
            label_of[block] = (int32_t)(uint32_t)pairs[i];
        }
    }
    return label_of;
}
