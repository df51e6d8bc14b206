/*
 * A C interface to CLD2, the Compact Language Detector: text in, up to three languages
 * out. Only this file uses CLD2; a build without it has `src/left_out` instead.
 *
 * If the library with the full tables is available (Debian: libcld2_full), it knows about
 * 160 languages, else 80.
 */
#ifndef TH_CLD2_H
#define TH_CLD2_H

#include <stdbool.h>

#include "thresher/page.h"
#include "thresher/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Whether CLD2 is built in. */
extern const bool th_cld2_is_built;

/** Returns "V2.0 - 20141015", static storage; NULL if it is not built in. */
const char *th_cld2_version(void);

/** Hints on a text's language in addition to its words; NULL if there are none. They have
 * little weight: a page that claims to be English is still detected by its words. */
typedef struct th_cld2_hints {
    const char *languages; /* "de-AT,en", as in Content-Language */
    const char *tld;       /* "at" */
} th_cld2_hints;

/**
 * Finds the languages of a text.
 * @param text  UTF-8, borrowed, at most INT_MAX bytes. Finds nothing in other bytes, or
 *              if there are control characters
 * @param out   the languages, the most used one first; count is 0 if none is found
 * @return TH_OK; TH_NOMEM; TH_NOT_WANTED if CLD2 is not built in
 * Deterministic and thread-safe. Linear, about 20 MB per second.
 */
th_status th_cld2_detect(th_view text, const th_cld2_hints *hints, th_languages *out);

#ifdef __cplusplus
}
#endif

#endif
