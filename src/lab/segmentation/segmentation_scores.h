/* Agreement of found segments with gold ones, for every page, field and variant. */
#ifndef TH_SEGMENTATION_SCORES_H
#define TH_SEGMENTATION_SCORES_H

#include "lab/segmentation/gold_segments.h"
#include "lab/segmentation/segmentation_variants.h"
#include "segment/segment_model.h"
#include "thresher/segmenter.h"

/*
 * Lengths of segments, in tokens, that are counted separately. The last count is for all
 * longer ones.
 */
enum { TH_SEGMENTATION_LENGTHS = 1 << 16 };

/** Figures of one page, one variant, one field. */
typedef struct th_segmentation_score {
    double adjusted_rand, nmi, b3_p, b3_r, b3_f;
    double b3_chars_p, b3_chars_r, b3_chars_f; /* each token weighs as its characters */
    double b3_nodes_p, b3_nodes_r, b3_nodes_f; /* over blocks that have gold */
    double largest_found; /* 1 if a found segment is exactly the largest gold segment */
    double coverage, gold_segments, found_segments;
} th_segmentation_score;

/**
 * Returns the model that a method is measured with. NULL if the method learns nothing.
 */
const th_segment_model *th_segmentation_model(const th_eval_request *request,
                                              const th_segmenter *method);

/** A corpus, its variants, and their scores. */
typedef struct th_segmentation_scores {
    /* before */
    const th_eval_request *request;
    const char *name; /* of the corpus */
    th_gold_set gold;
    th_segmentation_variants variants;
    /* after; in the arena */
    th_segmentation_score *scores; /* [page][field][variant], zero without a record */
    uint8_t *was_found;            /* by page: its record gave a page */
    /* With a plot, segments by tokens; gold last:
     * [variants.table_count + 1][TH_SEGMENTATION_LENGTHS]. */
    uint64_t *lengths;
} th_segmentation_scores;

/** The records of the gold's pages. */
typedef struct th_segmentation_archive {
    const char *path;
    uint64_t done_before, total_bytes; /* for progress, over all corpora */
    uint64_t damaged;                  /* out: places that could not be read */
} th_segmentation_archive;

/**
 * Scores every page of the archive that the gold knows, by its first record if several
 * have its id. The scores do not depend on the number of workers.
 * @param scores  in: the members under "before". Sets the rest
 * @param arena   owns the scores
 * @return TH_OK, TH_IO, TH_NOMEM, TH_INTERRUPTED
 */
th_status th_segmentation_score_all(th_segmentation_scores *scores,
                                    th_segmentation_archive *archive, th_arena *arena,
                                    th_error *err);

/** The figures of a page. @param page  its number in the gold */
th_segmentation_score *th_segmentation_score_at(const th_segmentation_scores *scores,
                                                uint32_t page, uint32_t field,
                                                uint32_t variant);

#endif
