/* Memory that is freed all at once: a page and all it points to is in one arena. */
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
 * An empty arena.
 * @param limit  most bytes it will hand out between two resets; 0 = no limit
 * @return NULL when there is no memory
 */
TH_API th_arena *th_arena_new(size_t limit);

/** Frees the arena and all that it handed out. NULL is legal. */
TH_API void th_arena_free(th_arena *arena);

/* Most bytes that an arena keeps over a reset. */
enum { TH_ARENA_KEPT = 4 << 20 };

/**
 * Forgets all that was handed out. Keeps the chunk that it took last, the largest of a
 * doubling series, when that has at most TH_ARENA_KEPT bytes: after a huge page the
 * process gives its memory back.
 */
TH_API void th_arena_reset(th_arena *arena);

/**
 * `size` bytes aligned for any type, uninitialised, valid until the next reset.
 * @return NULL when memory or the arena's limit is used up. Cost: O(1) amortised.
 */
TH_API void *th_arena_alloc(th_arena *arena, size_t size);

/** The same for `count` things of `size` bytes, zeroed; NULL also on overflow. */
TH_API void *th_arena_calloc(th_arena *arena, size_t count, size_t size);

/**
 * Makes the newest allocation larger in place where it can, else copies it.
 * @param old       what th_arena_alloc gave, or NULL
 * @param old_size  its size
 */
TH_API void *th_arena_grow(th_arena *arena, void *old, size_t old_size, size_t new_size);

/** A copy of the view's bytes in the arena; data == NULL when there is no memory. */
TH_API th_view th_arena_copy(th_arena *arena, th_view text);

/** A place in an arena to go back to. */
typedef struct th_arena_mark {
    void *chunk;
    size_t chunk_used, used;
} th_arena_mark;

TH_API th_arena_mark th_arena_get_mark(const th_arena *arena);

/** Forgets what was handed out since the mark, which must be of this arena and younger
 * than its last reset. */
TH_API void th_arena_rewind(th_arena *arena, th_arena_mark mark);

/**
 * Reports memory beyond TH_ARENA_KEPT: the number of further bytes, before they are taken
 * from the system, or a negative number, after they were given back. The callback may
 * block until there is memory.
 */
typedef void (*th_arena_meter)(void *context, int64_t bytes);
TH_API void th_arena_set_meter(th_arena *arena, th_arena_meter meter, void *context);

/** Whether the limit refused an allocation since the last reset or rewind. */
TH_API bool th_arena_is_full(const th_arena *arena);

/** Bytes handed out since the last reset. */
TH_API size_t th_arena_used(const th_arena *arena);

#ifdef __cplusplus
}
#endif

#endif
