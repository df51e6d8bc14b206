/* Named thresholds of the learned classifier. */
#ifndef TH_STRICTNESS_H
#define TH_STRICTNESS_H

#include "content/content_decision.h"

/**
 * Applies a strictness.
 * @param name   "balanced" (best F1; NULL is the same), "strict" (fewer false words),
 *               "wide" (fewer missed words), or the minimum score of a paragraph, ".5"
 * @param rules  in and out: taste and ends of the cut; NULL only checks the name
 * @return TH_OK, or TH_USAGE for any other name; then nothing changes
 */
th_status th_strictness_apply(const char *name, th_content_rules *rules);

#endif
