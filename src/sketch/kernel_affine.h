/* Minima under the permutations a * fmix(h) + b modulo 2^32 or 2^64. */
#ifndef TH_KERNEL_AFFINE_H
#define TH_KERNEL_AFFINE_H

#include "sketch/kernel.h"

/**
 * datasketch's affine32: slot i = min over h of a[i] * fmix32(h) + b[i] mod 2^32, of the
 * low 32 bits of each base hash. fmix is MurmurHash3's finaliser. Uses AVX2 if available:
 * 10 us for 1,000 hashes and 128 slots.
 */
void th_affine32(th_sketch *sketch, const uint64_t *hashes, size_t count);

/** Like th_affine32 but modulo 2^64, of all bits: about 40 us for 1,000 hashes and 112
 * slots. */
void th_affine64(th_sketch *sketch, const uint64_t *hashes, size_t count);

/** Computes the same result without explicit vector instructions, for any processor. */
void th_affine32_portable(th_sketch *sketch, const uint64_t *hashes, size_t count);
void th_affine64_portable(th_sketch *sketch, const uint64_t *hashes, size_t count);

#endif
