/* Learning of the boundary graph's weights. [B14 §4, Lacoste-Julien 2013] */
#ifndef TH_BOUNDARY_TRAINING_H
#define TH_BOUNDARY_TRAINING_H

#include "segment/boundary_graph.h"

/**
 * Labels the boundaries by the gold: N if the parts next to it hold one gold number
 * together, else Y. A part without gold takes the number of the part before it (the first
 * part takes the first known number). After a part with several numbers it has its own
 * number. The labels obey the graph's rule of levels.
 * @param gold     of each block; -1 if it has no gold
 * @param is_y     out: one for each boundary
 * @param weighs   out: 0 next to a part without gold, else 1
 * @return TH_OK or TH_NOMEM
 */
th_status th_boundary_gold(const th_page *page, const th_boundary_graph *graph,
                           const int32_t *gold, th_arena *scratch, uint8_t *is_y,
                           uint8_t *weighs);

/**
 * Marks the proper informative boundaries: those around the gold segment with the most
 * tokens, and those that would divide it first. [B14 Def. 3]
 * @param gold     of each block; -1 if it has no gold
 * @param informs  out: one for each boundary
 * @return TH_OK or TH_NOMEM
 */
th_status th_boundary_informative(const th_page *page, const th_boundary_graph *graph,
                                  const int32_t *gold, th_arena *scratch,
                                  uint8_t *informs);

/** Loss of a structural SVM. */
typedef enum th_boundary_loss {
    TH_LOSS_MARGIN, /* margin re-scaling by the share of wrong boundaries [B14 Eq. 20] */
    TH_LOSS_SLACK   /* slack re-scaling by exp(share of wrong proper informative
                     * boundaries), or 1 if the page has none [B14 Eq. 19, 22] */
} th_boundary_loss;

/** A page that is learned from. */
typedef struct th_boundary_sample {
    th_boundary_graph graph; /* levels and parts; its tree is not used */
    int32_t (*features)[TH_BOUNDARY_FEATURES]; /* of each boundary */
    uint8_t *is_y, *weighs;
    uint8_t *informs; /* for TH_LOSS_SLACK */
} th_boundary_sample;

/**
 * Fits weights by block-coordinate Frank-Wolfe: lambda 1e-3, 15 rounds in random order,
 * the mean of the steps' weights. With slack re-scaling, the labels that violate most are
 * the best of nine labelings, each with another price of a wrong informative boundary.
 * @param pages  each with a boundary that weighs
 * @param seed   of the order
 * @param out    the weights, not in fixed point
 * @return TH_OK or TH_NOMEM
 */
th_status th_boundary_train(const th_boundary_sample *const *pages, uint32_t count,
                            th_boundary_loss loss, uint64_t seed,
                            double out[TH_BOUNDARY_FEATURES]);

#endif
