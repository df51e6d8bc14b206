/* Segmentation methods: they assign a segment number to each atomic block of a page. */
#ifndef THRESHER_SEGMENTER_H
#define THRESHER_SEGMENTER_H

#include "thresher/options.h"
#include "thresher/page.h"

#ifdef __cplusplus
extern "C" {
#endif

struct th_feature_set;

/** A segmentation method: no state, no constructor. */
typedef struct th_segmenter {
    const char *name;  /* as in config and output: "bf-plain" */
    const char *cites; /* "[KN08 §4]" */
    const char *help;  /* one line for --help */
    double theta_max;  /* its default; negative if it has none */
    /**
     * Writes one segment number per atomic block: uint32_t[page->block_count], dense
     * from 0, in order of first appearance. Fails only with TH_NOMEM.
     */
    th_status (*segment)(const th_page *page, const th_options *opt, th_arena *scratch,
                         uint32_t *segment_of);
    /** Features that its model must have; NULL if it has no model. */
    const struct th_feature_set *features;
    /**
     * Fills in position and inner of a segmented page's segments, for records that emit
     * segments. NULL if the method has no positions. Returns TH_OK or TH_NOMEM. Costs
     * another segmentation.
     */
    th_status (*place)(const th_page *page, const th_options *opt, th_arena *scratch,
                       th_segment *segments);
} th_segmenter;

/** The library's methods; ends with a NULL pointer. */
extern TH_API const th_segmenter *const th_segmenters[];

/**
 * Finds a method by name.
 * @param methods  ends with a NULL pointer; NULL: th_segmenters
 * @return NULL if there is no such method. Thread-safe.
 */
TH_API const th_segmenter *th_segmenter_find(const th_segmenter *const *methods,
                                             const char *name);

/** Returns the method that the options name, or NULL. @param opt complete */
TH_API const th_segmenter *th_segmenter_of(const th_options *opt);

/**
 * The stage: runs opt->segmenter and fills page->segment_of, segments and segment_count
 * (except the labels, which select adds).
 * @param opt  checked by th_options_check before
 * @return TH_OK; TH_NOMEM; TH_USAGE if th_options_init has not initialised the options. A
 *         page without blocks gets no segments.
 * Cost: the baselines and block fusion are linear in blocks and their gaps' tags. See
 * docs/methods.md#segmenters for the others.
 */
TH_API th_status th_segment_page(th_page *page, const th_options *opt);

#ifdef __cplusplus
}
#endif

#endif
