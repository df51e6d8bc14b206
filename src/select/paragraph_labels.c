/*
 * A rule's verdict on blocks, lifted to paragraphs: no sentence loses a word because a
 * tag stands in it. [spec/content-model.md §1]
 */
#include "select/paragraph_labels.h"

#include <stdbool.h>

static uint8_t label_of_paragraph(const th_page *page, const th_paragraph *paragraph)
{
    uint64_t tokens = 0, kept_tokens = 0, bytes = 0, kept_bytes = 0;
    for (uint32_t i = paragraph->first_block; i < paragraph->end_block; i++) {
        const th_block *block = &page->blocks[i];
        const bool is_kept = page->label_of[i] == TH_CONTENT;
        tokens += block->tokens;
        bytes += block->text_len;
        kept_tokens += is_kept ? block->tokens : 0;
        kept_bytes += is_kept ? block->text_len : 0;
    }
    const bool is_content = tokens ? kept_tokens * 2 > tokens : kept_bytes * 2 > bytes;
    return is_content ? TH_CONTENT : TH_BOILERPLATE;
}

th_status th_paragraph_labels(th_page *page)
{
    uint8_t *labels = th_arena_alloc(page->arena, page->paragraph_count);
    if (!labels)
        return TH_NOMEM;
    for (uint32_t i = 0; i < page->paragraph_count; i++)
        labels[i] = label_of_paragraph(page, &page->paragraphs[i]);
    page->paragraph_label_of = labels;
    return TH_OK;
}
