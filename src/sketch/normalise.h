/* Normalises many short texts into one piece of memory. */
#ifndef TH_SKETCH_NORMALISE_H
#define TH_SKETCH_NORMALISE_H

#include "thresher/minhash.h"

/** Memory of an arena that is not used yet; {0} for none. */
typedef struct th_normal_space {
    char *at;
    size_t size;
} th_normal_space;

/**
 * Normalises a text like th_normalise, into the space if it fits.
 * @param space  loses the bytes that are used; a new one if it was too small
 */
th_view th_normalise_into(th_view text, th_normal_space *space, th_arena *arena);

#endif
