/*
 * Two partitions of the same tokens in one table, and how well they agree.
 * [docs/methods.md#measures]
 */
#ifndef TH_CONTINGENCY_H
#define TH_CONTINGENCY_H

#include <stdint.h>

#include "thresher/status.h"

/** Tokens that a segment of the gold and a found segment have in common. */
typedef struct th_cell {
    uint32_t gold, found; /* numbers of the two segments */
    uint64_t tokens;
} th_cell;

/** The table: its cells that are not empty, and its margins. */
typedef struct th_contingency {
    th_cell *cells;
    uint32_t cell_count;
    uint64_t *gold_tokens;  /* by number of the gold's segment */
    uint64_t *found_tokens; /* by number of the segment that was found */
    uint32_t gold_count, found_count;
    uint64_t tokens;
} th_contingency;

/**
 * Puts a table together.
 * @param cells  in any order and with repeats; sorted and joined in place, then borrowed
 * @param gold_tokens, found_tokens  room for gold_count and found_count numbers
 */
void th_contingency_build(th_cell *cells, uint32_t cell_count, uint64_t *gold_tokens,
                          uint32_t gold_count, uint64_t *found_tokens,
                          uint32_t found_count, th_contingency *out);

/** Segments that hold a token. */
uint32_t th_contingency_used(const uint64_t *tokens, uint32_t count);

/**
 * Rand index adjusted for chance: 1 for equal partitions, about 0 for unrelated ones.
 * [Hubert & Arabie 1985]
 */
double th_adjusted_rand(const th_contingency *table);

/** Mutual information / sqrt(H(gold) H(found)); 1 when both are one segment, 0 when only
 * one of them is. [Strehl & Ghosh 2002] */
double th_normalised_mutual_information(const th_contingency *table);

/** Precision, recall and their harmonic mean. */
typedef struct th_b_cubed {
    double p, r, f;
} th_b_cubed;

/**
 * B-cubed over tokens [Bagga & Baldwin 1998; H25 Eq. 2-4]: the mean over tokens of the
 * share of its found segment that is of its gold segment, and the reverse. The table's
 * unit is its cells': with characters for tokens it is H25's measure over characters.
 */
th_b_cubed th_b_cubed_of(const th_contingency *table);

#endif
