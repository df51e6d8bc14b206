/* Families of the words in class, id and itemprop: "sidebar" and "widget" stand aside. */
#ifndef TH_CLASS_FAMILY_H
#define TH_CLASS_FAMILY_H

#include "content/features.h"

enum { TH_FAMILY_COUNT = TH_FEATURE_FAMILY_BUTTON - TH_FEATURE_FAMILY_CONTENT + 1 };

/** Words by their numbers. In an arena. */
typedef struct th_family_table th_family_table;

/** The table, made anew for each page: some 400 words. NULL without memory. */
const th_family_table *th_family_table_new(th_arena *arena);

/** Families of a word (page/class_word.h), a bit each from FAMILY_CONTENT on. */
uint32_t th_families_of(const th_family_table *table, uint32_t word);

/** Which column of the group "level" an element counts for by its role, or 0. */
unsigned th_level_of_role(const th_family_table *table, uint32_t word);

#endif
