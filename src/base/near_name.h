/* The known name that is nearest to a mistyped one. */
#ifndef TH_NEAR_NAME_H
#define TH_NEAR_NAME_H

#include <stddef.h>

/* Bytes of a name that is compared. */
enum { TH_NAME_MAX = 63 };

/**
 * How many letters must be put in, left out, changed or swapped with the next one to make
 * one name of the other (restricted Damerau-Levenshtein distance).
 * @return the distance, at most TH_NAME_MAX; TH_NAME_MAX where a name is longer than
 *         that. O(product of the lengths)
 */
size_t th_name_distance(const char *a, const char *b);

/** Whether a name at this distance is worth telling: a third of it may be wrong. */
int th_name_is_near(const char *name, size_t distance);

#endif
