/* The curves and lengths of a corpus's segmentation as charts. */
#ifndef TH_SEGMENTATION_PLOT_H
#define TH_SEGMENTATION_PLOT_H

#include "lab/segmentation/segmentation_scores.h"

/** Number of adjacent charts for each corpus. */
enum { TH_SEGMENTATION_CHARTS = 5 };

/**
 * Draws the charts of a corpus, by the first field of its gold.
 * @param scores  of a request that wants a plot
 * @param row     corpora drawn before
 * @param values  scratch: double[gold.count]
 * @param arena   scratch
 * @param svg     between th_svg_begin and th_svg_end
 * @return TH_OK or TH_NOMEM
 */
th_status th_segmentation_plot(const th_segmentation_scores *scores, uint32_t row,
                               double *values, th_arena *arena, th_buffer *svg);

#endif
