/*
 * Block Fusion: merges adjacent blocks of similar text density. [KN08 §4], [K11 Alg. 4.1]
 *
 * A sweep visits the blocks from left to right. A block is fused with its predecessor
 * when their slope delta is at most theta_max. With smoothing, it is also fused with both
 * neighbours when these are equally dense and denser than itself. A fused block is
 * compared with its next neighbour in the same sweep. Sweeps are repeated until one fuses
 * nothing.
 *
 * A literal implementation is quadratic: where densities alternate (10, 6, 10, 6, ..., 8)
 * one sweep makes one fusion, and a hostile page of 100,000 blocks takes seconds. So a
 * sweep here visits only due blocks: their own density or a neighbour's has changed since
 * the last visit. All other blocks were not fused before and would not be now. A fusion
 * makes three blocks due, so the total cost is linear. The result is that of Alg. 4.1,
 * and the test compares it with the listing.
 *
 * Smoothing does not cross a gap-enforcing tag if the method reads tags
 * [docs/methods.md#segmenters]. bf-plain and bf-smoothed read no tags, as in the paper.
 */
#include <stdbool.h>

#include "page/density.h"
#include "segment/gap_profile.h"
#include "segment/segmenters.h"

/* The page divided into ranges of adjacent blocks; a range is identified by its first
 * block. */
struct fusion {
    const th_page *page;
    const uint8_t *gap_class; /* of the gap before a block; NULL ignores tags */
    double theta_max;
    bool is_smoothed;
    uint32_t *end_of;   /* of a range, or 0 if fused with the one before it */
    uint32_t *start_of; /* for last blocks: the range that ends there */
};

/* Blocks to visit in one sweep, ascending, terminated by block_count. */
struct due {
    uint32_t *blocks;
    uint32_t count;
};

static th_density density(const struct fusion *fusion, uint32_t range)
{
    return th_density_of(fusion->page, range, fusion->end_of[range]);
}

/*
 * [K11 Eq. 4.7] Both products are exact and the quotient is rounded once, like the
 * literal 0.38. So "at most theta_max" also holds exactly at the limit.
 */
static double slope_delta(th_density x, th_density y)
{
    const uint64_t a = (uint64_t)x.tokens * y.lines;
    const uint64_t b = (uint64_t)y.tokens * x.lines;
    const uint64_t high = a > b ? a : b;
    const uint64_t low = a > b ? b : a;
    return high ? (double)(high - low) / (double)high : 0;
}

/* -1, 0 or 1, exactly. */
static int compare(th_density x, th_density y)
{
    const uint64_t a = (uint64_t)x.tokens * y.lines;
    const uint64_t b = (uint64_t)y.tokens * x.lines;
    return (a > b) - (a < b);
}

static uint8_t gap_before(const struct fusion *fusion, uint32_t range)
{
    return fusion->gap_class ? fusion->gap_class[range] : TH_GAP_NEUTRAL;
}

/* Line 4 of the listing: whether the range is a dent between two equals. */
static bool is_dent(const struct fusion *fusion, uint32_t before, uint32_t range)
{
    const uint32_t next = fusion->end_of[range];
    if (!fusion->is_smoothed || next == fusion->page->block_count)
        return false;
    if (gap_before(fusion, range) == TH_GAP_ENFORCING ||
        gap_before(fusion, next) == TH_GAP_ENFORCING)
        return false;
    const th_density rim = density(fusion, before);
    return compare(rim, density(fusion, next)) == 0 &&
           compare(density(fusion, range), rim) < 0;
}

/* Line 11: whether the range is similar to the one before it. [K11 Eq. 4.8] */
static bool is_alike(const struct fusion *fusion, uint32_t before, uint32_t range)
{
    switch (gap_before(fusion, range)) {
    case TH_GAP_ENFORCING:
        return false;
    case TH_GAP_AVOIDING:
        return true;
    default:
        return slope_delta(density(fusion, before), density(fusion, range)) <=
               fusion->theta_max;
    }
}

/* Merges the range with the one after it. */
static void join_next(struct fusion *fusion, uint32_t range)
{
    const uint32_t next = fusion->end_of[range];
    fusion->end_of[range] = fusion->end_of[next];
    fusion->start_of[fusion->end_of[next] - 1] = range;
    fusion->end_of[next] = 0;
}

/* One step of a sweep. @return whether the range was fused into the one before it */
static bool visit(struct fusion *fusion, uint32_t range)
{
    const uint32_t before = fusion->start_of[range - 1];
    if (is_dent(fusion, before, range))
        join_next(fusion, range);
    else if (!is_alike(fusion, before, range))
        return false;
    join_next(fusion, before);
    return true;
}

/* Calls are in ascending order, so a block not above the last one is already noted. */
static void note(struct due *due, uint32_t range)
{
    if (range && (due->count == 0 || due->blocks[due->count - 1] < range))
        due->blocks[due->count++] = range;
}

/* Visits due ranges and, in the same sweep, the neighbour after a fused range. */
static void sweep(struct fusion *fusion, const struct due *now, struct due *next)
{
    const uint32_t end = fusion->page->block_count;
    uint32_t follower = end;
    next->count = 0;
    for (uint32_t at = 0;;) {
        const uint32_t noted = now->blocks[at];
        const uint32_t range = follower < noted ? follower : noted;
        if (range == end)
            break;
        at += noted == range;
        if (follower == range)
            follower = end;
        if (fusion->end_of[range] == 0)
            continue; /* fused earlier in this sweep */
        const uint32_t before = fusion->start_of[range - 1];
        if (!visit(fusion, range))
            continue;
        if (before)
            note(next, fusion->start_of[before - 1]);
        note(next, before);
        follower = fusion->end_of[before];
    }
    next->blocks[next->count] = end;
}

static void fuse(struct fusion *fusion, struct due now, struct due next)
{
    const uint32_t count = fusion->page->block_count;
    for (uint32_t i = 0; i < count; i++) {
        fusion->end_of[i] = i + 1;
        fusion->start_of[i] = i;
        now.blocks[i] = i + 1; /* all but the first, which has none before it */
    }
    now.count = count ? count - 1 : 0;
    while (now.count) {
        sweep(fusion, &now, &next);
        const struct due swept = now;
        now = next;
        next = swept;
    }
}

/* Classifies all gaps once, because a long gap may be queried many times. */
static uint8_t *classify_gaps(const th_page *page, const th_options *opt,
                              th_arena *scratch)
{
    const th_gap_profile *profile = th_gap_profile_find(opt->profile);
    uint8_t *classes = th_arena_alloc(scratch, page->block_count);
    for (uint32_t i = 0; classes && i < page->block_count; i++) {
        const th_block *block = &page->blocks[i];
        classes[i] =
            th_gap_class(profile, page->gap_tags + block->gap_start, block->gap_len);
    }
    return classes;
}

static double theta_of(const th_options *opt, const th_segmenter *method)
{
    return opt->theta_max >= 0 ? opt->theta_max : method->theta_max;
}

/* Fuses with the caller's settings and arrays in scratch, and numbers the ranges. */
static th_status segment_by(struct fusion fusion, th_arena *scratch, uint32_t *segment_of)
{
    const uint32_t count = fusion.page->block_count;
    const size_t size = (size_t)count + 1;
    struct due now = { th_arena_alloc(scratch, size * sizeof(uint32_t)), 0 };
    struct due next = { th_arena_alloc(scratch, size * sizeof(uint32_t)), 0 };
    fusion.end_of = th_arena_alloc(scratch, size * sizeof(uint32_t));
    fusion.start_of = th_arena_alloc(scratch, size * sizeof(uint32_t));
    if (!now.blocks || !next.blocks || !fusion.end_of || !fusion.start_of)
        return TH_NOMEM;
    fuse(&fusion, now, next);
    uint32_t number = 0;
    for (uint32_t range = 0; range < count; range = fusion.end_of[range], number++) {
        for (uint32_t i = range; i < fusion.end_of[range]; i++)
            segment_of[i] = number;
    }
    return TH_OK;
}

static th_status segment_plain(const th_page *page, const th_options *opt,
                               th_arena *scratch, uint32_t *segment_of)
{
    const struct fusion fusion = { .page = page,
                                   .theta_max = theta_of(opt, &th_bf_plain) };
    return segment_by(fusion, scratch, segment_of);
}

static th_status segment_smoothed(const th_page *page, const th_options *opt,
                                  th_arena *scratch, uint32_t *segment_of)
{
    const struct fusion fusion = { .page = page,
                                   .theta_max = theta_of(opt, &th_bf_smoothed),
                                   .is_smoothed = true };
    return segment_by(fusion, scratch, segment_of);
}

static th_status segment_rulebased(const th_page *page, const th_options *opt,
                                   th_arena *scratch, uint32_t *segment_of)
{
    const struct fusion fusion = { .page = page,
                                   .gap_class = classify_gaps(page, opt, scratch),
                                   .theta_max = theta_of(opt, &th_bf_rulebased),
                                   .is_smoothed = true };
    if (!fusion.gap_class)
        return TH_NOMEM;
    return segment_by(fusion, scratch, segment_of);
}

/*
 * With theta_max at infinity Block Fusion removes every gap except the enforced ones,
 * regardless of the densities. The option does not apply, because any other value is
 * bf-rulebased.
 */
static th_status segment_just_rules(const th_page *page, const th_options *opt,
                                    th_arena *scratch, uint32_t *segment_of)
{
    const uint8_t *classes = classify_gaps(page, opt, scratch);
    if (!classes)
        return TH_NOMEM;
    uint32_t number = 0;
    for (uint32_t i = 0; i < page->block_count; i++) {
        number += i && classes[i] == TH_GAP_ENFORCING;
        segment_of[i] = number;
    }
    return TH_OK;
}

const th_segmenter th_bf_plain = {
    .name = "bf-plain",
    .cites = "[K11 Alg. 4.1]",
    .help = "block fusion: joins adjacent blocks with similar text density",
    .theta_max = 0.38,
    .segment = segment_plain,
};

const th_segmenter th_bf_smoothed = {
    .name = "bf-smoothed",
    .cites = "[K11 Alg. 4.1]",
    .help = "block fusion that also joins a block between two denser blocks",
    .theta_max = 0.38,
    .segment = segment_smoothed,
};

const th_segmenter th_bf_rulebased = {
    .name = "bf-rulebased",
    .cites = "[K11 Eq. 4.8]",
    .help = "smoothed block fusion with tags that force or prevent a gap (see profile)",
    .theta_max = 0.6,
    .segment = segment_rulebased,
};

const th_segmenter th_just_rules = {
    .name = "just-rules",
    .cites = "[K11 §4.2.2]",
    .help = "a segment at each tag that forces a gap, regardless of densities",
    .theta_max = -1,
    .segment = segment_just_rules,
};
