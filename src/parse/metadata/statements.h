/* Collects statements of structured data in an arena, with limits. [th_statement] */
#ifndef TH_STATEMENTS_H
#define TH_STATEMENTS_H

#include <stdbool.h>

#include "thresher/arena.h"
#include "thresher/page.h"

/** Statements of a page. Start with th_statements_begin. */
typedef struct th_statements {
    th_arena *arena;
    th_structured *lists; /* NULL without memory */
    uint32_t capacities[TH_STRUCTURED_LISTS];
    uint32_t count;    /* of all lists */
    size_t bytes_left; /* of texts */
    uint32_t flags;    /* TH_FLAG_STRUCTURED_CUT */
    bool has_failed;   /* without memory */
} th_statements;

/** Starts a page. Allocates empty lists. */
void th_statements_begin(th_statements *statements, th_arena *arena);

/**
 * Appends a statement, and sets the flag if it is over TH_STATEMENTS_MAX.
 * @param row  its texts are kept, not copied
 * @return the statement, valid until the next one of its list; NULL if none was added
 */
th_statement *th_statements_add(th_statements *statements, th_structured_list list,
                                const th_statement *row);

/** Returns a copy of a text in the arena, with the same bytes. Absent, with the flag,
 * over the limit for all texts; absent without memory. */
th_view th_statements_copy(th_statements *statements, th_view text);

/** Like th_statements_copy, for one line of at most `max` bytes. [th_tidy_text] */
th_view th_statements_line(th_statements *statements, th_view text, size_t max);

/** Returns a reference as an absolute URL, in the arena. "" if it is not usable. */
th_view th_statements_url(th_statements *statements, th_view base, th_view reference);

#endif
