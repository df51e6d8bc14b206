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

/* It starts and ends with a non-whitespace character. Whitespace inside is collapsed,
 * unless it is kept. */
static void check_text(th_view text, bool is_space_kept)
{
    HOLDS(text.len > 0);
    HOLDS(th_utf8_valid(text.data, text.len) == text.len);
    bool was_blank = true;
    for (size_t at = 0; at < text.len;) {
        const bool is_first = at == 0;
        const uint32_t c = th_utf8_next(text.data, &at);
        HOLDS(!th_is_space(c) || (is_space_kept ? !is_first : c == ' ' && !was_blank));
        was_blank = th_is_space(c);
    }
    HOLDS(!was_blank);
}

static uint32_t chars_between(const th_page *page, size_t first, size_t end)
{
    return (uint32_t)th_utf8_count(page->text.data + first, end - first);
}

static void check_block(const th_page *page, uint32_t i)
{
    const th_block *block = &page->blocks[i];
    const th_view text = { page->text.data + block->text_start, block->text_len };
    const th_block *last = i ? block - 1 : NULL;
    const size_t from = last ? (size_t)last->text_start + last->text_len : 0;
    HOLDS(block->text_start >= from);
    HOLDS(block->text_start + (size_t)block->text_len <= page->text.len);
    HOLDS(block->char_start == (last ? last->char_start + last->char_len : 0) +
                                   chars_between(page, from, block->text_start));
    HOLDS(block->paragraph < page->paragraph_count);
    check_text(text, page->paragraphs[block->paragraph].is_space_kept);
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
    }
    HOLDS(page->tokens_before[page->block_count] == tokens);
    HOLDS(page->linked_before[page->block_count] == linked);
    HOLDS(page->lines_before[page->block_count] == lines);
    HOLDS(page->gap_tag_count == gap_tags);
    HOLDS(th_utf8_valid(page->text.data, page->text.len) == page->text.len);
    HOLDS(page->text_chars == th_utf8_count(page->text.data, page->text.len));
    for (uint32_t i = 0; i < page->gap_tag_count; i++)
        HOLDS((page->gap_tags[i] & ~TH_GAP_END) < TH_TAG_COUNT);
}

/* Checks the text between two blocks of a paragraph: whitespace with at most one line end. */
static void check_inside(const th_page *page, const th_paragraph *paragraph)
{
    for (uint32_t i = paragraph->first_block + 1; i < paragraph->end_block; i++) {
        const uint32_t from =
            page->blocks[i - 1].text_start + page->blocks[i - 1].text_len;
        const uint32_t len = page->blocks[i].text_start - from;
        HOLDS(len <= 1 || paragraph->is_space_kept);
        for (uint32_t at = from; at < from + len && !paragraph->is_space_kept; at++)
            HOLDS(page->text.data[at] == ' ' || page->text.data[at] == '\n');
    }
}

/* Each block is in one paragraph, in order. Other text is only marks. */
static void check_paragraphs(const th_page *page)
{
    uint32_t next_block = 0, text_at = 0, char_at = 0;
    for (uint32_t i = 0; i < page->paragraph_count; i++) {
        const th_paragraph *paragraph = &page->paragraphs[i];
        HOLDS(paragraph->first_block == next_block);
        HOLDS(paragraph->end_block > next_block);
        HOLDS(paragraph->end_block <= page->block_count);
        next_block = paragraph->end_block;
        const th_block *first = &page->blocks[paragraph->first_block];
        const th_block *last = &page->blocks[next_block - 1];
        for (uint32_t k = paragraph->first_block; k < next_block; k++)
            HOLDS(page->blocks[k].paragraph == i);
        HOLDS(paragraph->text_start >= text_at);
        HOLDS(paragraph->is_space_kept ? paragraph->text_start <= first->text_start
                                       : paragraph->text_start == first->text_start);
        HOLDS(paragraph->char_start ==
              char_at + chars_between(page, text_at, paragraph->text_start));
        text_at = paragraph->text_start + paragraph->text_len;
        char_at = paragraph->char_start + paragraph->char_len;
        HOLDS(text_at == last->text_start + last->text_len);
        HOLDS(char_at == last->char_start + last->char_len);
        HOLDS(paragraph->kind < TH_PARAGRAPH_KIND_COUNT);
        HOLDS((paragraph->kind == TH_PARAGRAPH_HEADING) == (paragraph->level > 0));
        HOLDS(paragraph->level <= 6);
        HOLDS(paragraph->node < page->node_count);
        HOLDS(paragraph->box == TH_NONE || paragraph->box < page->box_count);
        check_inside(page, paragraph);
    }
    HOLDS(next_block == page->block_count);
    HOLDS(text_at == page->text.len);
}

static void check_boxes(const th_page *page)
{
    for (uint32_t i = 0; i < page->box_count; i++) {
        const th_box *box = &page->boxes[i];
        HOLDS(box->kind <= TH_BOX_QUOTE);
        HOLDS(box->parent == TH_NONE || box->parent < i);
        HOLDS(box->node < page->node_count);
        HOLDS(box->item == TH_NONE ||
              (box->item <= i && page->boxes[box->item].kind == TH_BOX_ITEM));
        HOLDS(box->row == TH_NONE ||
              (box->row <= i && page->boxes[box->row].kind == TH_BOX_ROW));
        HOLDS(box->column_span >= 1 && box->row_span >= 1 && !box->is_relative);
        if (box->kind != TH_BOX_CELL)
            continue;
        const th_box *row = &page->boxes[box->parent];
        HOLDS(row->kind == TH_BOX_ROW && box->parent == box->row);
        HOLDS(box->number == row->number && box->ordinal < row->count);
        HOLDS(page->boxes[row->parent].kind == TH_BOX_TABLE);
        HOLDS((uint32_t)row->number < page->boxes[row->parent].count);
    }
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

/* Each panel has one label, and sets are dense. */
static void check_tabs(const th_page *page)
{
    for (uint32_t i = 0; i < page->tab_count; i++) {
        const th_tab *tab = &page->tabs[i];
        HOLDS(tab->label < page->node_count && tab->panel < page->node_count);
        HOLDS(!i || tab->panel > tab[-1].panel);
        HOLDS(tab->set < page->tab_count);
        HOLDS(tab->number >= 1 && tab->number <= page->tab_count);
        HOLDS(tab->link == TH_NONE || tab->link < page->link_count);
    }
}

void check_page(const th_page *page)
{
    check_blocks(page);
    check_paragraphs(page);
    check_boxes(page);
    check_nodes(page);
    check_links(page);
    check_tabs(page);
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
    HOLDS(a->paragraph_count == b->paragraph_count);
    HOLDS(memcmp(a->paragraphs, b->paragraphs,
                 a->paragraph_count * sizeof *a->paragraphs) == 0);
    HOLDS(a->box_count == b->box_count);
    HOLDS(memcmp(a->boxes, b->boxes, a->box_count * sizeof *a->boxes) == 0);
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
