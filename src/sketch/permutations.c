/*
 * Permutation tables from the Mersenne Twister MT19937. The numbers equal numpy's
 * RandomState, so Python can read and make the signatures. [Matsumoto & Nishimura 1998],
 * docs/near-duplicates.md#presets; checked against tests/data/minhash/vectors.jsonl.
 *
 * numpy draws a bounded number by masking to the next power of two and rejecting numbers
 * above the bound. The affine bounds are powers of two, so no number is rejected there.
 */
#include "sketch/permutations.h"

#include <assert.h>

enum { WORDS = 624, SHIFT = 397 };

typedef struct twister {
    uint32_t words[WORDS];
    uint32_t next; /* index of the next word; WORDS if all are used */
} twister;

static void seed_twister(twister *t, uint32_t seed)
{
    t->words[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++) {
        const uint32_t last = t->words[i - 1];
        t->words[i] = 1812433253u * (last ^ (last >> 30)) + i;
    }
    t->next = WORDS;
}

static void refill(twister *t)
{
    uint32_t *w = t->words;
    for (uint32_t i = 0; i < WORDS; i++) {
        const uint32_t y = (w[i] & 0x80000000u) | (w[(i + 1) % WORDS] & 0x7FFFFFFFu);
        w[i] = w[(i + SHIFT) % WORDS] ^ (y >> 1) ^ (y & 1 ? 0x9908B0DFu : 0);
    }
    t->next = 0;
}

static uint32_t draw32(twister *t)
{
    if (t->next == WORDS)
        refill(t);
    uint32_t y = t->words[t->next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9D2C5680u;
    y ^= (y << 15) & 0xEFC60000u;
    return y ^ (y >> 18);
}

/* Draws 64 bits, the high word first. */
static uint64_t draw64(twister *t)
{
    const uint64_t high = draw32(t);
    return high << 32 | draw32(t);
}

/* Draws from low, low + 1, ..., 2^61-2: masks to 61 bits, and repeats while the number is
 * too large. */
static uint64_t draw_residue(twister *t, uint64_t low)
{
    const uint64_t mask = ((uint64_t)1 << 61) - 1;
    uint64_t value;
    do
        value = draw64(t) & mask;
    while (value > mask - 1 - low);
    return low + value;
}

void th_permutations_interleaved(th_permutations *table, uint32_t seed, uint32_t count)
{
    assert(count <= TH_SLOTS_MAX);
    twister t;
    seed_twister(&t, seed);
    for (uint32_t i = 0; i < count; i++) {
        table->a[i] = draw_residue(&t, 1);
        table->b[i] = draw_residue(&t, 0);
    }
}

void th_permutations_sequential(th_permutations *table, uint32_t seed, uint32_t count)
{
    assert(count <= TH_SLOTS_MAX);
    twister t;
    seed_twister(&t, seed);
    for (uint32_t i = 0; i < count; i++)
        table->a[i] = draw_residue(&t, 1);
    for (uint32_t i = 0; i < count; i++)
        table->b[i] = draw_residue(&t, 0);
}

/* a = 2r + 1 with r below half the range. Doubling shifts out the bit that numpy
 * masks. */
void th_permutations_affine32(th_permutations *table, uint32_t seed, uint32_t count)
{
    assert(count <= TH_SLOTS_MAX);
    twister t;
    seed_twister(&t, seed);
    for (uint32_t i = 0; i < count; i++)
        table->a[i] = draw32(&t) << 1 | 1;
    for (uint32_t i = 0; i < count; i++)
        table->b[i] = draw32(&t);
}

void th_permutations_affine64(th_permutations *table, uint32_t seed, uint32_t count)
{
    assert(count <= TH_SLOTS_MAX);
    twister t;
    seed_twister(&t, seed);
    for (uint32_t i = 0; i < count; i++)
        table->a[i] = draw64(&t) << 1 | 1;
    for (uint32_t i = 0; i < count; i++)
        table->b[i] = draw64(&t);
}
