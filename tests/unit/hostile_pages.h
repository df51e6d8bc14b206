/*
 * Pages that cost a segmenter as much as a page can: by default a page has at most 250,000
 * blocks and as many elements, nested at most 512 deep. For the test of memory and the
 * bench.
 */
#ifndef HOSTILE_PAGES_H
#define HOSTILE_PAGES_H

#include "base/buffer.h"

typedef struct hostile_page {
    const char *name;
    void (*write)(th_buffer *html); /* appends the page's HTML, about 4 MB */
} hostile_page;

/** Ends with a page without a name. */
extern const hostile_page hostile_pages[];

#endif
