/*
 * Aligns two readings of the same page, word by word, by a longest common subsequence. So
 * differences in the text model cost coverage and not accuracy. score_segmentation.py
 * aligns in the same way.
 */
#ifndef TH_ALIGNMENT_H
#define TH_ALIGNMENT_H

#include <stddef.h>
#include <stdint.h>

#include "thresher/status.h"

#define TH_UNALIGNED UINT32_MAX

/**
 * Aligns two lists of words.
 * @param partner  out: for each word of `a` its place in `b`, rising, or TH_UNALIGNED
 * @return TH_OK or TH_NOMEM.
 * A common start and end are matched first. The rest takes count_a * count_b / 64 steps
 * and as many words of memory, at most 50 MB. Larger pages are first cut at words and
 * word groups that occur once on each side, or in halves if there are none.
 */
th_status th_align(const uint64_t *a, uint32_t count_a, const uint64_t *b,
                   uint32_t count_b, uint32_t *partner);

#endif
