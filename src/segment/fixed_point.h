/*
 * Fixed-point arithmetic of the learned segmenters: 1024 is 1.0 in features and
 * probabilities, 65536 in weights. It uses only integers, so every machine computes the
 * same segments. [docs/methods.md]
 */
#ifndef TH_FIXED_POINT_H
#define TH_FIXED_POINT_H

#include <stdint.h>

enum { TH_ONE = 1024 };

/** Returns log2(1 + n), linear between powers of two; 0 for n = 0. */
static inline int32_t th_fixed_lg(uint32_t n)
{
    const uint64_t m = (uint64_t)n + 1;
    const int e = 63 - __builtin_clzll(m);
    return (int32_t)((uint64_t)TH_ONE * (unsigned)e +
                     (((m - (1ull << e)) * TH_ONE) >> e));
}

/** Returns an eighth of th_fixed_lg, as most features use it: 1.0 at 255. */
static inline int32_t th_fixed_lg8(uint32_t n)
{
    return th_fixed_lg(n) >> 3;
}

/** Returns a / b, at most 1.0; 0 if b is 0. */
static inline int32_t th_fixed_ratio(uint64_t a, uint64_t b)
{
    if (b == 0)
        return 0;
    return a >= b ? TH_ONE : (int32_t)(a * TH_ONE / b);
}

/** |a - b| */
static inline int32_t th_fixed_distance(int32_t a, int32_t b)
{
    return a < b ? b - a : a - b;
}

/** Returns the sum of feature x weight, in 1/1024. */
static inline int64_t th_fixed_dot(const int32_t *features, const int32_t *weights,
                                   uint32_t count)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += (int64_t)features[i] * weights[i];
    return sum;
}

/** Returns 1 / (1 + exp(-z)) by a table with linear steps, 0 .. 1024. */
int32_t th_fixed_sigmoid(int64_t z);

/** Largest r with r * r <= n. */
uint32_t th_fixed_sqrt(uint64_t n);

#endif
