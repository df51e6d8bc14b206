/*
 * Makes the n-th allocation fail. Included by one file of a program that is linked with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc; without, __real_malloc is NULL.
 */
#ifndef TH_FAILING_ALLOCATION_H
#define TH_FAILING_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>

/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's */
void *__real_malloc(size_t size) __attribute__((weak));
void *__real_calloc(size_t count, size_t size) __attribute__((weak));
void *__real_realloc(void *memory, size_t size) __attribute__((weak));
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

/* The n-th allocation from now is the one that fails; 0: none, or it has failed. The
 * wrappers have no other way to know. */
static size_t until_failure;

static bool is_refused(void)
{
    return until_failure > 0 && --until_failure == 0;
}

void *__wrap_malloc(size_t size)
{
    return is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return is_refused() ? NULL : __real_realloc(memory, size);
}
/* NOLINTEND(bugprone-reserved-identifier) */

#endif
