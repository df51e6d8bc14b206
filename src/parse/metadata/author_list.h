/* The authors of a page in one line: "Ada Lovelace; Charles Babbage". */
#ifndef TH_AUTHOR_LIST_H
#define TH_AUTHOR_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "thresher/view.h"

enum { TH_AUTHOR_LIST_MAX = 512, TH_AUTHOR_COUNT_MAX = 16 };

/* Names joined by "; ". { 0 } is an empty list. */
typedef struct th_author_list {
    size_t len;     /* bytes in use */
    uint32_t count; /* names added */
    char bytes[TH_AUTHOR_LIST_MAX];
} th_author_list;

/**
 * Adds the name that th_author_name makes of a text. If there is none, it is a duplicate,
 * or the list is full, the list is unchanged. No name is cut.
 * @param name  tidy, see th_tidy_text; borrowed for the call
 * @return whether the list now holds the name
 * Pure; allocates nothing; O(list).
 */
bool th_author_list_add(th_author_list *list, th_view name);

#endif
