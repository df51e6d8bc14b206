/*
 * Numbers of the words in class, id, role and itemprop. The parser keeps these numbers,
 * and lists of words are compared by them.
 */
#ifndef TH_CLASS_WORD_H
#define TH_CLASS_WORD_H

#include <stdint.h>

#include "thresher/page.h"
#include "thresher/view.h"

/* Bits of a word's number that contain its attribute: TH_WORD_IN_... */
enum { TH_WORD_PLACE = 3 };

/* Adds one letter to a hash. [FNV-1a] */
#define TH_WORD_START UINT32_C(2166136261)
static inline uint32_t th_word_step(uint32_t hash, unsigned char letter)
{
    return (hash ^ letter) * UINT32_C(16777619);
}

/** Returns the number of a word from the hash of its letters. @param place
 * TH_WORD_IN_... */
static inline uint32_t th_word_end(uint32_t hash, unsigned place)
{
    hash ^= hash >> 15;
    hash *= UINT32_C(0x2C1B3C6D);
    hash ^= hash >> 12;
    return (hash & ~(uint32_t)TH_WORD_PLACE) | place;
}

/** Returns the number of a lower-case word. */
static inline uint32_t th_word_number(th_view word, unsigned place)
{
    uint32_t hash = TH_WORD_START;
    for (size_t i = 0; i < word.len; i++)
        hash = th_word_step(hash, (unsigned char)word.data[i]);
    return th_word_end(hash, place);
}

/** Returns one of 64 bits. A set that has a word has its bit. */
static inline uint64_t th_word_bit(uint32_t word)
{
    return UINT64_C(1) << (word >> 2 & 63);
}

#endif
