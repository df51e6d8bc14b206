/* Copies of views in an arena. */
#ifndef TH_VIEW_COPIER_H
#define TH_VIEW_COPIER_H

#include <stdbool.h>

#include "thresher/arena.h"

/** Copies views. The caller checks once, after all copies, whether one has failed. */
typedef struct th_view_copier {
    th_arena *arena;
    bool has_failed; /* out of memory */
} th_view_copier;

/** Returns a copy of a view; an absent view stays absent. */
static inline th_view th_view_copy(th_view_copier *copier, th_view view)
{
    if (!view.data)
        return view;
    const th_view copied = th_arena_copy(copier->arena, view);
    copier->has_failed |= !copied.data;
    return copied;
}

#endif
