/* Names, dates and numbers as an element of a post shows them. */
#ifndef TH_POST_FACTS_H
#define TH_POST_FACTS_H

#include <stdbool.h>

#include "thresher/page.h"

/** A page whose elements are read: tables that th_post_reader_begin fills. */
typedef struct th_post_reader {
    const th_page *page;
    th_arena *arena;       /* receives dates */
    uint32_t *subtree_end; /* of each node: the first node after its descendants */
    uint32_t *link_of;     /* of each node: its link, or TH_NONE */
} th_post_reader;

/** @return TH_OK or TH_NOMEM. Linear. */
th_status th_post_reader_begin(th_post_reader *reader, const th_page *page,
                               th_arena *arena);

/** Returns the value of a kind that the node itself has; absent if it has none. */
th_view th_post_value(const th_post_reader *reader, uint32_t node, unsigned kind);

/** Returns the name in an element: of itemprop "name" in it, of its first link with text, of
 * its first line. A slice of the page's text or a value; absent if it is not a name. */
th_view th_post_name(const th_post_reader *reader, uint32_t node);

/**
 * Cuts a name out of a text: without "by", "says:", symbols around it. The result is
 * absent if the text has no name.
 */
th_view th_post_name_in(th_view text);

/** Whether a text is an action ("Reply to this comment"), or the label of a required field of
 * a form ("Name *"). */
bool th_post_is_control(th_view text);

/** Returns the date of an element, of its values or its text; absent if there is none. */
th_view th_post_date(const th_post_reader *reader, uint32_t node);

/** Returns a date out of a text of at most 160 bytes, ISO 8601; absent if there is none, or
 * if it is when somebody joined or changed something. */
th_view th_post_date_in(const th_post_reader *reader, th_view text);

/** Whether words show that the date after them is not a post's: "Joined", "Last edited". */
bool th_post_date_is_of_another(th_view before);

/** Reads the number of votes of an element. @return false if there is none */
bool th_post_votes(const th_post_reader *reader, uint32_t node, int64_t *votes);

/** Returns the name in "Ada wrote:", "Originally posted by Ada"; absent without such words. */
th_view th_post_quoted(th_view text);

/** Returns the text of an element, up to the end of its last block. */
th_view th_post_node_text(const th_page *page, uint32_t node);

#endif
