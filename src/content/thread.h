/*
 * Posts of a thread and comments to an article, with the paragraphs, the author, and the
 * date of each post.
 *
 * For the decision about content: th_thread_find reads no labels, so a classifier may
 * call it before it decides. A paragraph whose part_of is TH_POST_TEXT is text by a
 * reader or member; TH_POST_LINE and TH_POST_OTHER are the frame around it (names, dates,
 * profiles, signatures, buttons). is_forum is true if the posts are the subject of the
 * page (then their texts are the content), and false if they are comments to another
 * text. Call th_thread_may_be first. It is cheap, and false on most pages.
 */
#ifndef TH_THREAD_H
#define TH_THREAD_H

#include <stdbool.h>

#include "thresher/page.h"

/**
 * Returns whether the page may be a thread or have comments: by the words in its classes
 * and by its node_values. About 15 instructions for each set of classes of the page.
 */
bool th_thread_may_be(const th_page *page);

/** Rules by which posts are found. */
typedef enum th_thread_search {
    TH_THREAD_KNOWN,    /* marks of programs and of schema.org only */
    TH_THREAD_COMMENTS, /* also groups of elements, which are comments */
    TH_THREAD_FORUM     /* also groups of elements, which are posts */
} th_thread_search;

/**
 * Finds the posts: by the marks of known programs and of schema.org
 * (thread_software.h), or by the repetition of elements that each have a name and a date.
 * Repetition is used if no marks find posts, or if it finds more posts with both.
 *
 * @param arena     receives the thread and tables, which may be rewound only with it
 * @param out       receives the thread, NULL if the page has no posts or keeps no classes
 * @return TH_OK or TH_NOMEM. Linear in nodes, paragraphs and text, times the number of
 *         programs whose marks the page has.
 */
th_status th_thread_find(const th_page *page, th_thread_search search, th_arena *arena,
                         th_thread **out);

/**
 * Fills in page->known_thread by TH_THREAD_KNOWN if th_thread_may_be, and known_state.
 * Does nothing if known_state is already set. Memory is in the page's arena.
 * @return TH_OK or TH_NOMEM
 */
th_status th_thread_known(th_page *page);

/**
 * Fills in page->thread unless it is filled, if the page is a thread by its type, has
 * comments or th_thread_may_be. The author and date of the first post become the page's
 * if its type is forum and its metadata have none. @return TH_OK or TH_NOMEM
 */
th_status th_thread_page(th_page *page);

#endif
