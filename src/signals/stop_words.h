/* The words that stand in nearly every text of a language. */
#ifndef TH_STOP_WORDS_H
#define TH_STOP_WORDS_H

#include <stddef.h>

enum { TH_STOP_WORDS = 8 };

/** Eight of a language, by its BCP 47 tag without country; NULL where there is no list. */
const char *const *th_stop_words(const char *language);

#endif
