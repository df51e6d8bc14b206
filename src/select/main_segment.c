/*
 * Finds the main segment of a page, whose words are signed. [KN08 §5.3]
 *
 * The paper takes the segment with most tokens among the segments with fewer linked than
 * plain tokens, `largest`. On pages after 2008 that is too often the small print of a
 * footer, a consent form or a list of services. On the benchmark of
 * docs/measurements/duplicates.md it finds 85% of the copies in other templates and
 * joins 2.7% of different pages with one template, because a short text in pieces is
 * smaller than its template's longest piece.
 *
 * `weighed`, the default, uses the papers' properties of content. It counts only plain
 * tokens. They count less in thin text (under ten tokens a line, where [KN08 §4] sees
 * full text begin), and half if the page itself marks the text as not content (FOOTER,
 * NAV, ASIDE). It finds 91% and joins 1.2%. The weight needs no fine tuning: a half gives
 * the same result as a fifth.
 *
 * With a learned classifier `weighed` is the segment with the most expected content, and
 * needs no such marks. Signing all content, or only content with a high score, finds
 * less, because copies differ by a paragraph (docs/eval.md).
 */
#include "select/main_segment.h"

#include <string.h>

enum { FULL_TEXT_DENSITY = 10 }; /* tokens per line of w_max columns */

const char *const th_main_segment_names[] = { "weighed", "largest", NULL };

/* Returns for each node whether it is a FOOTER, NAV or ASIDE or inside one. Parents come
 * first. */
static uint8_t *mark_beside(const th_page *page)
{
    static const bool is_beside_tag[TH_TAG_COUNT] = {
        [TH_TAG_FOOTER] = true, [TH_TAG_NAV] = true, [TH_TAG_ASIDE] = true
    };
    uint8_t *is_beside = th_arena_calloc(page->arena, (size_t)page->node_count + 1, 1);
    for (uint32_t i = 0; is_beside && i < page->node_count; i++) {
        const th_node *node = &page->nodes[i];
        is_beside[i] =
            is_beside_tag[node->tag] || (node->parent < i && is_beside[node->parent]);
    }
    return is_beside;
}

/* Counts the tokens of each segment that are in FOOTER, NAV or ASIDE. */
static uint32_t *count_beside(const th_page *page)
{
    const uint8_t *is_beside = mark_beside(page);
    uint32_t *counts =
        th_arena_calloc(page->arena, (size_t)page->segment_count + 1, sizeof *counts);
    if (!is_beside || !counts)
        return NULL;
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_block *block = &page->blocks[i];
        if (block->node < page->node_count && is_beside[block->node])
            counts[page->segment_of[i]] += block->tokens;
    }
    return counts;
}

/* Returns a segment's weight, 0 if it cannot be the main segment. */
static double weight(const th_segment *segment, uint32_t beside)
{
    const uint32_t plain = segment->tokens - segment->linked_tokens;
    if (segment->linked_tokens >= plain)
        return 0;
    const double fullness = segment->density / (double)FULL_TEXT_DENSITY;
    const double place = beside >= segment->tokens - beside ? 0.5 : 1;
    return plain * (fullness < 1 ? fullness : 1) * place;
}

/* Returns a segment's size as in the paper, by tokens and links only. */
static double size(const th_segment *segment)
{
    const uint32_t plain = segment->tokens - segment->linked_tokens;
    return segment->linked_tokens < plain ? segment->tokens : 0;
}

/* Finds by scores the segment with the most expected plain content words. Only blocks
 * that are labelled content count. The segment must have fewer linked than plain
 * words. */
static th_status find_learned(const th_page *page, uint32_t *out)
{
    uint64_t *sums =
        th_arena_calloc(page->arena, (size_t)page->segment_count + 1, sizeof *sums);
    if (!sums)
        return TH_NOMEM;
    for (uint32_t i = 0; i < page->block_count; i++) {
        const th_block *block = &page->blocks[i];
        const uint32_t plain = block->tokens - block->linked_tokens;
        if (page->label_of[i] == TH_CONTENT)
            sums[page->segment_of[i]] +=
                (uint64_t)page->learned->score_of[block->paragraph] * plain;
    }
    uint64_t max = 0;
    *out = TH_NONE;
    for (uint32_t i = 0; i < page->segment_count; i++) {
        if (sums[i] > max && size(&page->segments[i]) > 0) {
            max = sums[i];
            *out = i;
        }
    }
    return TH_OK;
}

th_status th_main_segment_find(const th_page *page, const th_options *opt, uint32_t *out)
{
    const bool is_weighed =
        !opt->main_segment || strcmp(opt->main_segment, "largest") != 0;
    if (is_weighed && page->learned)
        return find_learned(page, out);
    const uint32_t *beside = is_weighed ? count_beside(page) : NULL;
    uint32_t found = TH_NONE;
    double max = 0;
    if (is_weighed && !beside)
        return TH_NOMEM;
    for (uint32_t i = 0; i < page->segment_count; i++) {
        const th_segment *segment = &page->segments[i];
        const double value = beside ? weight(segment, beside[i]) : size(segment);
        if (value > max) {
            found = i;
            max = value;
        }
    }
    *out = found;
    return TH_OK;
}
