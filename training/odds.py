"""Log-odds to probabilities in the integers of src/content/log_odds.c, bit for bit."""
import numpy as np

ONE = 65535
_TABLE_BITS = 6
_REST_BITS = 16 - _TABLE_BITS
_LOG2_E = 1512775
_LEAST = 22 << 16
_POWER = np.array([round(2 ** 30 * 2 ** (-i / 64)) for i in range(65)], dtype=np.int64)


def exp_minus(distance):
    """exp(-d): d in 1/65536, the result in 1/2^30."""
    far = distance >= _LEAST
    x = (np.where(far, 0, distance).astype(np.int64) * _LOG2_E) >> 20
    f = x & 0xFFFF
    i, rest = f >> _REST_BITS, f & ((1 << _REST_BITS) - 1)
    step = ((_POWER[i] - _POWER[i + 1]) * rest) >> _REST_BITS
    return np.where(far, 0, (_POWER[i] - step) >> (x >> 16))


def logistic(log_odds):
    """log_odds in 1/65536, the result in 1/65535."""
    whole = (1 << 30) + exp_minus(np.abs(log_odds))
    likely = (ONE * (1 << 30) + whole // 2) // whole
    return np.where(log_odds < 0, ONE - likely, likely)


def softmax(log_odds):
    """[n, classes] in 1/65536 to probabilities in 1/65535, rounded down."""
    part = exp_minus(log_odds.max(axis=1, keepdims=True) - log_odds)
    return part * ONE // part.sum(axis=1, keepdims=True)


def divide(a, b):
    """Integer division that rounds towards zero, as C's."""
    return np.sign(a) * (np.abs(a) // b)


def type_probabilities(score, shift):
    return softmax(divide(score.astype(np.int64) * 65536, 1 << shift))


def calibrate(calibration, type_probability, score, shift):
    """th_content_model_calibrate for rows: calibration [types, 2], probabilities [rows, types]."""
    p = type_probability.astype(np.int64)
    total = np.maximum(p.sum(axis=1), 1)
    slope = divide(p @ calibration[:, 0].astype(np.int64), total)
    offset = divide(p @ calibration[:, 1].astype(np.int64), total)
    return logistic(divide(slope * score.astype(np.int64), 1 << shift) + offset)
