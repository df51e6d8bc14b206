/*
 * Which '*', '_' and '~' of a paragraph need a backslash. [CommonMark 0.31 6.2, GitHub
 * Flavored Markdown 6.5]
 *
 * The runs of a written line are paired as readers pair them. The escapes are a smallest
 * set: with them readers find the writer's own emphasis only, and without any one of them
 * something else.
 */
#ifndef TH_EMPHASIS_ESCAPES_H
#define TH_EMPHASIS_ESCAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/** How a run is escaped. */
typedef enum th_emphasis_kind {
    TH_EMPHASIS_FIXED,     /* never, the writer's own or in an address */
    TH_EMPHASIS_BACKSLASH, /* text */
    TH_EMPHASIS_REFERENCE, /* text that ends an address: "&ast;", "&lowbar;" */
} th_emphasis_kind;

/** A run of one symbol in a written line. */
typedef struct th_emphasis_run {
    size_t at; /* in the line */
    size_t len;
    uint32_t group; /* of the text of a link or picture; runs of two groups never pair */
    th_emphasis_kind kind;
    uint8_t escaped; /* a bit for each of up to 8 symbols; all or none if longer */
    uint8_t before[2], after[2]; /* kinds of the characters around it, for each reader */
} th_emphasis_run;

enum { TH_EMPHASIS_RUNS = 256 };

/** The runs of a line in order. Only `count` and `has_text` are initialized, to 0. */
typedef struct th_emphasis {
    uint32_t count;
    bool has_text; /* a run that may be escaped was noted */
    th_emphasis_run runs[TH_EMPHASIS_RUNS];
} th_emphasis;

/**
 * Notes a run that the caller writes at the end of the line next.
 * @return false after TH_EMPHASIS_RUNS runs that may open or close emphasis: the caller
 * has to escape the run
 */
bool th_emphasis_note(th_emphasis *marks, const th_buffer *line, size_t len,
                      uint32_t group, th_emphasis_kind kind);

/**
 * Writes escapes into a line whose runs were noted. If any is needed and more than 64
 * runs may open or close emphasis, all of them that are text get escapes.
 * Cost: nothing without runs of text. Else runs times runs, and symbols times that if
 * any escape is needed.
 */
void th_emphasis_escape(th_emphasis *marks, th_buffer *line);

#endif
