/*
 * The line that starts a post, and the boxes around a post, which belong to the page's
 * layout and not to the post.
 */
#ifndef TH_POST_LINE_H
#define TH_POST_LINE_H

#include <stdbool.h>

#include "thresher/page.h"

/** Returns whether a box contains the post of a paragraph. The page must have a
 * thread. */
static inline bool th_is_around_post(const th_page *page, uint32_t paragraph,
                                     uint32_t box)
{
    const uint32_t post = page->thread->post_of[paragraph];
    if (post == TH_NONE)
        return false;
    const th_post *row = &page->thread->posts[post];
    const uint32_t node =
        page->thread->part_of[paragraph] == TH_POST_TEXT ? row->text_node : row->node;
    return page->boxes[box].node <= node;
}

/** Returns the lists around the post of a paragraph that is in a list. O(boxes around). */
static inline uint32_t th_depth_around_post(const th_page *page, uint32_t paragraph)
{
    uint32_t box = page->paragraphs[paragraph].box;
    while (box != TH_NONE && !th_is_around_post(page, paragraph, box))
        box = page->boxes[box].parent;
    const uint32_t item = box == TH_NONE ? TH_NONE : page->boxes[box].item;
    return item == TH_NONE ? 0 : page->boxes[item].depth;
}

/** Returns whether a paragraph only repeats the line of its post. */
static inline bool th_is_said_by_line(const th_page *page, uint32_t paragraph)
{
    const th_thread *thread = page->thread;
    return thread->part_of[paragraph] == TH_POST_LINE &&
           thread->posts[thread->post_of[paragraph]].author.len > 0;
}

/**
 * Returns the post that begins with this paragraph and has a line, or NULL.
 * @param is_started  an entry for each post; set for the post that begins
 */
static inline const th_post *th_post_begins(const th_page *page, uint8_t *is_started,
                                            uint32_t paragraph)
{
    const uint32_t post = page->thread->post_of[paragraph];
    if (post == TH_NONE || is_started[post])
        return NULL;
    is_started[post] = true;
    const th_post *row = &page->thread->posts[post];
    return row->author.len || row->published.len ? row : NULL;
}

#endif
