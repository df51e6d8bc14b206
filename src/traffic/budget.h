/*
 * One account of memory for all workers: what pages and results in flight take beyond the
 * small share that each worker may use unasked.
 *
 * Work is numbered in input order. A worker that asks when nothing is left waits until
 * others give back; the oldest work that is not yet committed never waits, so one worker
 * always goes on and results that wait for their turn cannot block it. Only that worker
 * may overdraw the account, by what one page and one part of a result take.
 */
#ifndef TH_BUDGET_H
#define TH_BUDGET_H

#include <stddef.h>
#include <stdint.h>

typedef struct th_budget th_budget;

/** @param bytes  that may be taken. @return NULL without memory */
th_budget *th_budget_new(uint64_t bytes);
void th_budget_free(th_budget *budget);

/** Takes bytes for the work of a number; waits while there are none, unless it is the
 * oldest. One lock; a batch of ordinary pages makes no call. */
void th_budget_take(th_budget *budget, uint64_t number, size_t bytes);

/** Gives bytes back. */
void th_budget_give(th_budget *budget, size_t bytes);

/** All work below the number is committed, or will never be. */
void th_budget_advance(th_budget *budget, uint64_t oldest);

#endif
