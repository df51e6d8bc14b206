/*
 * Posts without a known program: elements that are made alike, each with a name, a date and
 * a text. [docs/content-model.md]
 */
#ifndef TH_THREAD_GROUP_H
#define TH_THREAD_GROUP_H

#include <stdbool.h>

#include "content/post_facts.h"

/* Facts that an element seems to hold. */
enum { TH_SEEMS_NAME = 1u << 0, TH_SEEMS_DATE = 1u << 1 };

/**
 * Marks the elements of the group that has most plain text. A group has at least two
 * elements of one tag and class. Four fifths of them have a date, or a name and half of
 * them a date, and they have a fifth of the page's plain tokens, or a fiftieth if their
 * class or id has a word as "comment". Siblings with the same first class word are also
 * marked, and the opening post: its text has the same class, or, for posts, it is next to the
 * group with a name and a date. In these elements it also marks the descendants that hold
 * most of the text at the same place, and after the texts comments of another form.
 *
 * A group with a class for posts, names and dates is preferred: among comments always, among
 * posts to a group without names.
 *
 * @param is_forum  whether posts are searched for, not comments
 * @param seems    uint8_t[node_count]: TH_SEEMS_... of each element itself
 * @param is_root  uint8_t[node_count], out: 1 for an element that holds a post
 * @param is_text  uint8_t[node_count], out: 1 for an element that holds the text of a post
 * @param page_part  out: the part of the page's plain tokens that the group needs, 5 or 50
 * @return TH_OK, also without a group; TH_NOMEM. Linear in nodes.
 */
th_status th_thread_group_find(const th_post_reader *reader, bool is_forum,
                               th_arena *arena, const uint8_t *seems, uint8_t *is_root,
                               uint8_t *is_text, uint32_t *page_part);

#endif
