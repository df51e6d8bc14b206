/* Collects statements about rights: th_right rows in an arena, with limits. */
#ifndef TH_RIGHTS_H
#define TH_RIGHTS_H

#include <stdbool.h>

#include "thresher/arena.h"
#include "thresher/page.h"

/** Rows of a page. Start with { .arena = ... }. */
typedef struct th_rights {
    th_arena *arena;
    th_right *rows; /* TH_RIGHTS_MAX; NULL before the first row */
    uint32_t count;
    uint32_t flags;  /* TH_FLAG_RIGHTS_CUT */
    bool has_failed; /* without memory */
} th_rights;

/**
 * Appends a row with copies of its texts. A row that is equal to an earlier one is
 * dropped. A value is trimmed, and cut at TH_RIGHT_VALUE_MAX bytes between code points.
 * An agent or type over 64 bytes is cut in the same way. A row over TH_RIGHTS_MAX is
 * dropped. Each cut sets the flag. A row without a value is dropped. The agent becomes
 * lower case.
 */
void th_rights_add(th_rights *rights, const th_right *row);

/** Appends statements about robots, `noindex, googlebot: noai`: one row for each agent
 * that the list names. `agent` is of the items before the first name. */
void th_rights_add_robots(th_rights *rights, const char *from, th_view agent,
                          th_view list);

/** Returns whether a text is a directive for robots, "noindex" or "max-snippet: 20". */
bool th_is_robots_directive(th_view text);

#endif
