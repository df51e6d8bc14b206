/* Computes the distance of two names row by row. Three rows are kept, for swaps. */
#include "base/edit_distance.h"

#include <string.h>

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t th_edit_distance(const char *a, const char *b)
{
    size_t rows[3][TH_NAME_MAX + 1];
    const size_t a_len = strlen(a), b_len = strlen(b);
    if (a_len > TH_NAME_MAX || b_len > TH_NAME_MAX)
        return TH_NAME_MAX;
    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t *const row = rows[i % 3];
        const size_t *const above = rows[(i + 2) % 3];
        const size_t *const above_that = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            row[j] =
                min(min(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min(row[j], above_that[j - 2] + 1);
        }
    }
    return rows[a_len % 3][b_len];
}

int th_name_is_near(const char *name, size_t distance)
{
    return 3 * distance <= strlen(name);
}
