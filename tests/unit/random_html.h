/*
 * Random pages with metadata, text in several languages, markup, comments, posts, and
 * personal data. Each page has few kinds of elements and texts, so that combinations occur.
 */
#ifndef TH_TEST_RANDOM_HTML_H
#define TH_TEST_RANDOM_HTML_H

#include "base/buffer.h"
#include "outcomes.h"

/** Appends a page. */
void random_html_put(struct outcomes *all, th_buffer *out);

#endif
