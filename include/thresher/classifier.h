/* Boilerplate classifiers: they label each atomic block of a segmented page. */
#ifndef THRESHER_CLASSIFIER_H
#define THRESHER_CLASSIFIER_H

#include "thresher/options.h"
#include "thresher/page.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The reason for a block's label, as text. Names in braces are features: of the block
 * (tokens, density, link_density), of its neighbours (prev.tokens, next.density, ...), of
 * its segment (segment.density), or of a learned classifier (score, cut,
 * paragraph.tokens).
 */
typedef struct th_reason {
    uint8_t label; /* to which it leads */
    const char *words;
} th_reason;

/** A classifier: no state, no constructor. [K11 §4.4] What it may read: the page after
 * th_segment_page. */
typedef struct th_classifier {
    const char *name;         /* as in config and output: "num-words" */
    const char *cites;        /* "[K11 Alg. 4.3]" */
    const char *help;         /* one line for --help */
    const th_reason *reasons; /* all that can decide; ends with NULL words */
    /**
     * Writes what decides, an index into `reasons`, per atomic block:
     * uint8_t[page->block_count]. The reason's label becomes the block's. May read the
     * segment column. Fails only with TH_NOMEM.
     */
    th_status (*decide)(const th_page *page, const th_options *opt, th_arena *scratch,
                        uint8_t *reason_of);
    /**
     * The same for a classifier of paragraphs, which then has no `decide`: reason_of has
     * page->paragraph_count entries, and a block has the label of its paragraph. Also
     * fills in page->learned.
     */
    th_status (*judge)(th_page *page, const th_options *opt, uint8_t *reason_of);
    uint32_t reads; /* TH_READS_...: further parts of the page that it needs */
} th_classifier;

/* In addition to every classifier's own reasons: the paragraph recurs on the page's
 * site. */
enum { TH_REASON_RECURS = 255 };

/** Returns the classifier's reason with this number, or the reason for
 * TH_REASON_RECURS. */
TH_API const th_reason *th_reason_of(const th_classifier *classifier, uint8_t number);

/** All classifiers; ends with a NULL pointer. */
extern TH_API const th_classifier *const th_classifiers[];

/** A classifier by name, NULL when there is none. */
TH_API const th_classifier *th_classifier_find(const char *name);

/**
 * The stage: runs opt->classifier on a segmented page, and where the page's
 * paragraph_recurs is filled opt->sites_rule behind it; fills reason_of, label_of,
 * content_tokens, the label and content_tokens of each segment, and main_segment by
 * opt->main_segment.
 * @param opt  checked by th_options_check before
 * @return TH_OK; TH_NOMEM; TH_USAGE when th_options_init has not seen the options
 */
TH_API th_status th_select_page(th_page *page, const th_options *opt);

/**
 * Returns the page's main content as readable text: content blocks in order, one line
 * each, with an empty line where the segment changes.
 * @return UTF-8 in the page's arena; {"" , 0} without content. data is NULL if out of
 *         memory
 */
TH_API th_view th_page_content_text(th_page *page);

#ifdef __cplusplus
}
#endif

#endif
