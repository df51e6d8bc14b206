/*
 * Paragraphs as they stream in. A paragraph is the blocks that a browser shows as one run
 * of text. It has a kind: a heading, an item of a list, a cell of a table.
 *
 * Each open element has a flow, the context of text at this point. Children inherit it,
 * block-level elements change it, so no text queries its ancestors.
 * [HTML Living Standard 15.3; docs/text.md]
 */
#ifndef TH_PARAGRAPH_H
#define TH_PARAGRAPH_H

#include <stdbool.h>

#include "parse/html/attribute.h"
#include "thresher/page.h"

/** The boundary that an element makes in the surrounding text. */
typedef enum th_boundary {
    TH_INLINE,          /* it is part of its line, and separates no words */
    TH_INLINE_REPLACED, /* the same, but it separates words: IMG, BUTTON */
    TH_LINE_BREAK,      /* BR: one is a line end, two end the paragraph */
    TH_BLOCK,           /* a paragraph ends where it begins and ends */
    TH_BLOCK_APART,     /* the same, shown by a margin */
    TH_LIST,            /* as TH_BLOCK_APART, or TH_BLOCK within another list */
} th_boundary;

/** The context of text in an open element. */
typedef struct th_flow {
    uint32_t node;     /* the nearest block-level element */
    uint32_t box;      /* the innermost list, item, table, row, cell, quote; or TH_NONE */
    uint8_t kind;      /* TH_PARAGRAPH_... */
    uint8_t level;     /* of a heading */
    bool is_pre;       /* whitespace is kept */
    bool is_hidden;    /* it is not shown, but kept */
    uint8_t style;     /* TH_STYLE_..., if it is recorded (inline_table.h) */
    uint16_t language; /* of code: number of a class list, 0: none (inline_table.h) */
} th_flow;

/** A table whose rows are being read. */
typedef struct th_open_table {
    uint32_t box;
    uint32_t first; /* its columns: th_paragraph_table.taken[first..] */
    uint32_t count;
} th_open_table;

typedef struct th_paragraph_table {
    th_paragraph *rows; /* owned, like the next pointers */
    uint32_t count, capacity;
    th_box *boxes;
    uint32_t box_count, box_capacity;
    th_open_table *tables;
    uint32_t table_count, table_capacity;
    uint32_t *taken; /* of a column: the first row in which it is free */
    uint32_t taken_count, taken_capacity;

    th_boundary part; /* the strongest since the last block */
    th_status status; /* TH_OK, TH_NOMEM, TH_TOO_LARGE */
} th_paragraph_table;

void th_paragraph_table_done(th_paragraph_table *table);

/** Empties the table. Frees its memory if rows or boxes have more than 4 MiB. */
void th_paragraph_table_reset(th_paragraph_table *table);

#pragma GCC visibility push(hidden)
extern const uint8_t th_boundaries[TH_TAG_COUNT];
#pragma GCC visibility pop

/** Whether elements of that tag change no flow. True for most. */
static inline bool th_is_inline(th_tag tag)
{
    return th_boundaries[tag] == TH_INLINE;
}

/**
 * Returns the boundary of an element with that tag.
 * @param around  the enclosing flow: a list in a list has no margins
 */
static inline th_boundary th_boundary_of(const th_paragraph_table *table,
                                         const th_flow *around, th_tag tag)
{
    const unsigned boundary = th_boundaries[tag];
    if (boundary == TH_LIST)
        return around->box != TH_NONE && table->boxes[around->box].depth ? TH_BLOCK
                                                                         : TH_BLOCK_APART;
    return (th_boundary)boundary;
}

/** Returns the flow of the root. */
static inline th_flow th_flow_root(void)
{
    return (th_flow){ .box = TH_NONE };
}

/** Makes a boundary: a BR, or where an element begins or ends. */
static inline void th_paragraph_part(th_paragraph_table *table, th_boundary boundary)
{
    if (boundary == TH_LINE_BREAK && table->part >= TH_LINE_BREAK)
        table->part = TH_BLOCK_APART; /* an empty line is seen */
    else if (boundary > table->part)
        table->part = boundary;
}

/**
 * Begins a block-level element or control that is shown. Not called for DIV and P, which
 * only change the flow's node.
 * @param flow  in: its parent's, except for the node; out: its own
 * @param node  its own, or TH_NONE: then it makes no box
 */
void th_flow_begin(th_paragraph_table *table, th_flow *flow, th_tag tag,
                   const th_attribute *attrs, size_t attr_count, uint32_t node);

/** Ends the element with that flow. Needed only for tables. */
void th_flow_end(th_paragraph_table *table, const th_flow *flow, th_tag tag);

/**
 * Gives a block that has opened its paragraph, the last or a new one.
 * @param text_at  where a new paragraph's text begins: bytes
 * @param char_at  code points
 */
void th_paragraph_take(th_paragraph_table *table, const th_flow *flow, uint32_t number,
                       th_block *block, uint32_t text_at, uint32_t char_at);

/** Completes the rows, whose blocks are closed now. */
void th_paragraph_table_finish(th_paragraph_table *table, const th_block *blocks);

#endif
