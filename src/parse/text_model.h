/*
 * The text of a page as it streams in: whitespace collapsed, tokens counted, lines
 * wrapped, all in one pass over bytes that may be cut anywhere. [KN08 §3, K11 §4.2.1]
 *
 * A block opens with its first character that is not whitespace and lasts until the
 * builder closes it. The model knows no tags. The builder decides where gaps are.
 */
#ifndef TH_TEXT_MODEL_H
#define TH_TEXT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parse/unspaced_run.h"
#include "thresher/page.h"

/** The separator between a block and the text before it. */
typedef enum th_text_part {
    TH_TEXT_JOINS,  /* a space if whitespace was between, else nothing */
    TH_TEXT_BLANK,  /* always a space */
    TH_TEXT_BREAKS, /* a line end */
} th_text_part;

/* The table of characters, in rows that are filled in when a text needs them. */
enum { TH_TEXT_ROWS = 256, TH_TEXT_ROW = 256 };

/** A piece of text in which no line may break, as far as it was read. */
typedef struct th_text_word {
    size_t columns; /* 0: no word has begun */
    bool is_token;  /* it holds a letter or digit */
    bool is_linked; /* the first of these is inside A */
    bool is_spaced; /* a space precedes it */
} th_text_word;

typedef struct th_text_model {
    /*
     * The page's text: every closed block and the read part of the open one. The `tail`
     * may follow. It becomes text only when more text comes: the separator of the next
     * block, and whitespace that is kept.
     */
    char *text;
    size_t len;
    size_t capacity;
    size_t chars;      /* code points */
    size_t tail;       /* bytes */
    size_t tail_chars; /* code points */
    th_status status;

    /* between two blocks */
    th_text_part part;
    bool was_blank; /* whitespace was read since the last block */
    bool is_parted; /* their separator is written already, in the tail */
    size_t part_at; /* where the text begins after it, also for the open block */
    size_t part_chars;

    bool keeps_space; /* whitespace is kept, as in PRE */

    /* the open block */
    bool is_open;
    bool has_blank; /* whitespace was read since the last character */
    th_block block; /* its measures up to the last whole word */
    size_t line_columns;
    th_text_word word;
    bool run_is_spaced; /* a space precedes the run */

    /* a code point that was cut by the end of a text event */
    unsigned char cut[4];
    uint8_t cut_len;

    uint32_t w_max;
    th_unspaced_run run;
    bool is_row_known[TH_TEXT_ROWS]; /* rows of class_of that are filled in */
    uint8_t class_of[TH_TEXT_ROWS * TH_TEXT_ROW]; /* by code point of the first plane */
} th_text_model;

/**
 * Prepares a model. Its table of characters grows by the rows that texts need.
 * @param w_max  columns of a line, at least 1
 * @return NULL without memory. About 70 KiB.
 */
th_text_model *th_text_new(uint32_t w_max);
void th_text_free(th_text_model *model);

/** Returns the bytes of text, without the tail. */
static inline size_t th_text_solid(const th_text_model *model)
{
    return model->len - model->tail;
}

/** Whether whitespace was read since the last character. */
static inline bool th_text_is_after_space(const th_text_model *model)
{
    return model->is_open ? model->has_blank : model->was_blank;
}

/** Discards the page before. Keeps at most a few MiB of memory for the next. */
void th_text_reset(th_text_model *model);

/**
 * Reads text, which opens a block unless it is only whitespace. Malformed UTF-8 becomes
 * U+FFFD, one for each maximal subpart.
 * @param is_linked  whether the text is inside A; the same for the whole call
 * Errors are kept in `status`: TH_NOMEM, TH_TOO_LARGE (over 4 GiB of text). O(len).
 */
void th_text_add(th_text_model *model, const char *bytes, size_t len, bool is_linked);

/** Whether a cut code point is incomplete, so that th_text_settle would open a block. */
static inline bool th_text_is_cut(const th_text_model *model)
{
    return model->cut_len > 0;
}

/** Replaces a code point whose rest did not come by U+FFFD. */
void th_text_settle(th_text_model *model, bool is_linked);

/** Handles whitespace: ends a word, and adds a space before following text. */
void th_text_blank(th_text_model *model);

/**
 * Sets the separator between the next block and the last. The strongest of several
 * calls counts. A line end removes the tail. Text that does not open a block is unaffected.
 */
void th_text_set_part(th_text_model *model, th_text_part part);

/** Sets whether whitespace is kept; set to true between two blocks only. */
void th_text_keep_space(th_text_model *model, bool keeps_space);

/** Adds a line end to whitespace that is kept. @param once  not after another line end */
void th_text_end_line(th_text_model *model, bool once);

/**
 * Ends the open block.
 * @param block  gets text, chars, tokens, linked_tokens, lines, last_line_tokens; its gap
 *               and node stay as they are
 */
void th_text_close(th_text_model *model, th_block *block);

#endif
