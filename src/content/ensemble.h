/*
 * An ensemble of symmetric decision trees over columns of bytes. Each level of a tree
 * asks the same question of every row, so the answers are the bits of a leaf's number. 32
 * rows go through a tree at a time without a branch. The sums are integers, so every way
 * of evaluating gives the same result.
 */
#ifndef TH_ENSEMBLE_H
#define TH_ENSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/arena.h"
#include "thresher/status.h"

enum {
    TH_ENSEMBLE_DEPTH = 6,      /* most levels of a tree */
    TH_ENSEMBLE_TREES = 4096,   /* most trees */
    TH_ENSEMBLE_OUTPUTS = 7,    /* most values of a leaf */
    TH_ENSEMBLE_SHIFT = 20,     /* most fractional bits */
    TH_ENSEMBLE_BIAS = 1 << 28, /* most of a bias, of either sign */
    TH_ENSEMBLE_ROWS = 32,      /* evaluated together: columns are padded to this */
};

/**
 * Trees as stored in a model's file, from which the arrays are borrowed. Level l of a
 * tree sets bit l of the leaf's number if the row's byte is greater than the threshold. A
 * threshold of 255 is never exceeded. Trees with fewer levels use it.
 */
typedef struct th_ensemble {
    uint32_t tree_count;   /* 0 to TH_ENSEMBLE_TREES */
    uint32_t depth;        /* levels of each tree, 1 to TH_ENSEMBLE_DEPTH */
    uint32_t output_count; /* values of a leaf, 1 to TH_ENSEMBLE_OUTPUTS */
    uint32_t shift;        /* leaves and biases are in 1/2^shift */
    int32_t bias[TH_ENSEMBLE_OUTPUTS];
    const uint8_t *levels; /* [tree][level][2]: column, threshold */
    /* [tree][output][leaf]: the bytes of a leaf's 16-bit value, in two arrays */
    const uint8_t *leaf_low, *leaf_high;
} th_ensemble;

/**
 * Scores rows that are stored in planes, one for each column.
 * @param ensemble  with one output
 * @param column    planes of at least `rows` bytes
 * @param rows      a multiple of TH_ENSEMBLE_ROWS
 * @param score     out: [rows], in 1/2^shift
 * With AVX2 about 20 cycles for a tree and 32 rows.
 */
void th_ensemble_score(const th_ensemble *ensemble, const uint8_t *const *column,
                       uint32_t rows, int32_t *score);

/** The same in plain C, for machines without AVX2 and for the test. */
void th_ensemble_score_portable(const th_ensemble *ensemble, const uint8_t *const *column,
                                uint32_t rows, int32_t *score);

/** The same with AVX2. @return false, and no score, if it lacks AVX2 or six levels */
bool th_ensemble_score_avx2(const th_ensemble *ensemble, const uint8_t *const *column,
                            uint32_t rows, int32_t *score);

/**
 * Scores one row.
 * @param value  of the row in each column
 * @param score  out: [output_count], in 1/2^shift
 */
void th_ensemble_score_one(const th_ensemble *ensemble, const uint8_t *value,
                           int32_t *score);

/**
 * Data to explain rows of an ensemble: the mean of the leaves that can still be reached
 * after each answer. Computed once, so a row costs one step a level.
 */
typedef struct th_ensemble_means {
    const th_ensemble *ensemble;
    int32_t base; /* the part that no column causes: the bias and the mean of each tree */
    /*
     * [tree][2 << depth]: at (1 << l) + i the mean of the leaves whose l lowest bits are
     * i
     */
    const int32_t *mean;
} th_ensemble_means;

/**
 * Computes them of the first output.
 * @param ensemble  borrowed as long as the means are used
 * @param arena     owns them: 8 bytes for each leaf, at most 2 MiB
 * @return TH_OK or TH_NOMEM
 */
th_status th_ensemble_means_make(const th_ensemble *ensemble, th_arena *arena,
                                 th_ensemble_means *out);

/**
 * Computes the contribution of each group of columns to the first output of a row. Along
 * the row's way through a tree, the mean of the leaves that can still be reached changes
 * with each answer. The change is the column's contribution. The sum of means->base and
 * all changes is the row's score. O(trees x depth).
 * @param value     of the row in each column
 * @param group_of  group of each column
 * @param by_group  in and out: the changes are added, in 1/2^shift
 */
void th_ensemble_explain(const th_ensemble_means *means, const uint8_t *value,
                         const uint8_t *group_of, int32_t *by_group);

#endif
