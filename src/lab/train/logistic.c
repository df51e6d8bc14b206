#include "lab/train/logistic.h"

#include <math.h>
#include <string.h>

enum { STEPS = 12, WIDTH = TH_LOGISTIC_FEATURES };
static const double ridge = 1e-4, enough = 1e-9;

/* Slope and curvature of the mean loss. */
struct terrain {
    double slope[WIDTH], curve[WIDTH][WIDTH];
};

static void add_row(struct terrain *sum, const int32_t *features, bool is_yes,
                    double weight, uint32_t width, const double *w)
{
    double x[WIDTH], z = 0;
    for (uint32_t i = 0; i < width; i++) {
        x[i] = features[i] / 1024.0;
        z += w[i] * x[i];
    }
    const double p = 1 / (1 + exp(-z));
    const double slope = weight * (p - is_yes), curve = weight * p * (1 - p);
    for (uint32_t i = 0; i < width; i++) {
        sum->slope[i] += slope * x[i];
        for (uint32_t j = 0; j <= i; j++)
            sum->curve[i][j] += curve * x[i] * x[j];
    }
}

/* Solves curve * x = slope in place by Cholesky: the ridge keeps it positive. */
static void solve(struct terrain *at, uint32_t width)
{
    double(*c)[WIDTH] = at->curve, *x = at->slope;
    for (uint32_t i = 0; i < width; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            for (uint32_t k = 0; k < j; k++)
                c[i][j] -= c[i][k] * c[j][k];
            c[i][j] = i == j ? sqrt(c[i][i]) : c[i][j] / c[j][j];
        }
        for (uint32_t k = 0; k < i; k++)
            x[i] -= c[i][k] * x[k];
        x[i] /= c[i][i];
    }
    for (uint32_t i = width; i-- > 0;) {
        for (uint32_t k = i + 1; k < width; k++)
            x[i] -= c[k][i] * x[k];
        x[i] /= c[i][i];
    }
}

bool th_logistic_fit(const th_logistic_rows *pages, uint32_t count, uint32_t width,
                     double *out)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        used += pages[i].count > 0;
    memset(out, 0, width * sizeof *out);
    double change = used ? 1 : 0;
    for (int step = 0; step < STEPS && change > enough; step++) {
        struct terrain sum = { 0 };
        for (uint32_t i = 0; i < count; i++) {
            const th_logistic_rows *page = &pages[i];
            for (uint32_t k = 0; k < page->count; k++)
                add_row(&sum, page->features + (size_t)k * width, page->is_yes[k],
                        1.0 / used / page->count, width, out);
        }
        for (uint32_t i = 0; i < width; i++) {
            sum.slope[i] += ridge * out[i];
            sum.curve[i][i] += ridge;
        }
        solve(&sum, width);
        change = 0;
        for (uint32_t i = 0; i < width; i++) {
            out[i] -= sum.slope[i];
            change = fmax(change, fabs(sum.slope[i]));
        }
    }
    return used > 0;
}
