/* Orders for qsort and bsearch. */
#ifndef TH_ORDER_H
#define TH_ORDER_H

#include <stdint.h>
#include <string.h>

/** Compares two uint32_t. */
static inline int th_order_uint32(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/** Compares two uint64_t. */
static inline int th_order_uint64(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/** Compares two strings, by byte. */
static inline int th_order_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

#endif
