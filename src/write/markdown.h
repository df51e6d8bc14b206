/* The content of a page as Markdown. */
#ifndef TH_MARKDOWN_H
#define TH_MARKDOWN_H

#include "base/buffer.h"
#include "thresher/options.h"
#include "thresher/page.h"
#include "write/page_headline.h"

/**
 * Appends the content's paragraphs as CommonMark with GitHub's tables and struck text.
 * Scratch is the page's arena.
 * @param headline  printed first; its labels say what the content is
 * @return TH_OK or TH_NOMEM (also when the arena is full). Linear.
 */
th_status th_markdown_write(const th_page *page, const th_options *opt,
                            const th_page_headline *headline, th_buffer *out);

#endif
