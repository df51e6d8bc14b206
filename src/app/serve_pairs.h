/* `thresher serve` in the role of pairs. */
#ifndef TH_SERVE_PAIRS_H
#define TH_SERVE_PAIRS_H

#include "settings/settings.h"

/**
 * Reads the bands topic and writes pairs until a signal ends it. Logs its state and its
 * errors.
 * @return the exit code. [docs/reliability.md#exit-codes]
 */
int th_serve_pairs(const th_settings *settings);

#endif
