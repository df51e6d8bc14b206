/*
 * bench_ensemble [--rounds N] [--trees N] [--rows N]
 *
 * Trees of six levels over random columns, for the rows of a page: in vectors where the
 * machine has AVX2, and in plain C. Prints the best and the median of N rounds, in
 * nanoseconds a row, and a checksum of the scores.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "content/ensemble.h"
#include "lab/segment/split_mix.h"

enum { COLUMNS = 180, MOST_ROUNDS = 99 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint8_t *random_bytes(uint64_t *state, size_t count)
{
    uint8_t *bytes = malloc(count);
    for (size_t i = 0; bytes && i < count; i++)
        bytes[i] = (uint8_t)th_split_mix_next(state);
    return bytes;
}

typedef void score_rows(const th_ensemble *ensemble, const uint8_t *const *column,
                        uint32_t rows, int32_t *score);

static void measure(const char *name, score_rows *score, const th_ensemble *ensemble,
                    const uint8_t *const *column, uint32_t rows, int32_t *out, int rounds)
{
    double seconds[MOST_ROUNDS];
    uint64_t sum = 0;
    for (int i = -1; i < rounds; i++) { /* the first one warms up */
        const double begin = th_clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
        score(ensemble, column, rows, out);
        if (i >= 0)
            seconds[i] = th_clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin;
    }
    for (uint32_t i = 0; i < rows; i++)
        sum = 31 * sum + (uint32_t)out[i];
    qsort(seconds, (size_t)rounds, sizeof *seconds, compare);
    printf("%-9s %8.1f ns a row, median %8.1f, checksum %016" PRIx64 "\n", name,
           seconds[0] * 1e9 / rows, seconds[rounds / 2] * 1e9 / rows, sum);
}

int main(int argc, char **argv)
{
    uint32_t trees = 400, rows = 320;
    int rounds = 29;
    for (int i = 1; i + 1 < argc; i += 2) {
        const long value = strtol(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--rounds") == 0 && value > 0 && value <= MOST_ROUNDS)
            rounds = (int)value;
        else if (strcmp(argv[i], "--trees") == 0 && value > 0 &&
                 value <= TH_ENSEMBLE_TREES)
            trees = (uint32_t)value;
        else if (strcmp(argv[i], "--rows") == 0 && value > 0 && value <= 1 << 20)
            rows = (uint32_t)value;
        else
            return EXIT_FAILURE;
    }
    rows = (rows + TH_ENSEMBLE_ROWS - 1) / TH_ENSEMBLE_ROWS * TH_ENSEMBLE_ROWS;
    uint64_t state = 1;
    uint8_t *levels = random_bytes(&state, (size_t)12 * trees);
    uint8_t *low = random_bytes(&state, (size_t)64 * trees);
    uint8_t *high = random_bytes(&state, (size_t)64 * trees);
    uint8_t *planes = random_bytes(&state, (size_t)COLUMNS * rows);
    int32_t *out = malloc(rows * sizeof *out);
    const uint8_t *column[COLUMNS];
    int status = EXIT_FAILURE;
    if (levels && low && high && planes && out) {
        for (size_t i = 0; i < (size_t)6 * trees; i++)
            levels[2 * i] %= COLUMNS;
        for (size_t i = 0; i < COLUMNS; i++)
            column[i] = planes + i * rows;
        const th_ensemble ensemble = { .tree_count = trees,
                                       .depth = 6,
                                       .output_count = 1,
                                       .levels = levels,
                                       .leaf_low = low,
                                       .leaf_high = high };
        printf("%u trees of 6 levels, %u rows, %d rounds\n", trees, rows, rounds);
        measure("as called", th_ensemble_score, &ensemble, column, rows, out, rounds);
        measure("plain C", th_ensemble_score_portable, &ensemble, column, rows, out,
                rounds);
        status = EXIT_SUCCESS;
    }
    free(levels);
    free(low);
    free(high);
    free(planes);
    free(out);
    return status;
}
