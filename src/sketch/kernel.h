/* Kernels compute the slots of a signature from base hashes of shingles. */
#ifndef TH_KERNEL_H
#define TH_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "sketch/permutations.h"

/** A signature in progress, in the caller's memory. */
typedef struct th_sketch {
    const th_permutations *table; /* at least `capacity` pairs; NULL if not needed */
    uint64_t *slots;              /* [room] */
    uint32_t capacity;            /* slots of a complete signature (k), 1..TH_SLOTS_MAX */
    uint32_t filled;              /* slots that hold a value, from 0 */
} th_sketch;

/**
 * Folds base hashes into a sketch. The result does not depend on the order of the hashes,
 * on repeats, or on their division into calls. Allocates nothing; O(count * room) at
 * most.
 */
typedef void th_kernel(th_sketch *sketch, const uint64_t *hashes, size_t count);

#endif
