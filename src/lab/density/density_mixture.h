/*
 * The distribution of tokens over text density as a mixture of two Beta distributions,
 * template text and full text, and a normal one between them. [K11 §4.3.2, Eq. 4.18]
 *
 *     f(x) = c (d beta(x, a1, b1) + (1 - d) beta(x, a2, b2)) + (1 - c) phi(e x + f)
 *
 * with x = density / x_norm and phi of mean mu and variance sigma^2. f only shifts mu, so
 * it is 0 here; the paper gives both. Beta 1 is the denser one.
 */
#ifndef TH_DENSITY_MIXTURE_H
#define TH_DENSITY_MIXTURE_H

#include <stdbool.h>
#include <stdint.h>

/* Classes of density: 0, 1, 2, ... The last one contains all higher densities. */
enum { TH_DENSITY_BINS = 256 };

typedef struct th_density_mixture {
    double x_norm;
    double a1, b1, a2, b2;
    double c, d, e, mu, sigma;
    double r2;   /* square of the correlation of shares and fit [K11 §2.3] */
    double rmse; /* of the shares */
} th_density_mixture;

/**
 * Fits the mixture by least squares to the shares of tokens of densities 0 .. x_norm,
 * where x_norm is the least density that leaves at most one token in a thousand above it.
 * @param tokens  by density, rounded down
 * @return false if fewer than ten densities have tokens, or no start leads to a fit.
 * Uses a fixed set of starts, each with a bound on its steps. Takes about 0.2 s.
 */
bool th_density_mixture_fit(const uint64_t tokens[TH_DENSITY_BINS],
                            th_density_mixture *out);

/** Parts of f at a density; the sum is the fitted share. */
typedef struct th_density_parts {
    double dense, sparse, normal;
} th_density_parts;

th_density_parts th_density_mixture_at(const th_density_mixture *mixture, double density);

#endif
