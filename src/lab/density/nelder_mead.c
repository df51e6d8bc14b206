/*
 * Nelder and Mead's simplex with the usual coefficients (reflect 1, expand 2, contract
 * 1/2, shrink 1/2). Six numbers are all we fit, once a run: GSL does this too, but one
 * file is less to maintain than a dependency.
 */
#include "lab/density/nelder_mead.h"

#include <math.h>
#include <string.h>

struct corner {
    double x[TH_SIMPLEX_MAX];
    double value;
};

struct simplex {
    th_objective objective;
    void *context;
    uint32_t count, calls_left;
    struct corner corners[TH_SIMPLEX_MAX + 1]; /* from best to worst */
};

static void evaluate(struct simplex *simplex, struct corner *corner)
{
    const double value = simplex->objective(simplex->context, corner->x);
    corner->value = isnan(value) ? INFINITY : value;
    simplex->calls_left -= simplex->calls_left > 0;
}

/* Insertion sort: stable, so that ties are the same everywhere. */
static void sort(struct simplex *simplex)
{
    for (uint32_t i = 1; i <= simplex->count; i++) {
        const struct corner moved = simplex->corners[i];
        uint32_t j = i;
        for (; j > 0 && simplex->corners[j - 1].value > moved.value; j--)
            simplex->corners[j] = simplex->corners[j - 1];
        simplex->corners[j] = moved;
    }
}

/* centre + factor * (centre - worst) */
static struct corner along(struct simplex *simplex, const double *centre, double factor)
{
    struct corner corner = { .value = 0 };
    const struct corner *worst = &simplex->corners[simplex->count];
    for (uint32_t i = 0; i < simplex->count; i++)
        corner.x[i] = centre[i] + factor * (centre[i] - worst->x[i]);
    evaluate(simplex, &corner);
    return corner;
}

static void shrink(struct simplex *simplex)
{
    for (uint32_t i = 1; i <= simplex->count; i++) {
        struct corner *corner = &simplex->corners[i];
        for (uint32_t j = 0; j < simplex->count; j++)
            corner->x[j] = (corner->x[j] + simplex->corners[0].x[j]) / 2;
        evaluate(simplex, corner);
    }
}

static void step_once(struct simplex *simplex)
{
    const uint32_t n = simplex->count;
    struct corner *worst = &simplex->corners[n];
    double centre[TH_SIMPLEX_MAX] = { 0 };
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            centre[j] += simplex->corners[i].x[j] / n;
    const struct corner reflected = along(simplex, centre, 1);
    if (reflected.value < simplex->corners[0].value) {
        const struct corner expanded = along(simplex, centre, 2);
        *worst = expanded.value < reflected.value ? expanded : reflected;
    } else if (reflected.value < simplex->corners[n - 1].value) {
        *worst = reflected;
    } else {
        const double factor = reflected.value < worst->value ? .5 : -.5;
        const struct corner contracted = along(simplex, centre, factor);
        if (contracted.value < fmin(reflected.value, worst->value))
            *worst = contracted;
        else
            shrink(simplex);
    }
}

double th_nelder_mead(th_objective objective, void *context, double *x, double step,
                      uint32_t count, uint32_t calls)
{
    struct simplex simplex = {
        .objective = objective, .context = context, .count = count, .calls_left = calls
    };
    for (uint32_t i = 0; i <= count; i++) {
        memcpy(simplex.corners[i].x, x, count * sizeof *x);
        if (i > 0)
            simplex.corners[i].x[i - 1] += step;
        evaluate(&simplex, &simplex.corners[i]);
    }
    sort(&simplex);
    while (simplex.calls_left) {
        const double best = simplex.corners[0].value;
        if (simplex.corners[count].value - best <= 1e-12 * (fabs(best) + 1e-12))
            break;
        step_once(&simplex);
        sort(&simplex);
    }
    memcpy(x, simplex.corners[0].x, count * sizeof *x);
    return simplex.corners[0].value;
}
