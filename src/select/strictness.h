/* How sure the learned classifier must be, in a word. */
#ifndef TH_STRICTNESS_H
#define TH_STRICTNESS_H

#include "content/content_decision.h"

/**
 * Takes up a strictness.
 * @param name   "balanced" (what gives the best F1; NULL says the same), "strict" (less
 *               that is false), "wide" (less that is missed), or the least score of a
 *               paragraph, ".5"
 * @param rules  in and out: taste and ends of the cut; NULL: it is only checked
 * @return TH_OK, or TH_USAGE: it is none of these; then nothing changes
 */
th_status th_strictness_apply(const char *name, th_content_rules *rules);

#endif
