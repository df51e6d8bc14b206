/* Borrowed bytes with a length, because HTML may contain NUL bytes. */
#ifndef THRESHER_VIEW_H
#define THRESHER_VIEW_H

#include <stddef.h>

/* Exports a symbol from the shared library; all other symbols are hidden. */
#if defined(__GNUC__)
#define TH_API __attribute__((visibility("default")))
#else
#define TH_API
#endif

/**
 * `len` bytes at `data`, borrowed. {NULL, 0} means absent; an empty but present text has
 * a data pointer that is not NULL.
 */
typedef struct th_view {
    const char *data;
    size_t len;
} th_view;

/* The view of a string literal, without its NUL. TH_VIEW_INIT is for constant
 * initialisers. */
#ifdef __cplusplus
#define TH_VIEW(literal) (th_view TH_VIEW_INIT(literal))
#else
#define TH_VIEW(literal) ((th_view)TH_VIEW_INIT(literal))
#endif
#define TH_VIEW_INIT(literal)                                                            \
    {                                                                                    \
        "" literal, sizeof(literal) - 1                                                  \
    }

#endif
