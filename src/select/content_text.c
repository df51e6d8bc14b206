/* Main content as people read it: the blocks that the select stage kept, as one text. */
#include <string.h>

#include "select/classifiers.h"

/* Line breaks before a content block: none, one, or two where the segment changes. */
static size_t breaks_before(const th_page *page, uint32_t last, uint32_t block)
{
    if (last == TH_NONE)
        return 0;
    return page->segment_of[last] == page->segment_of[block] ? 1 : 2;
}

static size_t content_len(const th_page *page)
{
    size_t len = 0;
    uint32_t last = TH_NONE;
    for (uint32_t i = 0; i < page->block_count; i++) {
        if (page->label_of[i] != TH_CONTENT)
            continue;
        len += breaks_before(page, last, i) + page->blocks[i].text_len;
        last = i;
    }
    return len;
}

th_view th_page_content_text(th_page *page)
{
    const size_t len = content_len(page);
    if (len == 0)
        return (th_view){ "", 0 };
    char *text = th_arena_alloc(page->arena, len);
    if (!text)
        return (th_view){ NULL, 0 };
    char *at = text;
    uint32_t last = TH_NONE;
    for (uint32_t i = 0; i < page->block_count; i++) {
        if (page->label_of[i] != TH_CONTENT)
            continue;
        const size_t breaks = breaks_before(page, last, i);
        const th_view block = th_block_text(page, i);
        memset(at, '\n', breaks);
        memcpy(at + breaks, block.data, block.len);
        at += breaks + block.len;
        last = i;
    }
    return (th_view){ text, len };
}
