/* A person's name out of what stands where a name should be. */
#ifndef TH_AUTHOR_NAME_H
#define TH_AUTHOR_NAME_H

#include <stdbool.h>

#include "thresher/view.h"

/**
 * A name without what leads to it ("By", "Written by:", "Von"), and without what follows it
 * behind a dash or bar ("Ada Lovelace | Staff writer").
 * @param text  tidy, see th_tidy_text; borrowed
 * @return a slice of the text; { NULL, 0 } where it is no name: a link, an address, a file's
 *         or key's name, a number, "admin"
 * Pure; allocates nothing; O(length).
 */
th_view th_author_name(th_view text);

/**
 * The name in a line that says so: "By Ada Lovelace", "Thread starter ada", "by ada » Mon".
 * @param text  a whole paragraph, tidy; borrowed
 * @param is_label  out: the line is nothing but "Written by", the name is in the next one
 * @return a slice of the text, { NULL, 0 } where there is none
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
