/*
 * Text to Markdown that is read as that text. [CommonMark 0.31, GitHub Flavored Markdown]
 */
#ifndef TH_MARKDOWN_ESCAPE_H
#define TH_MARKDOWN_ESCAPE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "write/inline_pieces.h"

/** The context of a paragraph's text, which decides the characters to escape. */
typedef struct th_markdown_place {
    bool is_one_line; /* a heading, a cell: line ends become spaces */
    bool is_cell;     /* bars in the text are escaped, and line ends become <br> */
} th_markdown_place;

/**
 * Appends a paragraph's pieces as inline Markdown: emphasis, code, links, pictures and
 * formulas. Line ends are hard breaks, and no line of it begins a block.
 * @param pieces  changed: spaces at the end of the last one may be cut off
 * @param line    empty before
 */
void th_markdown_inline(const th_page *page, th_piece *pieces, uint32_t count,
                        th_markdown_place place, th_buffer *line);

/** Appends one inset on its own. */
void th_markdown_inset(const th_inset *inset, th_markdown_place place, th_buffer *line);

#endif
