"""The functions and distributions that the papers fit, fitted by least squares or by the minimum of chi squared."""
from typing import NamedTuple

import numpy as np
from scipy import optimize, stats


class Fit(NamedTuple):
    """Parameters, square of the correlation of data and function, root-mean-square error, and the function at each x."""
    parameters: tuple
    r2: float
    rmse: float
    ys: np.ndarray


def goodness(ys, fitted):
    """R2 as the square of the correlation [K11 §4.3.2], and RMSE."""
    ys, fitted = np.asarray(ys, float), np.asarray(fitted, float)
    flat = np.ptp(fitted) == 0 or np.ptp(ys) == 0
    return (float("nan") if flat else float(np.corrcoef(ys, fitted)[0, 1] ** 2)), float(np.sqrt(np.mean((ys - fitted) ** 2)))


def least_squares(function, xs, ys, starts, bounds=(-np.inf, np.inf)):
    """The best fit over several starts."""
    xs, ys, best = np.asarray(xs, float), np.asarray(ys, float), None
    for start in starts:
        try:
            found = optimize.least_squares(lambda p: function(xs, *p) - ys, start, bounds=bounds, x_scale="jac", xtol=1e-14, ftol=1e-14, gtol=1e-14, max_nfev=4000)
        except ValueError:
            continue
        if np.all(np.isfinite(found.fun)) and (best is None or found.cost < best.cost):
            best = found
    if best is None:
        raise ValueError("no fit was found")
    fitted = function(xs, *best.x)
    return Fit(tuple(map(float, best.x)), *goodness(ys, fitted), fitted)


def zipf(x, c, b):
    """[K11 Eq. 4.3]"""
    return c * np.power(x, -b)


def menzerath(x, c, a1, d):
    """[K11 Eq. 4.12]"""
    return c * np.power(x, a1) + d


def lavalette(x, c, a):
    """[K11 §4.3.2] x: rank / (number + 1), so 0 < x < 1."""
    return c * np.power(x / (1 - x), -a)


def beta_curve(x, c, a, b):
    """[K11 Eq. 4.15] x in 0 to 1."""
    return c * stats.beta.pdf(x, a, b)


def fit_zipf(ys):
    """Ranks from 1. Also returns chi squared, the sum of (data - fit)^2 / fit, in the unit of ys."""
    fit = least_squares(zipf, np.arange(1, len(ys) + 1), ys, [(ys[0], b) for b in (.5, .8, 1.2)], ([0, 0], [np.inf, 10]))
    return fit, float(np.sum((np.asarray(ys) - fit.ys) ** 2 / fit.ys))


def fit_menzerath(ys):
    xs = np.arange(1, len(ys) + 1)
    return least_squares(menzerath, xs, ys, [(1, -.3, 0), (-.1, .3, 1), (-.001, 1, 1), (2, -.05, -1)], ([-1e6, -5, -1e6], [1e6, 5, 1e6]))


def fit_lavalette(ys):
    xs = np.arange(1, len(ys) + 1) / (len(ys) + 1)
    return least_squares(lavalette, xs, ys, [(np.median(ys), a) for a in (.3, .7, 1.2)], ([0, 0], [np.inf, 5]))


def fit_beta(xs, ys):
    """@param xs  in 0 to 1"""
    step = float(np.mean(np.diff(xs))) if len(xs) > 1 else 1
    mean = float(np.average(xs, weights=ys))
    return least_squares(beta_curve, xs, ys, [(step * sum(ys), max(mean * k, .2), (1 - mean) * k) for k in (3, 10, 40, 120)], ([0, .01, .01], [np.inf, 1e5, 1e5]))


def negative_hypergeometric(x, k, m, n):
    """[K11 Eq. 4.2] The same as a Beta-binomial distribution with parameters M and K - M."""
    return stats.betabinom.pmf(x, n, m, k - m)


class Discrete(NamedTuple):
    """Parameters, chi squared, its degrees of freedom and probability, chi squared / sample, expected frequencies."""
    parameters: tuple
    chi2: float
    df: int
    p: float
    c: float
    expected: np.ndarray


def pooled(observed, expected, least=1.0):
    """Joins classes at the end, until each has an expected frequency of at least `least`."""
    observed, expected = list(map(float, observed)), list(map(float, expected))
    while len(expected) > 1 and expected[-1] < least:
        tail = expected.pop(), observed.pop()
        expected[-1] += tail[0]
        observed[-1] += tail[1]
    return np.array(observed), np.array(expected)


def chi_squared(observed, expected, parameters, names):
    """Compares frequencies, with `names` fitted parameters."""
    seen, hoped = pooled(observed, expected)
    chi2 = float(np.sum((seen - hoped) ** 2 / hoped))
    df = len(seen) - 1 - names
    return Discrete(parameters, chi2, df, float(stats.chi2.sf(chi2, df)) if df > 0 else float("nan"), chi2 / float(np.sum(observed)), np.asarray(expected))


def fit_negative_hypergeometric(frequencies):
    """Fits K and M by the minimum of chi squared. n is the number of classes - 1; the first class is x = 0."""
    seen = np.asarray(frequencies, float)
    n, x, total = len(seen) - 1, np.arange(len(seen)), seen.sum()

    def expected(p):
        m, rest = np.exp(p)
        return total * negative_hypergeometric(x, m + rest, m, n)

    def cost(p):
        joined, hoped = pooled(seen, np.maximum(expected(p), 1e-300))
        return float(np.sum((joined - hoped) ** 2 / hoped))

    best = min((optimize.minimize(cost, np.log(start), method="Nelder-Mead", options=dict(xatol=1e-12, fatol=1e-12, maxiter=20000, maxfev=20000))
                for start in ((.1, 2), (.5, 5), (1, 10))), key=lambda found: found.fun)
    m, rest = np.exp(best.x)
    return chi_squared(seen, expected(best.x), (float(m + rest), float(m), n), 3)


def geometric(x, p):
    """The random writer with one kind of text [K11 Eq. 4.20]."""
    return (1 - p) ** (x - 1) * p


def two_geometric(x, short, p_short, p_long):
    """The random writer with short and long text [K11 Eq. 4.21]."""
    return short * geometric(x, p_short) + (1 - short) * geometric(x, p_long)


def adjusted_r2(ys, fitted, names):
    """1 - (residual / total sum of squares), adjusted for the number of parameters."""
    ys, count = np.asarray(ys, float), len(ys)
    residual, total = np.sum((ys - fitted) ** 2), np.sum((ys - ys.mean()) ** 2)
    return float(1 - residual / total * (count - 1) / (count - names - 1))


def mixture(x, a1, b1, a2, b2, c, d, e, f, mu, sigma):
    """[K11 Eq. 4.18] x in 0 to 1; c weighs the two Beta distributions against the normal one."""
    return c * (d * stats.beta.pdf(x, a1, b1) + (1 - d) * stats.beta.pdf(x, a2, b2)) + (1 - c) * stats.norm.pdf(e * x + f, mu, sigma)
