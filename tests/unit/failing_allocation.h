/*
 * The n-th allocation fails once, and earlier and later ones work. For tests called
 * NAME_nomem_test.c, which are linked with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc. This covers the allocations of our own
 * objects, and not of shared libraries. One thread.
 */
#ifndef FAILING_ALLOCATION_H
#define FAILING_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>

/** Makes the n-th following allocation fail. @param n  from 1; 0 means none fails */
void fail_allocation(size_t n);

/** Whether the failure that was last asked for has been met; true when none was. */
bool is_failure_met(void);

/** Allocations since the start of the program, without allocations of shared libraries. */
size_t count_allocations(void);

#endif
