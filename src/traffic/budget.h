/*
 * One account of memory for all workers. It counts the memory of pages and results in
 * flight, beyond a small share that each worker may use freely.
 *
 * Work is numbered in input order. A worker that requests memory when the account is
 * empty waits until others release some. The oldest uncommitted work never waits, so one
 * worker always continues, and results that wait for their turn cannot block it. Only
 * that worker may overdraw the account, by the memory of one page and one part of a
 * result.
 */
#ifndef TH_BUDGET_H
#define TH_BUDGET_H

#include <stddef.h>
#include <stdint.h>

typedef struct th_budget th_budget;

/** @param bytes  that may be taken. @return NULL without memory */
th_budget *th_budget_new(uint64_t bytes);
void th_budget_free(th_budget *budget);

/**
 * Charges bytes to the work of a number. Waits while none are left, unless it is the
 * oldest work. Takes one lock. A batch of ordinary pages makes no call.
 */
void th_budget_acquire(th_budget *budget, uint64_t number, size_t bytes);

/** Gives bytes back. */
void th_budget_give(th_budget *budget, size_t bytes);

/** All work below the number is committed, or will never be. */
void th_budget_advance(th_budget *budget, uint64_t oldest);

#endif
