/*
 * The segment stage. It finds the method that the options name, runs it, and computes the
 * sums of each segment in a table. It runs between parse, which made the blocks, and
 * select, which labels them.
 */
#include "thresher/segmenter.h"

#include <assert.h>
#include <string.h>

#include "page/density.h"
#include "page/options_size.h"
#include "segment/segmenters.h"

#define ROW(name) &(name),
const th_segmenter *const th_segmenters[] = { TH_SEGMENTERS(ROW) NULL };
#undef ROW

const th_segmenter *th_segmenter_find(const th_segmenter *const *methods,
                                      const char *name)
{
    for (const th_segmenter *const *at = methods ? methods : th_segmenters; *at; at++)
        if (strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}

const th_segmenter *th_segmenter_of(const th_options *opt)
{
    return th_segmenter_find(opt->segmenters, opt->segmenter);
}

/* The combined lines of a segment, which need not be adjacent. */
struct extent {
    uint32_t lines;
    uint32_t last_line_tokens;
};

static void add_block(th_segment *segment, struct extent *extent, const th_block *block,
                      uint32_t number)
{
    if (segment->block_count == 0)
        segment->first_block = number;
    segment->block_count++;
    segment->tokens += block->tokens;
    segment->linked_tokens += block->linked_tokens;
    extent->lines += block->lines;
    extent->last_line_tokens = block->last_line_tokens;
}

static void sum_up(const th_page *page, const uint32_t *segment_of, th_segment *segments,
                   struct extent *extents, uint32_t count)
{
    for (uint32_t i = 0; i < page->block_count; i++) {
        const uint32_t number = segment_of[i];
        add_block(&segments[number], &extents[number], &page->blocks[i], i);
    }
    for (uint32_t i = 0; i < count; i++) {
        th_segment *segment = &segments[i];
        segment->density = th_density_value(th_density_of_lines(
            segment->tokens, extents[i].lines, extents[i].last_line_tokens));
        segment->link_density =
            segment->tokens ? (double)segment->linked_tokens / segment->tokens : 0;
    }
}

th_status th_segment_page(th_page *page, const th_options *opt)
{
    th_options scratch;
    opt = th_options_complete(opt, &scratch);
    if (!opt)
        return TH_USAGE;
    const th_segmenter *method = th_segmenter_of(opt);
    assert(method);
    uint32_t *segment_of =
        th_arena_calloc(page->arena, page->block_count, sizeof *segment_of);
    if (!segment_of)
        return TH_NOMEM;
    /* The page's arena is also the scratch. The rewind frees it for later stages. */
    const th_arena_mark before = th_arena_get_mark(page->arena);
    const th_status status = method->segment(page, opt, page->arena, segment_of);
    if (status != TH_OK)
        return status;
    th_arena_rewind(page->arena, before);

    uint32_t count = 0;
    for (uint32_t i = 0; i < page->block_count; i++) {
        assert(segment_of[i] <= count); /* dense, in order of first appearance */
        count += segment_of[i] == count;
    }
    th_segment *segments = th_arena_calloc(page->arena, count, sizeof *segments);
    const th_arena_mark mark = th_arena_get_mark(page->arena);
    struct extent *extents = th_arena_calloc(page->arena, count, sizeof *extents);
    if (!segments || !extents)
        return TH_NOMEM;
    sum_up(page, segment_of, segments, extents, count);
    th_arena_rewind(page->arena, mark);
    page->segment_of = segment_of;
    page->segments = segments;
    page->segment_count = count;
    const bool is_placed = method->place && ((opt->emit & TH_EMIT_SEGMENTS) ||
                                             (opt->reads & TH_READS_POSITIONS));
    if (!is_placed)
        return TH_OK;
    const th_status placed = method->place(page, opt, page->arena, segments);
    if (placed == TH_OK)
        th_arena_rewind(page->arena, mark);
    return placed;
}
