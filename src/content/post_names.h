/*
 * Authors of posts by their place: short texts before the text of each post, at the same place
 * in most posts, that differ. For posts without marks of names.
 */
#ifndef TH_POST_NAMES_H
#define TH_POST_NAMES_H

#include "content/post_facts.h"

/** A post whose author is not known. */
typedef struct th_unnamed_post {
    uint32_t node;      /* its element */
    uint32_t text_node; /* the first element of its text */
    th_view name;       /* out; unchanged if there is none */
} th_unnamed_post;

/**
 * Fills in the names.
 *
 * @param post_of  uint32_t[node_count]: index into posts of the innermost post around each
 *                 element, or TH_NONE
 * @return TH_OK, also without names; TH_NOMEM. Linear in blocks.
 */
th_status th_post_names_find(const th_post_reader *reader, th_arena *arena,
                             const uint32_t *post_of, th_unnamed_post *posts,
                             uint32_t count);

#endif
