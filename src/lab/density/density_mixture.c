/*
 * Fit of the mixture. Given the shapes (two Betas, centre and width of the normal part)
 * the three weights are a linear least-squares problem, solved exactly; so the simplex
 * walks over six numbers and not nine. c, d, e, mu and sigma follow from the weights.
 */
#include "lab/density/density_mixture.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "lab/density/nelder_mead.h"

enum { SHAPES = 6, PARTS = 3, CALLS = 3000 };

static const double root_two_pi = 2.5066282746310002;

/* The data of the fit: the shares, and the weights of the last shapes. */
struct fit {
    double shares[TH_DENSITY_BINS];
    uint32_t bins;
    double weights[PARTS];
};

/* Shapes as the simplex walks over them: each from -infinity to infinity. */
struct shapes {
    double a1, b1, a2, b2, centre, width; /* the normal's on the scale of x */
};

/* A Beta by its mode in (0, 1) and how narrow it is: a, b > 1, so there is one mode. */
static void beta_of(double mode_logit, double narrow_log, double *a, double *b)
{
    const double mode = 1 / (1 + exp(-mode_logit));
    const double narrow = exp(fmin(narrow_log, 8));
    *a = 1 + mode * narrow;
    *b = 1 + (1 - mode) * narrow;
}

static struct shapes shapes_of(const double *x)
{
    struct shapes shapes = { .centre = x[4], .width = exp(fmax(fmin(x[5], 0), -5)) };
    beta_of(x[0], x[1], &shapes.a1, &shapes.b1);
    beta_of(x[2], x[3], &shapes.a2, &shapes.b2);
    return shapes;
}

static double beta_density(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return 0;
    return exp(lgamma(a + b) - lgamma(a) - lgamma(b) + (a - 1) * log(x) +
               (b - 1) * log(1 - x));
}

static double bell(double x, double centre, double width)
{
    const double z = (x - centre) / width;
    return exp(-z * z / 2);
}

/* Least squares for the parts in `mask`, by Cramer's rule. @return false: singular */
static bool solve(double normal[PARTS][PARTS + 1], unsigned mask, double *weights)
{
    double m[PARTS][PARTS + 1];
    memcpy(m, normal, sizeof m);
    for (int i = 0; i < PARTS; i++) {
        if (mask >> i & 1)
            continue;
        for (int j = 0; j <= PARTS; j++) { /* weight 0 */
            m[i][j] = i == j;
            if (j < PARTS && j != i)
                m[j][i] = 0;
        }
    }
    for (int i = 0; i < PARTS; i++) {
        if (fabs(m[i][i]) < 1e-12)
            return false;
        for (int k = 0; k < PARTS; k++) {
            const double factor = k == i ? 0 : m[k][i] / m[i][i];
            for (int j = i; j <= PARTS; j++)
                m[k][j] -= factor * m[i][j];
        }
    }
    for (int i = 0; i < PARTS; i++)
        weights[i] = m[i][PARTS] / m[i][i];
    return true;
}

/* Sum of squared differences of shares and weighted parts. */
static double squares_of(const struct fit *fit, double parts[][PARTS],
                         const double *weights)
{
    double sum = 0;
    for (uint32_t i = 0; i < fit->bins; i++) {
        double rest = fit->shares[i];
        for (int j = 0; j < PARTS; j++)
            rest -= weights[j] * parts[i][j];
        sum += rest * rest;
    }
    return sum;
}

/* The best weights that are not negative: of all choices of parts, the lowest. */
static double weigh(struct fit *fit, double parts[][PARTS])
{
    double normal[PARTS][PARTS + 1] = { { 0 } };
    double best = INFINITY;
    for (uint32_t i = 0; i < fit->bins; i++)
        for (int j = 0; j < PARTS; j++) {
            for (int k = 0; k < PARTS; k++)
                normal[j][k] += parts[i][j] * parts[i][k];
            normal[j][PARTS] += parts[i][j] * fit->shares[i];
        }
    for (unsigned mask = 1; mask < 1u << PARTS; mask++) {
        double weights[PARTS];
        if (!solve(normal, mask, weights) || weights[0] < 0 || weights[1] < 0 ||
            weights[2] < 0)
            continue;
        const double squares = squares_of(fit, parts, weights);
        if (squares < best) {
            best = squares;
            memcpy(fit->weights, weights, sizeof weights);
        }
    }
    return best;
}

static double mode_of(double a, double b)
{
    return (a - 1) / (a + b - 2);
}

/*
 * Whether the normal part is between the classes. A narrow Beta is almost normal, so only
 * this distinguishes the two. [K11 §4.3.2: the transition from one to the other]
 */
static bool is_between(const struct shapes *shapes)
{
    return shapes->centre >= mode_of(shapes->a2, shapes->b2) &&
           shapes->centre <= mode_of(shapes->a1, shapes->b1);
}

static double objective(void *context, const double *x)
{
    struct fit *fit = context;
    double parts[TH_DENSITY_BINS][PARTS];
    const struct shapes shapes = shapes_of(x);
    if (!is_between(&shapes))
        return INFINITY;
    const double scale = fit->bins - 1;
    for (uint32_t i = 0; i < fit->bins; i++) {
        parts[i][0] = beta_density(i / scale, shapes.a1, shapes.b1);
        parts[i][1] = beta_density(i / scale, shapes.a2, shapes.b2);
        parts[i][2] = bell(i / scale, shapes.centre, shapes.width);
    }
    return weigh(fit, parts);
}

static double logit(double share)
{
    return log(share / (1 - share));
}

/* Modes of the two classes about where the papers find them, narrow and wide. */
static double fit_from_starts(struct fit *fit, double *best)
{
    static const double dense[] = { 9, 12, 15 }, sparse[] = { 1.5, 3 };
    static const double narrow[] = { 3, 5 }, between[] = { 5, 8 };
    const double scale = fit->bins - 1;
    double lowest = INFINITY;
    for (unsigned i = 0; i < 3 * 2 * 2 * 2; i++) {
        double x[SHAPES] = {
            logit(fmin(dense[i % 3] / scale, .9)),      narrow[i / 3 % 2],
            logit(fmin(sparse[i / 6 % 2] / scale, .4)), 3.5,
            fmin(between[i / 12] / scale, .45),         log(2.5 / scale)
        };
        (void)th_nelder_mead(objective, fit, x, .25, SHAPES, CALLS);
        /* A second simplex around the point: the first may have collapsed. */
        const double value = th_nelder_mead(objective, fit, x, .1, SHAPES, CALLS);
        if (value < lowest) {
            lowest = value;
            memcpy(best, x, sizeof x);
        }
    }
    return lowest;
}

/* Least density that leaves at most one token in a thousand above it, as bins. */
static uint32_t bins_of(const uint64_t *tokens, uint64_t all)
{
    uint64_t below = 0;
    for (uint32_t i = 0; i < TH_DENSITY_BINS; i++) {
        below += tokens[i];
        if (below >= all - all / 1000)
            return i + 1;
    }
    return TH_DENSITY_BINS;
}

static void describe(const struct fit *fit, const double *x, th_density_mixture *out)
{
    const struct shapes s = shapes_of(x);
    const double *w = fit->weights;
    *out = (th_density_mixture){ .x_norm = fit->bins - 1,
                                 .a1 = s.a1,
                                 .b1 = s.b1,
                                 .a2 = s.a2,
                                 .b2 = s.b2,
                                 .c = w[0] + w[1] };
    out->d = out->c > 0 ? w[0] / out->c : 0;
    /* (1 - c) / (sigma root(2 pi)) is the height of the normal part. */
    out->sigma = w[2] > 0 ? (1 - out->c) / (w[2] * root_two_pi) : INFINITY;
    out->e = w[2] > 0 ? out->sigma / s.width : 0;
    out->mu = out->e * s.centre;
}

static double total(const th_density_parts *parts)
{
    return parts->dense + parts->sparse + parts->normal;
}

static void judge(const struct fit *fit, th_density_mixture *out)
{
    double sum_y = 0, sum_f = 0, yy = 0, ff = 0, yf = 0, squares = 0;
    const double n = fit->bins;
    for (uint32_t i = 0; i < fit->bins; i++) {
        const th_density_parts parts = th_density_mixture_at(out, i);
        const double y = fit->shares[i], f = total(&parts);
        sum_y += y;
        sum_f += f;
        yy += y * y;
        ff += f * f;
        yf += y * f;
        squares += (y - f) * (y - f);
    }
    const double both = (yy - sum_y * sum_y / n) * (ff - sum_f * sum_f / n);
    const double shared = yf - sum_y * sum_f / n;
    out->r2 = both > 0 ? shared * shared / both : 0;
    out->rmse = sqrt(squares / n);
}

bool th_density_mixture_fit(const uint64_t tokens[TH_DENSITY_BINS],
                            th_density_mixture *out)
{
    struct fit fit = { .bins = 0 };
    double best[SHAPES] = { 0 };
    uint64_t all = 0;
    uint32_t filled = 0;
    for (uint32_t i = 0; i < TH_DENSITY_BINS; i++)
        all += tokens[i];
    if (!all)
        return false;
    fit.bins = bins_of(tokens, all);
    for (uint32_t i = 0; i < fit.bins; i++) {
        fit.shares[i] = (double)tokens[i] / (double)all;
        filled += tokens[i] > 0;
    }
    if (filled < 10)
        return false;
    if (isinf(fit_from_starts(&fit, best)))
        return false;
    (void)objective(&fit, best); /* leaves the weights of the best */
    describe(&fit, best, out);
    judge(&fit, out);
    return true;
}

th_density_parts th_density_mixture_at(const th_density_mixture *m, double density)
{
    const double x = density / m->x_norm;
    th_density_parts parts = {
        .dense = m->c * m->d * beta_density(x, m->a1, m->b1),
        .sparse = m->c * (1 - m->d) * beta_density(x, m->a2, m->b2),
    };
    if (m->e > 0)
        parts.normal =
            (1 - m->c) / (m->sigma * root_two_pi) * bell(m->e * x, m->mu, m->sigma);
    return parts;
}
