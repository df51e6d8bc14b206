/*
 * Tag names as two machine words: one multiplication, one table, one comparison. Callers
 * without such words use th_tag_of.
 */
#ifndef TH_TAG_WORDS_H
#define TH_TAG_WORDS_H

#include <string.h>

#include "thresher/tag.h"

enum { TH_TAG_SLOTS = 1024, TH_TAG_SLOT_BITS = 10, TH_TAG_NAME_MAX = 15 };

/* Hidden, so the shared library reads them without its symbol table. */
#pragma GCC visibility push(hidden)
extern const uint64_t th_tag_multiplier;
extern const uint8_t th_tag_slots[TH_TAG_SLOTS];
extern const char th_tag_names[TH_TAG_COUNT][16]; /* padded with zeros */
#pragma GCC visibility pop

/** Loads eight bytes, the first as the lowest on every machine. */
static inline uint64_t th_tag_load(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/** Returns the first `len` bytes of a word, followed by zeros. */
static inline uint64_t th_tag_keep(uint64_t word, size_t len)
{
    return len >= 8 ? word : word & ((1ull << (8 * len)) - 1);
}

/** Converts the ASCII capitals of a word to lower case. */
static inline uint64_t th_tag_lower(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101;
    const uint64_t low = word & (0x7F * ones);
    const uint64_t is_from_a = low + (0x80 - 'A') * ones;
    const uint64_t is_past_z = low + (0x7F - 'Z') * ones;
    return word | ((is_from_a & ~is_past_z & ~word & (0x80 * ones)) >> 2);
}

/** Returns the number of a lower-case name of 1..16 bytes, without NUL, padded with
 * zeros. */
static inline th_tag th_tag_of_words(uint64_t low, uint64_t high)
{
    const uint64_t slot = ((low + high) * th_tag_multiplier) >> (64 - TH_TAG_SLOT_BITS);
    const th_tag tag = th_tag_slots[slot];
    const char *name = th_tag_names[tag];
    return th_tag_load(name) == low && th_tag_load(name + 8) == high ? tag : TH_TAG_OTHER;
}

#endif
