/* Training samples of one page, by method. */
#ifndef TH_TRAIN_SAMPLE_H
#define TH_TRAIN_SAMPLE_H

#include "lab/train/boundary_training.h"
#include "lab/train/logistic.h"

/*
 * Logistic regressions of a method. cclus has one, gcuts has two: neighbours and
 * children.
 */
enum { TH_SAMPLE_ROWS = 2 };

typedef struct th_sample {
    uint32_t order; /* of the page in all corpora */
    unsigned fold;
    bool is_empty; /* nothing can be learned from it */
    th_boundary_sample boundary;
    th_logistic_rows rows[TH_SAMPLE_ROWS];
} th_sample;

/** A training of a learned method. */
typedef struct th_trainer {
    const char *name; /* the method's name, or a variant of its training */
    const th_feature_set *features;
    /**
     * Collects the training samples of a page.
     * @param gold  of each block; -1 if it has no gold
     * @param arena  owns the sample
     */
    th_status (*gather)(const th_page *page, const int32_t *gold, uint64_t seed,
                        th_arena *scratch, th_arena *arena, th_sample *out);
    /** Learns from samples, which must not be empty. */
    th_status (*fit)(const th_sample *const *samples, uint32_t count, uint64_t seed,
                     th_weights *out);
} th_trainer;

/** Returns training number i, or NULL after the last. */
const th_trainer *th_trainer_at(size_t i);

#endif
