/*
 * Whether an arena got no memory. A caller that continues without it, for example without
 * a link, leaves the check to the end of its page.
 */
#ifndef TH_ARENA_FAILURE_H
#define TH_ARENA_FAILURE_H

#include <stdbool.h>

#include "thresher/arena.h"

/** Returns whether the system had no memory for an allocation since the last reset. The
 * limit of the arena is not such a failure: see th_arena_is_full. */
bool th_arena_has_failed(const th_arena *arena);

#endif
