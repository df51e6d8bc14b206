/* The linker calls these for malloc, calloc and realloc. */
#include "failing_allocation.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

/* Remaining allocations, including the failing one, or 0 if all work. A global, because
 * the wrappers have no parameter for it. */
static size_t until_failure;

void fail_allocation(size_t n)
{
    until_failure = n;
}

bool is_failure_met(void)
{
    return until_failure == 0;
}

static size_t allocations;

size_t count_allocations(void)
{
    return allocations;
}

static bool fails(void)
{
    allocations++;
    return until_failure > 0 && --until_failure == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}
/* NOLINTEND(bugprone-reserved-identifier) */
