/* Pages made by hand, with a second, simple implementation of the text model, which shares
 * no code with it. */
#include "make_page.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/unicode.h"
#include "thresher/classifier.h"

enum { W_MAX = 80, MOST_GAP_TAGS = 8 };

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

/* One word on its line: counts it where it is a token. */
static void count_word(th_block *block, uint32_t *column, uint32_t columns, bool is_token)
{
    if (*column == 0) {
        *column = columns;
    } else if (*column + 1 + columns <= W_MAX) {
        *column += 1 + columns;
    } else {
        *column = columns;
        block->lines++;
        block->last_line_tokens = 0;
    }
    block->tokens += is_token;
    block->last_line_tokens += is_token;
}

static void count_text(th_block *block, th_view text)
{
    block->lines = 1;
    uint32_t column = 0, columns = 0;
    bool is_token = false;
    for (size_t at = 0; at < text.len;) {
        const uint32_t c = th_utf8_next(text.data, &at);
        block->char_len++;
        if (!th_is_space(c)) {
            columns += th_columns(c);
            is_token = is_token || th_is_alnum(c);
        }
        if (columns && (th_is_space(c) || at == text.len)) {
            count_word(block, &column, columns, is_token);
            columns = 0;
            is_token = false;
        }
    }
}

/* A paragraph for each block, as if each was in a separate DIV. */
static void add_paragraphs(th_page *page)
{
    page->paragraph_count = page->block_count;
    page->paragraphs =
        must(th_arena_calloc(page->arena, page->block_count, sizeof *page->paragraphs));
    for (uint32_t i = 0; i < page->block_count; i++) {
        th_block *block = &page->blocks[i];
        block->paragraph = i;
        page->paragraphs[i] = (th_paragraph){ .first_block = i,
                                              .end_block = i + 1,
                                              .text_start = block->text_start,
                                              .text_len = block->text_len,
                                              .char_start = block->char_start,
                                              .char_len = block->char_len,
                                              .box = TH_NONE };
    }
}

static void sum_up(th_page *page)
{
    const size_t size = page->block_count + (size_t)1;
    page->tokens_before = must(th_arena_calloc(page->arena, size, sizeof(uint32_t)));
    page->linked_before = must(th_arena_calloc(page->arena, size, sizeof(uint32_t)));
    page->lines_before = must(th_arena_calloc(page->arena, size, sizeof(uint32_t)));
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_block *block = &page->blocks[i];
        page->tokens_before[i + 1] = page->tokens_before[i] + block->tokens;
        page->linked_before[i + 1] = page->linked_before[i] + block->linked_tokens;
        page->lines_before[i + 1] = page->lines_before[i] + block->lines;
    }
    page->nodes = must(th_arena_calloc(page->arena, 1, sizeof *page->nodes));
    page->nodes[0] = (th_node){ TH_NONE, 0, page->block_count, TH_TAG_HTML, 0 };
    page->node_count = 1;
    add_paragraphs(page);
}

static th_page *empty_page(th_arena *arena, size_t count)
{
    th_page *page = must(th_arena_calloc(arena, 1, sizeof *page));
    page->arena = arena;
    page->block_count = (uint32_t)count;
    page->blocks = must(th_arena_calloc(arena, count, sizeof *page->blocks));
    page->main_segment = TH_NONE;
    return page;
}

th_page *make_page_of_parts(th_arena *arena, const struct block_part *parts, size_t count)
{
    th_page *page = empty_page(arena, count);
    size_t text_len = 0, gap_len = 0;
    for (size_t i = 0; i < count; i++) {
        text_len += parts[i].text.len + (i > 0);
        gap_len += parts[i].gap_len;
    }
    char *text = must(th_arena_alloc(arena, text_len));
    page->gap_tags = must(th_arena_calloc(arena, gap_len, sizeof *page->gap_tags));
    page->text = (th_view){ text, text_len };
    uint32_t at = 0;
    for (size_t i = 0; i < count; i++) {
        th_block *block = &page->blocks[i];
        if (i) {
            text[at++] = '\n';
            page->text_chars++;
        }
        block->text_start = at;
        block->text_len = (uint32_t)parts[i].text.len;
        memcpy(text + at, parts[i].text.data, parts[i].text.len);
        at += block->text_len;
        block->char_start = page->text_chars;
        count_text(block, parts[i].text);
        page->text_chars += block->char_len;
        block->linked_tokens =
            parts[i].linked < block->tokens ? parts[i].linked : block->tokens;
        block->gap_start = page->gap_tag_count;
        block->gap_len = parts[i].gap_len;
        for (uint32_t k = 0; k < parts[i].gap_len; k++)
            page->gap_tags[page->gap_tag_count++] = parts[i].gap[k];
    }
    sum_up(page);
    return page;
}

/* "/p h2" as tag numbers. */
static uint32_t read_gap(const char *gap, uint16_t tags[MOST_GAP_TAGS])
{
    uint32_t count = 0;
    while (*gap && count < MOST_GAP_TAGS) {
        const uint16_t end = *gap == '/' ? TH_GAP_END : 0;
        gap += *gap == '/';
        const size_t len = strcspn(gap, " ");
        tags[count++] = (uint16_t)(th_tag_of((th_view){ gap, len }) | end);
        gap += len;
        gap += strspn(gap, " ");
    }
    return count;
}

th_page *make_page(th_arena *arena, const struct block_row *rows, size_t count)
{
    struct block_part *parts = must(calloc(count + 1, sizeof *parts));
    uint16_t(*gaps)[MOST_GAP_TAGS] = must(calloc(count + 1, sizeof *gaps));
    for (size_t i = 0; i < count; i++) {
        const uint32_t gap_len = read_gap(rows[i].gap ? rows[i].gap : "p", gaps[i]);
        parts[i] = (struct block_part){
            { rows[i].text, strlen(rows[i].text) }, rows[i].linked, gaps[i], gap_len
        };
    }
    th_page *page = make_page_of_parts(arena, parts, count);
    free(parts);
    free(gaps);
    return page;
}

th_page *make_page_of_counts(th_arena *arena, const th_block *blocks, size_t count)
{
    th_page *page = empty_page(arena, count);
    char *text = must(th_arena_alloc(arena, count * 2));
    page->gap_tags = must(th_arena_calloc(arena, count, sizeof *page->gap_tags));
    page->gap_tag_count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        page->blocks[i] = blocks[i];
        page->gap_tags[i] = (uint16_t)blocks[i].gap_start;
        page->blocks[i].gap_start = i;
        page->blocks[i].gap_len = 1;
        page->blocks[i].text_start = page->blocks[i].char_start = i * 2;
        page->blocks[i].text_len = page->blocks[i].char_len = 1;
        text[(size_t)i * 2] = 'x';
        text[(size_t)i * 2 + 1] = '\n';
    }
    page->text = (th_view){ text, count ? count * 2 - 1 : 0 };
    page->text_chars = (uint32_t)page->text.len;
    sum_up(page);
    return page;
}

uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * 0x2545F4914F6CDD1Du >> 16;
}

th_page *make_random_page(th_arena *arena, uint64_t *seed, size_t count)
{
    static const uint16_t gaps[] = {
        TH_TAG_P,   TH_TAG_H2, TH_TAG_SPAN, TH_TAG_DIV, TH_TAG_BR | TH_GAP_END,
        TH_TAG_NAV, TH_TAG_LI,
    };
    th_block *blocks = must(calloc(count + 1, sizeof *blocks));
    for (size_t i = 0; i < count; i++) {
        th_block *block = &blocks[i];
        const bool is_long = next_random(seed) % 3 == 0;
        block->lines = is_long ? 2 + (uint32_t)(next_random(seed) % 4) : 1;
        block->last_line_tokens = (uint32_t)(next_random(seed) % 7);
        block->tokens = block->last_line_tokens;
        for (uint32_t line = 1; line < block->lines; line++)
            block->tokens += 9 + (uint32_t)(next_random(seed) % 3);
        block->linked_tokens = (uint32_t)(next_random(seed) % (block->tokens + 1));
        if (next_random(seed) % 2)
            block->linked_tokens = 0;
        block->gap_start = gaps[next_random(seed) % (sizeof gaps / sizeof *gaps)];
    }
    th_page *page = make_page_of_counts(arena, blocks, count);
    free(blocks);
    return page;
}

void nest_at_random(th_page *page, th_arena *arena, uint64_t *seed)
{
    static const th_tag tags[] = { TH_TAG_DIV, TH_TAG_P,  TH_TAG_UL, TH_TAG_LI,
                                   TH_TAG_TD,  TH_TAG_TR, TH_TAG_H2, TH_TAG_SPAN };
    const uint32_t count = 1 + page->block_count + (uint32_t)(next_random(seed) % 40);
    page->nodes = th_arena_calloc(arena, count, sizeof *page->nodes);
    if (!page->nodes)
        abort();
    page->node_count = count;
    page->nodes[0] = (th_node){ .parent = TH_NONE, .tag = TH_TAG_HTML };
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t back = (uint32_t)(next_random(seed) % 6);
        page->nodes[i].parent = i - 1 - (back < i ? back : i - 1);
        page->nodes[i].depth = (uint16_t)(page->nodes[page->nodes[i].parent].depth + 1);
        page->nodes[i].tag = tags[next_random(seed) % 8];
    }
    for (uint32_t i = 0; i < page->block_count; i++) {
        uint32_t node = (uint32_t)(next_random(seed) % count);
        page->blocks[i].node = node;
        for (; node != TH_NONE; node = page->nodes[node].parent) {
            th_node *at = &page->nodes[node];
            at->first_block = at->end_block ? at->first_block : i;
            at->end_block = i + 1;
        }
    }
}

void set_title(th_page *page, const char *title)
{
    page->metadata.title = (th_view){ title, strlen(title) };
}

void label_blocks(const char *classifier, const th_page *page, uint8_t *labels)
{
    const th_classifier *method = th_classifier_find(classifier);
    if (!method || method->decide(page, NULL, page->arena, labels) != TH_OK)
        abort();
    for (uint32_t i = 0; i < page->block_count; i++)
        labels[i] = method->reasons[labels[i]].label;
}
