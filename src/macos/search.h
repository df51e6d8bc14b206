/* macOS's search.h, with the function of Linux that it lacks. */
#ifndef TH_MACOS_SEARCH_H
#define TH_MACOS_SEARCH_H

#pragma GCC system_header /* include_next is no C11 */
#include_next <search.h>

static inline int th_is_root(const void *a, const void *b)
{
    (void)a;
    (void)b;
    return 0;
}

/* Frees a tree of tsearch: its root, until there is none. */
static inline void tdestroy(void *root, void (*free_key)(void *key))
{
    while (root) {
        void *key = *(void **)root;
        (void)tdelete(key, &root, th_is_root);
        free_key(key);
    }
}

#endif
