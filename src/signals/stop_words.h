/* The words that occur in nearly every text of a language. */
#ifndef TH_STOP_WORDS_H
#define TH_STOP_WORDS_H

#include <stddef.h>

enum { TH_STOP_WORDS = 8 };

/** Returns eight stop words of a language, by its BCP 47 tag without country. NULL if it
 * has no list. */
const char *const *th_stop_words(const char *language);

#endif
