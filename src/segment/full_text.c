/* The baseline with one segment: the whole page. [KN08 §5] */
#include "segment/segmenters.h"

static th_status segment_full_text(const th_page *page, const th_options *opt,
                                   th_arena *scratch, uint32_t *segment_of)
{
    (void)opt;
    (void)scratch;
    for (uint32_t i = 0; i < page->block_count; i++)
        segment_of[i] = 0;
    return TH_OK;
}

const th_segmenter th_full_text = {
    .name = "full-text",
    .cites = "[KN08 §5]",
    .help = "baseline: the complete page is one segment",
    .theta_max = -1,
    .segment = segment_full_text,
};
