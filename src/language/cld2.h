/*
 * CLD2, the Compact Language Detector, behind an interface in C: text in, up to three
 * languages out. Its one home; a build without it has cld2_none.c instead.
 *
 * Where the library with the full tables is there (Debian: libcld2_full), it knows some 160
 * languages; else 80.
 */
#ifndef TH_CLD2_H
#define TH_CLD2_H

#include <stdbool.h>

#include "thresher/page.h"
#include "thresher/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Whether this program was built with it. */
extern const bool th_cld2_is_built;

/** "V2.0 - 20141015", static storage; NULL where it is not built in. */
const char *th_cld2_version(void);

/** What is known of a text besides its words; NULL: nothing. They weigh little: a page that
 * says it is English and is not is still told by its words. */
typedef struct th_cld2_hints {
    const char *languages; /* "de-AT,en", as in Content-Language */
    const char *tld;       /* "at" */
} th_cld2_hints;

/**
 * Finds the languages of a text.
 * @param text  UTF-8; of what is none, or has control characters, nothing is found. Borrowed.
 *              At most INT_MAX bytes
 * @param out   the languages, those of most text first; count 0 where none is found
 * @return TH_OK; TH_NOMEM; TH_NOT_WANTED where CLD2 is not built in
 * Deterministic, and for many threads at once. Linear, some 20 MB a second.
 */
th_status th_cld2_detect(th_view text, const th_cld2_hints *hints, th_languages *out);

#ifdef __cplusplus
}
#endif

#endif
