/* Minima under the permutations (a * h + b modulo 2^64) modulo 2^61-1. */
#ifndef TH_KERNEL_MODULAR_H
#define TH_KERNEL_MODULAR_H

#include "sketch/kernel.h"

/**
 * Slot i = min over h of the low 32 bits of ((a[i] * h + b[i] mod 2^64) mod 2^61-1), of
 * the low 32 bits of each base hash: datasketch before 2.0, text-dedup, datatrove with 32
 * bits. Uses AVX2 if available: about 50 us for 1,000 hashes and 128 slots.
 */
void th_modular32(th_sketch *sketch, const uint64_t *hashes, size_t count);

/** Like th_modular32, with all bits of the hashes, and all 61 bits of the result:
 * datatrove with 64 bits. */
void th_modular64(th_sketch *sketch, const uint64_t *hashes, size_t count);

/** Computes the same result without explicit vector instructions, for any processor. */
void th_modular32_portable(th_sketch *sketch, const uint64_t *hashes, size_t count);
void th_modular64_portable(th_sketch *sketch, const uint64_t *hashes, size_t count);

#endif
