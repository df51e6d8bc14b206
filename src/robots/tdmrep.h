/* /.well-known/tdmrep.json: rules of text and data mining for the paths of a host. [TDM
 * Reservation Protocol] */
#ifndef TH_TDMREP_H
#define TH_TDMREP_H

#include <stdbool.h>

#include "base/buffer.h"
#include "thresher/view.h"

enum {
    TH_TDMREP_MAX = 500 << 10, /* bytes that are read of a file */
    TH_TDMREP_RULES_MAX = 1000,
};

/**
 * Appends the rules of a file in its order, one per line: "1 /path* policy", with the
 * reservation as stated, the location in the canonical form of th_robots_pattern, and the
 * URL of the policy, if there is one. Lines are ASCII. A rule without one of the first two
 * is dropped. A file that is not JSON ends where the grammar is broken.
 * @param copy  scratch, replaced
 * O(length).
 */
void th_tdmrep_reduce(th_view bytes, th_buffer *copy, th_buffer *out);

/** A rule: parts of a line, borrowed. */
typedef struct th_tdmrep_rule {
    th_view reservation, location, policy; /* policy: may be absent */
} th_tdmrep_rule;

/** Removes the first rule from a reduced text. Returns false at the end. */
bool th_tdmrep_next(th_view *reduced, th_tdmrep_rule *out);

#endif
