/*
 * From log-odds to probabilities in integers, the same on every machine: no float, no
 * call of the C library's mathematics.
 */
#ifndef TH_LOG_ODDS_H
#define TH_LOG_ODDS_H

#include <stdint.h>

/* The largest probability: 1. */
enum { TH_PROBABILITY_ONE = 65535 };

/**
 * exp(-d).
 * @param distance  d in 1/65536, not negative
 * @return in 1/2^30, at most 2^30, correct to one in 30,000. 0 if d is above about 22
 */
uint32_t th_exp_minus(uint64_t distance);

/**
 * The logistic function.
 * @param log_odds  in 1/65536
 * @return in 1/65535: 0 to TH_PROBABILITY_ONE. P(-z) = TH_PROBABILITY_ONE - P(z)
 */
uint16_t th_logistic(int64_t log_odds);

/**
 * Computes the probabilities of mutually exclusive classes.
 * @param log_odds     in 1/65536, up to a constant that all share
 * @param count        at least 1
 * @param probability  out: [count], in 1/65535, each rounded down
 */
void th_softmax(const int64_t *log_odds, uint32_t count, uint16_t *probability);

#endif
