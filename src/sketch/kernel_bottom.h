/* The k smallest base hashes. [CKP08 §5.2] */
#ifndef TH_KERNEL_BOTTOM_H
#define TH_KERNEL_BOTTOM_H

#include "sketch/kernel.h"

/**
 * Keeps the `capacity` smallest distinct base hashes, ascending, or all if there are fewer.
 * Needs no table. O(count) once the slots are full, because few hashes are inserted.
 */
void th_bottom_k(th_sketch *sketch, const uint64_t *hashes, size_t count);

#endif
