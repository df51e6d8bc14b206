/* A Bloom filter in cache lines: whether a key may be in a sealed table. It uses the same
 * keys as the table. */
#ifndef TH_KEY_FILTER_H
#define TH_KEY_FILTER_H

#include <stdbool.h>
#include <stdint.h>

/** 512 bits: a cache line. */
typedef struct th_filter_line {
    uint64_t words[8];
} th_filter_line;

typedef struct th_key_filter {
    th_filter_line *lines; /* borrowed */
    uint64_t line_count;
} th_key_filter;

enum { TH_FILTER_BITS_PER_KEY = 10 };

/** Returns the number of lines for `keys` keys. */
uint64_t th_key_filter_size(uint64_t keys);

void th_key_filter_add(th_key_filter *filter, uint32_t key);
void th_key_filter_prefetch(const th_key_filter *filter, uint32_t key);

/** Returns false if the key was never added. Returns true for added keys, and for 1.4% of
 * other keys. */
bool th_key_filter_may_hold(const th_key_filter *filter, uint32_t key);

#endif
