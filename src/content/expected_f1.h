/*
 * Estimates the quality of a choice of paragraphs from their probabilities only. Let p be
 * the probability that a paragraph is content, t its tokens, and K the sum of p t over
 * the page. Then a choice has the expected F1 of 2 sum(p t) / (sum(t) + K).
 */
#ifndef TH_EXPECTED_F1_H
#define TH_EXPECTED_F1_H

#include <stdint.h>

#include "content/log_odds.h"

/* The expected F1 of 1. */
enum { TH_F1_ONE = 1 << 30 };

enum { TH_TASTE_ONE = 16 };

/**
 * Weight of a missed token relative to a false one: 1 in F1. In sixteenths, at most 1024
 * of them.
 */
typedef struct th_cut_taste {
    uint32_t missed; /* beta squared times TH_TASTE_ONE: 4 strict, 16 is F1, 64 wide */
} th_cut_taste;

/**
 * Returns the expected F-beta of a choice. All in tokens times TH_PROBABILITY_ONE, each
 * below 2^52.
 * @param kept     sum of p t over the choice
 * @param chosen   sum of t over it
 * @param expected sum of p t over the page: K
 * @return 0 .. TH_F1_ONE; 0 if the page has no content
 */
uint32_t th_expected_f1(uint64_t kept, uint64_t chosen, uint64_t expected,
                        th_cut_taste taste);

/** A prefix of the paragraphs by falling probability. */
typedef struct th_best_cut {
    uint16_t cut;     /* paragraphs from this probability on */
    uint32_t quality; /* its expected F-beta, of TH_F1_ONE */
} th_best_cut;

/**
 * The prefix with the highest expected F-beta; of equal ones the shortest.
 * Probabilities count in steps of 1/1024.
 * @param score   uint16_t[count]
 * @param tokens  uint32_t[count]
 */
th_best_cut th_best_cut_find(const uint16_t *score, const uint32_t *tokens,
                             uint32_t count, th_cut_taste taste);

#endif
