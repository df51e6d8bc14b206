/* Finds the known name that is nearest to a mistyped one. */
#ifndef TH_EDIT_DISTANCE_H
#define TH_EDIT_DISTANCE_H

#include <stddef.h>

/* Maximum bytes of a compared name. */
enum { TH_NAME_MAX = 63 };

/**
 * Returns the restricted Damerau-Levenshtein distance of two names: the insertions,
 * deletions, changes and swaps of adjacent letters that convert one into the other.
 * @return the distance, at most TH_NAME_MAX; TH_NAME_MAX if a name is longer than that.
 *         O(product of the lengths)
 */
size_t th_edit_distance(const char *a, const char *b);

/** Returns whether a name at this distance is close enough to suggest: at most a third of
 * it differs. */
int th_name_is_near(const char *name, size_t distance);

#endif
