/*
 * An arena: chunks of doubling size, and a pointer to the free part.
 *
 * A reset keeps the newest chunk, so ordinary pages do not call malloc.
 */
#include "base/arena_failure.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 64 * 1024, LARGEST_STEP = 4 * 1024 * 1024 };

struct chunk {
    struct chunk *next; /* the one filled before this one */
    size_t size;        /* of data */
    size_t used;
    alignas(max_align_t) char data[];
};

struct th_arena {
    struct chunk *newest;
    size_t limit; /* 0 if none */
    size_t used;
    bool is_full;         /* the limit made an allocation fail */
    bool has_failed;      /* the system did */
    size_t held;          /* of all chunks */
    size_t told;          /* bytes reported to the meter */
    th_arena_meter meter; /* may be NULL */
    void *meter_context;
};

/* With AddressSanitizer every allocation gets a border that must not be touched. */
#if defined(__SANITIZE_ADDRESS__)
#define TH_ARENA_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TH_ARENA_POISON 1
#endif
#endif
#ifdef TH_ARENA_POISON
#include <sanitizer/asan_interface.h>
enum { BORDER = 16 };
/* gcc believes that the call reads uninitialised memory. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define POISON(p, n) __asan_poison_memory_region((p), (n))
#define UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
#else
enum { BORDER = 0 };
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

static size_t aligned(size_t size)
{
    const size_t mask = alignof(max_align_t) - 1;
    return (size + mask) & ~mask;
}

th_arena *th_arena_new(size_t limit)
{
    th_arena *arena = calloc(1, sizeof *arena);
    if (arena)
        arena->limit = limit;
    return arena;
}

void th_arena_set_meter(th_arena *arena, th_arena_meter meter, void *context)
{
    arena->meter = meter;
    arena->meter_context = context;
}

/* Reports to the meter the bytes held now or after the next allocation. */
static void report(th_arena *arena, size_t held)
{
    const size_t beyond = held > TH_ARENA_KEPT ? held - TH_ARENA_KEPT : 0;
    if (arena->meter && beyond != arena->told)
        arena->meter(arena->meter_context, (int64_t)beyond - (int64_t)arena->told);
    arena->told = beyond;
}

/* Frees all chunks that are newer than `last`. */
static void free_chunks(th_arena *arena, struct chunk *first, const struct chunk *last)
{
    while (first != last) {
        struct chunk *next = first->next;
        UNPOISON(first->data, first->size);
        arena->held -= first->size;
        free(first);
        first = next;
    }
}

void th_arena_free(th_arena *arena)
{
    if (!arena)
        return;
    free_chunks(arena, arena->newest, NULL);
    report(arena, 0);
    free(arena);
}

void th_arena_reset(th_arena *arena)
{
    /* The newest chunk is the largest of the doubling series: keep only this one. */
    struct chunk *kept = arena->newest;
    if (kept && kept->size > TH_ARENA_KEPT) {
        free_chunks(arena, kept, NULL);
        kept = NULL;
    } else if (kept) {
        free_chunks(arena, kept->next, NULL);
        kept->next = NULL;
        kept->used = 0;
        POISON(kept->data, kept->size);
    }
    arena->newest = kept;
    arena->used = 0;
    arena->is_full = arena->has_failed = false;
    report(arena, arena->held);
}

th_arena_mark th_arena_get_mark(const th_arena *arena)
{
    return (th_arena_mark){ .chunk = arena->newest,
                            .chunk_used = arena->newest ? arena->newest->used : 0,
                            .used = arena->used };
}

void th_arena_rewind(th_arena *arena, th_arena_mark mark)
{
    free_chunks(arena, arena->newest, mark.chunk);
    arena->newest = mark.chunk;
    arena->used = mark.used;
    arena->is_full = false;
    if (arena->newest) {
        arena->newest->used = mark.chunk_used;
        POISON(arena->newest->data + mark.chunk_used,
               arena->newest->size - mark.chunk_used);
    }
    report(arena, arena->held);
}

static struct chunk *add_chunk(th_arena *arena, size_t need)
{
    size_t size = arena->newest ? arena->newest->size * 2 : FIRST_CHUNK;
    if (size > LARGEST_STEP)
        size = LARGEST_STEP;
    if (size < need)
        size = need;
    report(arena, arena->held + size);
    struct chunk *chunk = malloc(sizeof *chunk + size);
    if (!chunk)
        return NULL;
    arena->held += size;
    chunk->size = size;
    chunk->used = 0;
    chunk->next = arena->newest;
    arena->newest = chunk;
    POISON(chunk->data, size);
    return chunk;
}

/* Returns whether the limit forbids `used` bytes in total; remembered until the next
 * reset or rewind. */
static bool is_over_limit(th_arena *arena, size_t used)
{
    if (!arena->limit || used <= arena->limit)
        return false;
    arena->is_full = true;
    return true;
}

void *th_arena_alloc(th_arena *arena, size_t size)
{
    if (size <= SIZE_MAX / 4 && is_over_limit(arena, arena->used + size))
        return NULL;
    const size_t need = aligned(size) + BORDER;
    struct chunk *chunk = arena->newest;
    if (size > SIZE_MAX / 4)
        chunk = NULL;
    else if (!chunk || chunk->size - chunk->used < need)
        chunk = add_chunk(arena, need);
    if (!chunk) {
        arena->has_failed = true;
        return NULL;
    }
    char *memory = chunk->data + chunk->used;
    chunk->used += need;
    arena->used += size;
    UNPOISON(memory, size);
    return memory;
}

void *th_arena_calloc(th_arena *arena, size_t count, size_t size)
{
    const bool is_too_large = size && count > SIZE_MAX / size;
    void *memory = th_arena_alloc(arena, is_too_large ? SIZE_MAX : count * size);
    if (memory)
        memset(memory, 0, count * size);
    return memory;
}

/* The newest allocation ends where the newest chunk's used part ends. */
static void *grow_in_place(th_arena *arena, char *old, size_t old_size, size_t new_size)
{
    struct chunk *chunk = arena->newest;
    if (!chunk || old + aligned(old_size) + BORDER != chunk->data + chunk->used)
        return NULL;
    const size_t start = (size_t)(old - chunk->data);
    if (chunk->size - start < aligned(new_size) + BORDER)
        return NULL;
    if (is_over_limit(arena, arena->used - old_size + new_size))
        return NULL;
    chunk->used = start + aligned(new_size) + BORDER;
    arena->used += new_size - old_size;
    UNPOISON(old, new_size);
    return old;
}

void *th_arena_grow(th_arena *arena, void *old, size_t old_size, size_t new_size)
{
    if (old && new_size <= old_size)
        return old;
    if (old && new_size <= SIZE_MAX / 4) {
        void *same = grow_in_place(arena, old, old_size, new_size);
        if (same)
            return same;
    }
    void *memory = th_arena_alloc(arena, new_size);
    if (memory && old && old_size)
        memcpy(memory, old, old_size);
    return memory;
}

th_view th_arena_copy(th_arena *arena, th_view text)
{
    char *memory = th_arena_alloc(arena, text.len ? text.len : 1);
    if (!memory)
        return (th_view){ NULL, 0 };
    if (text.len)
        memcpy(memory, text.data, text.len);
    return (th_view){ memory, text.len };
}

bool th_arena_is_full(const th_arena *arena)
{
    return arena->is_full;
}

bool th_arena_has_failed(const th_arena *arena)
{
    return arena->has_failed;
}

size_t th_arena_used(const th_arena *arena)
{
    return arena->used;
}
