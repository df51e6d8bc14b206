/* Plain text as a page. */
#ifndef TH_PLAIN_TEXT_H
#define TH_PLAIN_TEXT_H

#include "parse/page_builder.h"

/**
 * Reports a text as paragraphs. Empty lines and form feeds separate paragraphs. A line
 * that is indented or begins like an item of a list begins a new line of its paragraph.
 * Other line ends are spaces, because most texts are wrapped at a column.
 * @param text  UTF-8
 * @return as th_builder_status
 * Cost: linear in the text.
 */
th_status th_plain_text(th_view text, th_builder *builder);

#endif
