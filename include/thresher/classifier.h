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
    uint8_t label; /* the block's label */
    const char *words;
} th_reason;

/** A classifier: no state, no constructor. [K11 §4.4] It may read the page as
 * th_segment_page leaves it. */
typedef struct th_classifier {
    const char *name;         /* as in config and output: "num-words" */
    const char *cites;        /* "[K11 Alg. 4.3]" */
    const char *help;         /* one line for --help */
    const th_reason *reasons; /* all possible reasons; ends with NULL words */
    /**
     * Writes the reason for each atomic block, an index into `reasons`:
     * uint8_t[page->block_count]. The reason's label becomes the block's. May read the
     * segment column. Fails only with TH_NOMEM.
     */
    th_status (*decide)(const th_page *page, const th_options *opt, th_arena *scratch,
                        uint8_t *reason_of);
    /**
     * Like `decide`, for a classifier of paragraphs, whose `decide` is NULL. reason_of
     * has page->paragraph_count entries, and a block has the label of its paragraph. Also
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

/** Finds a classifier by name. NULL if there is none. */
TH_API const th_classifier *th_classifier_find(const char *name);

/**
 * The stage: runs opt->classifier on a segmented page, then opt->sites_rule if the page
 * has paragraph_recurs. Fills reason_of, label_of, content_tokens, the label and
 * content_tokens of each segment, and main_segment by opt->main_segment.
 * @param opt  checked by th_options_check before
 * @return TH_OK; TH_NOMEM; TH_USAGE if th_options_init has not initialised the options
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
