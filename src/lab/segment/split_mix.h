/*
 * SplitMix64: the random numbers of the seeded segmenters and of training. A stream is
 * its state; the same seed gives the same numbers everywhere.
 */
#ifndef TH_SPLIT_MIX_H
#define TH_SPLIT_MIX_H

#include <stdint.h>

static inline uint64_t th_split_mix_next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/** A number in [0, n), n > 0. */
static inline uint32_t th_split_mix_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(((th_split_mix_next(state) >> 32) * n) >> 32);
}

/** A permutation of 0 .. n - 1 in `out`. */
static inline void th_split_mix_permute(uint64_t *state, uint32_t n, uint32_t *out)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = i;
    for (uint32_t i = n; i-- > 1;) {
        const uint32_t j = th_split_mix_below(state, i + 1), kept = out[i];
        out[i] = out[j];
        out[j] = kept;
    }
}

#endif
