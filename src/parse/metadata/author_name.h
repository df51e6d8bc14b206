/* Extracts a person's name from a text that should hold one. */
#ifndef TH_AUTHOR_NAME_H
#define TH_AUTHOR_NAME_H

#include <stdbool.h>

#include "thresher/view.h"

/**
 * Returns a name without the words before it ("By", "Written by:", "Von"), and without
 * the words after a dash or bar ("Ada Lovelace | Staff writer").
 * @param text  tidy, see th_tidy_text; borrowed
 * @return a slice of the text; { NULL, 0 } if it is not a name but a link, an address, a
 *         file's or key's name, a number, "admin"
 * Pure; allocates nothing; O(length).
 */
th_view th_author_name(th_view text);

/**
 * Returns the name in a byline: "By Ada Lovelace", "Thread starter ada", "by ada » Mon".
 * @param text  a whole paragraph, tidy; borrowed
 * @param is_label  out: the line is only "Written by", and the name is in the next line
 * @return a slice of the text, { NULL, 0 } if there is none
 */
th_view th_author_in_line(th_view text, bool *is_label);

/**
 * Returns whether names, joined by "; ", are not of persons: one has a word like "Inc" or
 * "University". Editorial teams and staff count as persons.
 * Pure; allocates nothing; O(length).
 */
bool th_author_is_no_person(th_view names);

/** Returns whether one of the names has at least eight words, as a sentence has. */
bool th_author_is_sentence(th_view names);

#endif
