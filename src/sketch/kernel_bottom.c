/*
 * Bottom-k: "8 shingles with the minimum hash values" [CKP08 §5.2]. It uses one hash
 * function instead of k permutations. Two signatures compare as sets.
 */
#include "sketch/kernel_bottom.h"

#include <string.h>

static void insert(th_sketch *sketch, uint64_t hash)
{
    uint64_t *slots = sketch->slots;
    uint32_t at = sketch->filled;
    while (at > 0 && slots[at - 1] > hash)
        at--;
    if (at > 0 && slots[at - 1] == hash)
        return;
    if (sketch->filled < sketch->capacity)
        sketch->filled++;
    memmove(slots + at + 1, slots + at, (sketch->filled - at - 1) * sizeof *slots);
    slots[at] = hash;
}

void th_bottom_k(th_sketch *sketch, const uint64_t *hashes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sketch->filled < sketch->capacity ||
            hashes[i] < sketch->slots[sketch->capacity - 1])
            insert(sketch, hashes[i]);
}
