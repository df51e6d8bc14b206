"""The regression over hashed words of classes and short texts."""
import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from model_file import BUCKETS, TokenTable

UNIT = 1024  # weights are log-odds in 1/1024: TH_TOKEN_UNIT


def matrix(features):
    """Rows by buckets; a bucket that a row has twice counts twice, as in the program."""
    return csr_matrix((np.ones(len(features.bucket), dtype=np.float32), features.bucket.astype(np.int32),
                       features.bucket_start.astype(np.int64)), shape=(len(features.rows), BUCKETS))


def fit(inputs, target, weight, penalty, rounds=30):
    """Logistic regression with an L2 penalty; the weights' sum is the number of pages."""
    sign = 2.0 * target - 1

    def loss(w):
        margin = sign * (inputs @ w[:-1] + w[-1])
        value = weight @ np.logaddexp(0, -margin) + 0.5 * penalty * (w[:-1] @ w[:-1])
        slope = -weight * sign / (1 + np.exp(np.clip(margin, -50, 50)))
        return value, np.r_[inputs.T @ slope + penalty * w[:-1], slope.sum()]

    w = minimize(loss, np.zeros(BUCKETS + 1), jac=True, method="L-BFGS-B",
                 options=dict(maxiter=rounds, maxcor=10)).x
    fixed = np.rint(np.clip(w * UNIT, -32767, 32767)).astype(np.int32)
    return TokenTable(int(fixed[-1]), fixed[:-1].astype(np.int16))
