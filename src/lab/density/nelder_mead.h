/* Minimum of a function of a few numbers, without derivatives. [Nelder & Mead 1965] */
#ifndef TH_NELDER_MEAD_H
#define TH_NELDER_MEAD_H

#include <stdint.h>

enum { TH_SIMPLEX_MAX = 8 }; /* dimensions */

/** The function to minimise. NaN and infinity count as worse than any number. */
typedef double (*th_objective)(void *context, const double *x);

/**
 * Minimises the function from a start.
 * @param x      in: the start; out: the lowest point found
 * @param step   size of the first simplex, one number for all dimensions
 * @param count  dimensions, 1..TH_SIMPLEX_MAX
 * @param calls  evaluations of the function after which no step begins; the last step may
 *               take count + 2 more
 * @return the value at x. A local minimum: start from several places.
 */
double th_nelder_mead(th_objective objective, void *context, double *x, double step,
                      uint32_t count, uint32_t calls);

#endif
