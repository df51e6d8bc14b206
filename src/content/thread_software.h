/* How forum and comment software marks its posts. */
#ifndef TH_THREAD_SOFTWARE_H
#define TH_THREAD_SOFTWARE_H

#include <stdbool.h>

/**
 * A program's selectors for the parts of a post (node_selector.h), the better ones first,
 * together at most TH_SELECTORS_MAX. The first selector of a role that fits an element of
 * the post is used.
 */
typedef struct th_thread_software {
    const char *name;
    const char *posts; /* elements that hold a post each; NULL if texts define them */
    const char
        *texts; /* the text of the post; NULL for all of it except names and dates */
    const char *authors;
    const char *dates;
    const char *votes;
    const char *accepted; /* the post, or an element in it */
    const char *others;   /* signatures, profiles, buttons */
    bool is_forum;        /* posts are the subject of its pages */
    bool takes_last;      /* of several authors and dates the last: others are editors */
    bool has_line_before; /* a name and date may be in the element before the post */
    bool has_types;       /* elements with a type of schema.org's are posts */
} th_thread_software;

enum { TH_THREAD_SOFTWARES_MAX = 40 };

/** Rows; the last has no name. The general row is for groups. */
extern const th_thread_software th_thread_softwares[TH_THREAD_SOFTWARES_MAX + 1];
extern const th_thread_software th_thread_general;

/** Each page of such software has an element that fits one of these. */
extern const char th_thread_signs[];

#endif
