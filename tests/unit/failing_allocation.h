/*
 * The n-th allocation fails, once; those before and behind it work. For tests called
 * NAME_nomem_test.c, which are linked with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc: the allocations are those of our own
 * objects, not of shared libraries. One thread.
 */
#ifndef FAILING_ALLOCATION_H
#define FAILING_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>

/** Lets the n-th allocation from here on fail. @param n  from 1; 0: none fails */
void fail_allocation(size_t n);

/** Whether the failure that was last asked for has been met; true when none was. */
bool is_failure_met(void);

#endif
