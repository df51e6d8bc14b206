/*
 * Extends a rule's labels from blocks to paragraphs. [docs/text.md]
 *
 * - A paragraph gets the label of most of its tokens, so no sentence loses a word because
 *   of a tag in it.
 * - Paragraphs directly in the items of a list are judged together, like the cells of a
 *   single-line row: rules by the number of words would remove short items from the
 *   middle of a list. Links are not included as content.
 */
#include "select/paragraph_labels.h"

#include <stdbool.h>

#include "page/paragraph_group.h"

/* Tokens of a stretch of text, and the number that are content; bytes if there are no
 * tokens. */
struct weight {
    uint64_t tokens, kept_tokens;
    uint64_t bytes, kept_bytes;
};

static struct weight weigh(const th_page *page, const th_paragraph *paragraph)
{
    struct weight weight = { 0 };
    for (uint32_t i = paragraph->first_block; i < paragraph->end_block; i++) {
        const th_block *block = &page->blocks[i];
        const bool is_kept = page->label_of[i] == TH_CONTENT;
        weight.tokens += block->tokens;
        weight.bytes += block->text_len;
        weight.kept_tokens += is_kept ? block->tokens : 0;
        weight.kept_bytes += is_kept ? block->text_len : 0;
    }
    return weight;
}

/* Returns whether more than a third of a paragraph's words are links. */
static bool is_linked(const th_page *page, const th_paragraph *paragraph)
{
    const uint32_t first = paragraph->first_block, end = paragraph->end_block;
    return th_page_link_density(page, first, end) > 1.0 / 3;
}

static uint8_t label_of_weight(const struct weight *weight)
{
    const bool is_content = weight->tokens ? weight->kept_tokens * 2 > weight->tokens
                                           : weight->kept_bytes * 2 > weight->bytes;
    return is_content ? TH_CONTENT : TH_BOILERPLATE;
}

/* Returns the group that a paragraph is judged with, or TH_NONE. */
static uint32_t group_of(const th_page *page, const uint8_t *recurs, uint32_t paragraph)
{
    return recurs && recurs[paragraph]
               ? TH_NONE
               : th_paragraph_group(page, &page->paragraphs[paragraph]);
}

th_status th_paragraph_labels(th_page *page, const uint8_t *recurs)
{
    uint8_t *labels = th_arena_alloc(page->arena, page->paragraph_count);
    struct weight *groups = th_arena_calloc(page->arena, page->box_count, sizeof *groups);
    if (!labels || !groups)
        return TH_NOMEM;
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const struct weight weight = weigh(page, &page->paragraphs[i]);
        const uint32_t group = group_of(page, recurs, i);
        labels[i] = label_of_weight(&weight);
        if (group == TH_NONE)
            continue;
        groups[group].tokens += weight.tokens;
        groups[group].bytes += weight.bytes;
        groups[group].kept_tokens += weight.kept_tokens;
        groups[group].kept_bytes += weight.kept_bytes;
    }
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const uint32_t group = group_of(page, recurs, i);
        if (group == TH_NONE)
            continue;
        const uint8_t label = label_of_weight(&groups[group]);
        if (label != TH_CONTENT || !is_linked(page, &page->paragraphs[i]))
            labels[i] = label;
    }
    page->paragraph_label_of = labels;
    return TH_OK;
}
