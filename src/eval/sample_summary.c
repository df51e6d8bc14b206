/* Mean, median, standard error and bootstrap interval. */
#include "eval/sample_summary.h"

#include <math.h>
#include <stdlib.h>

double th_mean(const double *values, size_t count)
{
    double sum = 0;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            continue;
        sum += values[i];
        used++;
    }
    return used ? sum / (double)used : 0;
}

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double th_median(double *values, size_t count)
{
    if (!count)
        return 0;
    qsort(values, count, sizeof *values, by_size);
    return count % 2 ? values[count / 2]
                     : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* splitmix64 [Steele et al. 2014]: the same numbers everywhere. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

th_status th_bootstrap_mean(const double *values, size_t count, uint32_t resamples,
                            th_interval *out)
{
    if (!count || !resamples) {
        *out = (th_interval){ 0 };
        return TH_OK;
    }
    double *means = calloc(resamples, sizeof *means);
    uint64_t state = 1;
    if (!means)
        return TH_NOMEM;
    for (uint32_t i = 0; i < resamples; i++) {
        double sum = 0;
        for (size_t j = 0; j < count; j++)
            sum += values[draw(&state) % count];
        means[i] = sum / (double)count;
    }
    qsort(means, resamples, sizeof *means, by_size);
    const size_t edge = resamples / 40; /* 2.5 percent on either side */
    *out = (th_interval){ means[edge], means[resamples - 1 - edge] };
    free(means);
    return TH_OK;
}
