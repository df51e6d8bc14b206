/*
 * A paragraph in pieces that a writer writes one after another. A piece is text of one
 * style and link, or an inset.
 */
#ifndef TH_INLINE_PIECES_H
#define TH_INLINE_PIECES_H

#include <stdbool.h>

#include "thresher/options.h"
#include "thresher/page.h"

typedef struct th_piece {
    th_view text;             /* not empty, or there is an inset */
    const th_inset *inset;    /* or NULL */
    const th_note_link *note; /* it is that footnote's mark or link back, or NULL */
    uint32_t link;            /* or TH_NONE */
    uint8_t style;            /* TH_STYLE_... */
} th_piece;

/** The text of a piece without the "^" of an exponent, which is for plain text. */
static inline th_view th_piece_text(const th_piece *piece)
{
    const th_view text = piece->text;
    return (piece->style & TH_STYLE_RAISED) && text.len > 1 && text.data[0] == '^'
               ? (th_view){ text.data + 1, text.len - 1 }
               : text;
}

/** Iterates over a page's paragraphs in order. Fill in page, opt and takes_words, else
 * zeros. */
typedef struct th_pieces {
    const th_page *page;
    const th_options *opt;  /* whether links and pictures are wanted */
    bool takes_words;       /* also pictures that have words, but no usable address */
    const uint8_t *is_note; /* of a box: its footnote is shown as one; NULL if none is */
    th_piece *items;        /* of the last paragraph asked for; in the page's arena */
    uint32_t count;
    uint32_t capacity;
    uint32_t run, inset, language; /* the next rows of the page's tables */
} th_pieces;

/**
 * Returns the pieces of a paragraph. Paragraphs must be requested in order.
 * @return TH_OK or TH_NOMEM. Linear over all paragraphs.
 */
th_status th_pieces_of(th_pieces *pieces, uint32_t paragraph);

/** Returns the next inset on its own before a paragraph, or NULL after the last.
 * `paragraph` is the paragraph's number, or the count for the insets at the end. Call it
 * before the paragraph's pieces. */
const th_inset *th_pieces_alone(th_pieces *pieces, uint32_t paragraph);

/** Returns the language of a paragraph in PRE, {"", 0} if it names none. Call it in
 * order. */
th_view th_pieces_language(th_pieces *pieces, uint32_t paragraph);

#endif
