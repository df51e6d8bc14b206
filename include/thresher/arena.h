/* An arena: memory that is freed all at once. A page and all its data are in one
 * arena. */
#ifndef THRESHER_ARENA_H
#define THRESHER_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "thresher/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct th_arena th_arena;

/**
 * Returns an empty arena.
 * @param limit  maximum bytes allocated between two resets; 0 = no limit
 * @return NULL if out of memory
 */
TH_API th_arena *th_arena_new(size_t limit);

/** Frees the arena and all memory allocated from it. NULL is legal. */
TH_API void th_arena_free(th_arena *arena);

/* Maximum bytes that an arena keeps across a reset. */
enum { TH_ARENA_KEPT = 4 << 20 };

/**
 * Frees all allocations. Keeps the newest chunk, which is the largest of a doubling
 * series, if it has at most TH_ARENA_KEPT bytes. So a process returns its memory to the
 * system after a huge page.
 */
TH_API void th_arena_reset(th_arena *arena);

/**
 * Returns `size` bytes aligned for any type, uninitialised, valid until the next reset.
 * @return NULL if out of memory or over the arena's limit. Cost: O(1) amortised.
 */
TH_API void *th_arena_alloc(th_arena *arena, size_t size);

/** Like th_arena_alloc, for `count` zeroed items of `size` bytes. Also NULL on
 * overflow. */
TH_API void *th_arena_calloc(th_arena *arena, size_t count, size_t size);

/**
 * Grows the newest allocation in place if possible, else copies it.
 * @param old       result of th_arena_alloc, or NULL
 * @param old_size  its size
 */
TH_API void *th_arena_grow(th_arena *arena, void *old, size_t old_size, size_t new_size);

/** Returns a copy of the view's bytes in the arena; data is NULL if out of memory. */
TH_API th_view th_arena_copy(th_arena *arena, th_view text);

/** A position in an arena that th_arena_rewind can return to. */
typedef struct th_arena_mark {
    void *chunk;
    size_t chunk_used, used;
} th_arena_mark;

TH_API th_arena_mark th_arena_get_mark(const th_arena *arena);

/** Frees everything allocated since the mark. The mark must be from this arena, and newer
 * than the arena's last reset. */
TH_API void th_arena_rewind(th_arena *arena, th_arena_mark mark);

/**
 * Reports memory beyond TH_ARENA_KEPT. `bytes` is the number of further bytes, before the
 * arena allocates them from the system, or a negative number after the arena frees them.
 * The callback may block until memory is available.
 */
typedef void (*th_arena_meter)(void *context, int64_t bytes);
TH_API void th_arena_set_meter(th_arena *arena, th_arena_meter meter, void *context);

/** Returns whether the limit made an allocation fail since the last reset or rewind. */
TH_API bool th_arena_is_full(const th_arena *arena);

/** Returns the bytes allocated since the last reset. */
TH_API size_t th_arena_used(const th_arena *arena);

#ifdef __cplusplus
}
#endif

#endif
