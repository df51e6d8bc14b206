#include "parse/page_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/unicode.h"

/* assert() that no build switches off. */
#define HOLDS(claim)                                                                     \
    do {                                                                                 \
        if (!(claim)) {                                                                  \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #claim);            \
            abort();                                                                     \
        }                                                                                \
    } while (0)

/* Collapsed: no white space but single blanks between words. */
static void check_text(th_view text)
{
    HOLDS(text.len > 0);
    HOLDS(th_utf8_valid(text.data, text.len) == text.len);
    bool was_blank = true;
    for (size_t at = 0; at < text.len;) {
        const uint32_t c = th_utf8_next(text.data, &at);
        HOLDS(!th_is_space(c) || (c == ' ' && !was_blank));
        was_blank = c == ' ';
    }
    HOLDS(!was_blank);
}

static void check_block(const th_page *page, uint32_t i)
{
    const th_block *block = &page->blocks[i];
    const th_view text = { page->text.data + block->text_start, block->text_len };
    const th_block *last = i ? block - 1 : NULL;
    HOLDS(block->text_start == (last ? last->text_start + last->text_len + 1 : 0));
    HOLDS(block->char_start == (last ? last->char_start + last->char_len + 1 : 0));
    HOLDS(!last || page->text.data[block->text_start - 1] == '\n');
    check_text(text);
    HOLDS(block->char_len == th_utf8_count(text.data, text.len));
    HOLDS(block->linked_tokens <= block->tokens);
    HOLDS(block->last_line_tokens <= block->tokens);
    HOLDS(block->lines >= 1);
    HOLDS(block->lines > 1 || block->last_line_tokens == block->tokens);
    HOLDS(block->gap_start == (last ? last->gap_start + last->gap_len : 0));
    HOLDS(block->node < page->node_count);
    HOLDS(page->nodes[block->node].tag != TH_TAG_A);
}

static void check_blocks(const th_page *page)
{
    uint32_t tokens = 0;
    uint32_t linked = 0;
    uint32_t lines = 0;
    uint32_t gap_tags = 0;
    size_t bytes = 0;
    size_t chars = 0;
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_block *block = &page->blocks[i];
        check_block(page, i);
        HOLDS(page->tokens_before[i] == tokens);
        HOLDS(page->linked_before[i] == linked);
        HOLDS(page->lines_before[i] == lines);
        tokens += block->tokens;
        linked += block->linked_tokens;
        lines += block->lines;
        gap_tags += block->gap_len;
        bytes += block->text_len + (i > 0);
        chars += block->char_len + (i > 0);
    }
    HOLDS(page->tokens_before[page->block_count] == tokens);
    HOLDS(page->linked_before[page->block_count] == linked);
    HOLDS(page->lines_before[page->block_count] == lines);
    HOLDS(page->gap_tag_count == gap_tags);
    HOLDS(page->text.len == bytes);
    HOLDS(page->text_chars == chars);
    for (uint32_t i = 0; i < page->gap_tag_count; i++)
        HOLDS((page->gap_tags[i] & ~TH_GAP_END) < TH_TAG_COUNT);
}

static void check_nodes(const th_page *page)
{
    HOLDS(page->node_count > 0);
    HOLDS(page->nodes[0].tag == TH_TAG_HTML && page->nodes[0].parent == TH_NONE);
    HOLDS(page->nodes[0].end_block == page->block_count);
    for (uint32_t i = 0; i < page->node_count; i++) {
        const th_node *node = &page->nodes[i];
        HOLDS(node->tag < TH_TAG_COUNT);
        HOLDS(node->first_block <= node->end_block);
        HOLDS(node->end_block <= page->block_count);
        if (i == 0)
            continue;
        HOLDS(node->parent < i);
        const th_node *parent = &page->nodes[node->parent];
        HOLDS(node->depth == parent->depth + 1);
        if (node->first_block < node->end_block) {
            HOLDS(node->first_block >= parent->first_block);
            HOLDS(node->end_block <= parent->end_block);
        }
    }
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_node *node = &page->nodes[page->blocks[i].node];
        HOLDS(node->first_block <= i && i < node->end_block);
    }
}

static void check_links(const th_page *page)
{
    for (uint32_t i = 0; i < page->link_count; i++) {
        const th_link *link = &page->links[i];
        HOLDS(link->url.data);
        HOLDS((link->block == TH_NONE) == (link->anchor_len == 0));
        if (link->block == TH_NONE)
            continue;
        const th_block *block = &page->blocks[link->block];
        HOLDS(link->block < page->block_count);
        HOLDS(link->anchor_start >= block->text_start);
        HOLDS(link->anchor_start < block->text_start + block->text_len);
        HOLDS((size_t)link->anchor_start + link->anchor_len <= page->text.len);
    }
}

void check_page(const th_page *page)
{
    check_blocks(page);
    check_nodes(page);
    check_links(page);
}

static bool same_view(th_view a, th_view b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

void check_same_page(const th_page *a, const th_page *b)
{
    HOLDS(same_view(a->text, b->text));
    HOLDS(a->text_chars == b->text_chars);
    HOLDS(a->block_count == b->block_count);
    HOLDS(memcmp(a->blocks, b->blocks, a->block_count * sizeof *a->blocks) == 0);
    HOLDS(a->gap_tag_count == b->gap_tag_count);
    HOLDS(memcmp(a->gap_tags, b->gap_tags, a->gap_tag_count * sizeof *a->gap_tags) == 0);
    HOLDS(a->node_count == b->node_count);
    HOLDS(memcmp(a->nodes, b->nodes, a->node_count * sizeof *a->nodes) == 0);
    HOLDS(a->flags == b->flags);
    HOLDS(a->link_count == b->link_count);
    for (uint32_t i = 0; i < a->link_count; i++) {
        const th_link *x = &a->links[i];
        const th_link *y = &b->links[i];
        HOLDS(same_view(x->url, y->url) && same_view(x->rel, y->rel));
        HOLDS(x->anchor_start == y->anchor_start && x->anchor_len == y->anchor_len);
        HOLDS(x->block == y->block && x->is_internal == y->is_internal);
    }
    HOLDS(same_view(a->metadata.title, b->metadata.title));
}

char *dump_blocks(const th_page *page)
{
    th_buffer out = { 0 };
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_block *block = &page->blocks[i];
        th_buffer_append(&out, page->text.data + block->text_start, block->text_len);
        th_buffer_printf(&out, "|%u %u %u %u|", block->tokens, block->linked_tokens,
                         block->lines, block->last_line_tokens);
        for (uint32_t g = 0; g < block->gap_len; g++) {
            const uint16_t tag = page->gap_tags[block->gap_start + g];
            th_buffer_printf(&out, "%s%s%s", g ? " " : "", tag & TH_GAP_END ? "/" : "",
                             th_tag_name((th_tag)(tag & ~TH_GAP_END)));
        }
        th_buffer_printf(&out, "|%s\n", th_tag_name(page->nodes[block->node].tag));
    }
    th_buffer_append_char(&out, '\0');
    HOLDS(!out.has_failed);
    return out.data;
}
