/*
 * Families of the words in class, id and itemprop. For example, "sidebar" and "widget"
 * mean content at the side.
 */
#ifndef TH_CLASS_FAMILY_H
#define TH_CLASS_FAMILY_H

#include "content/features.h"

enum { TH_FAMILY_COUNT = TH_FEATURE_FAMILY_BUTTON - TH_FEATURE_FAMILY_CONTENT + 1 };

/** Words by their numbers. */
typedef struct th_family_table th_family_table;

/** Returns the table of about 400 words, built once for all threads. Thread-safe. */
const th_family_table *th_family_table_get(void);

/** The combined facts of a set of words. */
typedef struct th_set_stats {
    uint32_t families; /* bits from FAMILY_CONTENT on */
    uint32_t levels;   /* bits from LEVEL_MAIN on, by role */
} th_set_stats;

/** @param words  their numbers (page/class_word.h) */
th_set_stats th_set_facts_of(const th_family_table *table, const uint32_t *words,
                             uint32_t count);

#endif
