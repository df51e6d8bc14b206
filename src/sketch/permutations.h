/* Tables of random permutations, drawn like numpy. docs/near-duplicates.md#presets */
#ifndef TH_PERMUTATIONS_H
#define TH_PERMUTATIONS_H

#include <stdint.h>

#include "thresher/minhash.h"

/** The constants of x -> a * x + b, one pair for each slot of a signature. */
typedef struct th_permutations {
    uint64_t a[TH_SLOTS_MAX];
    uint64_t b[TH_SLOTS_MAX];
} th_permutations;

/**
 * Fills the first `count` pairs of a table, 1..TH_SLOTS_MAX, from numpy's
 * RandomState(seed). Pure; about 10 us for 128 pairs.
 */
typedef void th_permutation_draw(th_permutations *table, uint32_t seed, uint32_t count);

/**
 * Draws like datasketch's affine32 and affine64: first every a, odd and thus a bijection
 * modulo 2^32 or 2^64, then every b. So a table of 8 is not the start of one of 128.
 */
th_permutation_draw th_permutations_affine32;
th_permutation_draw th_permutations_affine64;

/**
 * a in [1, P) and b in [0, P), P = 2^61-1. Interleaved is a0, b0, a1, b1, ... like
 * datasketch before 2.0. There a table of 8 is the start of one of 128. Sequential is
 * every a, then every b, like datatrove and text-dedup.
 */
th_permutation_draw th_permutations_interleaved;
th_permutation_draw th_permutations_sequential;

#endif
