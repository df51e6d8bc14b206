/*
 * The hashed logistic regression over the words of classes and of short texts: its weights,
 * and the bucket of a word.
 */
#ifndef TH_TOKEN_TABLE_H
#define TH_TOKEN_TABLE_H

#include <stdint.h>

enum {
    TH_TOKEN_BUCKETS = 4096,
    TH_TOKEN_UNIT = 1024,    /* weights are log-odds in units of 1/TH_TOKEN_UNIT */
    TH_TOKEN_BIAS = 1 << 24, /* most of a table's bias, of either sign */
};

typedef struct th_token_table {
    int32_t bias;
    int16_t weight[TH_TOKEN_BUCKETS];
} th_token_table;

/** Returns the bucket of a word of a text. */
static inline uint16_t th_bucket_of_word(uint32_t hash)
{
    return (uint16_t)((hash * UINT32_C(0x9E3779B1)) >> 20);
}

/**
 * Returns the bucket of a word of a class, id, role or itemprop. @param group  how far up
 * its element is
 */
static inline uint16_t th_bucket_of_class(uint32_t word, unsigned group)
{
    word = (word + (group + 1) * UINT32_C(0x7FEB352D)) * UINT32_C(0x846CA68B);
    return (uint16_t)((word ^ word << 11) >> 20);
}

#endif
